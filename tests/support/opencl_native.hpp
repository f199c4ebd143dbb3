// SPDX-License-Identifier: Apache-2.0
// Kernels of OpenCL C compiled for the host by clang and run item by item: for texts that compute in half precision,
// which no OpenCL device for CPUs has (PoCL and oclgrind know no cl_khr_fp16). They are loaded as shared objects.
//
// What oclgrind would look for is looked for otherwise: each buffer ends at a page that may not be touched, the arena
// begins as NaN, and every second step runs its last item first, so that an item that reads what another one writes
// differs from the oracle.
#pragma once

#include <dlfcn.h>
#include <sys/wait.h>

#include <bit>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <tkl/opencl.hpp>
#include <utility>
#include <vector>

#include "support/device_run.hpp"
#include "support/guarded.hpp"
#include "support/opencl_written.hpp"
#include "support/skip.hpp"

namespace tkl_test {

using device_target = tkl::opencl<tkl::arch::mali_g52, tkl::text_time::compile, tkl::opencl_precision::half>;

inline bool shell(const std::string& command) {
  const int status = std::system((command + " 2>&1").c_str());
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

class native_kernel {
 public:
  using launch = void (*)(const unsigned long* counts, const unsigned long* arguments, int backwards);

  /// Compiles a kernel, unless its text was compiled before. A program is skipped where no clang computes in half
  /// precision for the host.
  static launch make(const tkl::opencl_kernel& k) {
    static const compiler chosen = usable_compiler();
    static std::map<std::string, launch> made;
    const std::string source = tkl::opencl_context::full_source(k) + entry(k);
    const auto [kernel, added] = made.try_emplace(source, nullptr);
    if (added) kernel->second = built(chosen, std::to_string(made.size()), source);
    return kernel->second;
  }

 private:
  /// A clang, the options with which it rounds after each operation, and the folder of what it makes.
  struct compiler {
    std::string command, options, folder;

    bool compile(const std::string& from, const std::string& to) const {
      return shell(command + options +
                   " -x cl -cl-std=CL1.2 -target x86_64-linux-gnu -Xclang -finclude-default-header -Xclang "
                   "-cl-ext=+cl_khr_fp16 -ffp-contract=off -O1 -fPIC -w -c " +
                   from + " -o " + to);
    }
    /// What every kernel is linked with.
    bool prepare() const {
      std::filesystem::create_directories(folder);
      const std::string sources = TKL_SOURCE_DIR "/tests/support/opencl_";
      return compile(sources + "builtins.cl", folder + "/builtins.o") &&
             shell(command + options + " -O1 -fPIC -c " + sources + "native.c -o " + folder + "/native.o");
    }
  };

  /// clang 14 needs the processor's conversions: it calls functions that libgcc lacks on x86 otherwise.
  static compiler usable_compiler() {
    const std::string folder = std::string(TKL_BUILD_DIR) + "/opencl_native";
    for (const auto& [command, options] : {std::pair{"clang-19", ""}, std::pair{"clang-14", " -march=native"}}) {
      const compiler c{command, options, folder};
      if (c.prepare() && built(c, "probe", "void entry(const ulong* a) {}\n") != nullptr) return c;
    }
    tkl::test::skip("no clang that compiles half precision for this host (Debian: apt-get install clang-14)");
  }
  static launch built(const compiler& c, const std::string& name, const std::string& source) {
    const std::string path = c.folder + "/" + name;
    std::ofstream(path + ".cl") << source;
    if (!c.compile(path + ".cl", path + ".o") ||
        !shell(c.command + " -shared " + path + ".o " + c.folder + "/builtins.o " + c.folder +
               "/native.o -lm -Wl,--no-undefined -o " + path + ".so"))
      return nullptr;
    void* const object = ::dlopen((path + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
    return object == nullptr ? nullptr : reinterpret_cast<launch>(::dlsym(object, "run_all_items"));
  }
  /// A function that calls the kernel with an array of numbers and addresses.
  static std::string entry(const tkl::opencl_kernel& k) {
    std::string s = "void entry(const ulong* a) {\n", types;
    s.append(k.name).append("(");
    for (int i = 0; i < k.arguments; ++i) {
      const std::string place = "a[" + std::to_string(i) + "]";
      const std::string type = tkl::opencl_context::type_name(k.argument[i]);
      s += (i > 0 ? ", " : "");
      s += tkl::is_float(k.argument[i]) ? "as_float((uint)" + place + ")" : "(" + type + ")" + place;
    }
    return s + ");\n}\n";
  }
};

/// What a planned graph gives, its kernels written at run time and run on the host. `watch` sees each step.
template <tkl::work_item_schedule S = device_target::items, class Target, class Watch = unwatched>
device_run run_planned(const planned_graph<Target>& planned, const tkl::graph&, const std::vector<const void*>& inputs,
                       Watch&& watch = {}) {
  device_run r = planned.run;
  if (!r.good()) return r;
  const tkl::device_plan p = planned.plan(S);
  const tkl::device_tables tables(p);
  using memory_block = tkl::test::guarded<std::byte>;
  const auto block = [](const void* from, std::int64_t bytes) {
    auto b = std::make_unique<memory_block>(static_cast<std::size_t>(bytes), tkl::test::guard::end, 4);
    if (from == nullptr) std::memset(b->data(), 0xff, b->size());
    if (from != nullptr && bytes > 0) std::memcpy(b->data(), from, b->size());
    return b;
  };
  const auto arena = block(nullptr, p.arena_bytes), weights = block(planned.weights.data(), p.weights_bytes);
  std::vector<std::unique_ptr<memory_block>> in, out;
  for (int i = 0; i < p.input_count; ++i)
    in.push_back(block(inputs[static_cast<std::size_t>(i)], tkl::buffer_bytes_of(p.input(i))));
  for (int i = 0; i < p.output_count; ++i) out.push_back(block(nullptr, tkl::buffer_bytes_of(p.output(i))));
  const auto base = [&](const tkl::edge& e) -> const std::byte* {
    return e.where == tkl::space::input    ? in[static_cast<std::size_t>(e.index)]->data()
           : e.where == tkl::space::output ? out[static_cast<std::size_t>(e.index)]->data()
           : e.where == tkl::space::arena  ? arena->data()
                                           : weights->data();
  };
  for (int i = 0; i < p.step_count; ++i) {
    const tkl::step& s = p.steps[i];
    const auto w = written_kernel<S>(p.keys[s.kernel], Target::precision);
    const tkl::opencl_kernel k = tkl::kernel_of(s.algorithm, *w);
    const native_kernel::launch run = native_kernel::make(k);
    if (run == nullptr) {
      r.error = "the kernel of step " + std::to_string(i) + " does not compile";
      return r;
    }
    std::vector<unsigned long> arguments;
    for (int a = 0; a < k.arguments; ++a) {
      const tkl::text_argument& t = k.argument[a];
      if (t.kind == tkl::argument_kind::tables) {
        arguments.push_back(reinterpret_cast<unsigned long>(tables.numbers.data()));
      } else if (t.kind == tkl::argument_kind::buffer) {
        arguments.push_back(reinterpret_cast<unsigned long>(base(p.edges[tkl::edge_of(t, s)])));
      } else if (tkl::is_float(t)) {
        arguments.push_back(std::bit_cast<std::uint32_t>(tkl::float_of(t, s)));
      } else {
        const std::int32_t v = tkl::integer_of(t, s, p.edges, tables.at[static_cast<std::size_t>(i)]);
        arguments.push_back(static_cast<unsigned long>(static_cast<long>(v)));
      }
    }
    const tkl::opencl_launch l =
        tkl::launch_of(tkl::items_of_step(S, s, p.keys[s.kernel], p.edges, k.columns), S.group, 256, {256, 256, 256});
    const auto memory = [&](const tkl::edge& e) { return base(e) + e.offset; };
    watch.before(planned.program, i, memory);
    run(l.global, arguments.data(), i % 2);
    watch.after(i, memory);
  }
  for (std::size_t o = 0; o < out.size(); ++o)
    r.outputs.push_back(widened({out[o]->begin(), out[o]->end()}, p.output(static_cast<int>(o)).type));
  return r;
}

/// The same of a graph with random weights.
template <tkl::work_item_schedule S = device_target::items, class Target = device_target, class Watch = unwatched>
device_run run_on_device(const tkl::graph& g, const std::vector<const void*>& inputs, Watch&& watch = {}) {
  return run_planned<S>(planned_graph<Target>(g), g, inputs, watch);
}

}  // namespace tkl_test

#include "support/step_compare.hpp"
