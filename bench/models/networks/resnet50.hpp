// SPDX-License-Identifier: Apache-2.0
// ResNet-50 as the tests have it.
#pragma once

#include <tests/golden/networks/resnet50.hpp>

namespace bench {

using resnet50 = tkl::test::resnet50;

}  // namespace bench
