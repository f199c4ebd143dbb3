// SPDX-License-Identifier: Apache-2.0
// OpenCL as a target of plans: its facts, what it does not run, and the kernels of its steps. No OpenCL header is
// needed here: a plan and its texts can be made and looked at without one.
#pragma once

#include <cstdint>
#include <string_view>
#include <tkl/arch/mali.hpp>
#include <tkl/exec/executor.hpp>
#include <tkl/exec/opencl_text_of.hpp>
#include <tkl/graph/program.hpp>

namespace tkl {

TKL_ISA_BEGIN
struct opencl_run_time;  // graph/compile_opencl.hpp
TKL_ISA_END

/// When the text of kernels is written: by the compiler, or when the program first needs it.
enum class text_time : std::uint8_t { compile, start };

/// Where a target does not say it. CMake's option TKL_OPENCL_TEXT_AT_START defines the macro for all of a program:
/// units that differ would mean different types by opencl<>.
#if defined(TKL_OPENCL_TEXT_AT_START)
inline constexpr text_time default_text_time = text_time::start;
#else
inline constexpr text_time default_text_time = text_time::compile;
#endif

/// Architectures that compute twice as fast in half precision.
template <class Arch>
concept doubles_half = requires {
  requires Arch::facts.doubles_f16();
};

/// Target of compile<Model, opencl<Arch>>. `Arch`: a tag of arch/mali.hpp, or any with `items` and `facts`. Precision
/// half: values between steps and packed weights are f16, and kernels compute in half precision where that is bounded.
template <class Arch = arch::mali_g52, text_time When = default_text_time,
          opencl_precision Precision = opencl_precision::f32>
struct opencl {
  using arch_type = Arch;
  using run_time = opencl_run_time;
  using executor_type = serial;
  static constexpr work_item_schedule items = Arch::items;
  static_assert(valid_work_item_schedule<items>, "the architecture's schedule is not usable");
  static constexpr opencl_precision precision = Precision;
  static constexpr text_time text_written = When;
  static_assert(Precision == opencl_precision::f32 || doubles_half<Arch>,
                "opencl_precision::half: the architecture is not known to compute faster in half precision");

  static constexpr target_facts facts() {
    target_facts f;
    f.width = item_width;
    f.panel = item_width;
    f.rows = items.pixels;
    f.l1_bytes = Arch::facts.cache_bytes;
    if (Precision == opencl_precision::half) f.stored = f.packed = element::f16;
    f.stages_plain = false;  // an item loads a vector of channels where they need no conversion
    return f;
  }
  static constexpr std::int64_t scratch_bytes(const step&, const edge*) { return 0; }
  static constexpr std::string_view unsupported(const step& s, const kernel_key& k, const edge* edges) {
    return item_unsupported(s, k, edges);
  }
  /// The kernel of a key.
  template <auto Key>
  static opencl_kernel kernel() {
    if constexpr (When == text_time::compile) {
      return opencl_text<Key, items, Precision>::kernel();
    } else {
      return opencl_text_at_start<Key, items, Precision>::kernel();
    }
  }
};

}  // namespace tkl
