// expect: opencl_precision::half: the architecture is not known to compute faster in half precision
// SPDX-License-Identifier: Apache-2.0
// Half precision on an architecture whose facts do not give it twice the rate of f32.
// Use `half_storage<opencl<Arch>>` where memory is what counts.
#include <tkl/arch/mali.hpp>
#include <tkl/exec/opencl_target.hpp>

using target = tkl::opencl<tkl::arch::mali_t860, tkl::text_time::compile, tkl::opencl_precision::half>;
constexpr tkl::target_facts facts = target::facts();
