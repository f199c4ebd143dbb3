// SPDX-License-Identifier: Apache-2.0
// The program: what the passes build step by step, before it becomes a plan of exact size.
#pragma once

#include <cstdint>
#include <tkl/core/text.hpp>
#include <tkl/graph/name_pool.hpp>
#include <tkl/graph/op_kind.hpp>
#include <tkl/graph/plan.hpp>
#include <vector>

namespace tkl {

/// A run of bytes with one lifetime: an arena buffer, a packed weight, or the caller's buffer. Edges point into it.
struct storage {
  space where = space::none;
  std::int16_t index = -1;  // input, output: its number
  std::int32_t name = -1;
  std::int64_t bytes = 0;
  std::int64_t offset = 0;  // bytes within the space
  std::int32_t first = -1;  // first and last step that touches it
  std::int32_t last = -1;
  std::int32_t root = -1;  // in-place: the storage whose bytes it takes over
};

/// Axes of a tensor in a weights file.
inline constexpr int load_rank = 4;

/// A node of the part that runs once, when the weights are loaded: a raw tensor of the file, a number, or an operation
/// on such nodes. Evaluated in double precision.
struct load_node {
  op_kind kind = op_kind::weight;  // weight, literal, map, reshape, transpose, concat, batch_norm
  element type = element::f32;     // weight: the type that the file must have
  std::uint8_t rank = 0;
  std::uint8_t aux = 0;        // transpose: two bits per axis; concat: the axis; batch_norm: 0 scale, 1 shift
  std::int16_t function = -1;  // map
  std::int16_t in[3]{-1, -1, -1};
  std::int32_t name = -1;  // weight
  float number = 0;        // literal; batch_norm: eps
  std::int32_t extent[load_rank]{1, 1, 1, 1};
};

/// One step of y -> y * scale + shift per output channel, folded into the packed weights of a contraction.
enum class fold_kind : std::uint8_t { add, sub, sub_from, mul, div, affine };
struct channel_fold {
  fold_kind kind = fold_kind::add;
  std::int16_t in[2]{-1, -1};  // load nodes: one value or one per output channel
};

/// How a load node becomes bytes of the packed weights.
enum class pack_kind : std::uint8_t {
  plain,              // as it is, padded with zeros to whole vectors
  conv2d,             // O, I/g, kH, kW -> panels
  depthwise,          // O, 1, kH, kW -> blocks
  conv_transpose2d,   // I, O/g, kH, kW -> panels per phase
  matrix,             // in x out -> panels
  matrix_transposed,  // out x in -> panels
  winograd2,          // O, I, 3, 3 -> transformed for tiles of 2 x 2 outputs, a matrix of panels per place
  winograd4           // the same, 4 x 4 outputs
};

struct packed_tensor {
  pack_kind kind = pack_kind::plain;
  element type = element::f32;
  std::int16_t source = -1;     // load node
  std::int16_t fold_begin = 0;  // range of folds, applied in order
  std::int16_t fold_count = 0;
  std::int16_t bias = -1;  // load node, or -1
  std::int32_t groups = 1;
  std::int32_t stride[2]{1, 1};    // conv_transpose2d
  std::int32_t dilation[2]{1, 1};  // conv_transpose2d
  std::int32_t pad[2]{};           // conv_transpose2d: top, left
  std::int64_t offset = 0;         // bytes in the packed weights
  std::int64_t bytes = 0;
};

/// What the passes must know about a target's kernels.
struct target_facts {
  std::int32_t width = 1;  // f32 lanes of a vector
  std::int32_t panel = 1;  // columns of a packed panel
  std::int32_t rows = 1;   // rows of the register tile
  std::int32_t l1_bytes = 32768;
  std::int32_t staged_channels = 8;  // convolutions with at most this many input channels stage their input rows
  bool stages_plain = true;          // also where several taps meet an input that needs no conversion
  bool winograd = false;             // without it, 3x3 convolutions run directly
  std::int32_t block_rows = 96;      // the most rows of a block of a contraction
  std::int32_t l2_bytes = 262144;
  bool chains = false;            // without it, convolutions run one after the other
  bool packs_half = true;         // packed weights may be of 16 bits
  bool wide_biases = false;       // biases that stand in packed weights of 16 bits are f32
  bool writes_outputs = false;    // kernels write outputs into the caller's buffers
  bool lends_outputs = false;     // which are memory for other values before
  element stored = element::f32;  // of values between steps: f32, f16 or bf16
  element packed = element::f32;  // of packed weights, and of tables where steps hand on f32
};

struct program {
  std::vector<step> steps{};
  std::vector<edge> edges{};
  std::vector<std::int32_t> edge_storage{};  // parallel to edges
  std::vector<kernel_key> keys{};
  std::vector<step> stages{};            // of chains, in order
  std::vector<kernel_key> stage_keys{};  // of the stages, whose step::kernel counts these
  std::vector<storage> storages{};
  std::vector<load_node> loads{};
  std::vector<channel_fold> folds{};
  std::vector<packed_tensor> packed{};
  std::vector<std::int16_t> inputs{};   // edge per graph input, in declared order
  std::vector<std::int16_t> outputs{};  // edge per graph output
  name_pool names{};
  std::int64_t arena_bytes = 0;
  std::int64_t lower_bound = 0;  // greatest sum of live bytes over the steps
  std::int64_t weights_bytes = 0;
  std::int64_t flops = 0;
  std::int64_t bytes_read = 0;
  std::int64_t bytes_written = 0;
  std::int32_t conversions = 0;  // steps that only move data
  text<240> error{};
};

}  // namespace tkl
