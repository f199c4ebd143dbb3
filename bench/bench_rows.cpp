// SPDX-License-Identifier: Apache-2.0
// Softmax and layer normalisation of matrices that stay in the caches, against oneDNN.
// tkl-bench: libs=benchmark,rapidjson,dnnl
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <tkl/algo/layer_norm.hpp>
#include <tkl/algo/softmax.hpp>
#include <tkl/arch/native.hpp>
#include <tkl/exec/executor.hpp>
#include <tkl/expr/functions.hpp>
#include <tkl/target/cpu.hpp>
#include <unordered_map>
#include <vector>

#include "support/data.hpp"
#include "support/limits.hpp"
#include "support/measure.hpp"
#include "support/program.hpp"

#if defined(TKL_BENCH_HAS_DNNL)
#  include "support/onednn.hpp"
#endif

namespace {

using namespace bench;
using machine = tkl::cpu_machine<tkl::arch::native>;

struct matrix {
  const char* name;
  int rows, columns;
};
constexpr matrix softmax_cases[] = {{"softmax 64x1024", 64, 1024}, {"softmax 1536x128", 1536, 128}};
constexpr matrix layernorm_cases[] = {
    {"layernorm 64x768", 64, 768}, {"layernorm 128x768", 128, 768}, {"layernorm 512x768", 512, 768}};
constexpr double eps = 1e-5;

struct operands {
  matrix m;
  buffer x, y, scale, offset;
  explicit operands(const matrix& what)
      : m(what),
        x(random_buffer(std::int64_t{what.rows} * what.columns, 1)),
        y(x.size()),
        scale(random_buffer(what.columns, 2)),
        offset(random_buffer(what.columns, 3)) {
    for (std::int64_t i = 0; i < x.size(); ++i) x[i] *= 4;
  }
  tkl::strided4<const float> in() const { return {x.data(), tkl::contiguous(1, 1, m.rows, m.columns)}; }
  tkl::strided4<float> out() const { return {y.data(), tkl::contiguous(1, 1, m.rows, m.columns)}; }

