// SPDX-License-Identifier: Apache-2.0
// The hot loops that check_hot_loop.py disassembles: the largest register tile of each kind.
#include <tkl/algo/micro_kernel.hpp>
#include <tkl/algo/static_gemm.hpp>
#include <tkl/arch/native.hpp>
#include <tkl/target/cpu.hpp>

namespace {
using machine = tkl::cpu_machine<tkl::arch::native>;
constexpr int rows = tkl::arch::native::gemm.mr, vectors = tkl::arch::native::gemm.nr;
}  // namespace

template void tkl::contract_tile<machine, rows, vectors, float, float>(const tkl::tile_pass<float, float>&,
                                                                       machine::value*);
template void tkl::static_tile<machine, rows, vectors, machine::width, 64>(const float*, std::int64_t, const float*,
                                                                           std::int64_t, float*, std::int64_t,
                                                                           const tkl::acc_node&, std::int64_t,
                                                                           std::int64_t);
