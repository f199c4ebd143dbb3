// SPDX-License-Identifier: Apache-2.0
// tkl-test: levels=avx2 optimise=-O0
// Tuned records in the place of defaults: every algorithm that has a schedule gives what its definition gives, kernels
// are made per schedule, packed weights stay as they are, the report says so, and wrong records are named.
#include <array>
#include <cstddef>
#include <string>
#include <tkl/graph/describe.hpp>
#include <tkl/tuned.hpp>

#include "support/random_compiled.hpp"

using namespace tkl;

namespace {

/// One step of each algorithm with a schedule.
struct every_schedule {
  static constexpr value build(graph& g) {
    value x = g.input("x", f32, {1, 12, 12, 16});
    x = relu(conv2d(x, g.weight("direct", {32, 16, 3, 3}), {.pad = 1, .method = conv_method::direct}));
    x = relu(conv2d(x, g.weight("winograd", {32, 32, 3, 3}), {.pad = 1, .method = conv_method::winograd2}));
    x = relu(conv2d(x, g.weight("depthwise", {32, 1, 3, 3}), {.pad = 1, .groups = 32}));
    x = conv_transpose2d(x, g.weight("transposed", {32, 8, 2, 2}), {.stride = 2});
    x = relu(conv2d(x, g.weight("staged", {16, 8, 3, 3}), {.stride = 2, .pad = 1}));
    const value rows = reshape(x, {1, 144, 16});
    const value mixed = attention(rows, rows, rows, {.heads = 2});
    return matmul(reshape(mixed, {144, 16}), reshape(x, {16, 144}));
  }
};

constexpr tuned_record record_of(algorithm a, shape_class shape) {
  return {.version = tuning_version,
          .device = device_of<arch::avx2>(),
          .kind = {.algorithm = a, .shape = shape},
          .conv = {.mr = 5, .nr = 2, .kc = 64, .mc = 20, .band = 3},
          .gemm = {.mr = 4, .nr = 3, .kc = 8, .mc = 16},
          .depthwise = {.tile = 5, .group = 3},
          .attention = {.mr = 4, .nr = 3, .queries = 3, .keys = 8},
          .default_ns = 1200,
          .tuned_ns = 1000};
}

}  // namespace

// Records have linkage: they are template arguments.
inline constexpr std::array<tuned_record, 7> all_kinds{
    {record_of(algorithm::conv2d, {128, 128, 32}), record_of(algorithm::winograd, {128, 256, 32}),
     record_of(algorithm::depthwise, {8, 8, 32}), record_of(algorithm::conv_transpose2d, {512, 128, 8}),
     record_of(algorithm::conv2d_staged, {128, 64, 16}), record_of(algorithm::attention, {128, 8, 128}),
     record_of(algorithm::matmul, {128, 16, 128})}};
inline constexpr std::array<tuned_record, 0> none{};

namespace {

using standard = compile<every_schedule, cpu<>>;
using net = compile<every_schedule, tuned<cpu<>, all_kinds>>;
static_assert(net::steps == standard::steps && net::kernels == standard::kernels);
static_assert(net::layout_hash == standard::layout_hash, "weights packed for one serve the other");
static_assert(compile<every_schedule, tuned<cpu<>, none>>::kernels == standard::kernels);

/// Two layers of one key in the plan and of two kinds, whose records have one schedule: they share a kernel, the third
/// layer keeps the default's.
struct three_layers {
  static constexpr value build(graph& g) {
    value x = relu(linear(g.input("x", f32, {1, 256}), g.weight("a", {128, 256})));
    x = relu(linear(x, g.weight("b", {64, 128})));
    return relu(linear(x, g.weight("c", {32, 64})));
  }
};

template <const auto& Records>
std::string mistake() {
  return std::string(detail::mistake_of_records<arch::avx2, Records>().view());
}

constexpr tuned_record changed(tuned_record r, auto change) {
  change(r);
  return r;
}

}  // namespace

inline constexpr std::array<tuned_record, 2> two_layers{
    {record_of(algorithm::conv2d, {1, 256, 128}), record_of(algorithm::conv2d, {1, 128, 64})}};
inline constexpr std::array<tuned_record, 3> surplus{{two_layers[0], two_layers[1], all_kinds[2]}};

