// SPDX-License-Identifier: Apache-2.0
// cuDNN's handle, and the descriptors of its graph interface, with their first error.
#pragma once

#include <cudnn.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace gpu_bench {

/// Descriptors that belong together, destroyed in reverse order, and the first error of a call about them. After an
/// error nothing more is asked of cuDNN.
class cudnn_session {
 public:
  cudnn_session() = default;
  cudnn_session(const cudnn_session&) = delete;
  cudnn_session& operator=(const cudnn_session&) = delete;
  ~cudnn_session() {
    for (auto d = made_.rbegin(); d != made_.rend(); ++d) static_cast<void>(cudnnBackendDestroyDescriptor(*d));
  }

  cudnnBackendDescriptor_t make(cudnnBackendDescriptorType_t type) {
    cudnnBackendDescriptor_t d{};
    if (good()) note("cudnnBackendCreateDescriptor", cudnnBackendCreateDescriptor(type, &d));
    if (d != nullptr) made_.push_back(d);
    return d;
  }
  void note(const char* call, cudnnStatus_t s) {
    if (s != CUDNN_STATUS_SUCCESS && good()) error_ = std::string(call) + ": " + cudnnGetErrorString(s);
  }
  bool good() const { return error_.empty(); }
  const std::string& error() const { return error_; }

 private:
  std::string error_{};
  std::vector<cudnnBackendDescriptor_t> made_{};
};

class cudnn_handle {
 public:
  explicit cudnn_handle(cudaStream_t stream) {
    cudnnStatus_t s = cudnnCreate(&handle_);
    if (s == CUDNN_STATUS_SUCCESS) s = cudnnSetStream(handle_, stream);
    if (s != CUDNN_STATUS_SUCCESS) error_ = std::string("cudnnCreate: ") + cudnnGetErrorString(s);
  }
  cudnn_handle(const cudnn_handle&) = delete;
  cudnn_handle& operator=(const cudnn_handle&) = delete;
  ~cudnn_handle() {
    if (handle_ != nullptr) static_cast<void>(cudnnDestroy(handle_));
  }
  cudnnHandle_t get() const { return handle_; }
  const std::string& error() const { return error_; }

 private:
  cudnnHandle_t handle_{};
  std::string error_{};
};

/// A descriptor of a session, which owns it.
class cudnn_descriptor {
 public:
  cudnn_descriptor(cudnn_session& session, cudnnBackendDescriptorType_t type)
      : session_(&session), descriptor_(session.make(type)) {}
  cudnnBackendDescriptor_t get() const { return descriptor_; }

  template <class T>
  void set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, const T& value) {
    constexpr std::size_t count = std::is_array_v<T> ? std::extent_v<T> : 1;
    if (session_->good())
      session_->note("cudnnBackendSetAttribute",
                     cudnnBackendSetAttribute(get(), name, type, static_cast<std::int64_t>(count), &value));
  }
  void set(cudnnBackendAttributeName_t name, const cudnn_descriptor& other) {
    set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, other.descriptor_);
  }
  void finalise() {
    if (session_->good()) session_->note("cudnnBackendFinalize", cudnnBackendFinalize(get()));
  }

  std::int64_t number(cudnnBackendAttributeName_t name) {
    std::int64_t value = 0, count = 0;
    read(name, CUDNN_TYPE_INT64, 1, count, &value);
    return value;
  }
  /// All descriptors of an attribute; the session owns them.
  std::vector<cudnnBackendDescriptor_t> list(cudnnBackendAttributeName_t name, cudnnBackendDescriptorType_t type) {
    std::int64_t count = 0;
    read(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, count, nullptr);
    std::vector<cudnnBackendDescriptor_t> all;
    for (std::int64_t i = 0; i < count; ++i) all.push_back(session_->make(type));
    if (count > 0) read(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, count, count, all.data());
    all.resize(session_->good() ? static_cast<std::size_t>(count) : 0);
    return all;
  }

 private:
  void read(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::int64_t room, std::int64_t& count,
            void* to) {
    if (session_->good())
      session_->note("cudnnBackendGetAttribute", cudnnBackendGetAttribute(get(), name, type, room, &count, to));
  }
  cudnn_session* session_;
  cudnnBackendDescriptor_t descriptor_;
};

}  // namespace gpu_bench
