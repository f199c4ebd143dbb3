// SPDX-License-Identifier: Apache-2.0
// Parts of plans as text for people: shapes, windows, byte counts, fused expressions in infix form.
#pragma once

#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <tkl/config.hpp>
#include <tkl/expr/code.hpp>
#include <tkl/graph/plan_view.hpp>
#include <utility>

namespace tkl {
TKL_ISA_BEGIN

/// "%.<digits>g" of a number.
inline std::string number_text(double v, int digits = 6) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.*g", digits, v);
  return buffer;
}

/// "512", "12.3", "1.93": three digits of a scaled number, all of one that no prefix scales.
inline std::string three_digits(double v, bool scaled) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, !scaled || v >= 99.95 ? "%.0f" : v >= 9.995 ? "%.1f" : "%.2f", v);
  return buffer;
}

/// "812 B", "1.50 KiB", "12.3 MiB".
inline std::string bytes_text(std::int64_t bytes) {
  constexpr const char* units[] = {" B", " KiB", " MiB", " GiB", " TiB"};
  double v = static_cast<double>(bytes);
  int unit = 0;
  while (v >= 999.5 && unit < 4) v /= 1024, ++unit;
  return three_digits(v, unit > 0) + units[unit];
}

/// "512", "1.93 G", with a unit "1.93 GFLOP".
inline std::string count_text(std::int64_t n, std::string_view unit = {}) {
  constexpr std::string_view prefixes[] = {"", "k", "M", "G", "T", "P"};
  double v = static_cast<double>(n);
  int prefix = 0;
  while (v >= 999.5 && prefix < 5) v /= 1000, ++prefix;
  const std::string digits = three_digits(v, prefix > 0);
  const std::string suffix = std::string(prefixes[prefix]) + std::string(unit);
  return suffix.empty() ? digits : digits + ' ' + suffix;
}

/// "1.05": a over b.
inline std::string ratio_text(std::int64_t a, std::int64_t b) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.2f", static_cast<double>(a) / static_cast<double>(b));
  return buffer;
}

/// The last `most` characters of a name; "..." stands for what was cut (names of one network share their beginnings).
inline std::string tail_text(std::string_view name, std::size_t most) {
  if (name.size() <= most) return std::string(name);
  return "..." + std::string(name.substr(name.size() - (most - 3)));
}

/// "1x24x160x16", the element type before it unless it is f32. An axis that a stride of 0 repeats counts as 1.
inline std::string shape_text(const edge& e) {
  std::string t = e.type == element::f32 ? "" : std::string(name_of(e.type)) + ' ';
  for (int i = 0; i < plan_rank; ++i) {
    if (i > 0) t += 'x';
    t += std::to_string(e.stride[i] == 0 && e.extent[i] != 0 ? 1 : e.extent[i]);
  }
  return t;
}

/// The name of a step, else that of its weights, else nothing.
inline std::string_view label_of_step(const plan_view& p, int s) {
  const std::string_view name = p.name_of_step(s);
  return name.empty() && p.steps[s].weight >= 0 ? p.name_of_edge(p.steps[s].weight) : name;
}

/// The name of an edge, else "#7" for the value that step 7 writes, else "edge12". Values that have no name of their
/// own carry that of their weights, which does not count.
inline std::string label_of_edge(const plan_view& p, int e, std::size_t most = 28) {
  const edge& x = p.edges[e];
  bool own = x.name >= 0;
  for (int i = 0; own && x.where != space::weights && i < p.edge_count; ++i)
    own = p.edges[i].where != space::weights || p.edges[i].name != x.name;
  if (own) return tail_text(p.name_of_edge(e), most);
  if (p.edge_storage != nullptr)
    for (int s = 0; s < p.step_count; ++s)
      if (p.edge_storage[p.steps[s].out] == p.edge_storage[e]) return '#' + std::to_string(s);
  return "edge" + std::to_string(e);
}

/// The algorithm of a step, with what its kernel does where the name alone does not tell: "pool2d max", "reduce mean".
inline std::string algorithm_text(const plan_view& p, const step& s) {
  constexpr std::string_view pools[] = {"max", "average"}, reductions[] = {"sum", "mean", "max", "min", "argmax"},
                             resizes[] = {"nearest", "bilinear"}, softmaxes[] = {"", "logarithm"};
  std::string t(name_of(s.algorithm));
  const auto with_mode = [&](std::span<const std::string_view> modes) {
    const std::uint8_t mode = p.kernels[s.kernel].variant[0];
    if (mode < modes.size() && !modes[mode].empty()) t += ' ' + std::string(modes[mode]);
    return t;
  };
  switch (s.algorithm) {
    case algorithm::pool2d:
      return with_mode(pools);
    case algorithm::reduce:
      return with_mode(reductions);
    case algorithm::resize2d:
      return with_mode(resizes);
    case algorithm::softmax:
      return with_mode(softmaxes);
    case algorithm::winograd:
      return t + (s.parameters.mode == 2 ? " 2x2" : " 4x4");
    default:
      return t;
  }
}

