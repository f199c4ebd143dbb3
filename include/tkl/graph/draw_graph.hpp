// SPDX-License-Identifier: Apache-2.0
// Drawings for people: a graph as it was written, and the plan that the passes made of it. Both are self-contained SVG.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tkl/config.hpp>
#include <tkl/expr/functions.hpp>
#include <tkl/graph/draw_layers.hpp>
#include <tkl/graph/footprint.hpp>
#include <tkl/graph/graph.hpp>
#include <tkl/graph/plan_text.hpp>
#include <tkl/graph/plan_view.hpp>
#include <tkl/graph/step_cost.hpp>
#include <utility>
#include <vector>

namespace tkl {
TKL_ISA_BEGIN
namespace impl {

inline draw_kind kind_of(op_kind k) {
  switch (k) {
    case op_kind::input:
    case op_kind::weight:
    case op_kind::literal:
      return draw_kind::port;
    case op_kind::conv2d:
    case op_kind::conv_transpose2d:
    case op_kind::matmul:
      return draw_kind::contraction;
    case op_kind::pool2d:
    case op_kind::resize2d:
    case op_kind::reduce:
      return draw_kind::window;
    case op_kind::softmax:
    case op_kind::layer_norm:
    case op_kind::attention:
      return draw_kind::rows;
    case op_kind::map:
    case op_kind::cast:
    case op_kind::keep_first:
    case op_kind::batch_norm:
      return draw_kind::elementwise;
    case op_kind::pad:
    case op_kind::concat:
    case op_kind::slice:
    case op_kind::transpose:
    case op_kind::reshape:
      break;
  }
  return draw_kind::movement;
}

inline draw_kind kind_of(algorithm a) {
  switch (a) {
    case algorithm::matmul:
    case algorithm::conv2d:
    case algorithm::conv2d_staged:
    case algorithm::winograd:
    case algorithm::depthwise:
    case algorithm::conv_transpose2d:
    case algorithm::conv_chain:
      return draw_kind::contraction;
    case algorithm::pool2d:
    case algorithm::resize2d:
    case algorithm::reduce:
      return draw_kind::window;
    case algorithm::softmax:
    case algorithm::layer_norm:
    case algorithm::attention:
      return draw_kind::rows;
    case algorithm::pad:
      return draw_kind::movement;
    case algorithm::map:
      break;
  }
  return draw_kind::elementwise;
}

inline std::string shape_text(const node& n) {
  text<96> t;
  if (n.type != element::f32) t << name_of(n.type) << ' ';
  t << n.shape;
  return std::string(t.view());
}

inline constexpr std::size_t box_characters = 34;

inline layer_node graph_box(const graph& g, std::int32_t id) {
  const node& n = g.nodes[static_cast<std::size_t>(id)];
  layer_node box;
  box.kind = kind_of(n.kind);
  std::string head(name_of(n.kind));
  if (n.kind == op_kind::map && n.attr.function >= 0) head = function_list::names[n.attr.function];
  if (n.kind == op_kind::pool2d)
    head = n.attr.mode == static_cast<std::uint8_t>(pool_kind::max) ? "max_pool2d" : "average_pool2d";
  for (int i = 0; i < n.inputs; ++i) {  // numbers stand in the box of their reader
    const node& x = g.nodes[static_cast<std::size_t>(n.in[i])];
    if (x.kind == op_kind::literal) head += ' ' + number_text(x.attr.real[0]);
  }
  box.lines.push_back(tail_text(head, box_characters));
  if (n.name >= 0) box.lines.push_back(tail_text(g.name_at(n.name), box_characters));
  step window;  // for its text only
  window.algorithm = n.kind == op_kind::pool2d ? algorithm::pool2d : algorithm::conv2d;
  if (n.kind == op_kind::conv2d || n.kind == op_kind::conv_transpose2d || n.kind == op_kind::pool2d) {
    step_parameters& q = window.parameters;
    for (int i = 0; i < 2; ++i)
      q.kernel[i] = n.attr.kernel[i], q.stride[i] = n.attr.stride[i], q.dilation[i] = n.attr.dilation[i];
    for (int i = 0; i < 4; ++i) q.pad[i] = n.attr.pad[i];
    q.groups = n.attr.groups;
    box.lines.push_back(window_text(window));
  }
  for (int i = 0; i < n.inputs; ++i) {
    const node& x = g.nodes[static_cast<std::size_t>(n.in[i])];
    if (x.kind != op_kind::weight) continue;
    const std::string shape = shape_text(x);
    box.lines.push_back(tail_text(g.name_at(x.name), box_characters - shape.size() - 1) + ' ' + shape);
  }
  box.result = shape_text(n);
  for (const std::string& l : box.lines) box.details += l + '\n';
  box.details += "-> " + box.result;
  return box;
}

}  // namespace impl

/// A graph node by node, as it was built. Weights and numbers stand in the boxes of their readers.
inline std::string draw_graph(const graph& g, std::string_view title = "graph") {
  std::vector<impl::layer_node> boxes;
  std::vector<impl::layer_link> links;
  std::vector<int> box_of(g.nodes.size(), -1);
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    const node& n = g.nodes[i];
    if (n.kind == op_kind::weight || n.kind == op_kind::literal) continue;
    box_of[i] = static_cast<int>(boxes.size());
    boxes.push_back(impl::graph_box(g, static_cast<std::int32_t>(i)));
    for (int k = 0; k < n.inputs; ++k)
      if (const int from = box_of[static_cast<std::size_t>(n.in[k])]; from >= 0) links.push_back({from, box_of[i]});
  }
  for (std::size_t i = 0; i < g.outputs.size(); ++i) {
    const graph_output& o = g.outputs[i];
    impl::layer_node box;
    box.kind = impl::draw_kind::port;
    box.lines = {"output " + std::to_string(i)};
    if (o.name >= 0) box.lines.push_back(tail_text(g.name_at(o.name), impl::box_characters));
    boxes.push_back(box);
    if (const int from = box_of[static_cast<std::size_t>(o.node)]; from >= 0)
      links.push_back({from, static_cast<int>(boxes.size()) - 1});
  }
  const std::string head =
      std::string(title) + ": " + std::to_string(boxes.size() - g.outputs.size()) + " nodes besides weights";
  return impl::layered_drawing(std::move(boxes), std::move(links)).svg(head);
}

