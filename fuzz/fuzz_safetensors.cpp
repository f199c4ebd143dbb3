// SPDX-License-Identifier: Apache-2.0
// Feeds bytes to the safetensors reader. What it accepts must hold together: every byte of every tensor lies in the
// input, sizes follow from types and shapes, names are distinct and found.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <tkl/exec/safetensors.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto* const bytes = reinterpret_cast<const std::byte*>(data);
  const auto s = tkl::safetensors::from_memory({bytes, size});
  if (!s) {
    if (s.error().text().empty()) std::abort();  // an error without a message
    return 0;
  }
  std::size_t sum = 0;
  unsigned touched = 0;
  for (const auto& t : s->tensors()) {
    if (t.data < bytes || t.data + t.bytes > bytes + size) std::abort();
    const auto bits = t.shape.elements() * t.stored->bits;
    if (!bits.valid || bits.value != static_cast<std::int64_t>(t.bytes) * 8) std::abort();
    if (s->find(t.name) != &t) std::abort();
    for (std::size_t i = 0; i < t.bytes; ++i) touched += static_cast<unsigned>(t.data[i]);
    sum += t.bytes;
  }
  // All that follows the header belongs to tensors.
  std::uint64_t header = 0;
  for (int i = 7; i >= 0; --i) header = header << 8 | data[i];
  if (sum + header + 8 != size) std::abort();
  return touched == 0xffffffffu ? 1 : 0;
}
