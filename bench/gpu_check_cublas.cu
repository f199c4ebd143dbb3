// SPDX-License-Identifier: Apache-2.0
// y = x transposed(w) by cuBLASLt, all three square and with rows along memory: the fastest of the algorithms that its
// heuristics propose. Where the library was not found, a contender that was not measured.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gpu/rivals.hpp"
#if defined(TKL_BENCH_CUBLAS)
#  include <cublasLt.h>

#  include "gpu/rival.cuh"
#endif

namespace gpu_bench {
#if defined(TKL_BENCH_CUBLAS)

namespace {

/// What cuBLASLt knows of one product; f32 is multiplied as tf32.
class cublas_product {
 public:
  cublas_product(tkl::element type, std::int64_t size) {
    const cudaDataType_t t = type == tkl::f16 ? CUDA_R_16F : type == tkl::bf16 ? CUDA_R_16BF : CUDA_R_32F;
    const cublasComputeType_t compute = type == tkl::f32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
    const cublasOperation_t transposed = CUBLAS_OP_T;
    const std::uint64_t most = workspace_bytes, extent = static_cast<std::uint64_t>(size);
    note(cublasLtCreate(&handle_));
    if (good()) note(cublasLtMatmulDescCreate(&product_, compute, CUDA_R_32F));
    if (good())
      note(cublasLtMatmulDescSetAttribute(product_, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof transposed));
    if (good()) note(cublasLtMatrixLayoutCreate(&matrix_, t, extent, extent, size));
    if (good()) note(cublasLtMatmulPreferenceCreate(&preference_));
    if (good())
      note(cublasLtMatmulPreferenceSetAttribute(preference_, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most,
                                                sizeof most));
    if (!good()) return;
    note(cublasLtMatmulAlgoGetHeuristic(handle_, product_, matrix_, matrix_, matrix_, matrix_, preference_,
                                        most_algorithms, proposed_, &count_));
  }
  cublas_product(const cublas_product&) = delete;
  cublas_product& operator=(const cublas_product&) = delete;
  ~cublas_product() {
    if (preference_ != nullptr) static_cast<void>(cublasLtMatmulPreferenceDestroy(preference_));
    if (matrix_ != nullptr) static_cast<void>(cublasLtMatrixLayoutDestroy(matrix_));
    if (product_ != nullptr) static_cast<void>(cublasLtMatmulDescDestroy(product_));
    if (handle_ != nullptr) static_cast<void>(cublasLtDestroy(handle_));
  }

  static constexpr std::uint64_t workspace_bytes = 64 << 20;
  const std::string& error() const { return error_; }
  int algorithms() const { return count_; }
  /// Columns lie along memory for cuBLAS: y's rows are its columns, w is its first operand.
  std::string run(int algorithm, const void* x, const void* w, void* y, void* space, cudaStream_t stream) const {
    const float one = 1, zero = 0;
    const cublasStatus_t s = cublasLtMatmul(handle_, product_, &one, w, matrix_, x, matrix_, &zero, y, matrix_, y,
                                            matrix_, &proposed_[algorithm].algo, space, workspace_bytes, stream);
    return s == CUBLAS_STATUS_SUCCESS ? std::string() : cublasLtGetStatusName(s);
  }

 private:
  static constexpr int most_algorithms = 8;
  bool good() const { return error_.empty(); }
  void note(cublasStatus_t s) {
    if (s != CUBLAS_STATUS_SUCCESS) error_ = cublasLtGetStatusName(s);
  }
  cublasLtHandle_t handle_{};
  cublasLtMatmulDesc_t product_{};
  cublasLtMatrixLayout_t matrix_{};
  cublasLtMatmulPreference_t preference_{};
  cublasLtMatmulHeuristicResult_t proposed_[most_algorithms]{};  // a vector of them ends nvcc 13.0's front end
  int count_ = 0;
  std::string error_{};
};

}  // namespace

contender cublas_contender(const tkl::cuda_context& context, tkl::element type, std::int64_t size,
                           const std::vector<std::byte>& x, const std::vector<std::byte>& w, const sampled& expected) {
  const char* const how = "cuBLASLt";
  const auto product = std::make_shared<const cublas_product>(type, size);
  if (!product->error().empty()) return contender::failed(how, product->error());
  if (product->algorithms() == 0) return contender::missing(how, "no algorithm");
  const auto a = on_device(x), b = on_device(w), y = device_bytes(expected.bytes()),
             space = device_bytes(cublas_product::workspace_bytes);
  if (a == nullptr || b == nullptr || y == nullptr || space == nullptr)
    return contender::failed(how, "no memory on the device");
  std::vector<std::function<std::string()>> calls;
  for (int i = 0; i < product->algorithms(); ++i)
    calls.push_back(
        [=, stream = context.stream()] { return product->run(i, a.get(), b.get(), y.get(), space.get(), stream); });
  contender best = fastest(context, how, calls, y, expected);
  if (best.enqueue) best.enqueue = [calls, launch = best.enqueue] { return launch(); };  // keeps the operands
  return best;
}

#else

contender cublas_contender(const tkl::cuda_context&, tkl::element, std::int64_t, const std::vector<std::byte>&,
                           const std::vector<std::byte>&, const sampled&) {
  return contender::missing("cuBLASLt", "the library was not found");
}

#endif

}  // namespace gpu_bench
