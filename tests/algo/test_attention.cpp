// SPDX-License-Identifier: Apache-2.0
// Attention against its definition: heads and depths of all sizes, heads that share keys, slices of a joint tensor,
// masks, bounds on keys, tiles, threads.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <support/oracle_attention.hpp>
#include <tkl/algo/attention.hpp>
#include <tkl/arch/native.hpp>
#include <tkl/exec/executor.hpp>
#include <tkl/expr/functions.hpp>
#include <tkl/target/cpu.hpp>
#include <tkl/target/reference.hpp>
#include <vector>

using namespace tkl;
using namespace tkl::test;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class M>
constexpr attention_schedule schedule_of = M::width == 1 ? attention_schedule{} : arch::native::attention;

/// Which mask axes have their own values: batch, head, query, key.
struct mask_kind {
  bool given = false, batch = false, head = false, query = false, key = true;
};
struct layer {
  std::int64_t batch = 1, heads = 1, queries = 5, keys = 7, depth = 4, value_depth = 4;
  bool joint = false;  // q, k, v are slices of one tensor (queries == keys, depth == value_depth)
  mask_kind mask{};
  std::int64_t sharing = 1;  // query heads that share a head of keys and values
  std::int64_t reach = (std::numeric_limits<std::int32_t>::max)();
};

template <attention_schedule S, class M, class TA, class TC, class Score, class E, class X>
void run(const attention_problem<TA, TC>& p, const Score& score, const E& epilogue, const X& executor) {
  const std::int64_t bytes = attention_scratch_bytes(S, M::width, sizeof(typename M::scalar),
                                                     p.q.shape.extent[3] / p.heads, p.v.shape.extent[3] / p.key_heads);
  guarded<std::byte> scratch(static_cast<std::size_t>(bytes * executor.workers()), guard::end, 64);
  for (auto& byte : scratch) byte = std::byte{0xff};  // NaN
  attention<S, M>(p, score, epilogue, executor, scratch.data());
  CHECK(scratch.intact());
}

