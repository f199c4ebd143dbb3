// SPDX-License-Identifier: Apache-2.0
// Reads the safetensors files that tools/golden/make_golden.py writes, independently of tkl's own reader.
#pragma once

#include <doctest/doctest.h>
#include <rapidjson/document.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "support/skip.hpp"

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

/// Folder of the golden files. Without them a test skips, but not where the environment has CI: there they must be
/// made.
inline std::string golden_folder() {
  const std::string folder = std::string(TKL_GOLDEN_BUILD) + "/golden/";
  if (std::ifstream(folder + "done")) return folder;
  if (std::getenv("CI") == nullptr) skip("build/golden is missing: run tools/prepare.py golden");
  std::fprintf(stderr, "%s is missing: tools/prepare.py golden makes it\n", folder.c_str());
  std::exit(1);
}

/// A file in memory; not copied, since its tensors point into it.
class golden_file {
 public:
  explicit golden_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    REQUIRE_MESSAGE(file, path);
    bytes_.resize(static_cast<std::size_t>(file.tellg()));
    file.seekg(0).read(bytes_.data(), static_cast<std::streamsize>(bytes_.size()));
    REQUIRE_MESSAGE(bytes_.size() > 8, path);
    std::uint64_t header = 0;
    std::memcpy(&header, bytes_.data(), 8);
    rapidjson::Document json;
    REQUIRE_MESSAGE(!json.Parse(bytes_.data() + 8, header).HasParseError(), path);
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
    REQUIRE_MESSAGE(found != tensors_.end(), name);
    return found->second;
  }

  std::map<std::string, std::string> metadata{};

 private:
  std::vector<char> bytes_{};  // tensors_ points into it
  std::map<std::string, golden_tensor> tensors_{};
};

}  // namespace tkl::test
