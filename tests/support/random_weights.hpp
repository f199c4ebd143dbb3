// SPDX-License-Identifier: Apache-2.0
// A weights file for a model that nobody trained.
#pragma once

#include <cstdint>
#include <fstream>
#include <random>
#include <string>
#include <tkl/graph/check.hpp>
#include <vector>

namespace tkl::test {

/// Writes every weight that Model names to a safetensors file: small positive f32 numbers, so that variances are valid
/// and no sum overflows.
template <class Model>
void write_random_weights(const std::string& path) {
  graph g;
  build_model<Model>(g);
  std::string header = "{";
  std::vector<float> values;
  std::mt19937 random(7);
  std::uniform_real_distribution<float> uniform(0.01F, 0.03F);
  for (const node& n : g.nodes) {
    if (n.kind != op_kind::weight) continue;
    const auto count = static_cast<std::size_t>(n.shape.elements().value);
    if (header.size() > 1) header += ',';
    header += '"' + std::string(g.name_at(n.name)) + "\":{\"dtype\":\"F32\",\"shape\":[";
    for (int i = 0; i < n.shape.rank; ++i) header += (i ? "," : "") + std::to_string(n.shape[i]);
    header += "],\"data_offsets\":[" + std::to_string(4 * values.size()) + ',';
    for (std::size_t i = 0; i < count; ++i) values.push_back(uniform(random));
    header += std::to_string(4 * values.size()) + "]}";
  }
  header += '}';
  header.resize((header.size() + 7) / 8 * 8, ' ');
  const std::uint64_t size = header.size();
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(&size), 8);
  file.write(header.data(), static_cast<std::streamsize>(header.size()));
  file.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(4 * values.size()));
}

}  // namespace tkl::test
