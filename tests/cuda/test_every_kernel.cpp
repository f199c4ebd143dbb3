// SPDX-License-Identifier: Apache-2.0
// Every kernel that the compiler of GPUs sees, as it is compiled for a plan, on the simulated GPU.
#include "cuda/every_kernel.hpp"
#include "support/cuda_compare.hpp"

namespace {

TEST_CASE("every kernel of a plan") {
  for (const auto order :
       {cuda_cpu::thread_order::forward, cuda_cpu::thread_order::reverse, cuda_cpu::thread_order::random}) {
    cuda_cpu::order = order;
    tkl_test::check_device<tkl_test::every_kernel>();
  }
}

}  // namespace
