// SPDX-License-Identifier: Apache-2.0
// The recogniser for lines of up to 640 columns.
#pragma once

#include <bench/models/ocr_rec.hpp>

namespace bench {

using ocr_rec640 = ocr_rec<640>;

}  // namespace bench
