// SPDX-License-Identifier: Apache-2.0
// The texts of all kernels of the networks: no private memory, loads of vectors, values alive at once. Needs no device.
// tkl-test: libs=read_page
#include "support/opencl_networks.hpp"
#include "support/opencl_text_facts.hpp"

namespace {

using namespace tkl_test;

bool has_tile(tkl::algorithm a) {
  using tkl::algorithm;
  return a == algorithm::conv2d || a == algorithm::conv2d_staged || a == algorithm::conv_transpose2d ||
         a == algorithm::depthwise || a == algorithm::matmul;
}

/// Kernels with a tile of sums keep within the registers of a thread, the others within those with which all threads of
/// a core fit.
template <class Target>
void check() {
  using Arch = typename Target::arch_type;
  for (const network_texts& net : texts_of_networks<Target>())
    for (std::size_t i = 0; i < net.written.size(); ++i) {
      const tkl::opencl_kernel k = net.kernel(i);
      const tkl::kernel_key& key = net.plan.keys[i];
      CAPTURE(net.name);
      CAPTURE(k.name);
      for (const std::string_view word : unwanted_words)
        if (word != "half" || !k.half) CHECK(count_of(k.source, word) == 0);
      CHECK(private_arrays(k.source) == 0);
      const int alive = most_alive(k.source);
      MESSAGE(net.name, " ", k.name, ": ", k.source.size(), " characters, ", k.arguments, " arguments, ",
              count_of(k.source, "load4_"), " vector loads, about ", alive, " registers alive");
      CHECK(alive <= (has_tile(key.algorithm) ? Arch::facts.registers : Arch::facts.full_occupancy));
      CHECK(count_of(k.source, "load4_") >= (key.algorithm == tkl::algorithm::conv2d ? 16 : 1));
    }
}

TEST_CASE("texts of the networks") {
  check<tkl::opencl<tkl::arch::mali_g52>>();
  check<tkl::opencl<tkl::arch::mali_g77>>();
  check<tkl::half_storage<tkl::opencl<tkl::arch::mali_g52>>>();
  check<tkl::opencl<tkl::arch::mali_g52, tkl::text_time::compile, tkl::opencl_precision::half>>();
}

}  // namespace
