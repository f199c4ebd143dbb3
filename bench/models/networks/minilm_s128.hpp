// SPDX-License-Identifier: Apache-2.0
// The encoder of MiniLM-L6 (Wang et al. 2020) for 128 tokens.
#pragma once

#include <bench/models/encoder.hpp>

namespace bench {

using minilm_s128 = encoder<6, 128, 384, 12, 1536>;

}  // namespace bench
