// SPDX-License-Identifier: Apache-2.0
// Every kernel of the compiled catalogue (tkl::kernels): the highest level that the processor runs against level base.
// This program has no flags of a level itself.
// tkl-bench: libs=benchmark,rapidjson,kernel_cases levels=base
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <kernels/cases.hpp>
#include <string>
#include <tkl/core/status.hpp>
#include <tkl/kernels.hpp>
#include <tkl/runtime/cpu_level.hpp>
#include <vector>

#include "support/measure.hpp"
#include "support/program.hpp"

namespace {

using namespace bench;
namespace kernels = tkl::kernels;

/// The functions of two levels: choosing is not measured.
struct two_levels {
  const kernels::table *base = nullptr, *best = nullptr;
  std::string best_name{};
};

template <class Op>
row compare(const two_levels& levels) {
  row r;
  r.name = std::string(Op::name), r.rival = "level base", r.rival_version = "tkl " + levels.best_name;
  kernels::case_memory memory;
  const auto problem = kernels::cases<Op>::make(memory, *std::prev(std::end(kernels::cases<Op>::extents)));
  contest c;
  std::vector<unsigned char> block(std::size_t{1} << 20);
  const auto past = reinterpret_cast<std::uintptr_t>(block.data()) % 64;
  const tkl::scratch_memory scratch(reinterpret_cast<std::byte*>(block.data() + (64 - past) % 64),
                                    static_cast<std::int64_t>(block.size()) - 64);
  for (const kernels::table* t : {levels.base, levels.best}) {
    const kernels::slot<Op>& functions = *t;
    const auto run = [&functions, &problem, scratch] {
      return kernels::with_inputs(functions.run, problem.in, problem.out, scratch);
    };
    const tkl::status s = run();
    if (!s) r.error = s.message();
    c.add(t == levels.base ? "base" : "best", [run] { static_cast<void>(run()); });
  }
  const auto seconds = c.measure();
  if (r.error.empty()) r.ratio = seconds.at("base") / seconds.at("best");
  return r;
}

template <class... Op, class Wanted>
void compare_all(kernels::list<Op...>, const two_levels& levels, results& all, const Wanted& wanted) {
  std::vector<row> rows;
  (void(wanted(std::string(Op::name)) ? rows.push_back(all.add(compare<Op>(levels))) : void()), ...);
  all.add(geometric_mean(rows, 1.0));
}

}  // namespace

int main(int count, char** arguments) {
  return bench::run(count, arguments, "kernels", [](results& all, const auto& wanted) {
    two_levels levels;
    const bool has_base = kernels::select_level("base").ok();
    levels.base = kernels::chosen_table();
    const bool has_best = kernels::select_level("").ok();
    levels.best = kernels::chosen_table();
    const auto best = kernels::level();
    if (has_base && has_best && best && *best != tkl::cpu_level::base) {
      levels.best_name = std::string(name_of(*best));
      compare_all(kernels::catalogue{}, levels, all, wanted);
    } else {
      row r;
      r.name = "all", r.rival = "level base", r.error = "there is no second level to compare with";
      all.add(r);
    }
  });
}
