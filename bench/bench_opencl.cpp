// SPDX-License-Identifier: Apache-2.0
// OpenCL kernels on PoCL with one thread: matrix products of computed operands against CLBlast on the same buffers and
// queue, and what a launch costs beside a bare clEnqueueNDRangeKernel.
// tkl-bench: libs=benchmark,rapidjson,opencl,clblast levels=avx2
#include <cmath>
#include <string>
#include <vector>

#include "support/data.hpp"
#include "support/measure.hpp"
#include "support/program.hpp"

#if defined(TKL_BENCH_HAS_OPENCL)
#  include "support/opencl.hpp"
#  if defined(TKL_BENCH_HAS_CLBLAST)
#    include <clblast.h>
#  endif

namespace {

using namespace bench;

template <int N>
struct product {
  static constexpr void build(tkl::graph& g) {
    const tkl::value a = g.input("a", tkl::f32, {N, N}), b = g.input("b", tkl::f32, {N, N});
    g.output(tkl::matmul(a, b));
  }
};

/// Some elements of the product on the device, against the same in double.
std::string wrong(const std::string& name, const tkl::opencl_context& c, const cl::Buffer& y, const buffer& a,
                  const buffer& b, int n) {
  const buffer out(std::int64_t{n} * n);
  if (c.queue().enqueueReadBuffer(y, CL_TRUE, 0, static_cast<std::size_t>(4 * out.size()), out.data()) != CL_SUCCESS)
    return name + ": the result cannot be read";
  checker check(std::sqrt(n) / 8);
  const std::int64_t step = out.size() / 4096 | 1;
  for (std::int64_t at = 0; at < out.size(); at += step) {
    double sum = 0;
    for (std::int64_t k = 0; k < n; ++k) sum += double{a[at / n * n + k]} * double{b[k * n + at % n]};
    check.see(double{out[at]}, sum, at);
  }
  const std::vector<float> nothing(static_cast<std::size_t>(out.size()), NAN);
  if (c.queue().enqueueWriteBuffer(y, CL_TRUE, 0, 4 * nothing.size(), nothing.data()) != CL_SUCCESS)
    return name + ": the result cannot be overwritten";
  return check.wrong(name);
}

template <int N>
row gemm(const tkl::opencl_context& c, const tkl::safetensors& weights) {
  row r;
  r.name = "gemm " + std::to_string(N), r.rival = "clblast", r.floor = 1.2;
  loaded<product<N>> own(c, weights);
  r.error = own.error;
  if (!r.error.empty()) return r;
  const buffer a = random_buffer(std::int64_t{N} * N, 1), b = random_buffer(std::int64_t{N} * N, 2);
  const std::size_t bytes = std::size_t{4} * N * N;
  const cl::Buffer device_a(c.context(), cl_mem_flags{CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR}, bytes, a.data()),
      device_b(c.context(), cl_mem_flags{CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR}, bytes, b.data()),
      device_y(c.context(), cl_mem_flags{CL_MEM_READ_WRITE}, bytes);
  for (const tkl::status& s :
       {own.memory->use_input(0, device_a), own.memory->use_input(1, device_b), own.memory->use_output(0, device_y)})
    if (!s) r.error = s.message();
  if (!r.error.empty()) return r;
  contest turns;
  own();
  r.error = wrong("tkl", c, device_y, a, b, N);
  turns.add("tkl", [&] { own(); });
#  if defined(TKL_BENCH_HAS_CLBLAST)
  r.rival_version = name_of(c);
  const auto other = [&] {
    cl_command_queue queue = c.queue()();
    using namespace clblast;
    const StatusCode code = Gemm<float>(Layout::kRowMajor, Transpose::kNo, Transpose::kNo, N, N, N, 1.0F, device_a(), 0,
                                        N, device_b(), 0, N, 0.0F, device_y(), 0, N, &queue);
    if (code != StatusCode::kSuccess || c.queue().finish() != CL_SUCCESS) std::abort();
  };
  other();
  if (r.error.empty()) r.error = wrong("clblast", c, device_y, a, b, N);
  turns.add("clblast", other);
#  else
  r.error = "CLBlast was not found";
#  endif
  const auto seconds = turns.measure();
  if (r.error.empty()) r.ratio = seconds.at("clblast") / seconds.at("tkl");
  return r;
}

/// Steps that do next to nothing.
constexpr int launches = 32;
struct many_steps {
  static constexpr void build(tkl::graph& g) {
    tkl::value x = g.input("x", tkl::f32, {2, 8});
    for (int i = 0; i < launches; ++i) x = tkl::softmax(x);
    g.output(x);
  }
};

row enqueue(const tkl::opencl_context& c, const tkl::safetensors& weights) {
  row r;
  r.name = "enqueue", r.rival = "clEnqueueNDRangeKernel";
  const loaded<many_steps> own(c, weights);
  r.error = own.error;
  if (!r.error.empty()) return r;
  static_assert(loaded<many_steps>::network::steps == launches);
  const cl::Program program(c.context(), "__kernel void one(__global float* x) { x[get_global_id(0)] = 1; }");
  if (program.build(c.device(), "") != CL_SUCCESS) {
    r.error = "the bare kernel does not build";
    return r;
  }
  cl::Kernel kernel(program, "one");
  const cl::Buffer x(c.context(), cl_mem_flags{CL_MEM_READ_WRITE}, 64);
  if (kernel.setArg(0, x) != CL_SUCCESS) r.error = "the bare kernel takes no argument";
  contest turns;
  turns.add("tkl", [&] { own(); });
  turns.add(r.rival, [&] {
    for (int i = 0; i < launches; ++i)
      if (c.queue().enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(2), cl::NDRange(2)) != CL_SUCCESS)
        std::abort();
    if (c.queue().finish() != CL_SUCCESS) std::abort();
  });
  const auto seconds = turns.measure();
  if (r.error.empty()) r.ratio = seconds.at(r.rival) / seconds.at("tkl");
  char text[64];
  std::snprintf(text, sizeof text, "%.1f us a step, ", 1e6 * seconds.at("tkl") / launches);
  r.rival_version = text + name_of(c);
  return r;
}

}  // namespace

int main(int count, char** arguments) {
  settle_opencl();
  return bench::run(count, arguments, "opencl", [](results& all, const auto& wanted) {
    const auto context = tkl::opencl_context::make();
    const auto weights = tkl::safetensors::from_memory(no_weights());
    if (!context || !weights) {
      row r;
      r.name = "gemm 256", r.rival = "clblast", r.error = context.error().message();
      all.add(r);
      return;
    }
    if (wanted("gemm 256")) all.add(gemm<256>(*context, *weights));
    if (wanted("gemm 512")) all.add(gemm<512>(*context, *weights));
    if (wanted("gemm 1024")) all.add(gemm<1024>(*context, *weights));
    if (wanted("enqueue")) all.add(enqueue(*context, *weights));
  });
}

#else

int main(int count, char** arguments) {
  return bench::run(count, arguments, "opencl", [](bench::results& all, const auto&) {
    bench::row r;
    r.name = "gemm 256", r.rival = "clblast", r.error = "no OpenCL loader was found";
    all.add(r);
  });
}

#endif
