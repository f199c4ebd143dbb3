// SPDX-License-Identifier: Apache-2.0
// MobileNetV2 as the tests have it.
#pragma once

#include <tests/golden/networks/mobilenet_v2.hpp>

namespace bench {

using mobilenet_v2 = tkl::test::mobilenet_v2;

}  // namespace bench
