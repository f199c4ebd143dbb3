// SPDX-License-Identifier: Apache-2.0
// Attention pattern: softmax(q k^T * scale + mask) v that a model writes of its parts becomes one attention node.
//
//   heads    q, k, v = transpose(reshape(x, [N, T, H, d]), {0, 2, 1, 3}); k may be transposed to [N, H, d, T] instead
//   product  matmul(q, k, transposed); times or divided by a literal, or neither; plus a mask, or not
//   weights  softmax over the keys, its last axis
//   result   matmul(weights, v), with heads transposed back by {0, 2, 1, 3}
//
// or the same without heads, on three axes. The last product's node becomes the attention, the transpose behind it a
// reshape, so that node numbers stay in order; the reshape that joins the heads reads the attention itself, and
// `eliminate`, which runs after this pass, removes it. Obligation: f32 throughout, and every node that vanishes has one
// reader and is no output. The sums are those of the parts in another order. One difference is wanted: a query whose
// every score is -infinity gives zeros, where the softmax gives NaN.
#pragma once

#include <cstdint>
#include <limits>
#include <tkl/core/checked.hpp>
#include <tkl/expr/functions.hpp>
#include <tkl/graph/graph.hpp>
#include <vector>

namespace tkl {

namespace detail {

/// What an attention node takes from its parts: node numbers, and of each operand the extents [N, T, H * d].
struct attention_parts {
  std::int32_t operand[3]{-1, -1, -1};  // q, k, v
  shape extents[3]{};
  int rank = 3;  // of q, k, v as the products take them: 4 with heads
  std::int32_t heads = 1;
  std::int32_t mask = -1;
  double scale = 1;
};

inline constexpr double largest_scale = (std::numeric_limits<float>::max)();

struct attention_pattern {
  graph& g;
  std::vector<std::int32_t> readers{};  // of each node, an output has two more; filled when the first softmax asks

  constexpr node& at(std::int32_t id) const { return g.nodes[static_cast<std::size_t>(id)]; }
  constexpr bool read_once(std::int32_t id) const { return readers[static_cast<std::size_t>(id)] == 1; }

  constexpr void count_readers() {
    if (!readers.empty()) return;
    readers.resize(g.nodes.size(), 0);
    for (const graph_output& o : g.outputs) readers[static_cast<std::size_t>(o.node)] = 2;
    for (std::size_t id = g.nodes.size(); id-- > 0;)
      for (int i = 0; readers[id] > 0 && i < g.nodes[id].inputs; ++i)
        ++readers[static_cast<std::size_t>(g.nodes[id].in[i])];
  }
  /// The only reader of a node that is read once.
  constexpr std::int32_t reader_of(std::int32_t id) const {
    for (std::int32_t r = id + 1; r < static_cast<std::int32_t>(g.nodes.size()); ++r)
      for (int i = 0; readers[static_cast<std::size_t>(r)] > 0 && i < at(r).inputs; ++i)
        if (at(r).in[i] == id) return r;
    return -1;
  }
  static constexpr bool permutes(const node& n, int a, int b, int c, int d) {
    const std::int32_t* p = n.attr.permutation;
    return n.kind == op_kind::transpose && p[0] == a && p[1] == b && p[2] == c && (n.shape.rank < 4 || p[3] == d);
  }
  static constexpr bool is_product(const node& n) {
    return n.kind == op_kind::matmul && n.type == element::f32 && !n.attr.transpose_a;
  }

  /// Operand `which` as a value of extents [N, T, H * d]; `turned`: its last two axes are exchanged.
  constexpr bool take(attention_parts& p, int which, std::int32_t id, bool turned) const {
    const node& n = at(id);
    if (n.shape.rank != p.rank) return false;
    if (p.rank == 3) {
      if (turned && !permutes(n, 0, 2, 1, 0)) return false;
      p.operand[which] = turned ? n.in[0] : id;
      p.extents[which] = at(p.operand[which]).shape;
      return true;
    }
    if (!(turned ? permutes(n, 0, 2, 3, 1) : permutes(n, 0, 2, 1, 3))) return false;
    const node& split = at(n.in[0]);
    if (split.kind != op_kind::reshape) return false;
    const shape& s = split.shape;
    const checked columns = checked(s[2]) * s[3];
    if (!columns.valid || s[2] > 0x7fffffff) return false;
    const shape joined{s[0], s[1], columns.value};
    if (which == 0) p.heads = static_cast<std::int32_t>(s[2]);
    p.extents[which] = joined;
    const bool whole = at(split.in[0]).shape == joined;
    p.operand[which] = whole ? split.in[0] : n.in[0];  // the reshape becomes one to the joined extents
    return s[2] == p.heads && (whole || (read_once(id) && read_once(n.in[0])));
  }

