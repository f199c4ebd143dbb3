// SPDX-License-Identifier: Apache-2.0
// The run-time interpreter of a graph: node by node, by the ops' definitions, in double precision. The oracle for
// compiled programs, and the debugger: every edge can be read after a run.
//
//   tkl::graph g;
//   tkl::build_model<my_model>(g);
//   tkl::interpreter run(g);
//   run.set_weight("conv1.weight", values);   // std::span<const float>, in the order of the weights file
//   run.set_input("image", pixels);
//   if (tkl::status s = run.run(); !s) std::puts(s.message());
//   std::span<const double> p = run.output(0);
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string_view>
#include <tkl/core/element.hpp>
#include <tkl/core/status.hpp>
#include <tkl/graph/graph.hpp>
#include <tkl/graph/interpreter_node.hpp>
#include <type_traits>
#include <utility>
#include <vector>

namespace tkl {
TKL_ISA_BEGIN

/// Which edges an interpreter still holds after a run.
enum class keep_edges : std::uint8_t {
  all,     // every one
  probed,  // outputs and those named by probe(); the others are released after their last reader
};

class interpreter {
 public:
  /// The graph is read, not copied: it must outlive the interpreter. A graph with a mistake is refused by run().
  explicit interpreter(const graph& g, keep_edges keep = keep_edges::all)
      : graph_(g), keep_(keep), edges_(g.nodes.size()), given_(g.nodes.size(), 0), pinned_(g.nodes.size(), 0) {
    for (const graph_output& o : g.outputs) pin(o.node);
  }

  /// Gives a weight by its name; `values` in row-major order of the shape that the graph declares, any of the storage
  /// types or double. Values of integer tensors are rounded and clamped as a cast does.
  template <class T>
  status set_weight(std::string_view name, std::span<const T> values) {
    const std::int32_t id = find_of_kind(op_kind::weight, name);
    return id < 0 ? unknown("weight", name) : set(id, values, memory_layout::nhwc);
  }

  /// Gives every weight that has no value yet: source(name, shape) returns something that converts to std::span<const
  /// float>. Stops at the first span of a wrong length.
  template <class Source>
  requires std::convertible_to<std::invoke_result_t<Source&, std::string_view, const shape&>, std::span<const float>>
      status set_weights(Source&& source) {
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      const node& n = graph_.nodes[i];
      if (n.kind != op_kind::weight || given_[i]) continue;
      const auto& values = source(graph_.name_at(n.name), n.shape);
      if (status s = set(static_cast<std::int32_t>(i), std::span<const float>(values), memory_layout::nhwc); !s)
        return s;
    }
    return {};
  }

  /// Gives an input by its name or by its number in the order of declaration; `values` as they lie in the caller's
  /// memory: in the layout that the input declares.
  template <class T>
  status set_input(std::string_view name, std::span<const T> values) {
    const std::int32_t id = find_of_kind(op_kind::input, name);
    return id < 0 ? unknown("input", name) : set_input_node(id, values);
  }
  template <class T>
  status set_input(std::size_t number, std::span<const T> values) {
    if (number >= graph_.inputs.size()) {
      message_text m;
      m << "input " << number << ": the graph has " << graph_.inputs.size();
      return status::failure(m);
    }
    return set_input_node(graph_.inputs[number], values);
  }

  /// Keeps an edge by name or id when only probed edges are kept. False when there is none.
  bool probe(std::int32_t id) { return pin(id); }
  bool probe(std::string_view name) { return pin(find(name)); }

