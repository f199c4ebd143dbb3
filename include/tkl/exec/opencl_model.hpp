// SPDX-License-Identifier: Apache-2.0
// What a model owns on a device and all its callers share: built programs, weights, and the sources of its resizes.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tkl/algo/pack.hpp>
#include <tkl/algo/resize_source.hpp>
#include <tkl/config.hpp>
#include <tkl/core/status.hpp>
#include <tkl/exec/opencl_context.hpp>
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
  /// Checks the device, builds the kernels and uploads the weights. `weights`: the plan's packed weights, on the host;
  /// not needed afterwards.
  TKL_COLD static result<opencl_model> make(const opencl_context& c, const opencl_plan& plan,
                                            const opencl_kernel* kernels, const std::byte* weights) {
    if (status s = check(c, plan, kernels); !s) return s;
    result<cl::Buffer> w = opencl_buffer(c, CL_MEM_READ_ONLY, plan.weights_bytes, const_cast<std::byte*>(weights));
    if (!w) return w.error();
    return make(c, plan, kernels, *w);
  }
  /// The same with weights that are on the device already: those of another shape of the same model.
  TKL_COLD static result<opencl_model> make(const opencl_context& c, const opencl_plan& plan,
                                            const opencl_kernel* kernels, const cl::Buffer& weights) {
    if (status s = check(c, plan, kernels); !s) return s;
    opencl_model m(c, plan);
    m.weights_ = weights;
    for (int i = 0; i < plan.kernel_count; ++i) {
      result<cl::Program> p = c.program(kernels[i]);
      if (!p) return p.error();
      m.kernels_.push_back(kernels[i]);
      m.programs_.push_back(*p);
    }
    std::vector<cl_int> tables;
    for (int i = 0; i < plan.step_count; ++i) m.add_tables(plan.steps[i], tables);
    result<cl::Buffer> t =
        opencl_buffer(c, CL_MEM_READ_ONLY, static_cast<std::int64_t>(4 * tables.size()), tables.data());
    if (!t) return t.error();
    m.tables_ = *t;
    return m;
  }

  const opencl_context& context() const { return context_; }
  const opencl_plan& plan() const { return plan_; }
  const opencl_kernel& kernel_of(const step& s) const { return kernels_[static_cast<std::size_t>(s.kernel)]; }
  const cl::Program& program_of(const step& s) const { return programs_[static_cast<std::size_t>(s.kernel)]; }
  const cl::Buffer& weights() const { return weights_; }
  const cl::Buffer& tables() const { return tables_; }
  /// Where the tables of step i begin, in integers.
  std::int32_t table_at(int i) const { return table_at_[static_cast<std::size_t>(i)]; }

 private:
  opencl_model(const opencl_context& c, const opencl_plan& p) : context_(c), plan_(p) {}

  TKL_COLD static status check(const opencl_context& c, const opencl_plan& plan, const opencl_kernel* kernels) {
    opencl_needs needs;
    needs.largest_buffer = (std::max)(plan.arena_bytes, plan.weights_bytes);
    needs.memory = plan.arena_bytes + plan.weights_bytes;
    const auto caller = [&](const edge& e) {
      needs.largest_buffer = (std::max)(needs.largest_buffer, opencl_buffer_bytes(e));
      needs.memory += opencl_buffer_bytes(e);
    };
    for (int i = 0; i < plan.input_count; ++i) caller(plan.input(i));
    for (int i = 0; i < plan.output_count; ++i) caller(plan.output(i));
    for (int i = 0; i < plan.kernel_count; ++i)
      needs.argument_bytes = (std::max)(needs.argument_bytes, argument_bytes(kernels[i]));
    return c.check(needs);
  }

  /// What the host prepares for a step: triples of 32-bit numbers (see algo/work_item/).
  TKL_COLD void add_tables(const step& s, std::vector<cl_int>& tables) {
    table_at_.push_back(static_cast<std::int32_t>(tables.size()));
    if (s.algorithm == algorithm::resize2d) add_sources(s, tables);
    if (s.algorithm == algorithm::conv_transpose2d) add_residues(s, tables);
  }
  /// Rows, then columns of a resize's output: low, high, weight.
  TKL_COLD void add_sources(const step& s, std::vector<cl_int>& tables) const {
    const edge &x = plan_.edges[s.in[0]], &y = plan_.edges[s.out];
    for (int axis = 1; axis <= 2; ++axis) {
      const resize_axis a{x.extent[axis], y.extent[axis], s.parameters.real[axis - 1],
                          static_cast<coordinate_kind>(s.parameters.coordinates),
                          static_cast<rounding_kind>(s.parameters.rounding)};
      const bool nearest = s.parameters.mode == static_cast<std::uint8_t>(resize_kind::nearest);
      for (std::int64_t o = 0; o < a.out; ++o) {
        const resize_source from = nearest ? nearest_source(a, o) : linear_source(a, o);
        tables.insert(tables.end(), {from.low, from.high, std::bit_cast<cl_int>(static_cast<float>(from.weight))});
      }
    }
  }
  /// Residues of rows, then of columns: first tap, step, count; then the first weight of each pair.
  TKL_COLD void add_residues(const step& s, std::vector<cl_int>& tables) const {
    const step_parameters& p = s.parameters;
    const auto taps_of = [&](int axis, std::int32_t residue) {
      return taps_of_residue(p.kernel[axis], p.stride[axis], p.dilation[axis], residue);
    };
    const auto add = [&](std::int64_t a, std::int64_t b, std::int64_t c) {
      tables.insert(tables.end(), {static_cast<cl_int>(a), static_cast<cl_int>(b), static_cast<cl_int>(c)});
    };
    for (int axis = 0; axis < 2; ++axis)
      for (std::int32_t r = 0; r < p.stride[axis]; ++r) {
        const residue_taps t = taps_of(axis, r);
        add(t.first, t.step, t.count);
      }
    const std::int64_t in = plan_.edges[s.in[0]].extent[3] / p.groups, out = plan_.edges[s.out].extent[3] / p.groups;
    std::int64_t start = 0;
    for (std::int32_t r = 0; r < p.stride[0]; ++r)
      for (std::int32_t c = 0; c < p.stride[1]; ++c) {
        add(start, 0, 0);
        start += p.groups * packed_matrix_elements(taps_of(0, r).count * taps_of(1, c).count * in, out, item_width);
      }
  }

  opencl_context context_;
  opencl_plan plan_;
  std::vector<opencl_kernel> kernels_{};
  std::vector<cl::Program> programs_{};
  std::vector<std::int32_t> table_at_{};
  cl::Buffer weights_{}, tables_{};
};

TKL_ISA_END
}  // namespace tkl
