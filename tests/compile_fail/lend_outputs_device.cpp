// expect: lend_outputs: this target's kernels do not write into the caller's buffers
// SPDX-License-Identifier: Apache-2.0
// Lent outputs on a device, whose kernels write into buffers of their own.
// They are copied to the caller's afterwards.
#include <tkl/exec/opencl_target.hpp>
#include <tkl/graph/lend_outputs.hpp>

constexpr tkl::target_facts facts = tkl::lend_outputs<tkl::opencl<>>::facts();
