// SPDX-License-Identifier: Apache-2.0
// The texts of all kernels of the networks: no private memory, loads of vectors, values alive at once. Needs no device.
// tkl-test: libs=read_page
#include "support/opencl_networks.hpp"
#include "support/opencl_text_facts.hpp"

namespace {

using namespace tkl_test;
using tkl::item_half_products;

/// The same architecture, its half precision in vectors of four.
struct mali_in_fours : tkl::arch::mali_g52 {
  static constexpr tkl::work_item_schedule items{.pixels = 4, .vectors = 1, .group = {8, 8, 1}, .half_vector = 4};
};

bool has_tile(tkl::algorithm a) {
  using tkl::algorithm;
  return a == algorithm::conv2d || a == algorithm::conv2d_staged || a == algorithm::conv_transpose2d ||
         a == algorithm::depthwise || a == algorithm::matmul;
}

/// Loads and stores of eight numbers of half precision: of a tile of products, one for each pixel and for each two rows
/// of a panel; of an element-wise step at least one of each.
void check_eights(const tkl::kernel_key& key, const tkl::opencl_kernel& k, const tkl::work_item_schedule& s) {
  const std::size_t loads = count_of(k.source, "load8_half("), stores = count_of(k.source, "store8_half(");
  const auto tile = static_cast<std::size_t>(s.pixels + item_half_products / 2 * s.vectors);
  if (!k.half || s.half_vector != item_half_products) {
    CHECK(loads + stores == 0);
  } else if (tkl::multiplies_in_half(key)) {
    CHECK(loads == tile);
    CHECK(stores == 0);
  } else {
    CHECK(k.columns == item_half_products);
    CHECK(loads >= 1);
    CHECK(stores == 1);
  }
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
              count_of(k.source, "load4_"), " vector loads, ", count_of(k.source, "load8_"), " of eight, about ", alive,
              " registers alive");
      CHECK(alive <= (has_tile(key.algorithm) ? Arch::facts.registers : Arch::facts.full_occupancy));
      check_eights(key, k, Target::items);
      CHECK(count_of(k.source, "load4_") >= (key.algorithm == tkl::algorithm::conv2d ? 16 : 1));
    }
}

TEST_CASE("texts of the networks") {
  check<tkl::opencl<tkl::arch::mali_g52>>();
  check<tkl::opencl<tkl::arch::mali_g77>>();
  check<tkl::half_storage<tkl::opencl<tkl::arch::mali_g52>>>();
  check<tkl::opencl<tkl::arch::mali_g52, tkl::text_time::compile, tkl::opencl_precision::half>>();
  check<tkl::opencl<mali_in_fours, tkl::text_time::compile, tkl::opencl_precision::half>>();
}

}  // namespace
