// SPDX-License-Identifier: Apache-2.0
// What one caller of a model owns on a device: the arena, buffers for inputs and outputs, and one kernel object per
// step whose arguments were set once. A run enqueues the kernels and sets nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <tkl/config.hpp>
#include <tkl/core/checked.hpp>
#include <tkl/core/status.hpp>
#include <tkl/exec/opencl_model.hpp>
#include <type_traits>
#include <utility>
#include <vector>

namespace tkl {
TKL_ISA_BEGIN

/// Shape of a launch: items in all (whole groups) and in a group.
struct opencl_launch {
  std::size_t global[3]{};
  std::size_t local[3]{1, 1, 1};
  bool empty() const { return global[0] == 0 || global[1] == 0 || global[2] == 0; }
};

/// Whole groups for `items`: the schedule's group, halved along its longest side until kernel and device take it, and
/// no longer than the items.
constexpr opencl_launch launch_of(const item_counts& items, const int (&group)[3], std::size_t most_items,
                                  const std::size_t (&most)[3]) {
  opencl_launch l;
  for (int i = 0; i < 3; ++i) {
    const auto count = static_cast<std::size_t>(items.count[i]);
    l.local[i] = (std::min)({static_cast<std::size_t>(group[i]), most[i], count == 0 ? std::size_t{1} : count});
  }
  while (l.local[0] * l.local[1] * l.local[2] > (std::max)(most_items, std::size_t{1})) {
    int longest = 0;
    for (int i = 1; i < 3; ++i)
      if (l.local[i] > l.local[longest]) longest = i;
    l.local[longest] = (l.local[longest] + 1) / 2;
  }
  for (int i = 0; i < 3; ++i) {
    const auto count = static_cast<std::size_t>(items.count[i]);
    l.global[i] = (count + l.local[i] - 1) / l.local[i] * l.local[i];
  }
  return l;
}

/// Sets a number of a kernel: in the types that texts declare, and no other; nothing is converted on the way.
template <class T>
requires(std::is_same_v<T, cl_int> || std::is_same_v<T, cl_float>) cl_int
    set_number(cl::Kernel& k, cl_uint index, T number) {
  return k.setArg(index, number);
}

class opencl_workspace {
 public:
  /// One caller at a time. The plan's data must outlive the workspace; the model need not.
  TKL_COLD static result<opencl_workspace> make(const opencl_model& model) {
    result<cl::Buffer> arena = opencl_buffer(model.context(), CL_MEM_READ_WRITE, model.plan().arena_bytes);
    if (!arena) return arena.error();
    return make(model, *arena);
  }
  /// The same in an arena that other workspaces of the caller use, too.
  TKL_COLD static result<opencl_workspace> make(const opencl_model& model, const cl::Buffer& arena) {
    opencl_workspace w(model);
    const device_plan& p = model.plan();
    w.arena_ = arena;
    for (int i = 0; i < p.input_count + p.output_count; ++i) {
      const bool in = i < p.input_count;
      const edge& e = in ? p.input(i) : p.output(i - p.input_count);
      // Where host and device share memory, mapping such a buffer copies nothing.
      result<cl::Buffer> b = opencl_buffer(
          model.context(), (in ? CL_MEM_READ_ONLY : CL_MEM_READ_WRITE) | CL_MEM_ALLOC_HOST_PTR, buffer_bytes_of(e));
      if (!b) return b.error();
      w.caller_.push_back(*b);
    }
    for (int i = 0; i < p.step_count; ++i)
      if (status s = w.add_step(i); !s) return s;
    return w;
  }

  /// The device buffer of an input or output, for callers whose data is on the device: written and read in the
  /// context's queue.
  const cl::Buffer& input(int i) const { return caller_[static_cast<std::size_t>(i)]; }
  const cl::Buffer& output(int i) const {
    return caller_[static_cast<std::size_t>(model_.plan().input_count) + static_cast<std::size_t>(i)];
  }
  /// Lets an input or output lie in a buffer of the caller's, from its first byte on.
  TKL_COLD status use_input(int i, const cl::Buffer& b) { return use("input", i, i, b); }
  TKL_COLD status use_output(int i, const cl::Buffer& b) { return use("output", i, model_.plan().input_count + i, b); }

  /// Enqueues all steps, from the device's buffers to the device's buffers.
  status enqueue() const {
    const cl::CommandQueue& q = model_.context().queue();
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      const opencl_launch& l = launches_[i];
      if (l.empty()) continue;
      const cl_int e =
          q.enqueueNDRangeKernel(kernels_[i], cl::NullRange, cl::NDRange(l.global[0], l.global[1], l.global[2]),
                                 cl::NDRange(l.local[0], l.local[1], l.local[2]));
      if (e != CL_SUCCESS) return step_failure("clEnqueueNDRangeKernel", e, static_cast<int>(i));
    }
    return {};
  }

  /// Host memory to the inputs, all steps, outputs to host memory; returns when they are there. `in` or `out` may be
  /// null: the inputs are on the device already, or the outputs stay there.
  status run(const void* const* in, void* const* out) const {
    const device_plan& p = model_.plan();
    for (int i = 0; in != nullptr && i < p.input_count; ++i)
      if (status s = copy(input(i), buffer_bytes_of(p.input(i)), in[i], nullptr); !s) return s;
    if (status s = enqueue(); !s) return s;
    for (int i = 0; out != nullptr && i < p.output_count; ++i)
      if (status s = copy(output(i), buffer_bytes_of(p.output(i)), nullptr, out[i]); !s) return s;
    const cl_int e = model_.context().queue().finish();
    return e == CL_SUCCESS ? status{} : opencl_failure("clFinish", e);
  }

