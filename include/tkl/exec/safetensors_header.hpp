// SPDX-License-Identifier: Apache-2.0
// The header of a safetensors file: JSON read event by event, and the checks that need only the header and the number
// of data bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <tkl/config.hpp>
#include <tkl/core/checked.hpp>
#include <tkl/core/element.hpp>
#include <tkl/core/shape.hpp>
#include <tkl/core/status.hpp>
#include <tkl/exec/level_vector.hpp>
#include <tkl/exec/safetensors_json.hpp>
#include <utility>
#include <vector>

namespace tkl {
TKL_ISA_BEGIN
namespace impl {

/// An element type of the format. Those that tkl lacks are known by their size, so that a file may hold them.
struct stored_type {
  std::string_view name;
  int bits;
  element type = element::u8;
  bool supported = false;
};
inline constexpr stored_type stored_types[] = {
    {"F32", 32, element::f32, true},
    {"F16", 16, element::f16, true},
    {"BF16", 16, element::bf16, true},
    {"I8", 8, element::i8, true},
    {"U8", 8, element::u8, true},
    {"I32", 32, element::i32, true},
    {"BOOL", 8},
    {"I16", 16},
    {"U16", 16},
    {"U32", 32},
    {"I64", 64},
    {"U64", 64},
    {"F64", 64},
    {"C64", 64},
    {"F8_E5M2", 8},
    {"F8_E4M3", 8},
    {"F8_E8M0", 8},
    {"F6_E2M3", 6},
    {"F6_E3M2", 6},
    {"F4", 4},
};

struct header_entry {
  impl::level_string name{};
  const stored_type* type = nullptr;
  tkl::shape shape{};
  std::int64_t begin = 0;  // bytes from the start of the data
  std::int64_t end = 0;
};

/// Bytes of the UTF-8 character at s[i] if a terminal obeys it instead of showing it, else 0: control characters and
/// the marks that change the direction of the text behind them (Unicode 15, 23.1 and UAX 9).
TKL_COLD inline std::size_t obeyed_character(std::string_view s, std::size_t i) {
  const auto byte = [&](std::size_t k) { return k < s.size() ? static_cast<unsigned char>(s[k]) : 0u; };
  const unsigned a = byte(i), b = byte(i + 1), c = byte(i + 2);
  if (a < 0x20u || a == 0x7fu) return 1;
  if ((a == 0xc2u && b < 0xa0u) || (a == 0xd8u && b == 0x9cu)) return 2;                           // C1, U+061C
  if (a == 0xe2u && b == 0x80u && ((c & 0xfeu) == 0x8eu || (c >= 0xa8u && c <= 0xaeu))) return 3;  // U+200E.., U+2028..
  return a == 0xe2u && b == 0x81u && c >= 0xa6u && c <= 0xa9u ? 3 : 0;                             // U+2066 to U+2069
}

/// A name of the file for messages: at most 80 bytes of whole UTF-8 characters, '?' for those that a terminal obeys.
TKL_COLD inline text<96> name_text(std::string_view name) {
  text<96> t;
  std::size_t end = name.size() < 80 ? name.size() : 80;
  if (end < name.size())
    while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80) --end;
  for (std::size_t i = 0; i < end;) {
    const std::size_t obeyed = obeyed_character(name, i);
    t << (obeyed > 0 ? '?' : name[i]);
    i += obeyed > 0 ? obeyed : 1;
  }
  if (end < name.size()) t << "...";
  return t;
}

TKL_COLD inline text<24> unsigned_text(std::uint64_t v) {
  text<24> t;
  if (v > 9) t << unsigned_text(v / 10).view();
  return t << static_cast<char>('0' + v % 10);
}

/// Place of the first byte of a text that is not UTF-8 (Unicode 15, table 3-7), or npos.
TKL_COLD inline std::size_t first_outside_utf8(std::string_view s) {
  const auto byte = [&](std::size_t i) { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0u; };
  for (std::size_t i = 0; i < s.size();) {
    const unsigned lead = byte(i), second = byte(i + 1);
    const std::size_t length = lead < 0x80u                     ? 1
                               : lead >= 0xc2u && lead <= 0xdfu ? 2
                               : (lead & 0xf0u) == 0xe0u        ? 3
                               : lead >= 0xf0u && lead <= 0xf4u ? 4
                                                                : 0;
    // What is longer than needed, a surrogate, or above U+10FFFF.
    if (length == 0 || (lead == 0xe0u && second < 0xa0u) || (lead == 0xedu && second > 0x9fu) ||
        (lead == 0xf0u && second < 0x90u) || (lead == 0xf4u && second > 0x8fu))
      return i;
    for (std::size_t k = 1; k < length; ++k)
      if ((byte(i + k) & 0xc0u) != 0x80u) return i;
    i += length;
  }
  return std::string_view::npos;
}

/// Receives the events of the JSON reader and builds the entries. An event that has no place here ends the reading with
/// `fault` set.
class header_reader {
 public:
  using SizeType = rapidjson::SizeType;

