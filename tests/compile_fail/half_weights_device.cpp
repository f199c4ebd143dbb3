// expect: half_weights: this target's kernels read biases in the type of the weights
// SPDX-License-Identifier: Apache-2.0
// Half weights on a device, whose kernels know no biases in f32 beside weights of 16 bits.
// `half_storage<Target>` stores weights and values between steps in 16 bits there.
#include <tkl/exec/opencl_target.hpp>
#include <tkl/graph/half_weights.hpp>

constexpr tkl::target_facts facts = tkl::half_weights<tkl::opencl<>>::facts();