  template <class Row>
  std::string wrong(const std::string& name, const Row& expected_of) const {
    checker check;
    std::vector<double> expected(static_cast<std::size_t>(m.columns));
    for (std::int64_t r = 0; r < m.rows; ++r) {
      expected_of(x.data() + r * m.columns, expected);
      for (std::int64_t c = 0; c < m.columns; ++c)
        check.see(double{y[r * m.columns + c]}, expected[static_cast<std::size_t>(c)], r * m.columns + c);
    }
    for (std::int64_t i = 0; i < y.size(); ++i) y[i] = NAN;
    return check.wrong(name);
  }
};

void exact_softmax(const float* x, std::vector<double>& y) {
  double largest = -1e300, sum = 0;
  for (std::size_t i = 0; i < y.size(); ++i) largest = std::fmax(largest, double{x[i]});
  for (std::size_t i = 0; i < y.size(); ++i) sum += y[i] = std::exp(double{x[i]} - largest);
  for (double& v : y) v /= sum;
}

#if defined(TKL_BENCH_HAS_DNNL)
/// A primitive with its arguments.
struct onednn_call {
  dnnl::primitive primitive{};
  std::unordered_map<int, dnnl::memory> arguments{};
  std::string version{};
  void operator()() const {
    primitive.execute(onednn_stream(), arguments);
    onednn_stream().wait();
  }
};
dnnl::memory::desc plain(const operands& o) {
  return {{o.m.rows, o.m.columns}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::ab};
}
dnnl::memory at(const dnnl::memory::desc& d, const buffer& b) {
  return {d, onednn_engine(), b.data()};
}

onednn_call onednn_softmax(const operands& o) {
  using namespace dnnl;
  const softmax_forward::primitive_desc chosen({prop_kind::forward_inference, plain(o), 1}, onednn_engine());
  return {softmax_forward(chosen),
          {{DNNL_ARG_SRC, at(plain(o), o.x)}, {DNNL_ARG_DST, at(plain(o), o.y)}},
          onednn_version(chosen.impl_info_str())};
}
onednn_call onednn_layernorm(const operands& o) {
  using namespace dnnl;
  const auto flags = normalization_flags::use_scale | normalization_flags::use_shift;
  const layer_normalization_forward::primitive_desc chosen(
      {prop_kind::forward_inference, plain(o), static_cast<float>(eps), flags}, onednn_engine());
  const memory::desc line({o.m.columns}, memory::data_type::f32, memory::format_tag::a);
  return {layer_normalization_forward(chosen),
          {{DNNL_ARG_SRC, at(plain(o), o.x)},
           {DNNL_ARG_DST, at(plain(o), o.y)},
           {DNNL_ARG_SCALE, at(line, o.scale)},
           {DNNL_ARG_SHIFT, at(line, o.offset)}},
          onednn_version(chosen.impl_info_str())};
}
#endif

/// One case: `own` computes y, `exact` is one row in double, `make_other` the rival.
template <class Own, class Exact, class Other>
row compare(const operands& o, const Own& own, const Exact& exact, [[maybe_unused]] const Other& make_other) {
  contest c;
  row r;
  r.name = o.m.name, r.rival = "onednn";
  if (!widest) r.floor = 1.2;
  own();
  const std::string own_error = o.wrong("tkl", exact);
  c.add("tkl", own);
#if defined(TKL_BENCH_HAS_DNNL)
  const onednn_call other = make_other(o);
  other();
  r.rival_version = other.version;
  r.error = o.wrong("onednn", exact);
  if (!widest && other.version.find("avx512") != std::string::npos) r.error = "onednn is not held to AVX2";
  c.add("onednn", [&] { other(); });
#else
  r.error = "onednn was not found";
#endif
  if (!own_error.empty()) r.error = own_error;
  c.add("bandwidth", [&] { stream(o.x.data(), o.x.size(), o.y.data(), o.y.size()); });
  const auto seconds = c.measure();
  if (r.error.empty()) r.ratio = seconds.at("onednn") / seconds.at("tkl");
  r.percent_of_bandwidth = 100 * seconds.at("bandwidth") / seconds.at("tkl");
  return r;
}

#if defined(TKL_BENCH_HAS_DNNL)
constexpr auto softmax_rival = onednn_softmax;
constexpr auto layernorm_rival = onednn_layernorm;
#else
constexpr int softmax_rival = 0, layernorm_rival = 0;
#endif

row softmax(const matrix& m) {
  const operands o(m);
  const tkl::softmax_problem<float, float> p{o.in(), o.out()};
  const auto own = [&] {
    tkl::softmax<tkl::row_schedule{}, tkl::softmax_kind::probability, machine>(p, tkl::acc, tkl::serial{});
  };
  return compare(o, own, exact_softmax, softmax_rival);
}

row layernorm(const matrix& m) {
  const operands o(m);
  const tkl::layer_norm_problem<float, float> p{o.in(), o.out(), static_cast<float>(eps)};
  const auto epilogue = tkl::affine(tkl::acc, tkl::channel_node<float>{{}, o.scale.data()},
                                    tkl::channel_node<float>{{}, o.offset.data()});
  const auto own = [&] { tkl::layer_norm<tkl::row_schedule{}, machine>(p, epilogue, tkl::serial{}); };
  const auto exact = [&](const float* x, std::vector<double>& y) {
    const auto n = static_cast<double>(y.size());
    double mean = 0, variance = 0;
    for (std::size_t i = 0; i < y.size(); ++i) mean += double{x[i]} / n;
    for (std::size_t i = 0; i < y.size(); ++i) variance += (double{x[i]} - mean) * (double{x[i]} - mean) / n;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const auto c = static_cast<std::int64_t>(i);
      y[i] = (double{x[i]} - mean) / std::sqrt(variance + eps) * double{o.scale[c]} + double{o.offset[c]};
    }
  };
  return compare(o, own, exact, layernorm_rival);
}

}  // namespace

int main(int count, char** arguments) {
  return bench::run(count, arguments, "rows", [](results& all, const auto& wanted) {
    std::vector<row> means;
    for (const matrix& m : softmax_cases)
      if (wanted(m.name)) means.push_back(all.add(softmax(m)));
    for (const matrix& m : layernorm_cases)
      if (wanted(m.name)) means.push_back(all.add(layernorm(m)));
    all.add(geometric_mean(means, widest ? 0.9 : 1.2));
  });
}
