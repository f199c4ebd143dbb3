// SPDX-License-Identifier: Apache-2.0
// The cases of work_items/convolutions.hpp on the first OpenCL device, with the schedule of CPUs, and inputs that are
// converted as they load.
#include <tkl/arch/opencl_cpu.hpp>

#include "support/opencl_compare.hpp"
#include "work_items/convolutions.hpp"

namespace {

TEST_CASE("the schedule of CPUs") {
  check_shapes<tkl::arch::opencl_cpu::items>();
  check_products<tkl::arch::opencl_cpu::items>();
}

TEST_CASE("inputs that are converted as they load: bytes, flipped channels, columns in use, planes") {
  for (const std::int64_t channels : {1, 3, 4, 5})
    for (const std::int64_t kernel : {1, 3})
      for (const std::int64_t stride : {1, 2}) {
        CAPTURE(channels);
        CAPTURE(kernel);
        CAPTURE(stride);
        graph g;
        const value bytes = g.input("bytes", tkl::u8, {2, 5, 9, channels}), width = g.input("width", tkl::i32, {1});
        const value planes = g.input("planes", tkl::f32, {2, 5, 9, channels}, tkl::memory_layout::nchw);
        const value scale = g.weight("scale", {channels});
        value x = (tkl::cast(tkl::flip(bytes, 3), tkl::f32) - 127.5) / 127.5;
        x = tkl::keep_first(x, width, 2);
        const auto convolved = [&](value v, const char* name) {
          return tkl::conv2d(v, g.weight(name, {6, channels, kernel, kernel}), {.stride = stride, .pad = kernel / 2});
        };
        g.output(tkl::hard_swish(convolved(x, "w1")));
        g.output(convolved(planes, "w2") + 1.0);
        g.output(tkl::relu(convolved(planes * scale - 0.5, "w3")));
        CHECK(tkl_test::check_device_graph(g) == "");
        CHECK(tkl_test::check_device_graph<tkl::work_item_schedule{.pixels = 2, .vectors = 2, .group = {16, 1, 1}}>(
                  g) == "");
      }
}

}  // namespace