  explicit header_reader(std::vector<header_entry>& entries) : entries_(entries) {}
  const message_text& fault() const { return fault_; }

  bool Null() { return stray("null"); }
  bool Bool(bool b) { return stray(b ? "true" : "false"); }
  bool Int(int v) { return Int64(v); }
  bool Uint(unsigned v) { return Uint64(v); }
  /// The reader calls this for what is written with a minus, zero included.
  TKL_COLD bool Int64(std::int64_t v) {
    if (state_ != state::extents && state_ != state::offsets) return stray("a number");
    message_text m = say();
    return fail(m << (state_ == state::extents ? "extent " : "offset ") << (v == 0 ? "-" : "") << v << " is negative");
  }
  TKL_COLD bool Uint64(std::uint64_t v) {
    if (state_ != state::extents && state_ != state::offsets) return stray("a number");
    if (v > static_cast<std::uint64_t>((std::numeric_limits<std::int64_t>::max)())) return too_large();
    return number(static_cast<std::int64_t>(v));
  }
  TKL_COLD bool Double(double) {
    if (state_ != state::extents && state_ != state::offsets) return stray("a number");
    return too_large();
  }
  bool RawNumber(const char*, SizeType, bool) { return stray("a number"); }

  TKL_COLD bool String(const char* s, SizeType n, bool) {
    const std::string_view name(s, n);
    if (state_ == state::metadata) return is_metadata(name);
    if (state_ != state::type) return stray("a text");
    for (const stored_type& t : stored_types)
      if (t.name == name) entry_.type = &t;
    if (entry_.type == nullptr) {
      message_text m = say();
      return fail(m << "unknown type '" << name_text(name).view() << '\'');
    }
    state_ = state::field;
    return true;
  }

  TKL_COLD bool StartObject() {
    if (state_ == state::start) {
      state_ = state::name;
    } else if (state_ == state::tensor) {
      state_ = state::field;
    } else if (state_ == state::metadata_start) {
      state_ = state::metadata;
    } else {
      return stray("an object");
    }
    return true;
  }

  TKL_COLD bool Key(const char* s, SizeType n, bool) {
    const std::string_view key(s, n);
    if (state_ == state::metadata) return is_metadata(key);
    if (state_ == state::name) return begin_entry(key);
    if (key == "dtype") return begin_field(1, state::type, key);
    if (key == "shape") return begin_field(2, state::extents_start, key);
    if (key == "data_offsets") return begin_field(4, state::offsets_start, key);
    message_text m = say();
    return fail(m << "unknown key '" << name_text(key).view() << '\'');
  }

  bool EndObject(SizeType) {
    if (state_ == state::field) return end_entry();
    state_ = state_ == state::metadata ? state::name : state::end;
    return true;
  }