template <class M, class TA = float, class TC = float, attention_schedule S = schedule_of<M>>
void check(const layer& l, guard side = guard::end, double tolerance = 2e-6) {
  INFO("heads ", l.heads, " queries ", l.queries, " keys ", l.keys, " depth ", l.depth, " value depth ", l.value_depth,
       " mask ", l.mask.given, " sharing ", l.sharing, " reach ", l.reach);
  random_numbers random{static_cast<std::uint32_t>(l.queries * 3 + l.keys * 5 + l.depth)};
  const std::int64_t width = l.heads * l.depth, value_width = l.heads * l.value_depth;
  image<TA> q(l.batch, 1, l.queries, width, l.joint ? 2 * width : 0, side);
  image<TA> k(l.batch, 1, l.keys, width / l.sharing, 0, side), v(l.batch, 1, l.keys, value_width / l.sharing, 0, side);
  q.fill(random, 2.0), k.fill(random, 2.0), v.fill(random);
  image<TA> joint(l.joint ? l.batch : 0, 1, l.queries, 3 * width, 0, side);
  joint.fill_with([&](auto b, auto, auto t, auto c) {
    return number(c < width ? q(b, 0, t, c) : c < 2 * width ? k(b, 0, t, c - width) : v(b, 0, t, c - 2 * width));
  });
  image<float> mask(l.mask.batch ? l.batch : 1, l.mask.head ? l.heads : 1, l.mask.query ? l.queries : 1,
                    l.mask.key ? l.keys : 1, 0, side);
  mask.fill_with([&](auto, auto, auto, auto) { return random.whole(0, 3) ? random() : -infinity; });
  image<float> residual(l.batch, 1, l.queries, value_width, 0, side);
  residual.fill(random);
  const auto* step = residual.strides();
  const auto epilogue = acc + element_node<float>{{}, residual.data(), {step[0], step[1], step[2]}};
  const double scale = 1.0 / std::sqrt(static_cast<double>(l.depth));

  image<TC> y(l.batch, 1, l.queries, value_width, 1, side), split(l.batch, 1, l.queries, value_width, 1, side);
  attention_problem<TA, TC> p{.q = q.const_view(),
                              .k = k.const_view(),
                              .v = v.const_view(),
                              .y = y.view(),
                              .heads = l.heads,
                              .key_heads = l.heads / l.sharing,
                              .reach = l.reach,
                              .scale = static_cast<float>(scale)};
  if (l.joint) {
    p.q = p.k = p.v = joint.const_view();
    p.q.shape.extent[3] = p.k.shape.extent[3] = p.v.shape.extent[3] = width;
    p.k.data += width, p.v.data += 2 * width;
  }
  const auto run_both = [&](const auto& score) {
    run<S, M>(p, score, epilogue, serial{});
    p.y = split.view();
    run<S, M>(p, score, epilogue, splitting{3});
  };
  if (l.mask.given) {
    strided_node<float> added{{}, mask.data(), {}, l.mask.query ? mask.strides()[2] : 0};
    if (l.mask.batch) added.stride[0] = mask.strides()[0];
    if (l.mask.head) added.stride[1] = mask.strides()[1];
    if (l.mask.key) added.stride[2] = 1;
    run_both(acc + added);
  } else {
    run_both(acc);
  }
  CHECK(y.gaps_intact());
  CHECK(y.same_bits(split));

  double worst = 0.0;
  for (std::int64_t b = 0; b < l.batch; ++b)
    for (std::int64_t h = 0; h < l.heads; ++h)
      for (std::int64_t i = 0; i < l.queries; ++i) {
        const auto w = attention_weights_oracle(q, k, l.heads, number(p.scale), b, h, i, [&](std::int64_t key) {
          if (key > i + l.reach) return -infinity;
          if (!l.mask.given) return 0.0;
          return number(mask(l.mask.batch ? b : 0, l.mask.head ? h : 0, l.mask.query ? i : 0, l.mask.key ? key : 0));
        });
        for (std::int64_t c = h * l.value_depth; c < (h + 1) * l.value_depth; ++c) {
          double want = number(residual(b, 0, i, c));
          for (std::int64_t key = 0; key < l.keys; ++key)
            want += w[static_cast<std::size_t>(key)] *
                    number(v(b, 0, key, h / l.sharing * l.value_depth + c % l.value_depth));
          const double got = number(y(b, 0, i, c));
          worst = std::isnan(got) ? infinity : std::max(worst, std::fabs(got - want));
        }
      }
  CHECK(worst < tolerance);
}

/// One head of depth 1, scale 1.
template <class M, class T>
std::vector<double> small(const std::vector<double>& q, const std::vector<double>& k, const std::vector<double>& v,
                          const std::vector<double>& mask = {}, std::int64_t depth = 1, float scale = 1.0f) {
  const auto fill = [](auto& image, const std::vector<double>& numbers) {
    const std::int64_t width = image.extent(3);
    image.fill_with([&](auto, auto, auto t, auto c) { return numbers[static_cast<std::size_t>(t * width + c)]; });
  };
  const auto queries = static_cast<std::int64_t>(q.size()) / depth, keys = static_cast<std::int64_t>(v.size());
  image<T> qi(1, 1, queries, depth), ki(1, 1, keys, depth), vi(1, 1, keys, 1), y(1, 1, queries, 1);
  image<T> mi(1, 1, queries, keys);
  fill(qi, q), fill(ki, k), fill(vi, v);
  const attention_problem<T, T> p{
      .q = qi.const_view(), .k = ki.const_view(), .v = vi.const_view(), .y = y.view(), .scale = scale};
  if (!mask.empty()) {
    fill(mi, mask);
    run<schedule_of<M>, M>(p, acc + strided_node<T>{{}, mi.data(), {0, 0, 1}, keys}, acc, serial{});
  } else {
    run<schedule_of<M>, M>(p, acc, acc, serial{});
  }
  std::vector<double> got;
  y.for_each([&](auto, auto, auto t, auto) { got.push_back(number(y(0, 0, t, 0))); });
  return got;
}

}  // namespace

