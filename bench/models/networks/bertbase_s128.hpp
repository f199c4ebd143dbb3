// SPDX-License-Identifier: Apache-2.0
// The encoder of BERT-base (Devlin et al. 2018) for 128 tokens.
#pragma once

#include <bench/models/encoder.hpp>

namespace bench {

using bertbase_s128 = encoder<12, 128, 768, 12, 3072>;

}  // namespace bench
