// SPDX-License-Identifier: Apache-2.0
// Packed weights: one buffer in the layout that a plan's kernels read, made from a safetensors file or mapped from a
// file of tkl's own.
//
// The packed file: 64 bytes of header (magic, version, length of the header, layout hash, bytes), then the buffer as
// it lies in memory. The hash covers what decides the layout (names, shapes, folds, panels); a file whose hash differs
// was written for another graph, target or version, and is refused. The numbers themselves are not looked at.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <tkl/config.hpp>
#include <tkl/core/status.hpp>
#include <tkl/exec/mapped_file.hpp>
#include <tkl/exec/memory_block.hpp>
#include <tkl/exec/narrow_weights.hpp>
#include <tkl/exec/number_converter.hpp>
#include <tkl/exec/safetensors.hpp>
#include <tkl/exec/weight_values.hpp>
#include <utility>

namespace tkl {

struct load_options {
  bool allow_surplus = false;                   // tensors that the model does not use are no error
  const number_converter* converter = nullptr;  // for numbers of 16 bits; null: loops of the headers
};

/// Header of a packed file.
struct packed_header {
  char magic[8]{};
  std::uint32_t version = 0;
  std::uint32_t header_bytes = 0;
  std::uint64_t layout_hash = 0;
  std::int64_t bytes = 0;
  std::uint64_t reserved[4]{};
};
static_assert(sizeof(packed_header) == 64);
inline constexpr char packed_magic[8] = {'t', 'k', 'l', 'p', 'a', 'c', 'k', '\n'};
inline constexpr std::uint32_t packed_version = 3;

/// The weights that kernels read. Owns them, maps them, or borrows those of another object.
class packed_weights {
 public:
  packed_weights() = default;
  TKL_TAGGED packed_weights(memory_block m, std::uint64_t layout_hash, std::string_view converter)
      : memory_(std::move(m)), data_(memory_.data()), layout_hash_(layout_hash), converter_(converter) {}
  packed_weights(mapped_file f, std::size_t offset, std::uint64_t layout_hash)
      : file_(std::move(f)),
        data_(reinterpret_cast<const std::byte*>(file_.data()) + offset),
        layout_hash_(layout_hash) {}
  /// A view of the same weights; this object must live longer.
  packed_weights borrowed() const {
    packed_weights w;
    w.data_ = data_;
    w.layout_hash_ = layout_hash_;
    w.converter_ = converter_;
    return w;
  }
  const std::byte* data() const { return data_; }
  /// What the bytes were packed for (compile::layout_hash); 0 for no weights.
  std::uint64_t layout_hash() const { return layout_hash_; }
  /// Name of what converted numbers of 16 bits when they were packed: "tkl", or that of load_options::converter; empty
  /// for weights that were mapped as they are.
  std::string_view converter() const { return converter_; }

