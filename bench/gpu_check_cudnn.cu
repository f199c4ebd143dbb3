// SPDX-License-Identifier: Apache-2.0
// relu(convolution + bias) by cuDNN's graph interface, channels last, f16 with f32 between the operations: the fastest
// of the plans that its heuristics propose. Where the library was not found, a contender that was not measured.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gpu/rivals.hpp"
#if defined(TKL_BENCH_CUDNN)
#  include "gpu/cudnn_descriptor.cuh"
#  include "gpu/rival.cuh"
#endif

namespace gpu_bench {
#if defined(TKL_BENCH_CUDNN)

namespace {

/// The operations of a layer as a graph, and the plans that can run it.
class cudnn_convolution {
 public:
  enum place : std::int64_t { input = 1, filter, offset, result, summed, shifted };  // the last two are never in memory

  cudnn_convolution(const std::shared_ptr<cudnn_handle>& handle, const layer& l, int batch) : handle_(handle) {
    const std::int64_t n = batch, e = l.extent, c = l.in, k = l.out, s = l.kernel, o = l.result();
    const auto x = tensor(input, {n, c, e, e}), w = tensor(filter, {k, c, s, s}), b = tensor(offset, {1, k, 1, 1}),
               y = tensor(result, {n, k, o, o}), sum = tensor(summed, {n, k, o, o}),
               all = tensor(shifted, {n, k, o, o});

    const std::int64_t pads[] = {l.pad(), l.pad()}, strides[] = {l.stride, l.stride}, dilations[] = {1, 1}, axes = 2;
    cudnn_descriptor how(session_, CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
    how.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
    how.set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, CUDNN_CROSS_CORRELATION);
    how.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, axes);
    how.set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64, pads);
    how.set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64, pads);
    how.set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64, strides);
    how.set(CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64, dilations);
    how.finalise();

    const float one = 1, zero = 0;
    cudnn_descriptor convolve(session_, CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
    convolve.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, how);
    convolve.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, x);
    convolve.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, w);
    convolve.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, sum);
    convolve.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, CUDNN_TYPE_FLOAT, one);
    convolve.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, CUDNN_TYPE_FLOAT, zero);
    convolve.finalise();

    const cudnn_descriptor add = pointwise(CUDNN_POINTWISE_ADD), relu = pointwise(CUDNN_POINTWISE_RELU_FWD);
    cudnn_descriptor shift(session_, CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
    shift.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, add);
    shift.set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, sum);
    shift.set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, b);
    shift.set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, all);
    shift.finalise();
    cudnn_descriptor clip(session_, CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
    clip.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, relu);
    clip.set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, all);
    clip.set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y);
    clip.finalise();

    const cudnnBackendDescriptor_t operations[] = {convolve.get(), shift.get(), clip.get()};
    const cudnnHandle_t h = handle->get();
    cudnn_descriptor graph(session_, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
    graph.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, h);
    graph.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, operations);
    graph.finalise();
    propose(graph, CUDNN_HEUR_MODE_A);
    if (plans_.empty()) propose(graph, CUDNN_HEUR_MODE_FALLBACK);
  }

  std::size_t plans() const { return plans_.size(); }
  /// Bytes that any of the plans needs.
  std::int64_t space() const { return space_; }
  const std::string& error() const { return session_.error(); }
  std::string run(std::size_t plan, cudnnBackendDescriptor_t operands) const {
    const cudnnStatus_t s = cudnnBackendExecute(handle_->get(), plans_[plan].get(), operands);
    return s == CUDNN_STATUS_SUCCESS ? std::string() : cudnnGetErrorString(s);
  }

 private:
  static constexpr std::int64_t most_space = std::int64_t{1} << 30;
  static constexpr std::size_t most_plans = 6;

  /// `extent`: batch, channels, rows, columns, as cuDNN counts axes; channels lie along memory.
  cudnn_descriptor tensor(place id, const std::int64_t (&extent)[4]) {
    const std::int64_t line = extent[1] * extent[3], alignment = 16, number = id,
                       apart[] = {line * extent[2], 1, line, extent[1]};
    const bool passing = id >= summed;
    const cudnnDataType_t type = passing ? CUDNN_DATA_FLOAT : CUDNN_DATA_HALF;
    cudnn_descriptor t(session_, CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    t.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, number);
    t.set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, type);
    t.set(CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, extent);
    t.set(CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, apart);
    t.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, alignment);
    t.set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, passing);
    t.finalise();
    return t;
  }
  cudnn_descriptor pointwise(cudnnPointwiseMode_t mode) {
    cudnn_descriptor p(session_, CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
    p.set(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, mode);
    p.set(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
    p.finalise();
    return p;
  }
  /// Adds the plans of one kind of heuristics. Those that the device cannot run are left out.
  void propose(const cudnn_descriptor& graph, cudnnBackendHeurMode_t mode) {
    if (!session_.good()) return;
    cudnn_descriptor heuristics(session_of_candidate(), CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
    heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
    heuristics.set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, mode);
    heuristics.finalise();
    const cudnnHandle_t h = handle_->get();
    for (const cudnnBackendDescriptor_t engine :
         heuristics.list(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR)) {
      if (plans_.size() == most_plans) return;
      cudnn_session& candidate = session_of_candidate();
      cudnn_descriptor p(candidate, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
      p.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, h);
      p.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, CUDNN_TYPE_BACKEND_DESCRIPTOR, engine);
      p.finalise();
      const std::int64_t space = p.number(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE);
      if (!candidate.good() || space > most_space) continue;
      plans_.push_back(p);
      space_ = (std::max)(space_, space);
    }
  }
  /// A failure of a candidate is none of the others'.
  cudnn_session& session_of_candidate() {
    candidates_.push_back(std::make_unique<cudnn_session>());
    return *candidates_.back();
  }

  std::shared_ptr<cudnn_handle> handle_;
  cudnn_session session_{};
  std::vector<std::unique_ptr<cudnn_session>> candidates_{};
  std::vector<cudnn_descriptor> plans_{};
  std::int64_t space_ = 0;
};

