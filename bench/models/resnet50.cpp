// SPDX-License-Identifier: Apache-2.0
#include <tests/golden/networks/resnet50.hpp>
#include <tkl/cpu.hpp>
#include <tkl/runtime/c_model.hpp>

TKL_C_MODEL("resnet50", tkl::compile<tkl::test::resnet50, tkl::cpu<>>)
