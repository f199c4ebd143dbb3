// SPDX-License-Identifier: Apache-2.0
// Every kernel of the catalogue at every level that runs here, against the reference machine on the same definition.
// tkl-test: libs=kernel_cases
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <kernels/cases.hpp>
#include <kernels/definitions.hpp>
#include <limits>
#include <string>
#include <tkl/graph/plan_interpreter.hpp>
#include <tkl/kernels.hpp>
#include <tkl/runtime/cpu_level.hpp>
#include <tkl/runtime/host_cpu.hpp>
#include <tkl/target/reference.hpp>
#include <vector>

namespace {

using namespace tkl::kernels;

/// The reference machine as a target of the eager API.
struct reference_target {
  using arch_type = tkl::arch::reference;
  using machine = tkl::reference_machine;
  using executor_type = tkl::serial;
  executor_type executor{};
  tkl::scratch_memory scratch{};
  reference_target() = default;
  explicit reference_target(tkl::scratch_memory memory) : scratch(memory) {}
};

std::vector<std::string> levels_here() {
  std::vector<std::string> names;
  for (const tkl::cpu_level l : tkl::cpu_levels)
    if (tkl::runs(tkl::host_level(), l)) names.emplace_back(name_of(l));
  return names;
}

/// Scratch memory at a 64-byte boundary.
struct scratch_block {
  explicit scratch_block(std::int64_t bytes) : bytes_(bytes), memory_(static_cast<std::size_t>(bytes) + 64) {}
  operator tkl::scratch_memory() {
    const auto past = reinterpret_cast<std::uintptr_t>(memory_.data()) % 64;
    return {reinterpret_cast<std::byte*>(memory_.data() + (64 - past) % 64), bytes_};
  }

 private:
  std::int64_t bytes_;
  std::vector<unsigned char> memory_;
};

/// `terms`: products of numbers below 2 in a sum; its error grows with their number.
bool same(float got, float expected, double terms) {
  if (std::isnan(expected)) return std::isnan(got);
  const double error = std::fabs(double{got} - double{expected});
  return got == expected || error <= 1e-5 * (1 + std::fabs(double{expected})) + 0x1p-22 * terms;
}

template <class Op, class Size>
void check(const Size& size, const std::vector<std::string>& levels) {
  case_memory memory;
  const auto expected = cases<Op>::make(memory, size);
  const auto& in = expected.in;
  const auto& out = expected.out;
  const double terms = static_cast<double>(expected.work) / static_cast<double>(out.size() + 1);
  using reference = compiled<reference_target, Op>;
  scratch_block own(1 << 20);
  REQUIRE(with_inputs(reference::run, in, out, tkl::scratch_memory(own)).ok());
  for (const std::string& level : levels) {
    CAPTURE(level);
    REQUIRE(select_level(level).ok());
    case_memory second;
    const auto got = cases<Op>::make(second, size).out;
    for (std::int64_t i = 0; i < got.size(); ++i) got.data()[i] = std::numeric_limits<float>::quiet_NaN();
    const call<Op> kernel;
    scratch_block scratch(with_inputs([&](const auto&... x) { return kernel.scratch_bytes(x...); }, in, got));
    const tkl::status s = with_inputs(kernel, in, got, tkl::scratch_memory(scratch));
    REQUIRE_MESSAGE(s.ok(), s.message());
    for (std::int64_t i = 0; i < got.size(); ++i) {
      CAPTURE(i);
      REQUIRE_MESSAGE(same(got.data()[i], out.data()[i], terms), got.data()[i], " is not ", out.data()[i]);
    }
  }
}

template <class Op>
void check_all(const std::vector<std::string>& levels) {
  CAPTURE(std::string(Op::name));
  // All but the last, which is the benchmark's: an emulator would take minutes.
  constexpr std::size_t count = std::size(cases<Op>::extents) - 1;
  for (std::size_t i = 0; i < count; ++i) {
    CAPTURE(i);
    check<Op>(cases<Op>::extents[i], levels);
  }
}

template <class... Op>
void check_list(list<Op...>, const std::vector<std::string>& levels) {
  (check_all<Op>(levels), ...);
}

}  // namespace

TEST_CASE("without a wish the highest level runs") {
  REQUIRE(level().ok());
  CHECK(std::string(name_of(*level())) == levels_here().back());
}

TEST_CASE("every kernel at every level that runs here") {
  for (const std::string& l : levels_here()) MESSAGE("level ", l);
  check_list(catalogue{}, levels_here());
}

TEST_CASE("levels that are not there") {
  REQUIRE(select_level("").ok());
  CHECK(std::string(select_level("mmx").message())
            .starts_with("tkl::kernels::select_level: level 'mmx' does not exist: "));
  const std::string best = levels_here().back();
  if (best == "avx2")
    CHECK(std::string(select_level("avx512").message()) ==
          "tkl::kernels::select_level: level 'avx512' does not run here: this processor and its system go up to avx2, "
          "built in: base avx2 avx512");
  CHECK(std::string(name_of(*level())) == best);  // the choice stayed
}

TEST_CASE("mistakes are told, and nothing is written") {
  case_memory memory;
  const matrix<float> a = memory.matrix_of(3, 4), b = memory.matrix_of(5, 6), c = memory.matrix_of(3, 6);
  const float before = c.data()[0];
  CHECK(std::string(gemm(a, b, c).message()) ==
        "matmul: inner extents differ: first operand 3x4 has 4, second operand 5x6 has 5");
  CHECK(c.data()[0] == before);
  const images<float> x = memory.images_of(1, 8, 8, 64), y = memory.images_of(1, 8, 8, 64);
  const filters<float> w = memory.filters_of(64, 64, 3, 3);
  const vector<float> bias = memory.vector_of(64);
  const tkl::conv2d_params p{.pad = 1};
  CHECK(conv2d.scratch_bytes(x, w, bias, p, y) > 64 * 1024);
  CHECK(std::string(conv2d(x, w, bias, p, y).message()).find("bytes of scratch memory") != std::string::npos);
}
