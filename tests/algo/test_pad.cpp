// SPDX-License-Identifier: Apache-2.0
// Padding against its definition: every axis, tails, cuts, empty inputs, threads.
#include <doctest/doctest.h>

#include <support/oracle_spatial.hpp>
#include <tkl/algo/pad.hpp>
#include <tkl/arch/native.hpp>
#include <tkl/exec/executor.hpp>
#include <tkl/expr/functions.hpp>
#include <tkl/target/cpu.hpp>
#include <tkl/target/reference.hpp>

using namespace tkl;
using namespace tkl::test;

namespace {

struct layer {
  std::int64_t in[4]{1, 2, 3, 4}, before[4]{}, after[4]{}, gap = 0;
};

template <class M, class TA = float, class TC = float>
void check(const layer& l, guard side = guard::end) {
  INFO("in ", l.in[0], "x", l.in[1], "x", l.in[2], "x", l.in[3], " before ", l.before[0], ",", l.before[1], ",",
       l.before[2], ",", l.before[3]);
  std::int64_t out[4];
  for (int i = 0; i < 4; ++i) out[i] = l.before[i] + l.in[i] + l.after[i];
  random_numbers random{static_cast<std::uint32_t>(l.in[3] + 5 * l.before[3])};
  image<TA> x(l.in[0], l.in[1], l.in[2], l.in[3], l.gap, side);
  x.fill_with([&](auto, auto, auto, auto) { return static_cast<double>(random.whole(0, 50)); });
  image<TC> y(out[0], out[1], out[2], out[3], l.gap, side), split(out[0], out[1], out[2], out[3], l.gap, side);
  guarded<float> shift(static_cast<std::size_t>(out[3]), side);
  for (auto& s : shift) s = static_cast<float>(random.whole(0, 9));
  const auto epilogue = acc * 2.0f + channel_node<float>{{}, shift.data()};
  pad_problem<TA, TC> p{.x = x.const_view(), .y = y.view(), .fill = 3.0f};
  for (int i = 0; i < 4; ++i) p.before[i] = l.before[i];
  pad<M>(p, epilogue, serial{});
  p.y = split.view();
  pad<M>(p, epilogue, splitting{3});
  CHECK(y.gaps_intact());
  CHECK(y.same_bits(split));
  CHECK(largest_error(y, [&](auto n, auto r, auto c, auto k) {
          const std::int64_t at[4]{n - l.before[0], r - l.before[1], c - l.before[2], k - l.before[3]};
          bool inside = true;
          for (int i = 0; i < 4; ++i) inside = inside && at[i] >= 0 && at[i] < l.in[i];
          return 2.0 * (inside ? number(x(at[0], at[1], at[2], at[3])) : 3.0) +
                 number(shift[static_cast<std::size_t>(k)]);
        }) == 0.0);
}

}  // namespace

TEST_CASE_TEMPLATE("pad: every axis, sizes around the vector", M, reference_machine, cpu_machine<arch::native>) {
  random_numbers random{5};
  for (std::int64_t channels = 1; channels <= 2 * M::width + 1; ++channels) {
    layer l{.in = {random.whole(1, 2), random.whole(1, 3), random.whole(1, 4), channels}, .gap = channels % 2};
    for (int axis = 0; axis < 4; ++axis) {
      l.before[axis] = random.whole(0, axis == 3 ? 2 * M::width : 2);
      l.after[axis] = random.whole(0, axis == 3 ? 2 * M::width : 2);
    }
    check<M>(l, guard::end);
    check<M>(l, guard::start);
  }
}

TEST_CASE_TEMPLATE("pad: element types, cuts, empty inputs", M, reference_machine, cpu_machine<arch::native>) {
  check<M, half, half>({.before = {0, 1, 0, 3}, .after = {0, 0, 2, 1}});
  check<M, std::uint8_t, float>({.before = {0, 1, 1, 0}, .after = {0, 1, 1, 0}});
  check<M>({.in = {2, 4, 5, 19}, .before = {-1, -2, -1, -3}, .after = {0, 1, -1, 2}});
  check<M>({.in = {1, 0, 3, 4}, .before = {0, 2, 0, 0}});
  check<M>({.in = {1, 2, 3, 0}, .before = {0, 0, 0, 5}, .after = {0, 1, 0, 6}});
  check<M>({.in = {0, 2, 3, 4}});
}
