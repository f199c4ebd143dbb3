// SPDX-License-Identifier: Apache-2.0
// Measures tuned records beside the defaults, in one process and in turn. The record number j of each kind of step, for
// all kinds at once, is set j; set 0 are the defaults.
//
//   for round: for set: for step of the plan: the set's kernel, timed
//
// Weights are random, scaled so that values neither grow nor vanish from step to step; inputs likewise. What the sets
// compute is compared before anything is timed.
//
//   measure<Model, Target, Records>(arguments)   rounds, then the numbers of records to leave out; prints lines of
//   JSON:
//                                                {"round": n} as it goes, then the medians
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <tkl/cpu.hpp>
#include <tkl/exec/tuned.hpp>
#include <utility>
#include <vector>

namespace tune {

/// Target with scratch for any of the records.
template <class Target, const auto& Records>
struct room_for_all : Target {
  static constexpr std::int64_t scratch_bytes(const tkl::step& s, const tkl::edge* e) {
    std::int64_t most = Target::scratch_bytes(s, e);
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      [[maybe_unused]] const auto cover = [&]<std::size_t Index>() {
        using arch = tkl::tuned_arch<typename Target::arch_type, Records, Index>;
        most = (std::max)(most, tkl::step_scratch_bytes<arch, typename Target::machine>(s, e));
      };
      ((Records[I].kind == tkl::kind_of(s, e) ? cover.template operator()<I>() : void()), ...);
    }
    (std::make_index_sequence<Records.size()>{});
    return most;
  }
};

template <class Model, class Target, const auto& Records>
class measurement {
  using net = tkl::compile<Model, room_for_all<Target, Records>>;
  using context = tkl::run_context<typename Target::executor_type>;
  using function = void (*)(const tkl::step&, const context&);
  static constexpr std::size_t count = Records.size();
  static constexpr std::size_t steps = static_cast<std::size_t>(net::steps);

  /// Whether a step with key number `key` has the kind of record `record`.
  static constexpr bool meets(std::size_t record, int key) {
    for (std::size_t i = 0; i < steps; ++i)
      if (net::plan_steps()[i].kernel == key &&
          tkl::kind_of(net::plan_steps()[i], net::plan_edges()) == Records[record].kind)
        return true;
    return false;
  }
  template <std::size_t Record, std::size_t Key>
  static constexpr function kernel_of() {
    if constexpr (meets(Record, static_cast<int>(Key))) {
      constexpr tkl::kernel_key key = net::plan_keys()[Key];
      using arch = tkl::tuned_arch<typename Target::arch_type, Records, Record>;
      return &tkl::kernel<key.algorithm>::template run<key, arch, typename Target::machine, context>;
    } else {
      return nullptr;
    }
  }
  using kernels = std::array<function, static_cast<std::size_t>(net::kernels)>;
  template <std::size_t Record, std::size_t... Key>
  static constexpr kernels kernels_of(std::index_sequence<Key...>) {
    return {kernel_of<Record, Key>()...};
  }
  static constexpr auto tuned = []<std::size_t... I>(std::index_sequence<I...>) {
    return std::array<kernels, count>{kernels_of<I>(std::make_index_sequence<std::tuple_size_v<kernels>>{})...};
  }
  (std::make_index_sequence<count>{});