  /// q, k and the scale of the product at `id`, which may be scaled.
  constexpr bool take_product(attention_parts& p, std::int32_t id) const {
    p.scale = 1;
    if (!read_once(id)) return false;
    const node& n = at(id);
    if (n.kind == op_kind::map &&
        (n.attr.function == function_index<fn::mul> || n.attr.function == function_index<fn::div>)) {
      const bool divided = n.attr.function == function_index<fn::div>;
      const int factor = at(n.in[1]).kind == op_kind::literal ? 1 : 0;
      const node& literal = at(n.in[factor]);
      if (literal.kind != op_kind::literal || (divided && factor == 0) || (divided && literal.attr.real[0] == 0))
        return false;
      p.scale = divided ? 1 / literal.attr.real[0] : literal.attr.real[0];
      if (!(p.scale >= -largest_scale && p.scale <= largest_scale)) return false;
      id = n.in[1 - factor];
      if (!read_once(id)) return false;
    }
    const node& product = at(id);
    return is_product(product) && take(p, 0, product.in[0], false) &&
           take(p, 1, product.in[1], !product.attr.transpose_b);
  }

  /// Whether a mask means the same to attention, which lets it broadcast to [N, H, Tq, Tk].
  static constexpr bool suits(const node& mask, int rank) {
    return mask.kind != op_kind::literal && mask.type == element::f32 &&
           (rank == 4 || mask.shape.rank < 3 || mask.shape[0] == 1);
  }

  /// q, k, scale and mask of the scores at `id`.
  constexpr bool take_scores(attention_parts& p, std::int32_t id) const {
    if (take_product(p, id)) return true;
    const node& n = at(id);
    if (!read_once(id) || n.kind != op_kind::map || n.attr.function != function_index<fn::add>) return false;
    for (int i = 0; i < 2; ++i) {
      p.mask = n.in[1 - i];
      if (at(n.in[i]).shape == n.shape && suits(at(p.mask), n.shape.rank) && take_product(p, n.in[i])) return true;
    }
    return false;
  }

  /// Whether a product of computed operands stands at most `maps` maps above: cheap, before anything is counted.
  constexpr bool above_is_product(std::int32_t id, int maps) const {
    const node& n = at(id);
    if (n.kind == op_kind::matmul) return at(n.in[1]).kind != op_kind::weight;
    for (int i = 0; n.kind == op_kind::map && maps > 0 && i < n.inputs; ++i)
      if (above_is_product(n.in[i], maps - 1)) return true;
    return false;
  }

  constexpr void replace(std::int32_t id) {
    const node weights = at(id);
    if (weights.shape.rank != 3 && weights.shape.rank != 4) return;
    if (weights.attr.mode != 0 || weights.type != element::f32) return;
    if (!above_is_product(weights.in[0], 2)) return;
    count_readers();
    attention_parts p;
    p.rank = weights.shape.rank;
    if (!read_once(id) || !take_scores(p, weights.in[0])) return;
    const std::int32_t result = reader_of(id);
    node& n = at(result);
    if (!is_product(n) || n.attr.transpose_b || n.in[0] != id || n.shape.rank != p.rank) return;
    if (!take(p, 2, n.in[1], false)) return;
    const shape &q = p.extents[0], &k = p.extents[1], &v = p.extents[2];
    if (q[0] != k[0] || q[0] != v[0] || q[2] != k[2] || q[2] == 0) return;  // products broadcast, attention does not
    if (p.rank == 4) {
      const std::int32_t back = read_once(result) ? reader_of(result) : -1;
      if (back < 0 || !permutes(at(back), 0, 2, 1, 3)) return;
      at(back).kind = op_kind::reshape;
      for (node& r : g.nodes)
        if (r.kind == op_kind::reshape && r.in[0] == back) r.in[0] = result;
    }
    for (int i = 0; i < 3; ++i) at(p.operand[i]).shape = p.extents[i];
    n.kind = op_kind::attention;
    n.shape = shape(q[0], q[1], v[2]);
    n.attr.heads = n.attr.groups = p.heads;
    n.attr.real[0] = p.scale;
    const std::int32_t in[] = {p.operand[0], p.operand[1], p.operand[2], p.mask};
    n.inputs = p.mask < 0 ? 3 : 4;
    for (int i = 0; i < n.inputs; ++i) n.in[i] = in[i];
  }
};

}  // namespace detail

/// Replaces the parts in place; node numbers stay as they are.
constexpr void find_attention(graph& g) {
  detail::attention_pattern pattern{g};
  for (std::size_t id = 0; id < g.nodes.size(); ++id)
    if (g.nodes[id].kind == op_kind::softmax) pattern.replace(static_cast<std::int32_t>(id));
}

}  // namespace tkl