namespace {
/// One shape of buckets uses the record, the other does not; both read one layout of weights.
template <int Rows>
struct rows_of {
  static constexpr value build(graph& g) { return linear(g.input("x", f32, {Rows, 256}), g.weight("a", {128, 256})); }
};
static_assert(buckets<rows_of, tuned<cpu<>, surplus, true>, 1, 8>::count == 2);
static_assert(compile<three_layers, cpu<>>::kernels == 1);
static_assert(compile<three_layers, tuned<cpu<>, two_layers>>::kernels == 2);
static_assert(compile<three_layers, tuned<cpu<>, surplus, true>>::kernels == 2);
static_assert(!positive_tile<gemm_schedule{.mr = 1, .nr = 2}>, "the panel that is a vector wider has no row");
}  // namespace

// One mistake each, behind a record that is good.
#define RECORDS(name, ...)                                                                                     \
  inline constexpr std::array<tuned_record, 2> name {                                                          \
    {                                                                                                          \
      all_kinds[0], changed(record_of(algorithm::conv2d, {64, 128, 32}), [](tuned_record& r) { __VA_ARGS__; }) \
    }                                                                                                          \
  }
RECORDS(of_before, r.version = 0);
RECORDS(of_another, r.device.name = "avx512");
RECORDS(other_cache, r.device.cache.l2 = 1024 * 1024);
RECORDS(other_lanes, r.device.width_f32 = 4);
RECORDS(other_panels, r.conv.nr = 1);
RECORDS(no_band, r.conv.band = 0);
RECORDS(many_rows, r.conv.mr = 7);
RECORDS(long_strip, r.conv.kc = 1024);
RECORDS(twice, r.kind.shape.rows = 128);
RECORDS(no_schedule, r.kind.algorithm = algorithm::softmax);
RECORDS(odd_attention, r.kind.algorithm = algorithm::attention; r.attention.keys = 9);
RECORDS(wide_depthwise, r.kind = {algorithm::depthwise, {8, 16, 32}}; r.depthwise.tile = 11);
#undef RECORDS

TEST_CASE("every algorithm with a tuned schedule") {
  tkl_test::check_compiled<every_schedule, tuned<cpu<>, all_kinds>>();
}

TEST_CASE("the report names tuned schedules") {
  const std::string text = report<every_schedule, tuned<cpu<>, all_kinds>>();
  CHECK(text.find("tuned: tile 5, group 3 (record 2, measured 1.20 times as fast as the default)") !=
        std::string::npos);
  CHECK(text.find("tuned: mr 5, nr 2, kc 64, mc 20, band 3 (record 4") != std::string::npos);
  CHECK(text.find("tuned: mr 4, nr 3, queries 3, keys 8 (record 5") != std::string::npos);
  CHECK(report<every_schedule, cpu<>>().find("tuned") == std::string::npos);
}

TEST_CASE("wrong records are named") {
  const std::string record = "tuned record 1 (conv2d of 64 x 128 x 32, f32 f32 f32): ";
  const std::string schedule = record + "mr 5, nr 2, kc 64, mc 20: fails ";
  CHECK(mistake<all_kinds>() == "");
  CHECK(mistake<none>() == "");
  CHECK(mistake<of_before>() == record + "of version 0, this is version 1: tune again");
  CHECK(mistake<of_another>() == record + "measured on avx512, the target is avx2");
  CHECK(mistake<other_cache>() ==
        record + "measured on avx2 with 1048576 bytes of second-level cache, the target's has 524288");
  CHECK(mistake<other_lanes>() == record + "measured on avx2 with 4 lanes, the target's has 8");
  CHECK(mistake<other_panels>() ==
        record + "mr 5, nr 1, kc 64, mc 20: fails S.nr == Arch::conv.nr (the width of packed panels)");
  CHECK(mistake<no_band>() == schedule + "S.band >= 1");
  CHECK(mistake<many_rows>() == record + "mr 7, nr 2, kc 64, mc 20: fails fits_registers<S, Arch>");
  CHECK(mistake<long_strip>() == record + "mr 5, nr 2, kc 1024, mc 20: fails fits_l1<S, Arch>");
  CHECK(mistake<twice>() == "tuned record 1 (conv2d of 128 x 128 x 32, f32 f32 f32): record 0 is for the same steps");
  CHECK(mistake<no_schedule>() ==
        "tuned record 1 (softmax of 64 x 128 x 32, f32 f32 f32): none: fails an algorithm with a schedule");
  CHECK(mistake<odd_attention>() ==
        "tuned record 1 (attention of 64 x 128 x 32, f32 f32 f32): mr 4, nr 3, queries 3, keys 9: fails "
        "attention_tiles_whole<S, Arch::width_f32>");
  CHECK(mistake<wide_depthwise>() ==
        "tuned record 1 (depthwise of 8 x 16 x 32, f32 f32 f32): tile 11, group 3: fails depthwise_fits_registers<S, "
        "Arch>");
}