  /// Runs all nodes in their order. Fails when the graph has a mistake, or an input or weight has no values.
  status run() {
    if (!graph_.error.empty()) return status::failure(graph_.error);
    const auto count = static_cast<std::int32_t>(graph_.nodes.size());
    std::vector<std::int32_t> last_reader(graph_.nodes.size(), -1);
    for (std::int32_t id = 0; id < count; ++id)
      for (int i = 0; i < at(id).inputs; ++i) last_reader[static_cast<std::size_t>(at(id).in[i])] = id;
    for (std::int32_t id = 0; id < count; ++id) {
      const node& n = at(id);
      std::vector<double>& result = edges_[static_cast<std::size_t>(id)];
      if (n.kind == op_kind::input || n.kind == op_kind::weight) {
        if (!given_[static_cast<std::size_t>(id)]) return not_given(n);
        continue;
      }
      result.assign(static_cast<std::size_t>(n.shape.elements().value), 0.0);
      real_input in[max_inputs];
      for (int i = 0; i < n.inputs; ++i) in[i] = reader(n.in[i]);
      evaluate_node(n, in, {result.data(), n.shape});
      if (keep_ == keep_edges::all) continue;
      for (int i = 0; i < n.inputs; ++i) release(n.in[i], last_reader[static_cast<std::size_t>(n.in[i])] <= id);
      release(id, last_reader[static_cast<std::size_t>(id)] < 0);
    }
    return {};
  }

  /// Id of the edge with that name: an output's name, an input's, a weight's, or one given by value::named; -1 when
  /// there is none. Where several carry it, the last.
  std::int32_t find(std::string_view name) const {
    for (const graph_output& o : graph_.outputs)
      if (o.name >= 0 && graph_.name_at(o.name) == name) return o.node;
    for (std::size_t i = graph_.nodes.size(); i-- > 0;)
      if (graph_.nodes[i].name >= 0 && graph_.name_at(graph_.nodes[i].name) == name)
        return static_cast<std::int32_t>(i);
    return -1;
  }

  /// Values of an edge after run(), row-major in the graph's shape (batch, row, column, channel); empty when it is not
  /// held or does not exist.
  std::span<const double> edge(std::int32_t id) const {
    if (id < 0 || static_cast<std::size_t>(id) >= edges_.size()) return {};
    return edges_[static_cast<std::size_t>(id)];
  }
  std::span<const double> edge(std::string_view name) const { return edge(find(name)); }
  std::span<const double> edge(value v) const { return edge(v.id); }

  /// Shape of an edge; rank 0 when it does not exist.
  tkl::shape shape_of(std::int32_t id) const {
    return id < 0 || static_cast<std::size_t>(id) >= edges_.size() ? tkl::shape{} : at(id).shape;
  }

  /// Values of output `number` in the graph's order of axes (batch, row, column, channel).
  std::span<const double> output(std::size_t number) const {
    return number < graph_.outputs.size() ? edge(graph_.outputs[number].node) : std::span<const double>{};
  }

  /// Values of output `number` as they lie in the caller's memory: in the layout that the output declares.
  std::vector<double> output_as_declared(std::size_t number) const {
    const std::span<const double> logical = output(number);
    std::vector<double> all(logical.begin(), logical.end());
    if (all.empty() || graph_.outputs[number].layout != memory_layout::nchw) return all;
    const tkl::shape s = at(graph_.outputs[number].node).shape;
    for_each_nchw(s, [&](std::size_t outside, std::size_t inside) { all[outside] = logical[inside]; });
    return all;
  }

  /// Writes one line about an edge (name, type, shape, least, largest, mean, NaN count) and its first `limit` values.
  void print_edge(std::FILE* to, std::int32_t id, std::size_t limit = 16) const {
    const std::span<const double> values = edge(id);
    if (id < 0 || static_cast<std::size_t>(id) >= edges_.size()) {
      std::fprintf(to, "edge %d: the graph has %zu\n", id, edges_.size());
      return;
    }
    text<64> shape_text;
    shape_text << at(id).shape;
    double least = 0, most = 0, sum = 0;
    std::size_t nans = 0, seen = 0;
    for (double v : values) {
      if (v != v) {
        ++nans;
        continue;
      }
      least = seen == 0 || v < least ? v : least;
      most = seen == 0 || v > most ? v : most;
      sum += v, ++seen;
    }
    std::fprintf(to, "%s %s %s %s: ", graph_.label(id).c_str(), name_of(at(id).kind).data(),
                 name_of(at(id).type).data(), shape_text.c_str());
    if (values.empty()) {
      std::fprintf(to, "not held\n");
      return;
    }
    std::fprintf(to, "least %.9g, largest %.9g, mean %.9g, NaN %zu\n ", least, most,
                 seen == 0 ? 0.0 : sum / static_cast<double>(seen), nans);
    for (std::size_t i = 0; i < values.size() && i < limit; ++i) std::fprintf(to, " %.9g", values[i]);
    std::fprintf(to, "%s\n", values.size() > limit ? " ..." : "");
  }