/// What a plan reads and writes.
struct cudnn_operands {
  std::shared_ptr<std::byte> x, w, bias, y, space;
  cudnn_session session{};
  cudnnBackendDescriptor_t pack{};

  bool complete() const { return x != nullptr && w != nullptr && bias != nullptr && y != nullptr && space != nullptr; }
  void make_pack() {
    const std::int64_t places[] = {cudnn_convolution::input, cudnn_convolution::filter, cudnn_convolution::offset,
                                   cudnn_convolution::result};
    void* const addresses[] = {x.get(), w.get(), bias.get(), y.get()};
    void* const scratch = space.get();
    cudnn_descriptor d(session, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    d.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, places);
    d.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, addresses);
    d.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, scratch);
    d.finalise();
    pack = d.get();
  }
};

}  // namespace

contender cudnn_contender(const tkl::cuda_context& context, const layer& l, int batch, const std::vector<std::byte>& x,
                          const std::vector<std::byte>& w, const std::vector<std::byte>& bias,
                          const sampled& expected) {
  const char* const how = "cuDNN, f16";
  const auto handle = std::make_shared<cudnn_handle>(context.stream());
  if (!handle->error().empty()) return contender::failed(how, handle->error());
  const auto convolution = std::make_shared<const cudnn_convolution>(handle, l, batch);
  if (!convolution->error().empty()) return contender::failed(how, convolution->error());
  if (convolution->plans() == 0) return contender::missing(how, "no plan");
  const auto operands = std::make_shared<cudnn_operands>();
  operands->x = on_device(x);
  operands->w = on_device(w);
  operands->bias = on_device(bias);
  operands->y = device_bytes(expected.bytes());
  operands->space = device_bytes(static_cast<std::size_t>(convolution->space()));
  if (!operands->complete()) return contender::failed(how, "no memory on the device");
  operands->make_pack();
  if (!operands->session.good()) return contender::failed(how, operands->session.error());
  std::vector<std::function<std::string()>> calls;
  for (std::size_t i = 0; i < convolution->plans(); ++i)
    calls.push_back([=] { return convolution->run(i, operands->pack); });
  contender best = fastest(context, how, calls, operands->y, expected);
  // A graph keeps neither the plan's code nor the operands alive.
  if (best.enqueue) best.enqueue = [calls, launch = best.enqueue] { return launch(); };
  return best;
}

#else

contender cudnn_contender(const tkl::cuda_context&, const layer&, int, const std::vector<std::byte>&,
                          const std::vector<std::byte>&, const std::vector<std::byte>&, const sampled&) {
  return contender::missing("cuDNN, f16", "the library was not found");
}

#endif

}  // namespace gpu_bench
