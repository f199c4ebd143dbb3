// expect: half_weights: the types of 16 bits are f16 and bf16
// SPDX-License-Identifier: Apache-2.0
// Half weights in a type that has other than 16 bits.
// `half_weights<Target>` keeps weights as f16, `half_weights<Target, tkl::bf16>` as bf16.
#include <tkl/exec/cpu.hpp>
#include <tkl/graph/half_weights.hpp>

constexpr tkl::target_facts facts = tkl::half_weights<tkl::cpu<>, tkl::i8>::facts();
