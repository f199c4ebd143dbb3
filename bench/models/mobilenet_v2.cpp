// SPDX-License-Identifier: Apache-2.0
#include <tests/golden/networks/mobilenet_v2.hpp>
#include <tkl/cpu.hpp>
#include <tkl/runtime/c_model.hpp>

TKL_C_MODEL("mobilenet_v2", tkl::compile<tkl::test::mobilenet_v2, tkl::cpu<>>)
