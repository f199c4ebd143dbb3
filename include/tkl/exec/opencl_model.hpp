// SPDX-License-Identifier: Apache-2.0
// What a model owns on a device and all its callers share: built programs, weights, and the sources of its resizes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <tkl/config.hpp>
#include <tkl/core/status.hpp>
#include <tkl/exec/device_plan.hpp>
#include <tkl/exec/device_tables.hpp>
#include <tkl/exec/opencl_context.hpp>
#include <tkl/exec/opencl_literal_kernel.hpp>
#include <tkl/exec/opencl_needs.hpp>
#include <tkl/exec/opencl_plan.hpp>
#include <utility>
#include <vector>

namespace tkl {
TKL_ISA_BEGIN

/// A buffer of at least one element: OpenCL has none without bytes.
TKL_COLD inline result<cl::Buffer> opencl_buffer(const opencl_context& c, cl_mem_flags flags, std::int64_t bytes,
                                                 void* from = nullptr) {
  cl_int e = CL_SUCCESS;
  const bool copy = from != nullptr && bytes > 0;
  cl::Buffer b(c.context(), copy ? flags | CL_MEM_COPY_HOST_PTR : flags,
               static_cast<std::size_t>((std::max)(bytes, std::int64_t{16})), copy ? from : nullptr, &e);
  if (e == CL_SUCCESS) return b;
  message_text m = opencl_failure("clCreateBuffer", e).text();
  return status::failure(m << " for " << bytes << " bytes");
}

class opencl_model {
 public:
  /// Checks the device, builds the kernels and uploads the weights. `needs`: of the plan; the bytes of arguments are
  /// added here. `weights`: the plan's packed weights, on the host; not needed afterwards.
  TKL_COLD static result<opencl_model> make(const opencl_context& c, const device_plan& plan,
                                            const opencl_kernel* kernels, const opencl_needs& needs,
                                            const std::byte* weights) {
    if (status s = check(c, plan, kernels, needs); !s) return s;
    result<cl::Buffer> w = opencl_buffer(c, CL_MEM_READ_ONLY, plan.weights_bytes, const_cast<std::byte*>(weights));
    if (!w) return w.error();
    return make(c, plan, kernels, needs, *w);
  }
  /// The same with weights that are on the device already: those of another shape of the same model.
  TKL_COLD static result<opencl_model> make(const opencl_context& c, const device_plan& plan,
                                            const opencl_kernel* kernels, const opencl_needs& needs,
                                            const cl::Buffer& weights) {
    if (status s = check(c, plan, kernels, needs); !s) return s;
    opencl_model m(c, plan);
    m.weights_ = weights;
    if (status s = m.add_kernels(kernels); !s) return s;
    const device_tables tables(plan);
    m.table_at_ = tables.at;
    std::vector<std::int32_t> numbers = tables.numbers;
    result<cl::Buffer> t =
        opencl_buffer(c, CL_MEM_READ_ONLY, static_cast<std::int64_t>(4 * numbers.size()), numbers.data());
    if (!t) return t.error();
    m.tables_ = *t;
    return m;
  }

  const opencl_context& context() const { return context_; }
  const device_plan& plan() const { return plan_; }
  /// The kernel of step i and its program.
  const opencl_kernel& kernel_of(int i) const { return kernels_[place_of(i)]; }
  const cl::Program& program_of(int i) const { return programs_[place_of(i)]; }
  const cl::Buffer& weights() const { return weights_; }
  const cl::Buffer& tables() const { return tables_; }
  /// Where the tables of step i begin, in integers.
  std::int32_t table_at(int i) const { return table_at_[static_cast<std::size_t>(i)]; }

 private:
  opencl_model(const opencl_context& c, const device_plan& p) : context_(c), plan_(p) {}

  TKL_COLD static status check(const opencl_context& c, const device_plan& plan, const opencl_kernel* kernels,
                               opencl_needs needs) {
    for (int i = 0; i < plan.kernel_count; ++i)
      needs.argument_bytes = (std::max)(needs.argument_bytes, argument_bytes(kernels[i]));
    return c.check(needs);
  }
  /// One kernel per key of the plan; or one per step, where its extents are numbers in the text.
  TKL_COLD status add_kernels(const opencl_kernel* kernels) {
    const bool per_step = plan_.schedule.literal_extents;
    const int count = per_step ? plan_.step_count : plan_.kernel_count;
    for (int i = 0; i < count; ++i) {
      if (per_step) {
        const step& s = plan_.steps[i];
        literal_.push_back(std::make_shared<opencl_literal_kernel>(kernels[s.kernel], s, plan_.edges));
      }
      kernels_.push_back(per_step ? literal_.back()->kernel() : kernels[i]);
      result<cl::Program> p = context_.program(kernels_.back());
      if (!p) return p.error();
      programs_.push_back(*p);
    }
    return {};
  }
  std::size_t place_of(int i) const {
    return static_cast<std::size_t>(plan_.schedule.literal_extents ? i : plan_.steps[i].kernel);
  }

  opencl_context context_;
  device_plan plan_;
  std::vector<std::shared_ptr<const opencl_literal_kernel>> literal_{};  // whose texts some of kernels_ view
  std::vector<opencl_kernel> kernels_{};
  std::vector<cl::Program> programs_{};
  std::vector<std::int32_t> table_at_{};
  cl::Buffer weights_{}, tables_{};
};

TKL_ISA_END
}  // namespace tkl