namespace impl {

inline layer_node step_box(const plan_view& p, int i) {
  const step& s = p.steps[i];
  layer_node box;
  box.kind = kind_of(s.algorithm);
  box.lines.push_back(std::to_string(i) + ' ' + algorithm_text(p, s));
  if (const std::string w = window_text(s); !w.empty()) box.lines.back() += ' ' + w;
  if (const std::string_view name = label_of_step(p, i); !name.empty())
    box.lines.push_back(tail_text(name, box_characters));
  const std::string before = prologue_text(p, s), after = epilogue_text(p, s);
  if (!before.empty()) wrap_text(box.lines, "x = " + before, box_characters, 3);
  if (!after.empty()) wrap_text(box.lines, "= " + after, box_characters, 3);
  box.result = shape_text(p.edges[s.out]);
  const step_cost c = cost_of(p, i);
  box.details = box.lines[0] + '\n' + std::string(label_of_step(p, i)) + "\nkernel " + std::to_string(s.kernel) +
                (before.empty() ? "" : "\nx = " + before) + (after.empty() ? "" : "\n= " + after) + "\n-> " +
                box.result + '\n' + count_text(c.flops, "FLOP") + ", reads " + bytes_text(c.bytes_read) + ", writes " +
                bytes_text(c.bytes_written) + ", weights " + bytes_text(c.weight_bytes);
  return box;
}

}  // namespace impl

/// A plan step by step, with fused expressions; links run from who writes a value, or a part of it, to who reads it.
inline std::string draw_plan(const plan_view& p, std::string_view title = "plan") {
  std::vector<impl::layer_node> boxes;
  std::vector<impl::layer_link> links;
  const auto port = [&](std::string_view what, int number, int e) {
    impl::layer_node box;
    box.kind = impl::draw_kind::port;
    box.lines = {std::string(what) + ' ' + std::to_string(number)};
    if (const std::string_view name = p.name_of_edge(e); !name.empty())
      box.lines.push_back(tail_text(name, impl::box_characters));
    box.result = shape_text(p.edges[e]);
    boxes.push_back(std::move(box));
  };
  for (int i = 0; i < p.input_count; ++i) port("input", i, p.inputs[i]);
  std::vector<footprint> prints;
  prints.reserve(static_cast<std::size_t>(p.edge_count));
  for (int e = 0; e < p.edge_count; ++e) prints.push_back(footprint_of(p.edges[e]));
  const auto link_readers = [&](int e, int reader, int before) {
    const edge& x = p.edges[e];
    if (x.where == space::input) {
      links.push_back({x.index, reader});
      return;
    }
    for (int t = 0; t < before; ++t) {
      const int w = p.steps[t].out;
      const bool same = p.edge_storage != nullptr ? p.edge_storage[w] == p.edge_storage[e] : w == e;
      if (same && shared_bytes(prints[static_cast<std::size_t>(w)], prints[static_cast<std::size_t>(e)]) > 0)
        links.push_back({p.input_count + t, reader});
    }
  };
  for (int i = 0; i < p.step_count; ++i) {
    boxes.push_back(impl::step_box(p, i));
    const step_reads reads = reads_of(p.steps[i]);
    for (int k = 0; k < reads.count; ++k)
      if (p.edges[reads.at[k].edge].where != space::weights) link_readers(reads.at[k].edge, p.input_count + i, i);
  }
  for (int i = 0; i < p.output_count; ++i) {
    port("output", i, p.outputs[i]);
    link_readers(p.outputs[i], p.input_count + p.step_count + i, p.step_count);
  }
  return impl::layered_drawing(std::move(boxes), std::move(links))
      .svg(std::string(title) + ": " + std::to_string(p.step_count) + " steps, " + std::to_string(p.kernel_count) +
           " kernels");
}

TKL_ISA_END
}  // namespace tkl
