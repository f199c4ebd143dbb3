// expect: half_storage: the types of 16 bits are f16 and bf16
// SPDX-License-Identifier: Apache-2.0
// Half storage in a type that has other than 16 bits.
// `half_storage<Target>` stores f16, `half_storage<Target, tkl::bf16>` bf16.
#include <tkl/exec/opencl_target.hpp>
#include <tkl/graph/half_storage.hpp>

constexpr tkl::target_facts facts = tkl::half_storage<tkl::opencl<>, tkl::i8>::facts();
