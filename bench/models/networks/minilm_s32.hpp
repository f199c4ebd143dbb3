// SPDX-License-Identifier: Apache-2.0
// The encoder of MiniLM-L6 (Wang et al. 2020) for 32 tokens.
#pragma once

#include <bench/models/encoder.hpp>

namespace bench {

using minilm_s32 = encoder<6, 32, 384, 12, 1536>;

}  // namespace bench
