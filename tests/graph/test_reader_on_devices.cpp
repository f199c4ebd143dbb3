// SPDX-License-Identifier: Apache-2.0
// The three networks that read a page, as the example has them, become plans for an OpenCL device and for an Nvidia GPU
// with tensor cores, in the compiler: every step has a kernel, none only moves data. Needs no device; what the plans
// compute there is compared in tests/golden and tests/cuda.
// tkl-test: libs=read_page
#include <doctest/doctest.h>

#include <read_page/networks/classifier.hpp>
#include <read_page/networks/detector.hpp>
#include <read_page/networks/recogniser.hpp>
#include <string>
#include <tkl/arch/cuda.hpp>
#include <tkl/arch/mali.hpp>
#include <tkl/exec/cuda_target.hpp>
#include <tkl/exec/opencl_target.hpp>
#include <tkl/graph/compiled_plan.hpp>
#include <tkl/graph/supports.hpp>

#include "support/arena_limit.hpp"

namespace {

using mali = tkl::opencl<tkl::arch::mali_g52>;
using hopper = tkl::cuda<tkl::arch::sm_90a, tkl::cuda_product::rounded>;
using recogniser = read_page::recogniser<320>;
using detector = read_page::detector<read_page::extent{640, 640}>;
using read_page::classifier;

template <class Model, class Target>
struct plan : tkl::compiled_constants<Model, Target> {};

template <class Model>
void check(const std::string& name) {
  static_assert(tkl::supports<Model, mali> && tkl::supports<Model, hopper>);
  using on_mali = plan<Model, mali>;
  using on_hopper = plan<Model, hopper>;
  static_assert(on_mali::steps == on_hopper::steps && on_mali::conversions == 0 && on_hopper::conversions == 0);
  static_assert(on_mali::weights_bytes > 0 && on_hopper::weights_bytes > 0);
  static_assert(on_mali::arena_bytes >= on_mali::lower_bound && on_hopper::arena_bytes >= on_hopper::lower_bound);
  static_assert(on_mali::arena_bytes <= tkl_test::arena_limit(on_mali::lower_bound, on_mali::buffers));
  static_assert(on_hopper::arena_bytes <= tkl_test::arena_limit(on_hopper::lower_bound, on_hopper::buffers));
  MESSAGE(name, ": ", on_mali::steps, " steps; mali_g52: arena ", on_mali::arena_bytes, " bytes, weights ",
          on_mali::weights_bytes, " bytes; sm_90a: arena ", on_hopper::arena_bytes, " bytes, weights ",
          on_hopper::weights_bytes, " bytes");
}

TEST_CASE("recogniser") {
  check<recogniser>("recogniser, 320 columns");
}
TEST_CASE("detector") {
  check<detector>("detector, 640x640");
}
TEST_CASE("classifier") {
  check<classifier>("classifier");
}

}  // namespace
