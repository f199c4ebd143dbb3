// SPDX-License-Identifier: Apache-2.0
// Convolutions with bias and ReLU, batch 1, against oneDNN in the layouts that it chooses itself, without reorders.
// tkl-bench: libs=benchmark,rapidjson,dnnl
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tkl/algo/conv2d.hpp>
#include <tkl/algo/conv2d_staged.hpp>
#include <tkl/algo/depthwise.hpp>
#include <tkl/algo/pack.hpp>
#include <tkl/algo/pack_depthwise.hpp>
#include <tkl/algo/pack_winograd.hpp>
#include <tkl/algo/winograd.hpp>
#include <tkl/arch/native.hpp>
#include <tkl/exec/executor.hpp>
#include <tkl/expr/functions.hpp>
#include <tkl/target/cpu.hpp>
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
using arch = tkl::arch::native;
using machine = tkl::cpu_machine<arch>;

struct layer {
  const char* name;
  int kernel, stride, in, out, size;
  bool depthwise = false;

  int pad() const { return kernel / 2; }
  int out_size() const { return (size + 2 * pad() - kernel) / stride + 1; }
  int group_in() const { return depthwise ? 1 : in; }
  double flops() const { return 2.0 * out_size() * out_size() * out * group_in() * kernel * kernel; }
};
constexpr layer layers[] = {{"7x7s2 3-64@224", 7, 2, 3, 64, 224},        {"1x1 64-64@56", 1, 1, 64, 64, 56},
                            {"1x1 64-256@56", 1, 1, 64, 256, 56},        {"1x1 256-64@56", 1, 1, 256, 64, 56},
                            {"3x3 64-64@56", 3, 1, 64, 64, 56},          {"3x3 128-128@28", 3, 1, 128, 128, 28},
                            {"3x3 256-256@14", 3, 1, 256, 256, 14},      {"3x3 512-512@7", 3, 1, 512, 512, 7},
                            {"1x1s2 256-512@56", 1, 2, 256, 512, 56},    {"1x1s2 1024-2048@14", 1, 2, 1024, 2048, 14},
                            {"1x1 1024-256@14", 1, 1, 1024, 256, 14},    {"1x1 512-2048@7", 1, 1, 512, 2048, 7},
                            {"dw3x3s2 96@112", 3, 2, 96, 96, 112, true}, {"dw3x3 144@56", 3, 1, 144, 144, 56, true},
                            {"dw3x3 384@14", 3, 1, 384, 384, 14, true},  {"dw3x3 960@7", 3, 1, 960, 960, 7, true},
                            {"1x1 24-144@56", 1, 1, 24, 144, 56},        {"1x1 144-24@56", 1, 1, 144, 24, 56},
                            {"3x3 16-16@112", 3, 1, 16, 16, 112}};

/// Buffers of a layer: x and y as rows, columns, channels; weights as frameworks write them.
struct operands {
  layer l;
  buffer x, weights, bias, y;
  explicit operands(const layer& what)
      : l(what),
        x(random_buffer(std::int64_t{what.size} * what.size * what.in, 1)),
        weights(random_buffer(std::int64_t{what.out} * what.group_in() * what.kernel * what.kernel, 2)),
        bias(random_buffer(what.out, 3)),
        y(std::int64_t{what.out_size()} * what.out_size() * what.out) {}

  double expected(std::int64_t at) const {
    const int side = l.out_size(), o = static_cast<int>(at % l.out), column = static_cast<int>(at / l.out % side),
              row = static_cast<int>(at / l.out / side);
    double sum = double{bias[o]};
    for (int u = 0; u < l.kernel; ++u)
      for (int v = 0; v < l.kernel; ++v) {
        const int r = row * l.stride - l.pad() + u, c = column * l.stride - l.pad() + v;
        if (r < 0 || r >= l.size || c < 0 || c >= l.size) continue;
        for (int i = 0; i < l.group_in(); ++i)
          sum += double{x[(std::int64_t{r} * l.size + c) * l.in + (l.depthwise ? o : i)]} *
                 double{weights[((std::int64_t{o} * l.group_in() + i) * l.kernel + u) * l.kernel + v]};
      }
    return sum > 0 ? sum : 0;
  }
  std::string wrong(const std::string& name) const {
    const std::int64_t depth = std::int64_t{l.group_in()} * l.kernel * l.kernel,
                       step = y.size() > 8192 ? y.size() / 4096 | 1 : 1;
    checker check(std::sqrt(static_cast<double>(depth)) / 8 + 1);
    for (std::int64_t at = 0; at < y.size(); at += step) check.see(double{y[at]}, expected(at), at);
    for (std::int64_t at = 0; at < y.size(); ++at) y[at] = NAN;
    return check.wrong(name);
  }
};

