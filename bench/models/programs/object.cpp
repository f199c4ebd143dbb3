// SPDX-License-Identifier: Apache-2.0
// A network of bench/models/networks with the C interface: as a shared object for compare.py, as a part of start.cpp.
// Its output buffers are memory for other values until the results are written there. Compiled with OpenMP, it runs on
// as many threads as its workspace is made for. Two functions say what the interface has no words for.
#include BENCH_NETWORK_HEADER

#include <cstddef>
#include <cstdint>
#include <tkl/cpu.hpp>
#include <tkl/runtime/c_model.hpp>

namespace {

#if defined(_OPENMP)
using target = tkl::cpu<tkl::arch::native, tkl::openmp>;
#else
using cpu = tkl::cpu<>;
using target = tkl::lend_outputs<cpu>;
#endif
using network = tkl::compile<BENCH_NETWORK, target>;

/// What weights transformed for Winograd's algorithm take beyond those of the file.
std::int64_t transformed_bytes() {
  const tkl::load_view plan = network::loading();
  std::int64_t bytes = 0;
  for (int i = 0; i < plan.packed_count; ++i) {
    const tkl::packed_tensor& p = plan.packed[i];
    if (p.kind != tkl::pack_kind::winograd2 && p.kind != tkl::pack_kind::winograd4) continue;
    std::int64_t numbers = 1;
    for (const std::int32_t extent : plan.loads[p.source].extent) numbers *= extent;
    bytes += p.bytes - numbers * static_cast<std::int64_t>(sizeof(float));
  }
  return bytes;
}

}  // namespace

TKL_C_MODEL(BENCH_NETWORK_NAME, network)

extern "C" {

/// Packs a weights file, so that opening it is a mapping; 0 when good.
[[gnu::visibility("default")]] int tkl_bench_pack(const char* weights, const char* packed, char* error,
                                                  std::size_t size) {
  const auto model = network::load(weights);
  const tkl::status s = model ? model->save_packed(packed) : model.error();
  if (!s) tkl::detail::leave_message(error, size, s.message());
  return s ? 0 : 1;
}

/// Bytes of the arena of one thread with its scratch, of the packed weights, and transformed_bytes.
[[gnu::visibility("default")]] void tkl_bench_sizes(std::int64_t (&sizes)[3]) {
  sizes[0] = network::arena_bytes + network::scratch_bytes(1);
  sizes[1] = network::weights_bytes;
  sizes[2] = transformed_bytes();
}
}