TEST_CASE_TEMPLATE("attention: depths around the vector and the register tile", M, reference_machine,
                   cpu_machine<arch::native>) {
  for (std::int64_t depth = 1; depth <= 2 * M::width + 1; ++depth)
    for (const guard side : {guard::end, guard::start}) {
      check<M>({.heads = 2, .queries = 7, .keys = 9, .depth = depth, .value_depth = depth}, side);
      check<M>({.heads = 3, .queries = 3, .keys = 5, .depth = 3, .value_depth = depth}, side);
    }
  for (const std::int64_t depth : {32, 64, 100})
    check<M>({.queries = 5, .keys = 6, .depth = depth, .value_depth = depth});
}

TEST_CASE_TEMPLATE("attention: numbers of queries and keys around blocks and tiles", M, reference_machine,
                   cpu_machine<arch::native>) {
  constexpr std::int64_t block = std::int64_t{schedule_of<M>.queries} * M::width, tile = schedule_of<M>.keys;
  for (const std::int64_t n : {std::int64_t{1}, block - 1, block, block + 1, 2 * block + 3})
    check<M>({.queries = n, .keys = 11, .depth = 5, .value_depth = 6});
  for (const std::int64_t n : {std::int64_t{1}, tile - 1, tile, tile + 1, 2 * tile + 7})
    check<M>({.queries = 9, .keys = n, .depth = 5, .value_depth = 6});
}

TEST_CASE_TEMPLATE("attention: slices of a joint tensor, layers of real networks", M, reference_machine,
                   cpu_machine<arch::native>) {
  check<M>({.batch = 2, .heads = 8, .queries = 40, .keys = 40, .depth = 15, .value_depth = 15, .joint = true});
  check<M>({.heads = 8, .queries = 120, .keys = 120, .depth = 15, .value_depth = 15, .joint = true});
  check<M>({.heads = 3, .queries = 128, .keys = 128, .depth = 32, .value_depth = 32, .joint = true});
}

