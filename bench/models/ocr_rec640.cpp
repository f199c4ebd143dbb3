// SPDX-License-Identifier: Apache-2.0
#include <tkl/cpu.hpp>
#include <tkl/runtime/c_model.hpp>

#include "ocr_rec.hpp"

TKL_C_MODEL("ocr_rec640", tkl::compile<bench::ocr_rec<640>, tkl::cpu<>>)