 private:
  const node& at(std::int32_t id) const { return graph_.nodes[static_cast<std::size_t>(id)]; }

  real_input reader(std::int32_t id) const {
    // An operand without elements is present: its pointer must not read as absent.
    static constexpr double nothing = 0;
    const std::vector<double>& values = edges_[static_cast<std::size_t>(id)];
    return {values.empty() ? &nothing : values.data(), at(id).shape};
  }

  bool pin(std::int32_t id) {
    if (id < 0 || static_cast<std::size_t>(id) >= pinned_.size()) return false;
    pinned_[static_cast<std::size_t>(id)] = 1;
    return true;
  }

  void release(std::int32_t id, bool unread) {
    const op_kind kind = at(id).kind;
    if (!unread || pinned_[static_cast<std::size_t>(id)] || kind == op_kind::input || kind == op_kind::weight) return;
    std::vector<double>().swap(edges_[static_cast<std::size_t>(id)]);
  }

  std::int32_t find_of_kind(op_kind kind, std::string_view name) const {
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i)
      if (graph_.nodes[i].kind == kind && graph_.name_at(graph_.nodes[i].name) == name)
        return static_cast<std::int32_t>(i);
    return -1;
  }

  static status unknown(std::string_view what, std::string_view name) {
    message_text m;
    m << what << " '" << name << "': the graph has none of that name";
    return status::failure(m);
  }
  status not_given(const node& n) const {
    message_text m;
    m << name_of(n.kind) << " '" << graph_.name_at(n.name) << "': no values were given, " << n.shape << " are needed";
    return status::failure(m);
  }

  template <class T>
  status set_input_node(std::int32_t id, std::span<const T> values) {
    return set(id, values, static_cast<memory_layout>(at(id).attr.layout));
  }

  template <class T>
  status set(std::int32_t id, std::span<const T> values, memory_layout layout) {
    const node& n = at(id);
    const auto elements = static_cast<std::size_t>(n.shape.elements().value);
    if (values.size() != elements) {
      message_text m;
      m << name_of(n.kind) << " '" << graph_.name_at(n.name) << "': " << values.size() << " values were given, shape "
        << n.shape << " has " << elements;
      return status::failure(m);
    }
    std::vector<double>& edge = edges_[static_cast<std::size_t>(id)];
    edge.resize(elements);
    const auto convert = [&](std::size_t outside, std::size_t inside) {
      if constexpr (std::is_arithmetic_v<T>) {
        edge[inside] = static_cast<double>(values[outside]);
      } else {
        edge[inside] = static_cast<double>(to_float(values[outside]));
      }
      if (n.type != element::f32) edge[inside] = stored_as(n.type, edge[inside]);
    };
    if (layout == memory_layout::nchw) {
      for_each_nchw(n.shape, convert);
    } else {
      for (std::size_t i = 0; i < elements; ++i) convert(i, i);
    }
    given_[static_cast<std::size_t>(id)] = 1;
    return {};
  }

  /// visit(index in batch, channel, row, column order; index in the graph's order) for every element.
  template <class Visit>
  static void for_each_nchw(const tkl::shape& s, Visit visit) {
    std::size_t outside = 0;
    for (std::int64_t n = 0; n < s[0]; ++n)
      for (std::int64_t c = 0; c < s[3]; ++c)
        for (std::int64_t h = 0; h < s[1]; ++h)
          for (std::int64_t w = 0; w < s[2]; ++w)
            visit(outside++, static_cast<std::size_t>(((n * s[1] + h) * s[2] + w) * s[3] + c));
  }

  const graph& graph_;
  keep_edges keep_;
  std::vector<std::vector<double>> edges_;
  std::vector<char> given_;
  std::vector<char> pinned_;
};

TKL_ISA_END
}  // namespace tkl