/// The convolution as a plan would run it; packed weights and scratch stay in the buffers given.
class own_convolution {
 public:
  explicit own_convolution(const operands& o)
      : o_(o),
        method_(method_of(o.l)),
        packed_(packed_elements(o.l, method_)),
        scratch_(scratch_elements(o.l, method_)) {
    const layer& l = o.l;
    const float* none = nullptr;
    constexpr tkl::panel_shape panels = tkl::panels_of(arch::conv.nr, machine::width);
    if (const int outputs = tkl::winograd_outputs(method_); outputs != 0) {
      tkl::pack_winograd(outputs, o.weights.data(), l.in, l.out, none, o.bias.data(), panels, packed_.data());
    } else if (l.depthwise) {
      tkl::pack_depthwise(o.weights.data(), l.out, l.kernel * l.kernel, none, o.bias.data(), machine::width,
                          packed_.data());
    } else {
      tkl::pack_conv2d(o.weights.data(), weights_of(l), none, o.bias.data(), panels, packed_.data());
    }
    for (int i = 0; i < 2; ++i)
      geometry_.kernel[i] = l.kernel, geometry_.stride[i] = l.stride, geometry_.pad[i] = l.pad();
    x_ = {o.x.data(), tkl::contiguous(1, l.size, l.size, l.in)};
    y_ = {o.y.data(), tkl::contiguous(1, l.out_size(), l.out_size(), l.out)};
  }

  /// Of the products that the method needs, not of the definition: the limit is that of its own loops.
  double flops() const {
    const int outputs = tkl::winograd_outputs(method_);
    if (outputs == 0) return o_.l.flops();
    const tkl::winograd_shape s{1, o_.l.size, o_.l.size, o_.l.in, o_.l.out};
    return 2.0 * static_cast<double>(s.tiles(outputs) * tkl::winograd_products(outputs) * o_.l.in * o_.l.out);
  }

  void operator()() const {
    const auto epilogue = tkl::relu(tkl::acc);
    std::byte* scratch = reinterpret_cast<std::byte*>(scratch_.data());
    const tkl::winograd_problem<float, float, float> transformed{
        x_, packed_.data(), y_, {geometry_.pad[0], geometry_.pad[1]}};
    if (method_ == tkl::conv_method::winograd2) {
      tkl::winograd<2, arch::conv, arch::cache.l2, machine>(transformed, epilogue, tkl::serial{}, scratch);
    } else if (method_ == tkl::conv_method::winograd4) {
      tkl::winograd<4, arch::conv, arch::cache.l2, machine>(transformed, epilogue, tkl::serial{}, scratch);
    } else if (o_.l.depthwise) {
      tkl::depthwise_problem<float, float, float> p{.x = x_, .weights = packed_.data(), .y = y_};
      for (int i = 0; i < 2; ++i)
        p.kernel[i] = geometry_.kernel[i], p.stride[i] = geometry_.stride[i], p.pad[i] = geometry_.pad[i];
      if (o_.l.stride == 1) {
        tkl::depthwise<tkl::depthwise_schedule_for(3, 3, 1, 1, 1, arch::depthwise_tile), machine>(p, epilogue,
                                                                                                  tkl::serial{});
      } else {
        tkl::depthwise<tkl::depthwise_schedule_for(3, 3, 2, 1, 1, arch::depthwise_tile), machine>(p, epilogue,
                                                                                                  tkl::serial{});
      }
    } else if (o_.l.in < 8) {
      const tkl::conv2d_staged_problem<float, float, float> p{
          .x = x_, .weights = packed_.data(), .y = y_, .geometry = geometry_};
      tkl::conv2d_staged<arch::conv, machine>(p, tkl::acc, epilogue, tkl::serial{}, scratch);
    } else {
      const tkl::conv2d_problem<float, float, float> p{x_, packed_.data(), y_, geometry_};
      tkl::conv2d<arch::conv, machine>(p, epilogue, tkl::serial{}, scratch);
    }
  }

 private:
  static tkl::conv_weights weights_of(const layer& l) { return {l.in, l.out, {l.kernel, l.kernel}, 1}; }
  /// As a graph chooses it.
  static tkl::conv_method method_of(const layer& l) {
    if (l.depthwise || l.kernel != 3 || l.stride != 1 || l.in < 8) return tkl::conv_method::direct;
    const tkl::conv_machine m{machine::width, arch::conv.mr, tkl::block_rows(arch::conv.gemm(), 1), arch::cache.l2};
    return tkl::fastest_method({1, l.size, l.size, l.in, l.out}, m);
  }
  static std::int64_t scratch_elements(const layer& l, tkl::conv_method method) {
    const int outputs = tkl::winograd_outputs(method);
    if (outputs == 0) return 1 << 19;
    return tkl::winograd_scratch_bytes(arch::conv, outputs, machine::width, arch::cache.l2,
                                       tkl::contiguous(1, l.size, l.size, l.in),
                                       tkl::contiguous(1, l.size, l.size, l.out), 4) /
           4;
  }
  static std::int64_t packed_elements(const layer& l, tkl::conv_method method) {
    if (const int outputs = tkl::winograd_outputs(method); outputs != 0)
      return tkl::packed_winograd_elements(outputs, l.in, l.out, machine::width);
    return l.depthwise ? tkl::packed_depthwise_elements(l.out, l.kernel * l.kernel, machine::width)
                       : tkl::packed_conv2d_elements(weights_of(l), machine::width);
  }
  const operands& o_;
  tkl::conv_method method_;
  buffer packed_, scratch_;
  tkl::conv2d_geometry geometry_{};
  tkl::strided4<const float> x_{};
  tkl::strided4<float> y_{};
};