  TKL_COLD bool StartArray() {
    if (state_ == state::extents_start) {
      state_ = state::extents;
    } else if (state_ == state::offsets_start) {
      state_ = state::offsets;
    } else {
      return stray("an array");
    }
    return true;
  }

  TKL_COLD bool EndArray(SizeType) {
    if (state_ == state::offsets && offsets_ != 2) {
      message_text m = say();
      return fail(m << "data_offsets has " << offsets_ << " numbers, 2 expected");
    }
    state_ = state::field;
    return true;
  }

 private:
  enum class state : std::uint8_t {
    start,
    name,    // the next key names a tensor
    tensor,  // its object follows
    field,   // the next key is one of three
    type,
    extents_start,
    extents,
    offsets_start,
    offsets,
    metadata_start,
    metadata,
    end
  };

  /// "tensor 'x': ", or nothing outside of one.
  TKL_COLD message_text say() const {
    message_text m;
    if (state_ == state::metadata || state_ == state::metadata_start) return m << "__metadata__: ";
    if (state_ != state::start && state_ != state::name && state_ != state::end)
      m << "tensor '" << name_text(entry_.name).view() << "': ";
    return m;
  }
  bool fail(const message_text& m) {
    fault_ = m;
    return false;
  }
  TKL_COLD bool stray(std::string_view what) {
    message_text m = say();
    return fail(m << what << " where none is expected");
  }
  TKL_COLD bool too_large() {
    message_text m = say();
    return fail(m << (state_ == state::extents ? "an extent" : "an offset") << " is not an integer below 2^63");
  }

  /// The escape of a lone low surrogate becomes three bytes that are no UTF-8.
  TKL_COLD bool is_metadata(std::string_view text) {
    message_text m = say();
    return first_outside_utf8(text) == std::string_view::npos || fail(m << "a text is not UTF-8");
  }

  TKL_COLD bool number(std::int64_t v) {
    message_text m = say();
    if (state_ == state::offsets) {
      if (offsets_ == 2) return fail(m << "data_offsets has more than 2 numbers");
      (offsets_ == 0 ? entry_.begin : entry_.end) = v;
      ++offsets_;
      return true;
    }
    if (entry_.shape.rank == max_rank) return fail(m << "more than " << max_rank << " axes");
    entry_.shape[entry_.shape.rank++] = v;
    return true;
  }

  TKL_COLD bool begin_entry(std::string_view key) {
    message_text m;
    if (key == "__metadata__") {
      if (metadata_seen_) return fail(m << "__metadata__ occurs twice");
      metadata_seen_ = true;
      state_ = state::metadata_start;
      return true;
    }
    if (key.find('\0') != std::string_view::npos) return fail(m << "a name holds a zero character");
    if (first_outside_utf8(key) != std::string_view::npos) return fail(m << "a name is not UTF-8");
    entry_ = {};
    entry_.name = key;
    fields_ = 0;
    offsets_ = 0;
    state_ = state::tensor;
    return true;
  }

  TKL_COLD bool begin_field(unsigned bit, state next, std::string_view key) {
    if (fields_ & bit) {
      message_text m = say();
      return fail(m << key << " occurs twice");
    }
    fields_ |= bit;
    state_ = next;
    return true;
  }

  TKL_COLD bool end_entry() {
    message_text m = say();
    for (const auto& [bit, key] : {std::pair{1u, "dtype"}, {2u, "shape"}, {4u, "data_offsets"}})
      if (!(fields_ & bit)) return fail(m << key << " is missing");
    if (entry_.end < entry_.begin) return fail(m << "data_offsets [" << entry_.begin << ", " << entry_.end << "] fall");
    const checked bits = entry_.shape.elements() * entry_.type->bits;
    if (!bits.valid) return fail(m << "the size of shape " << entry_.shape << " leaves 64 bits");
    if (bits.value % 8 != 0)
      return fail(m << "shape " << entry_.shape << " of " << entry_.type->name << " takes " << bits.value
                    << " bits, no whole bytes");
    if (bits.value / 8 != entry_.end - entry_.begin)
      return fail(m << "shape " << entry_.shape << " of " << entry_.type->name << " takes " << bits.value / 8
                    << " bytes, data_offsets give " << entry_.end - entry_.begin);
    entries_.push_back(std::move(entry_));
    state_ = state::name;
    return true;
  }