/// "3x3 /2 pad 1": kernel, stride, dilation, padding, groups of a step that has a window; else empty.
inline std::string window_text(const step& s) {
  const step_parameters& q = s.parameters;
  const auto pair = [](const std::int32_t* v) {
    return v[0] == v[1] ? std::to_string(v[0]) : std::to_string(v[0]) + ',' + std::to_string(v[1]);
  };
  std::string t;
  switch (s.algorithm) {
    case algorithm::conv2d:
    case algorithm::conv2d_staged:
    case algorithm::winograd:
    case algorithm::depthwise:
    case algorithm::conv_transpose2d:
    case algorithm::pool2d:
      break;
    case algorithm::attention:
      t = std::to_string(q.heads) + " heads";
      return q.groups == q.heads ? t : t + " on " + std::to_string(q.groups);
    default:
      return t;
  }
  t = std::to_string(q.kernel[0]) + 'x' + std::to_string(q.kernel[1]);
  if (q.stride[0] != 1 || q.stride[1] != 1) t += " /" + pair(q.stride);
  if (q.dilation[0] != 1 || q.dilation[1] != 1) t += " dil " + pair(q.dilation);
  const bool even = q.pad[0] == q.pad[1] && q.pad[1] == q.pad[2] && q.pad[2] == q.pad[3];
  if (!even) {
    t += " pad ";
    for (int i = 0; i < 4; ++i) t += (i ? "," : "") + std::to_string(q.pad[i]);
  } else if (q.pad[0] != 0) {
    t += " pad " + std::to_string(q.pad[0]);
  }
  if (q.groups != 1 && s.algorithm != algorithm::depthwise) t += " groups " + std::to_string(q.groups);
  return t;
}

namespace impl {

/// An expression as text and how tightly its outermost operation binds (9: a leaf or a call).
struct infix {
  std::string text;
  int binding = 9;
  std::string inside(int at_least) const { return binding >= at_least ? text : '(' + text + ')'; }
};

struct infix_writer {
  const plan_view& p;
  const expr_code& code;
  const std::int16_t* operand;
  const float* literal;
  std::string_view accumulated;  // what the leaf acc is called

  infix leaf(int i) const {
    const symbol s = code.at[i];
    if (s.kind() == leaf_kind::acc) return {std::string(accumulated)};
    const int slot = code.slot(i);
    if (s.kind() == leaf_kind::literal) {
      const float v = literal[slot];
      return {number_text(static_cast<double>(v)), v < 0 ? 3 : 9};
    }
    if (s.kind() == leaf_kind::index) {
      constexpr const char* axes[] = {"batch", "row", "column", "channel"};
      const int axis = static_cast<int>(literal[slot]);
      return {axis >= 0 && axis < plan_rank ? std::string("index(") + axes[axis] + ')' : "index"};
    }
    const int e = operand[slot];
    std::string name = e < 0 ? "?" : label_of_edge(p, e);
    if (s.kind() == leaf_kind::channel) name += "[c]";
    if (s.kind() == leaf_kind::row) name += "[row]";
    return {name};
  }

  infix write(int last) const {
    const symbol s = code.at[last];
    if (s.is_leaf()) return leaf(last);
    infix a[3];
    int end = last - 1;
    for (int i = s.arity() - 1; i >= 0; --i) {
      a[i] = write(end);
      end = code.begin_of(end) - 1;
    }
    const std::string_view name = function_list::names[s.function_index()];
    const auto between = [&](const char* sign, int binding, int right) {
      return infix{a[0].inside(binding) + ' ' + sign + ' ' + a[1].inside(right), binding};
    };
    if (name == "add") return between("+", 1, 1);
    if (name == "sub") return between("-", 1, 2);
    if (name == "mul") return between("*", 2, 2);
    if (name == "div") return between("/", 2, 3);
    if (name == "neg") return {'-' + a[0].inside(3), 3};
    if (name == "affine") return {a[0].inside(2) + " * " + a[1].inside(2) + " + " + a[2].inside(1), 1};
    for (const auto& [function, sign] : {std::pair{"less", "<"},
                                         {"less_equal", "<="},
                                         {"equal", "=="},
                                         {"not_equal", "!="},
                                         {"greater", ">"},
                                         {"greater_equal", ">="}})
      if (name == function) return between(sign, 0, 1);
    if (name == "select") return {a[0].inside(0) + " ? " + a[1].inside(0) + " : " + a[2].inside(0), -1};
    std::string t = std::string(name) + '(';
    for (int i = 0; i < s.arity(); ++i) t += (i ? ", " : "") + a[i].text;
    return {t + ')'};
  }
};

}  // namespace impl

/// What a step makes of each element: "relu(conv2d * scale[c] + x)"; the algorithm stands for what it computes. Empty
/// when there is no epilogue. `kernels`: those that the step's number counts.
inline std::string epilogue_text(const plan_view& p, const step& s, const kernel_key* kernels) {
  if (kernels == nullptr || kernels[s.kernel].epilogue.empty()) return {};
  const expr_code& code = kernels[s.kernel].epilogue;
  return impl::infix_writer{p, code, s.operand, s.literal, "acc"}.write(code.size - 1).text;
}

inline std::string epilogue_text(const plan_view& p, const step& s) {
  return epilogue_text(p, s, p.kernels);
}

/// What is applied to each input element when it is loaded; empty when nothing is.
inline std::string prologue_text(const plan_view& p, const step& s) {
  if (p.kernels == nullptr || p.kernels[s.kernel].prologue.empty()) return {};
  const expr_code& code = p.kernels[s.kernel].prologue;
  return impl::infix_writer{p, code, s.prologue_operand, s.prologue_literal, "x"}.write(code.size - 1).text;
}

TKL_ISA_END
}  // namespace tkl