 private:
  memory_block memory_{};
  mapped_file file_{};
  const std::byte* data_ = nullptr;
  std::uint64_t layout_hash_ = 0;
  std::string_view converter_{};
};

/// Hash of everything that decides the bytes of a packed buffer, given equal raw tensors: FNV-1a over 64-bit words,
/// into which small members are put side by side. Without a function per word, which would take the compiler, who
/// computes this for every model, several times as long.
constexpr std::uint64_t hash_layout(const load_view& v) {
  using u64 = std::uint64_t;
  constexpr u64 prime = 1099511628211ull;
  const char* const names = v.names;
  u64 h = 1469598103934665603ull;
  h = (h ^ (u64{packed_version} << 48 | static_cast<u64>(v.panel) << 24 | static_cast<u64>(v.width))) * prime;
  h = (h ^ static_cast<u64>(v.weights_bytes)) * prime;
  for (const load_node *n = v.loads, *end = n + v.load_count; n != end; ++n) {
    h = (h ^ (static_cast<u64>(n->kind) << 48 | static_cast<u64>(n->type) << 40 | u64{n->rank} << 32 |
              u64{n->aux} << 24 | static_cast<std::uint16_t>(n->function))) *
        prime;
    h = (h ^ (static_cast<u64>(static_cast<std::uint16_t>(n->in[0])) << 32 |
              static_cast<u64>(static_cast<std::uint16_t>(n->in[1])) << 16 | static_cast<std::uint16_t>(n->in[2]))) *
        prime;
    h = (h ^ (static_cast<u64>(n->extent[0]) << 32 | static_cast<std::uint32_t>(n->extent[1]))) * prime;
    h = (h ^ (static_cast<u64>(n->extent[2]) << 32 | static_cast<std::uint32_t>(n->extent[3]))) * prime;
    h = (h ^ std::bit_cast<std::uint32_t>(n->number)) * prime;
    if (n->name < 0) continue;
    for (std::int32_t at = n->name;; ++at) {
      const char c = names[at];
      if (c == '\0') break;
      h = (h ^ static_cast<unsigned char>(c)) * prime;
    }
  }
  for (const packed_tensor *p = v.packed, *end = p + v.packed_count; p != end; ++p) {
    h = (h ^ (static_cast<u64>(p->kind) << 48 | static_cast<u64>(p->type) << 32 |
              static_cast<u64>(static_cast<std::uint16_t>(p->source)) << 16 | static_cast<std::uint16_t>(p->bias))) *
        prime;
    h = (h ^ static_cast<u64>(p->groups)) * prime;
    h = (h ^ static_cast<u64>(p->offset)) * prime;
    h = (h ^ static_cast<u64>(p->bytes)) * prime;
    h = (h ^ (static_cast<u64>(p->stride[0]) << 32 | static_cast<std::uint32_t>(p->stride[1]))) * prime;
    h = (h ^ (static_cast<u64>(p->pad[0]) << 32 | static_cast<std::uint32_t>(p->pad[1]))) * prime;
    h = (h ^ (static_cast<u64>(p->dilation[0]) << 32 | static_cast<std::uint32_t>(p->dilation[1]))) * prime;
    for (const channel_fold *f = v.folds + p->fold_begin, *last = f + p->fold_count; f != last; ++f)
      h = (h ^ (static_cast<u64>(f->kind) << 32 | static_cast<u64>(static_cast<std::uint16_t>(f->in[0])) << 16 |
                static_cast<std::uint16_t>(f->in[1]))) *
          prime;
  }
  return h;
}

TKL_ISA_BEGIN
namespace impl {

/// Whether every raw tensor of the plan is in the file with its shape and type, and nothing else is.
TKL_COLD inline status check_tensors(const load_view& plan, const safetensors& file, const load_options& options) {
  for (int i = 0; i < plan.load_count; ++i) {
    const load_node& n = plan.loads[i];
    if (n.kind != op_kind::weight) continue;
    const char* name = plan.names + n.name;
    message_text m;
    m << "tensor '" << name << "': ";
    const safetensors::tensor* t = file.find(name);
    if (t == nullptr) return status::failure(m << "missing in the weights file");
    tkl::shape expected;
    expected.rank = n.rank;
    for (int k = 0; k < n.rank; ++k) expected[k] = n.extent[k];
    if (!(t->shape == expected))
      return status::failure(m << "shape " << t->shape << " in the file, the model has " << expected);
    // Where the target rounds weights, a file may hold them rounded; widening is exact.
    const bool widens =
        plan.narrow != element::f32 && n.type == element::f32 && (t->type == element::f16 || t->type == element::bf16);
    if (!t->supported() || (t->type != n.type && !widens))
      return status::failure(m << "type " << t->type_name() << " in the file, the model has " << name_of(n.type));
  }
  if (options.allow_surplus) return {};
  for (const safetensors::tensor& t : file.tensors()) {
    bool used = false;
    for (int i = 0; !used && i < plan.load_count; ++i)
      used = plan.loads[i].kind == op_kind::weight && t.name == plan.names + plan.loads[i].name;
    if (used) continue;
    message_text m;
    return status::failure(m << "tensor '" << name_text(t.name).view()
                             << "' of the weights file is not used by the model (allow_surplus would accept it)");
  }
  return {};
}

TKL_COLD inline result<packed_weights> map_packed(const load_view& plan, mapped_file file, const char* path) {
  packed_header h;
  message_text m;
  m << path_text(path).view() << ": ";
  if (file.size() < sizeof h)
    return status::failure(m << "a packed file of " << file.size() << " bytes, its header has 64");
  std::memcpy(&h, file.data(), sizeof h);
  if (h.version != packed_version)
    return status::failure(m << "packed file of version " << static_cast<std::int64_t>(h.version)
                             << ", this is version " << static_cast<std::int64_t>(packed_version));
  if (h.header_bytes != sizeof h)
    return status::failure(m << "packed file with a header of " << static_cast<std::int64_t>(h.header_bytes)
                             << " bytes, version " << static_cast<std::int64_t>(packed_version) << " has "
                             << static_cast<std::int64_t>(sizeof h));
  if (h.bytes != plan.weights_bytes)
    return status::failure(m << "packed file with " << h.bytes << " bytes of weights, the model has "
                             << plan.weights_bytes);
  if (h.layout_hash != plan.layout_hash)
    return status::failure(m << "packed for another graph, target or version: its layout hash differs");
  if (file.size() != sizeof h + static_cast<std::size_t>(h.bytes))
    return status::failure(m << "packed file of " << file.size() << " bytes, " << (h.bytes + 64) << " expected");
  return packed_weights(std::move(file), sizeof h, h.layout_hash);
}

}  // namespace impl

/// Packs the tensors of an open weights file.
TKL_COLD inline result<packed_weights> pack_weights(const load_view& plan, const safetensors& file,
                                                    const load_options& options) {
  if (status s = impl::check_tensors(plan, file, options); !s) return s;
  result<memory_block> memory = memory_block::allocate(plan.weights_bytes, true);
  if (!memory) return memory.error();
  const number_converter& converter = options.converter != nullptr ? *options.converter : impl::plain_converter;
  const load_evaluator evaluator(plan, file, converter);
  for (int i = 0; i < plan.packed_count; ++i) {
    const packed_tensor& p = plan.packed[i];
    if (status s = pack_tensor(plan, evaluator, p, converter, memory->data() + p.offset); !s) return s;
  }
  return packed_weights(std::move(*memory), plan.layout_hash, converter.name);
}

/// Opens a weights file of either kind. Errors name the tensor, the byte, or both values.
TKL_COLD inline result<packed_weights> load_weights(const load_view& plan, const char* path,
                                                    const load_options& options) {
  result<mapped_file> file = mapped_file::open(path);
  if (!file) return file.error();
  if (file->size() >= sizeof packed_magic && std::memcmp(file->data(), packed_magic, sizeof packed_magic) == 0)
    return impl::map_packed(plan, std::move(*file), path);
  result<safetensors> tensors = safetensors::open(path);
  if (!tensors) return tensors.error();
  return pack_weights(plan, *tensors, options);
}

/// Writes packed weights to a file, by way of path + ".part": a file of that name is replaced whole or left as it is,
/// also when these weights are mapped from it.
TKL_COLD inline status save_weights(const load_view& plan, const packed_weights& weights, const char* path) {
  message_text m;
  if (path == nullptr) return status::failure(m << "no path was given");
  packed_header h;
  std::memcpy(h.magic, packed_magic, sizeof h.magic);
  h.version = packed_version;
  h.header_bytes = sizeof h;
  h.layout_hash = plan.layout_hash;
  h.bytes = plan.weights_bytes;
  const auto bytes = static_cast<std::size_t>(plan.weights_bytes);
  const std::string part = std::string(path) + ".part";
  std::FILE* f = std::fopen(part.c_str(), "wb");
  bool good = f != nullptr && std::fwrite(&h, sizeof h, 1, f) == 1 &&
              (bytes == 0 || std::fwrite(weights.data(), bytes, 1, f) == 1);
  if (f != nullptr) good = std::fclose(f) == 0 && good;
  if (good && std::rename(part.c_str(), path) == 0) return {};
  if (f != nullptr) std::remove(part.c_str());
  return status::failure(m << path_text(path).view() << ": cannot be written");
}

TKL_ISA_END
}  // namespace tkl