TEST_CASE_TEMPLATE("attention: masks broadcast along any axes", M, reference_machine, cpu_machine<arch::native>) {
  for (int bits = 0; bits < 16; ++bits) {
    layer l{.batch = 2, .heads = 3, .queries = M::width + 3, .keys = 101, .depth = 6, .value_depth = 5};
    l.mask = {true, (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0};
    check<M>(l);
  }
}

TEST_CASE_TEMPLATE("attention: query heads that share keys and values", M, reference_machine,
                   cpu_machine<arch::native>) {
  check<M>({.batch = 2, .heads = 8, .queries = 13, .keys = 29, .depth = 5, .value_depth = 7, .sharing = 4});
  check<M>({.heads = 3, .queries = M::width + 1, .keys = 101, .depth = 8, .value_depth = 3, .sharing = 3});
  layer l{.heads = 6, .queries = 5, .keys = 7, .depth = 3, .value_depth = 2, .sharing = 2};
  l.mask = {.given = true, .head = true, .query = true};
  check<M>(l);
}

TEST_CASE_TEMPLATE("attention: bounds on keys before, in and behind a tile", M, reference_machine,
                   cpu_machine<arch::native>) {
  constexpr std::int64_t tile = schedule_of<M>.keys, block = std::int64_t{schedule_of<M>.queries} * M::width;
  for (const std::int64_t reach : {-block - 3, std::int64_t{-5}, std::int64_t{-1}, std::int64_t{0}, std::int64_t{1},
                                   tile - 1, tile, tile + 7, 3 * tile})
    for (const std::int64_t queries : {std::int64_t{1}, block + 3}) {
      layer l{.batch = 2, .heads = 2, .queries = queries, .keys = 2 * tile + 5, .depth = 3, .value_depth = 2};
      l.reach = reach;
      check<M>(l);
      l.mask = {.given = true, .query = true};
      check<M>(l);
    }
}

TEST_CASE_TEMPLATE("attention: keys that nobody takes are not read", M, reference_machine, cpu_machine<arch::native>) {
  const std::int64_t keys = 3 * schedule_of<M>.keys;
  image<float> q(1, 1, 4, 2), k(1, 1, keys, 2), v(1, 1, keys, 2), y(1, 1, 4, 2);
  q.fill_with([](auto, auto, auto, auto) { return 0.0; });
  const auto beyond = [](double x) {
    return [x](auto, auto, auto t, auto) { return t < 6 ? x : std::numeric_limits<double>::quiet_NaN(); };
  };
  k.fill_with(beyond(1)), v.fill_with(beyond(3));
  const attention_problem<float, float> p{
      .q = q.const_view(), .k = k.const_view(), .v = v.const_view(), .y = y.view(), .reach = 2};
  run<schedule_of<M>, M>(p, acc, acc, serial{});
  y.for_each([&](auto, auto, auto t, auto c) { CHECK(number(y(0, 0, t, c)) == doctest::Approx(3)); });
}

TEST_CASE_TEMPLATE("attention: scores of the place", M, reference_machine, cpu_machine<arch::native>) {
  image<float> q(2, 1, 11, 6), k(2, 1, 7, 6), v(2, 1, 7, 6), y(2, 1, 11, 6);
  random_numbers random{7};
  q.fill(random), k.fill(random), v.fill(random);
  const attention_problem<float, float> p{
      .q = q.const_view(), .k = k.const_view(), .v = v.const_view(), .y = y.view(), .heads = 2, .key_heads = 2};
  const index_node batch{{}, 0}, head{{}, 1}, key{{}, 2}, query{{}, 3};
  run<schedule_of<M>, M>(p, acc * 0.5 + (key - query) * 0.25 * (head + 1) - batch * key, acc, serial{});
  for (std::int64_t b = 0; b < 2; ++b)
    for (std::int64_t i = 0; i < 11; ++i)
      for (std::int64_t c = 0; c < 6; ++c) {
        const std::int64_t h = c / 3;
        const auto w = attention_weights_oracle(q, k, 2, 0.5, b, h, i, [&](std::int64_t j) {
          return static_cast<double>(j - i) * 0.25 * static_cast<double>(h + 1) - static_cast<double>(b * j);
        });
        double want = 0;
        for (std::int64_t j = 0; j < 7; ++j) want += w[static_cast<std::size_t>(j)] * number(v(b, 0, j, c));
        CHECK(std::fabs(number(y(b, 0, i, c)) - want) < 2e-6);
      }
}

TEST_CASE_TEMPLATE("attention: other schedules", M, cpu_machine<arch::native>) {
  constexpr attention_schedule tiny{.mr = 1, .nr = 1, .queries = 1, .keys = 1};
  constexpr attention_schedule wide{.mr = 4, .nr = 3, .queries = 3, .keys = 8};
  const layer l{
      .heads = 2, .queries = 37, .keys = 23, .depth = 7, .value_depth = 3 * M::width + 2, .mask = {.given = true}};
  check<M, float, float, tiny>(l);
  check<M, float, float, wide>(l);
}

TEST_CASE_TEMPLATE("attention: element types", M, reference_machine, cpu_machine<arch::native>) {
  const layer l{.heads = 2, .queries = 13, .keys = 29, .depth = 9, .value_depth = 10};
  check<M, half, float>(l);
  check<M, half, half>(l, guard::end, 2e-3);
  check<M, bfloat16, bfloat16>(l, guard::end, 1.6e-2);
}

TEST_CASE_TEMPLATE("attention: a fully masked query gives zeros", M, reference_machine, cpu_machine<arch::native>) {
  const std::vector<double> mask{-infinity, -infinity, 0, 0};
  const auto in_f32 = small<M, float>({1, 1}, {1, 2}, {10, 20}, mask);
  CHECK(in_f32[0] == 0.0);
  CHECK(in_f32[1] == doctest::Approx(17.310586).epsilon(1e-6));
  const auto in_f16 = small<M, half>({1, 1}, {1, 2}, {10, 20}, mask);
  CHECK(in_f16[0] == 0.0);
  CHECK(in_f16[1] == doctest::Approx(17.310586).epsilon(1e-3));
  const auto in_bf16 = small<M, bfloat16>({1, 1}, {1, 2}, {10, 20}, mask);
  CHECK(in_bf16[0] == 0.0);
  CHECK(in_bf16[1] == doctest::Approx(17.310586).epsilon(8e-3));
}

TEST_CASE_TEMPLATE("attention: whole tiles of keys masked at the beginning, and all keys but the last", M,
                   reference_machine, cpu_machine<arch::native>) {
  const auto keys = static_cast<std::size_t>(2 * schedule_of<M>.keys + 1);
  std::vector<double> k(keys, 0.5), v(keys), mask(keys, -infinity);
  for (std::size_t i = 0; i < keys; ++i) v[i] = static_cast<double>(i);
  mask.back() = 0;
  CHECK(small<M, float>({1}, k, v, mask)[0] == static_cast<double>(keys - 1));
  mask.assign(keys, -infinity), mask.front() = 0;
  CHECK(small<M, float>({1}, k, v, mask)[0] == 0.0);
}

TEST_CASE_TEMPLATE("attention: causal masks are data", M, reference_machine, cpu_machine<arch::native>) {
  const double no = -infinity;
  const std::vector<double> zeros(5, 0.0), v{1, 2, 3, 4, 5};
  const auto bottom_right = small<M, float>({0, 0}, zeros, v, {0, 0, 0, 0, no, 0, 0, 0, 0, 0});
  CHECK(bottom_right[0] == doctest::Approx(2.5).epsilon(1e-6));
  CHECK(bottom_right[1] == doctest::Approx(3.0).epsilon(1e-6));
  const auto top_left = small<M, float>({0, 0}, zeros, v, {0, no, no, no, no, 0, 0, no, no, no});
  CHECK(top_left[0] == doctest::Approx(1.0).epsilon(1e-6));
  CHECK(top_left[1] == doctest::Approx(1.5).epsilon(1e-6));
  CHECK(small<M, float>({0}, std::vector<double>(8, 0.0), {1, 2, 3, 4, 5, 6, 7, 8})[0] ==
        doctest::Approx(4.5).epsilon(1e-6));
}

TEST_CASE_TEMPLATE("attention: f16 scores and sums beyond the range of f16", M, reference_machine,
                   cpu_machine<arch::native>) {
  std::vector<double> q(64, 100.0), k(128, 100.0);
  for (std::size_t i = 64; i < 128; ++i) k[i] = 99.0;
  CHECK(small<M, half>(q, k, {7, 9}, {}, 64, 0.125f)[0] == 7.0);
  CHECK(small<M, half>({0}, std::vector<double>(4096, 0.0), std::vector<double>(4096, 32.0))[0] == 32.0);
}

TEST_CASE_TEMPLATE("attention: NaN reaches its own query only", M, reference_machine, cpu_machine<arch::native>) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto got = small<M, float>({1, nan, 1}, {0, 0}, {2, 4});
  CHECK(got[0] == 3.0);
  CHECK(std::isnan(got[1]));
  CHECK(got[2] == 3.0);
}

TEST_CASE_TEMPLATE("attention: no keys, no queries", M, reference_machine, cpu_machine<arch::native>) {
  check<M>({.queries = 3, .keys = 0});
  check<M>({.queries = 0});
  check<M>({.batch = 0});
}