  /// The number of a record among those of its kind: its set.
  static std::size_t set_of(std::size_t record) {
    std::size_t set = 1;
    for (std::size_t i = 0; i < record; ++i) set += Records[i].kind == Records[record].kind;
    return set;
  }
  static std::int64_t now() {
    return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
  }
  template <class T>
  static T median(std::vector<T> v) {
    const auto middle = v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2);
    std::nth_element(v.begin(), middle, v.end());
    return *middle;
  }

  std::mt19937 random_{1};
  tkl::memory_block weights_{}, arena_{};
  std::vector<std::vector<std::byte>> inputs_{}, outputs_{};
  std::vector<const void*> in_{};
  std::vector<void*> out_{};
  std::vector<std::vector<std::size_t>> record_of_{};  // per set and step; count: the default

  void fill(std::byte* to, tkl::element type, std::int64_t elements, float low, float high) {
    std::uniform_real_distribution<float> uniform(low, high);
    for (std::int64_t i = 0; i < elements; ++i) {
      const float v = uniform(random_);
      if (type == tkl::f32) std::memcpy(to + 4 * i, &v, 4);
      const tkl::half h = tkl::to_half(v);
      const tkl::bfloat16 b = tkl::to_bfloat16(v);
      if (type == tkl::f16) std::memcpy(to + 2 * i, &h, 2);
      if (type == tkl::bf16) std::memcpy(to + 2 * i, &b, 2);
      if (type == tkl::u8 || type == tkl::i8) to[i] = static_cast<std::byte>(random_() & 127);
      const std::int32_t one = 1;
      if (type == tkl::i32) std::memcpy(to + 4 * i, &one, 4);
    }
  }
  static std::int64_t bytes_of(const tkl::edge& e) {
    std::int64_t n = static_cast<std::int64_t>(tkl::size_of(e.type));
    for (const std::int32_t x : e.extent) n *= x;
    return n;
  }

 public:
  /// Memory and numbers; records to leave out run as the default. False where there is no memory.
  bool prepare(const std::vector<std::size_t>& left_out) {
    auto weights = tkl::memory_block::allocate(net::weights_bytes, true);
    auto arena = tkl::memory_block::allocate(net::arena_bytes, true);
    if (!weights || !arena) return false;
    weights_ = std::move(*weights), arena_ = std::move(*arena);
    fill(weights_.data(), tkl::f32, net::weights_bytes / 4, 0.5f, 1.0f);
    for (std::size_t i = 0; i < steps; ++i) {
      const tkl::step& s = net::plan_steps()[i];
      if (s.weight < 0) continue;
      const tkl::edge& w = net::plan_edges()[s.weight];
      const auto depth = static_cast<float>((std::max)(std::int64_t{1}, tkl::extents_of(s, net::plan_edges()).depth));
      const float most = std::sqrt(6 / depth);  // keeps the variance behind a rectifier
      fill(weights_.data() + w.offset, w.type, bytes_of(w) / static_cast<std::int64_t>(tkl::size_of(w.type)), -most,
           most);
    }
    const auto plan = net::reference();
    for (int i = 0; i < plan.input_count; ++i) {
      const tkl::edge& e = plan.input(i);
      inputs_.emplace_back(static_cast<std::size_t>(bytes_of(e)));
      fill(inputs_.back().data(), e.type, bytes_of(e) / static_cast<std::int64_t>(tkl::size_of(e.type)), -1, 1);
    }
    for (int i = 0; i < plan.output_count; ++i)
      outputs_.emplace_back(static_cast<std::size_t>(bytes_of(plan.output(i))));
    for (auto& x : inputs_) in_.push_back(x.data());
    for (auto& y : outputs_) out_.push_back(y.data());
    record_of_.emplace_back(steps, count);
    for (std::size_t r = 0; r < count; ++r) {
      const std::size_t set = set_of(r);
      if (set == record_of_.size()) record_of_.emplace_back(steps, count);
      if (std::find(left_out.begin(), left_out.end(), r) != left_out.end()) continue;
      for (std::size_t i = 0; i < steps; ++i)
        if (tkl::kind_of(net::plan_steps()[i], net::plan_edges()) == Records[r].kind) record_of_[set][i] = r;
    }
    return true;
  }

  /// Runs a set; adds the nanoseconds of each step to `spent`.
  void run(std::size_t set, std::int64_t* spent) const {
    const context c{net::plan_edges(), in_.data(), out_.data(), arena_.data(), weights_.data(), nullptr, {}};
    const auto plan = net::reference();
    std::int64_t before = now();
    for (std::size_t i = 0; i < steps; ++i) {
      const tkl::step& s = plan.steps[i];
      const std::size_t record = record_of_[set][i];
      (record == count ? plan.kernels[s.kernel] : tuned[record][static_cast<std::size_t>(s.kernel)])(s, c);
      const std::int64_t after = now();
      spent[i] += after - before;
      before = after;
    }
  }

  /// The largest difference of an f32 output to the default's, as a part of that output's range.
  double difference(std::size_t set) {
    std::vector<std::int64_t> ignored(steps);
    run(0, ignored.data());
    const std::vector<std::vector<std::byte>> standard = outputs_;
    run(set, ignored.data());
    double most = 0;
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      if (net::reference().output(static_cast<int>(i)).type != tkl::f32) continue;
      double range = 0, largest = 0;
      for (std::size_t k = 0; k + 4 <= standard[i].size(); k += 4) {
        float a = 0, b = 0;
        std::memcpy(&a, standard[i].data() + k, 4);
        std::memcpy(&b, outputs_[i].data() + k, 4);
        if (std::isfinite(a)) range = (std::max)(range, std::fabs(static_cast<double>(a)));
        if (std::isfinite(a) != std::isfinite(b)) largest = INFINITY;
        if (std::isfinite(a) && std::isfinite(b))
          largest = (std::max)(largest, std::fabs(static_cast<double>(a) - static_cast<double>(b)));
      }
      most = (std::max)(most, largest > 0 ? largest / range : 0);
    }
    return most;
  }

  void measure(int rounds) {
    const std::size_t sets = record_of_.size();
    std::vector<double> differences(sets);
    for (std::size_t s = 0; s < sets; ++s) differences[s] = difference(s);
    // A round of a short model is several runs of each set, at least a millisecond.
    std::vector<std::int64_t> spent(steps);
    run(0, spent.data());
    std::int64_t once = 1;
    for (const std::int64_t t : spent) once += t;
    const std::int64_t runs = (std::clamp)(std::int64_t{1'000'000} / once, std::int64_t{1}, std::int64_t{1000});

    std::vector<std::vector<std::vector<double>>> samples(sets, std::vector<std::vector<double>>(count + 1));
    std::vector<std::vector<double>> ratios(count);
    for (int round = 0; round < rounds; ++round) {
      std::vector<std::vector<double>> now_spent(sets, std::vector<double>(count + 1));
      for (std::size_t k = 0; k < sets; ++k) {
        const std::size_t set = (k + static_cast<std::size_t>(round)) % sets;
        std::fill(spent.begin(), spent.end(), 0);
        for (std::int64_t i = 0; i < runs; ++i) run(set, spent.data());
        for (std::size_t i = 0; i < steps; ++i) {
          const double t = static_cast<double>(spent[i]) / static_cast<double>(runs);
          now_spent[set][count] += t;
          for (std::size_t r = 0; r < count; ++r)
            if (tkl::kind_of(net::plan_steps()[i], net::plan_edges()) == Records[r].kind) now_spent[set][r] += t;
        }
        for (std::size_t r = 0; r <= count; ++r) samples[set][r].push_back(now_spent[set][r]);
      }
      for (std::size_t r = 0; r < count; ++r) ratios[r].push_back(now_spent[set_of(r)][r] / now_spent[0][r]);
      std::printf("{\"round\": %d}\n", round + 1);
      std::fflush(stdout);
    }
    for (std::size_t r = 0; r < count; ++r)
      std::printf(
          "{\"record\": %zu, \"default_ns\": %.0f, \"tuned_ns\": %.0f, \"ratio\": %.5f, \"difference\": %.3g}\n", r,
          median(samples[0][r]), median(samples[set_of(r)][r]), median(ratios[r]), differences[set_of(r)]);
    for (std::size_t s = 0; s < sets; ++s) std::printf("{\"set\": %zu, \"ns\": %.0f}\n", s, median(samples[s][count]));
  }
};

template <class Model, class Target, const auto& Records>
int measure(int argument_count, char** arguments) {
  std::vector<std::size_t> left_out;
  for (int i = 2; i < argument_count; ++i) left_out.push_back(std::strtoull(arguments[i], nullptr, 10));
  measurement<Model, Target, Records> m;
  if (!m.prepare(left_out)) return std::fputs("no memory for the model's arena and weights\n", stderr), 1;
  m.measure(argument_count > 1 ? std::atoi(arguments[1]) : 31);
  return 0;
}

}  // namespace tune
