// SPDX-License-Identifier: Apache-2.0
// A network of bench/models/networks as a shared object with the C interface, for compare.py.
#include BENCH_NETWORK_HEADER

#include <tkl/cpu.hpp>
#include <tkl/runtime/c_model.hpp>

TKL_C_MODEL(BENCH_NETWORK_NAME, tkl::compile<BENCH_NETWORK, tkl::cpu<>>)