 private:
  explicit opencl_workspace(const opencl_model& m) : model_(m) {}

  TKL_COLD status step_failure(std::string_view call, cl_int code, int i) const {
    const step& s = model_.plan().steps[i];
    return opencl_failure(call, code, model_.kernel_of(i).name, model_.plan().name_of_step(s));
  }

  TKL_COLD status add_step(int i) {
    const device_plan& p = model_.plan();
    const step& s = p.steps[i];
    const opencl_kernel& text = model_.kernel_of(i);
    cl_int e = CL_SUCCESS;
    kernels_.emplace_back(model_.program_of(i), std::string(text.name).c_str(), &e);
    if (e != CL_SUCCESS) return step_failure("clCreateKernel", e, i);
    std::size_t most_items = 0;
    std::vector<std::size_t> sizes;
    const cl::Device& device = model_.context().device();
    e = kernels_.back().getWorkGroupInfo(device, CL_KERNEL_WORK_GROUP_SIZE, &most_items);
    if (e != CL_SUCCESS) return step_failure("clGetKernelWorkGroupInfo", e, i);
    e = device.getInfo(CL_DEVICE_MAX_WORK_ITEM_SIZES, &sizes);
    if (e != CL_SUCCESS || sizes.size() < 3) return opencl_failure("clGetDeviceInfo", e);
    const kernel_key& k = p.keys[s.kernel];
    launches_.push_back(launch_of(items_of_step(p.schedule, s, k, p.edges, text.columns), p.schedule.group, most_items,
                                  {sizes[0], sizes[1], sizes[2]}));
    for (int a = 0; a < text.arguments; ++a)
      if (status set = set_argument(i, a); !set) return set;
    return {};
  }

  const cl::Buffer& buffer_of(const edge& e) const {
    return e.where == space::input    ? input(e.index)
           : e.where == space::output ? output(e.index)
           : e.where == space::arena  ? arena_
                                      : model_.weights();
  }

  /// Sets argument a of step i.
  TKL_COLD status set_argument(int i, int a) {
    const device_plan& p = model_.plan();
    const step& s = p.steps[i];
    const text_argument& t = model_.kernel_of(i).argument[a];
    cl::Kernel& k = kernels_[static_cast<std::size_t>(i)];
    const auto index = static_cast<cl_uint>(a);
    cl_int e = CL_SUCCESS;
    if (t.kind == argument_kind::tables) {
      e = k.setArg(index, model_.tables());
    } else if (t.kind == argument_kind::buffer) {
      e = k.setArg(index, buffer_of(p.edges[edge_of(t, s)]));
    } else if (is_float(t)) {
      e = set_number(k, index, float_of(t, s));
    } else {
      e = set_number(k, index, integer_of(t, s, p.edges, model_.table_at(i)));
    }
    return e == CL_SUCCESS ? status{} : step_failure("clSetKernelArg", e, i);
  }

  TKL_COLD status use(std::string_view kind, int i, int place, const cl::Buffer& b) {
    const device_plan& p = model_.plan();
    const edge& e = place < p.input_count ? p.input(place) : p.output(place - p.input_count);
    std::size_t bytes = 0;
    if (const cl_int code = b.getInfo(CL_MEM_SIZE, &bytes); code != CL_SUCCESS)
      return opencl_failure("clGetMemObjectInfo", code);
    message_text m;
    if (bytes < static_cast<std::size_t>(buffer_bytes_of(e)))
      return status::failure(m << kind << ' ' << i << ": a buffer of " << bytes << " bytes, the model needs "
                               << buffer_bytes_of(e));
    caller_[static_cast<std::size_t>(place)] = b;
    for (int n = 0; n < p.step_count; ++n) {
      const opencl_kernel& text = model_.kernel_of(n);
      for (int a = 0; a < text.arguments; ++a) {
        if (text.argument[a].kind != argument_kind::buffer) continue;
        const edge& x = p.edges[edge_of(text.argument[a], p.steps[n])];
        if (x.where != e.where || x.index != e.index) continue;
        if (status s = set_argument(n, a); !s) return s;
      }
    }
    return {};
  }

  /// Maps a buffer and copies `from` into it, or it to `to`.
  status copy(const cl::Buffer& b, std::int64_t bytes, const void* from, void* to) const {
    if (bytes == 0) return {};
    const cl::CommandQueue& q = model_.context().queue();
    cl_int e = CL_SUCCESS;
    const auto size = static_cast<std::size_t>(bytes);
    void* p = q.enqueueMapBuffer(b, CL_TRUE, from != nullptr ? CL_MAP_WRITE_INVALIDATE_REGION : CL_MAP_READ, 0, size,
                                 nullptr, nullptr, &e);
    if (e != CL_SUCCESS) return opencl_failure("clEnqueueMapBuffer", e);
    std::memcpy(from != nullptr ? p : to, from != nullptr ? from : p, size);
    e = q.enqueueUnmapMemObject(b, p);
    return e == CL_SUCCESS ? status{} : opencl_failure("clEnqueueUnmapMemObject", e);
  }

  opencl_model model_;  // handles: what they stand for lives as long as the workspace
  cl::Buffer arena_{};
  std::vector<cl::Buffer> caller_{};  // inputs, then outputs
  std::vector<cl::Kernel> kernels_{};
  std::vector<opencl_launch> launches_{};
};

TKL_ISA_END
}  // namespace tkl
