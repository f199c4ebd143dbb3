// SPDX-License-Identifier: Apache-2.0
// Products by warpgroups on the simulated GPU: tiles and their rests, the ring, groups, strides, epilogues; steps that
// do not suit go to warps or work items.
#include <string>

#include "support/cuda_tile_run.hpp"

namespace {

using tkl_test::tile_difference;
using target = tkl::cuda<tkl::arch::sm_90a, tkl::cuda_product::rounded>;

/// Small tiles, a ring of two stages that every product goes around, and no multiprocessors to cut the depth for.
struct small_ring : tkl::arch::sm_90a {
  static constexpr tkl::cuda_facts facts{.capability = 90,
                                         .shared_bytes = 227 * 1024,
                                         .cache_bytes = 256 * 1024,
                                         .async_copies = true,
                                         .tensor_tf32_bf16 = true,
                                         .exact = true};
  static constexpr tkl::ring_schedule ring{.rows = 64, .columns = 64, .stages = 2, .stripe = 2};
};
/// The widest instruction.
struct wide_ring : small_ring {
  static constexpr tkl::ring_schedule ring{.rows = 128, .columns = 256, .stages = 4};
};

/// The tensors of one type, and their products, one after another.
template <tkl::element Type>
struct products {
  static constexpr void build(tkl::graph& g) {
    const auto x = tkl::cast(g.input("x", tkl::f32, {2, 7, 11, 96}), Type);
    // Rows and columns beyond the tile, depths beyond the line, an output whose columns are odd.
    const auto y = tkl::conv2d(x, g.weight("rests", {71, 96, 1, 1}, Type), g.weight("bias", {71}, Type));
    g.output(tkl::cast(tkl::silu(y), tkl::f32));
    // Groups; places further apart than their channels.
    g.output(tkl::cast(tkl::conv2d(x, g.weight("groups", {45, 32, 1, 1}, Type), {.groups = 3}), tkl::f32));
    g.output(tkl::cast(tkl::conv2d(tkl::slice(x, 3, 8, 80), g.weight("part", {130, 72, 1, 1}, Type)), tkl::f32));
    // An epilogue with another tensor, in f32.
    const auto z = tkl::cast(tkl::conv2d(x, g.weight("sum", {96, 96, 1, 1}, Type)), tkl::f32);
    g.output(tkl::gelu(z) + tkl::cast(x, tkl::f32) * 0.5);
    // One place of a deep input.
    const auto deep = tkl::cast(g.input("deep", tkl::f32, {1, 1032}), Type);
    g.output(tkl::cast(tkl::linear(deep, g.weight("deep", {9, 1032}, Type)), tkl::f32));
  }
};

template <class Model, class Target>
void check(double tolerance) {
  using net = tkl::compile<Model, Target>;
  static_assert(net::tile_counts.steps == 5 && net::tile_counts.by_warpgroups == 5);
  const tile_difference d = tkl_test::compare_tiles<Model, Target>();
  CHECK(d.error == "");
  CHECK(d.largest <= tolerance);
  CHECK(d.shared == static_cast<std::size_t>(Target::arch_type::ring.shared_bytes()));
}
template <class Arch>
using on = tkl::cuda<Arch, tkl::cuda_product::rounded>;

TEST_CASE("f16") {
  check<products<tkl::f16>, on<tkl::arch::sm_90a>>(2e-3);
  check<products<tkl::f16>, on<small_ring>>(2e-3);
}
TEST_CASE("bf16") {
  check<products<tkl::bf16>, on<wide_ring>>(2e-2);
}

/// Convolutions: taps are boxes of the input, and lie beyond its borders, too.
template <tkl::element Type>
struct convolutions {
  static constexpr void build(tkl::graph& g) {
    const auto x = tkl::cast(g.input("x", tkl::f32, {2, 9, 7, 72}), Type);
    const auto conv = [&](const char* name, const auto& of, int out, int kernel, const tkl::conv2d_params& p) {
      const auto w = g.weight(name, {out, of.shape()[3] / p.groups, kernel, kernel}, Type);
      g.output(tkl::cast(tkl::conv2d(of, w, p), tkl::f32));
    };
    conv("three", x, 33, 3, {.pad = 1});
    conv("five", x, 10, 5, {.pad = 4, .dilation = 2});
    conv("groups", x, 21, 3, {.groups = 3});
    conv("border", x, 10, 1, {.pad = 1});
    conv("rows", tkl::slice(tkl::slice(x, 2, 1, 5), 3, 16, 64), 10, 1, {});
  }
};
TEST_CASE("convolutions") {
  check<convolutions<tkl::f16>, on<tkl::arch::sm_90a>>(2e-3);
  check<convolutions<tkl::bf16>, on<small_ring>>(2e-2);
}

/// What a ring does not serve: strides, an input in f32.
struct others {
  static constexpr void build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {2, 6, 6, 24});
    const auto w = g.weight("stride", {10, 24, 3, 3}, tkl::f16);
    g.output(tkl::cast(tkl::conv2d(tkl::cast(x, tkl::f16), w, {.stride = 2}), tkl::f32));
    g.output(tkl::conv2d(x, g.weight("f32", {10, 24, 1, 1})));
  }
};
TEST_CASE("what warpgroups do not take is run by warps") {
  using net = tkl::compile<others, target>;
  static_assert(net::tile_counts.steps == 2 && net::tile_counts.by_warpgroups == 0 &&
                net::tile_counts.weight_bytes == 0);
  const tile_difference d = tkl_test::compare_tiles<others, target>();
  CHECK(d.error == "");
  CHECK(d.largest <= 2e-3);
  CHECK(d.shared == static_cast<std::size_t>(target::arch_type::tiles.shared_bytes(8)));
}

