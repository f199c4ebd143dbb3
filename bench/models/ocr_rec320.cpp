// SPDX-License-Identifier: Apache-2.0
#include <tkl/cpu.hpp>
#include <tkl/runtime/c_model.hpp>

#include "ocr_rec.hpp"

TKL_C_MODEL("ocr_rec320", tkl::compile<bench::ocr_rec<320>, tkl::cpu<>>)
