// SPDX-License-Identifier: Apache-2.0
// The cases of work_items/convolutions.hpp on the first OpenCL device, with the schedule of CPUs, too.
#include <tkl/arch/opencl_cpu.hpp>

#include "support/opencl_compare.hpp"
#include "work_items/convolutions.hpp"

namespace {

TEST_CASE("the schedule of CPUs") {
  check_shapes<tkl::arch::opencl_cpu::items>();
  check_products<tkl::arch::opencl_cpu::items>();
}

}  // namespace