/// One product, of a file with its weights.
struct one_product {
  static constexpr void build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f16, {64, 64});
    g.output(tkl::linear(x, g.weight("w", {16, 64}, tkl::f16)));
  }
};
tkl::result<tkl::compile<one_product, target>> loaded() {
  tkl::graph g;
  tkl::build_model<one_product>(g);
  const std::vector<std::byte> file = tkl_test::random_weights_file(g);
  const auto tensors = tkl::safetensors::from_memory(file);
  REQUIRE(tensors.ok());
  return tkl::compile<one_product, target>::load(tkl_test::device_for<target>(), *tensors);
}

TEST_CASE("a driver without tensor maps, or one that refuses them") {
  cuda_cpu::sim().has_tensor_maps = false;
  std::string message = loaded().error().message();
  CHECK(message == "CUDA: the driver has no cuTensorMapEncodeTiled, version 12.0 is needed");
  cuda_cpu::sim().has_tensor_maps = true;
  cuda_cpu::sim().fail("cudaGetDriverEntryPointByVersion", 1, cudaErrorInvalidValue);
  message = loaded().error().message();
  CHECK(message == "cudaGetDriverEntryPointByVersion of cuTensorMapEncodeTiled: cudaErrorInvalidValue (1)");
  const auto model = loaded();
  REQUIRE(model.ok());
  cuda_cpu::sim().fail("cuTensorMapEncodeTiled", 1, cudaErrorInvalidValue);
  message = tkl::compile<one_product, target>::workspace::make(*model).error().message();
  CHECK(message ==
        "cuTensorMapEncodeTiled of kernel conv2d (step 'w'): error 1 of the driver for 64 places of 64 channels");
}

TEST_CASE("an input that begins at no multiple of 16 bytes is left to work items") {
  using net = tkl::compile<one_product, target>;
  const auto model = loaded();
  REQUIRE(model.ok());
  auto workspace = net::workspace::make(*model);
  REQUIRE(workspace.ok());
  const auto memory = tkl_test::device_memory(nullptr, 64 * 64 * 2 + 2);
  cuda_cpu::sim().shared_used = 0;
  CHECK(workspace->use_input(0, memory.data() + 2).ok());
  CHECK(cuda_cpu::sim().shared_used == 0);
}

}  // namespace
