// SPDX-License-Identifier: Apache-2.0
// The recogniser for lines of up to 320 columns.
#pragma once

#include <bench/models/ocr_rec.hpp>

namespace bench {

using ocr_rec320 = ocr_rec<320>;

}  // namespace bench
