// SPDX-License-Identifier: Apache-2.0
// Reads the safetensors files that tools/golden/make_golden.py writes, independently of tkl's own reader.
#pragma once

#include <rapidjson/document.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace tkl::test {

struct golden_tensor {
  std::string type{};  // F32, I32, U8
  std::vector<std::int64_t> extents{};
  const char* bytes = nullptr;
  std::size_t size = 0;  // bytes

  template <class T>
  const T* as() const {
    return reinterpret_cast<const T*>(bytes);
  }
  std::size_t elements() const {
    std::size_t n = 1;
    for (std::int64_t e : extents) n *= static_cast<std::size_t>(e);
    return n;
  }
};

/// A file in memory; not copied, since its tensors point into it.
class golden_file {
 public:
  explicit golden_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    need(bool(file), path);
    bytes_.resize(static_cast<std::size_t>(file.tellg()));
    file.seekg(0).read(bytes_.data(), static_cast<std::streamsize>(bytes_.size()));
    need(bytes_.size() > 8, path);
    std::uint64_t header = 0;
    std::memcpy(&header, bytes_.data(), 8);
    rapidjson::Document json;
    need(!json.Parse(bytes_.data() + 8, header).HasParseError(), path);
    // "<": in C++20 this library's "!=" is ambiguous with its own reverse.
    for (auto at = json.MemberBegin(); at < json.MemberEnd(); ++at) {
      const auto& entry = *at;
      if (std::strcmp(entry.name.GetString(), "__metadata__") == 0) {
        for (auto pair = entry.value.MemberBegin(); pair < entry.value.MemberEnd(); ++pair)
          metadata[pair->name.GetString()] = pair->value.GetString();
        continue;
      }
      golden_tensor t;
      t.type = entry.value["dtype"].GetString();
      for (const auto& e : entry.value["shape"].GetArray()) t.extents.push_back(e.GetInt64());
      const auto& offsets = entry.value["data_offsets"];
      t.bytes = bytes_.data() + 8 + header + offsets[0].GetUint64();
      t.size = offsets[1].GetUint64() - offsets[0].GetUint64();
      tensors_[entry.name.GetString()] = t;
    }
  }

  golden_file(const golden_file&) = delete;
  golden_file& operator=(const golden_file&) = delete;

  bool has(const std::string& name) const { return tensors_.count(name) != 0; }
  const golden_tensor& operator[](const std::string& name) const {
    const auto found = tensors_.find(name);
    need(found != tensors_.end(), name);
    return found->second;
  }

  std::map<std::string, std::string> metadata{};

 private:
  static void need(bool good, const std::string& what) {
    if (!good) throw std::runtime_error("golden file: " + what + " is missing or cut off");
  }

  std::vector<char> bytes_{};  // tensors_ points into it
  std::map<std::string, golden_tensor> tensors_{};
};

}  // namespace tkl::test