#if defined(TKL_BENCH_HAS_DNNL)
/// The same by oneDNN.
class onednn_convolution {
 public:
  explicit onednn_convolution(const operands& o) {
    using namespace dnnl;
    using tag = memory::format_tag;
    constexpr auto f32 = memory::data_type::f32;
    const layer& l = o.l;
    const memory::dims x{1, l.in, l.size, l.size}, y{1, l.out, l.out_size(), l.out_size()}, b{l.out};
    const memory::dims w =
        l.depthwise ? memory::dims{l.out, 1, 1, l.kernel, l.kernel} : memory::dims{l.out, l.in, l.kernel, l.kernel};
    const memory::dims stride{l.stride, l.stride}, pad{l.pad(), l.pad()};
    const convolution_forward::desc d(prop_kind::forward_inference, algorithm::convolution_auto,
                                      memory::desc(x, f32, tag::any), memory::desc(w, f32, tag::any),
                                      memory::desc(b, f32, tag::any), memory::desc(y, f32, tag::any), stride, pad, pad);
    post_ops after;
    after.append_eltwise(1.0F, algorithm::eltwise_relu, 0.0F, 0.0F);
    primitive_attr attributes;
    attributes.set_post_ops(after);
    const convolution_forward::primitive_desc chosen(d, attributes, onednn_engine());
    version = onednn_version(chosen.impl_info_str());
    plain_y_ = memory::desc(y, f32, tag::nhwc);
    y_ = memory(chosen.dst_desc(), onednn_engine());
    arguments_ = {{DNNL_ARG_SRC, reordered(o.x, memory::desc(x, f32, tag::nhwc), chosen.src_desc())},
                  {DNNL_ARG_WEIGHTS, reordered(o.weights, memory::desc(w, f32, l.depthwise ? tag::goihw : tag::oihw),
                                               chosen.weights_desc())},
                  {DNNL_ARG_BIAS, reordered(o.bias, memory::desc(b, f32, tag::a), chosen.bias_desc())},
                  {DNNL_ARG_DST, y_}};
    primitive_ = convolution_forward(chosen);
  }
  void operator()() const {
    primitive_.execute(onednn_stream(), arguments_);
    onednn_stream().wait();
  }
  void read(const operands& o) const { read_back(y_, plain_y_, o.y); }
  std::string version{};

 private:
  dnnl::convolution_forward primitive_{};
  dnnl::memory y_{};
  dnnl::memory::desc plain_y_{};
  std::unordered_map<int, dnnl::memory> arguments_{};
};
#endif

row compare(const layer& l) {
  const operands o(l);
  contest c;
  row r;
  r.name = l.name, r.rival = "onednn";
  if (!widest) r.floor = 0.75;
  const own_convolution own(o);
  own();
  const std::string own_error = o.wrong("tkl");
  c.add("tkl", [&] { own(); });
#if defined(TKL_BENCH_HAS_DNNL)
  const onednn_convolution other(o);
  other();
  other.read(o);
  r.rival_version = other.version;
  r.error = o.wrong("onednn");
  if (!widest && other.version.find("avx512") != std::string::npos) r.error = "onednn is not held to AVX2";
  c.add("onednn", [&] { other(); });
#else
  r.error = "onednn was not found";
#endif
  if (!own_error.empty()) r.error = own_error;
  if (l.depthwise) {
    c.add("limit", [&] { stream(o.x.data(), o.x.size(), o.y.data(), o.y.size()); });
  } else {
    c.add("limit", multiply_add_peak);
  }
  const auto seconds = c.measure();
  if (r.error.empty()) r.ratio = seconds.at("onednn") / seconds.at("tkl");
  const double of_limit = 100 * seconds.at("limit") / seconds.at("tkl");
  if (l.depthwise) {
    r.percent_of_bandwidth = of_limit;
  } else {
    r.percent_of_peak = of_limit * own.flops() / peak_flops;
  }
  return r;
}

}  // namespace

int main(int count, char** arguments) {
  return bench::run(count, arguments, "conv", [](results& all, const auto& wanted) {
    std::vector<row> means;
    for (const layer& l : layers)
      if (wanted(l.name)) means.push_back(all.add(compare(l)));
    all.add(geometric_mean(means, widest ? 0.9 : 1.0));
  });
}
