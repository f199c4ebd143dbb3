// SPDX-License-Identifier: Apache-2.0
// tuned<Target, Records>: a CPU target with tuned schedules in the place of defaults.
//
//   #include "my_model.tuned.hpp"                                    what tools/tune.py wrote
//   using net = tkl::compile<my_model, tkl::tuned<tkl::cpu<>, tuned::my_model_avx2>>;
//
// Each step whose kind a record names gets kernels with that record's schedule; the passes, the layout of packed
// weights and everything else are the target's. A schedule is data: the algorithms see an architecture that differs
// from the target's in that schedule alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tkl/config.hpp>
#include <tkl/exec/cpu.hpp>
#include <tkl/exec/tuned_check.hpp>
#include <tkl/graph/check.hpp>
#include <tkl/graph/program.hpp>
#include <tkl/graph/tuned_record.hpp>
#include <utility>
#include <vector>

namespace tkl {
TKL_ISA_BEGIN

/// Arch with the schedule of a record.
template <class Arch, const auto& Records, std::size_t Index>
struct tuned_arch : Arch {
  static constexpr schedule_kind replaced = schedule_kind_of(Records[Index].kind.algorithm);
  static constexpr gemm_schedule gemm = replaced == schedule_kind::gemm ? Records[Index].gemm : Arch::gemm;
  static constexpr conv_schedule conv = replaced == schedule_kind::conv ? Records[Index].conv : Arch::conv;
  static constexpr attention_schedule attention =
      replaced == schedule_kind::attention ? Records[Index].attention : Arch::attention;
  static constexpr int depthwise_tile = Records[Index].depthwise.tile;
  static constexpr int depthwise_group = Records[Index].depthwise.group;
};

namespace impl {

/// Records judged for an architecture, for no_mistake.
template <class Arch, const auto& Records>
struct judged_records {
  static constexpr text<240> mistake = tkl::detail::mistake_of_records<Arch, Records>();
};

}  // namespace impl

/// Target of compile<> and buckets<>. `Target`: cpu<>, or half_storage<> or exact<> of it. `Records`: a constexpr
/// std::array of tuned_record with linkage. A compile error names the first record that is of another version, was
/// measured on another device, has a schedule that a concept refuses, or that no step of the model uses; the last
/// unless `Surplus`, for records that serve several models or shapes.
template <class Target, const auto& Records, bool Surplus = false>
struct tuned : Target {
  using arch_type = typename Target::arch_type;
  static_assert(no_mistake<impl::judged_records<arch_type, Records>>::value);
  static constexpr std::size_t record_count = Records.size();
  static constexpr const tuned_record* records() { return Records.data(); }

  static constexpr std::int64_t scratch_bytes(const step& s, const edge* edges) {
    std::int64_t bytes = Target::scratch_bytes(s, edges);
    const step_kind kind = kind_of(s, edges);
    [&]<std::size_t... Each>(std::index_sequence<Each...>) {
      [[maybe_unused]] const auto use = [&]<std::size_t Index>() {
        bytes = step_scratch_bytes<tuned_arch<arch_type, Records, Index>, typename Target::machine>(s, edges);
      };
      ((Records[Each].kind == kind ? use.template operator()<Each>() : void()), ...);
    }
    (std::make_index_sequence<record_count>{});
    return bytes;
  }

  template <auto Key>
  static void run(const step& s, const run_context<typename Target::executor_type>& c) {
    if constexpr (Key.schedule == 0) {
      Target::template run<Key>(s, c);
    } else {
      using arch = tuned_arch<arch_type, Records, Key.schedule - 1>;
      kernel<Key.algorithm>::template run<Key, arch, typename Target::machine>(s, c);
    }
  }

  /// Gives the steps of a program that records name kernels of their own. Records with one schedule share them.
  static constexpr void use_records(program& p) {
    if (!p.error.empty()) return;
    std::vector<kernel_key> keys;
    bool used[record_count + 1]{};
    for (step& s : p.steps) {
      kernel_key key = p.keys[static_cast<std::size_t>(s.kernel)];
      const step_kind kind = kind_of(s, p.edges.data());
      for (std::size_t i = 0; i < record_count; ++i) {
        if (!(Records[i].kind == kind)) continue;
        used[i] = true;
        std::size_t first = 0;
        while (!same_code(Records[first], Records[i])) ++first;
        key.schedule = static_cast<std::uint8_t>(first + 1);
      }
      std::size_t at = 0;
      while (at < keys.size() && !(keys[at] == key)) ++at;
      if (at == keys.size()) keys.push_back(key);
      s.kernel = static_cast<std::int16_t>(at);
    }
    p.keys = std::move(keys);
    for (std::size_t i = 0; !Surplus && i < record_count && p.error.empty(); ++i)
      if (!used[i]) name_unused(p, i);
  }

 private:
  /// "... no step of the model is of this kind; its conv2d are of 2048 x 576 x 64"
  static constexpr void name_unused(program& p, std::size_t index) {
    const step_kind& wanted = Records[index].kind;
    text<240> others;
    for (const step& s : p.steps) {
      const step_kind kind = kind_of(s, p.edges.data());
      if (kind.algorithm == wanted.algorithm && others.empty()) others << kind;
    }
    p.error << "tuned record " << index << " (" << wanted << "): no step of the model is of this kind; ";
    if (others.empty()) {
      p.error << "it has no " << name_of(wanted.algorithm);
    } else {
      p.error << "its first of that algorithm is " << others.view();
    }
  }
};

TKL_ISA_END
}  // namespace tkl