  std::vector<header_entry>& entries_;
  header_entry entry_{};
  state state_ = state::start;
  unsigned fields_ = 0;  // bits of the keys seen
  int offsets_ = 0;      // numbers seen in data_offsets
  bool metadata_seen_ = false;
  message_text fault_{};
};

/// Parses the header; it may end in spaces. Messages count bytes from the start of the file.
TKL_COLD inline status read_header(std::string_view header, std::vector<header_entry>& entries) {
  message_text m;
  if (header.empty() || header[0] != '{') return status::failure(m << "safetensors header, byte 8: '{' expected");
  if (const std::size_t at = first_outside_utf8(header); at != std::string_view::npos)
    return status::failure(m << "safetensors header, byte " << at + 8 << ": not UTF-8");
  header_reader events(entries);
  rapidjson::MemoryStream stream(header.data(), header.size());
  json_reader reader;
  const rapidjson::ParseResult parsed = reader.Parse<rapidjson::kParseNoFlags>(stream, events);
  if (parsed.IsError()) {
    m << "safetensors header, byte " << parsed.Offset() + 8 << ": ";
    if (parsed.Code() == rapidjson::kParseErrorTermination) return status::failure(m << events.fault().view());
    return status::failure(m << rapidjson::GetParseError_En(parsed.Code()));
  }
  // The reader takes a zero byte for the end.
  if (stream.Tell() != header.size())
    return status::failure(m << "safetensors header, byte " << stream.Tell() + 8 << ": a zero byte");
  return {};
}

/// Sorts by any order. One function for all, and a heap: an inlined std::sort is 8 KB of code.
using entry_order = bool (*)(const header_entry*, const header_entry*);
TKL_COLD inline void sort_entries(std::vector<header_entry*>& entries, entry_order before) {
  std::make_heap(entries.begin(), entries.end(), before);
  std::sort_heap(entries.begin(), entries.end(), before);
}

/// Every byte of the data belongs to exactly one tensor.
TKL_COLD inline status check_layout(std::vector<header_entry>& entries, std::size_t data_bytes) {
  std::vector<header_entry*> order(entries.size(), nullptr);
  for (std::size_t i = 0; i < entries.size(); ++i) order[i] = &entries[i];
  sort_entries(order, [](const header_entry* a, const header_entry* b) {
    return a->begin != b->begin ? a->begin < b->begin : a->end < b->end;
  });
  const auto limit = static_cast<std::int64_t>(data_bytes);
  const header_entry* before = nullptr;
  std::int64_t at = 0;
  for (const header_entry* e : order) {
    message_text m;
    m << "tensor '" << name_text(e->name).view() << "': bytes [" << e->begin << ", " << e->end << ") ";
    if (e->end > limit) return status::failure(m << "leave the " << limit << " bytes of data");
    if (e->begin < at) {
      m << "overlap those of '" << name_text(before->name).view() << "', [" << before->begin << ", " << before->end
        << ')';
      return status::failure(m);
    }
    if (e->begin > at) return status::failure(m << "leave a hole behind byte " << at << " of the data");
    at = e->end;
    if (e->begin != e->end) before = e;
  }
  message_text m;
  if (at != limit)
    return status::failure(m << "the last " << limit - at << " of " << limit << " bytes of data belong to no tensor");
  return {};
}

}  // namespace impl
TKL_ISA_END
}  // namespace tkl
