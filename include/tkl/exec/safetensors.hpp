// SPDX-License-Identifier: Apache-2.0
// Reads safetensors files: named tensors, raw and little-endian, behind a JSON header.
//
//   8 bytes   n, unsigned, little-endian
//   n bytes   {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ..., "__metadata__": {...}}
//   the rest  data; offsets count from its start, and every byte of it belongs to exactly one tensor
//
// The file is not trusted: everything is checked before anything is returned, and a message names the tensor or the
// byte of the file. Format: https://huggingface.co/docs/safetensors (header at most 100 MB, no duplicate names, no
// holes).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <tkl/core/checked.hpp>
#include <tkl/core/element.hpp>
#include <tkl/core/shape.hpp>
#include <tkl/core/status.hpp>
#include <tkl/exec/mapped_file.hpp>
#include <tkl/exec/safetensors_header.hpp>
#include <utility>
#include <vector>

namespace tkl {
TKL_ISA_BEGIN

static_assert(std::endian::native == std::endian::little, "safetensors data is little-endian");

/// The tensors of one file. Owns the mapping (open) or refers to the caller's bytes (from_memory).
class safetensors {
 public:
  /// Largest header that is read, in bytes.
  static constexpr std::uint64_t header_limit = 100'000'000;

  struct tensor {
    impl::level_string name{};
    tkl::shape shape{};
    element type = element::f32;      // meaningful when supported()
    const std::byte* data = nullptr;  // not necessarily aligned
    std::size_t bytes = 0;
    const impl::stored_type* stored = nullptr;

    /// Whether tkl has this element type; files may hold others that a model does not use.
    bool supported() const { return stored->supported; }
    /// The type as the file spells it: F32, I64, ...
    std::string_view type_name() const { return stored->name; }
  };

  /// Maps and checks a file.
  TKL_COLD static result<safetensors> open(const char* path) {
    result<mapped_file> file = mapped_file::open(path);
    if (!file) return file.error();
    safetensors s;
    s.file_ = std::move(*file);
    if (const status read = s.read({s.file_.data(), s.file_.size()}); !read) {
      message_text m;
      return status::failure(m << path_text(path).view() << ": " << read.message());
    }
    return result<safetensors>(std::move(s));
  }

  /// Checks bytes that the caller keeps alive and unchanged as long as this object lives.
  static result<safetensors> from_memory(std::span<const std::byte> bytes) {
    safetensors s;
    if (const status read = s.read(bytes); !read) return read;
    return result<safetensors>(std::move(s));
  }

  /// Sorted by name.
  std::span<const tensor> tensors() const { return tensors_; }

  /// Null when there is none of this name.
  const tensor* find(std::string_view name) const {
    const auto at = std::lower_bound(tensors_.begin(), tensors_.end(), name,
                                     [](const tensor& t, std::string_view n) { return t.name < n; });
    return at != tensors_.end() && at->name == name ? &*at : nullptr;
  }

  /// The tensor of this name, or an error when it is missing or its element type is not one of tkl's.
  result<tensor> get(std::string_view name) const {
    message_text m;
    const tensor* t = find(name);
    if (t == nullptr)
      return status::failure(m << "tensor '" << impl::name_text(name).view() << "': missing in the file");
    if (!t->supported())
      return status::failure(m << "tensor '" << impl::name_text(name).view() << "': type " << t->type_name()
                               << " is not supported, only F32 F16 BF16 I8 U8 I32 are");
    return *t;
  }

 private:
  TKL_COLD status read(std::span<const std::byte> bytes) {
    message_text m;
    std::uint64_t length = 0;
    if (bytes.size() < sizeof length)
      return status::failure(m << "safetensors file of " << bytes.size()
                               << " bytes, the header's length alone takes 8");
    std::memcpy(&length, bytes.data(), sizeof length);
    if (length > header_limit)
      return status::failure(m << "safetensors header of " << impl::unsigned_text(length).view() << " bytes, at most "
                               << static_cast<std::int64_t>(header_limit) << " are read");
    if (length > bytes.size() - sizeof length)
      return status::failure(m << "truncated: a header of " << static_cast<std::int64_t>(length)
                               << " bytes is announced, " << bytes.size() - sizeof length << " follow");
    const char* const header = reinterpret_cast<const char*>(bytes.data()) + sizeof length;
    std::vector<impl::header_entry> entries;
    if (status s = impl::read_header({header, static_cast<std::size_t>(length)}, entries); !s) return s;
    const std::span<const std::byte> data = bytes.subspan(sizeof length + static_cast<std::size_t>(length));
    std::vector<impl::header_entry*> order(entries.size(), nullptr);
    for (std::size_t i = 0; i < entries.size(); ++i) order[i] = &entries[i];
    impl::sort_entries(order,
                       [](const impl::header_entry* a, const impl::header_entry* b) { return a->name < b->name; });
    for (std::size_t i = 1; i < order.size(); ++i)
      if (order[i]->name == order[i - 1]->name)
        return status::failure(m << "tensor '" << impl::name_text(order[i]->name).view() << "' occurs twice");
    if (status s = impl::check_layout(entries, data.size()); !s) return s;
    tensors_ = std::vector<tensor>(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      impl::header_entry& e = *order[i];
      tensors_[i] = {std::move(e.name),
                     e.shape,
                     e.type->type,
                     data.data() + e.begin,
                     static_cast<std::size_t>(e.end - e.begin),
                     e.type};
    }
    return {};
  }

  mapped_file file_{};
  std::vector<tensor> tensors_{};
};

TKL_ISA_END
}  // namespace tkl
