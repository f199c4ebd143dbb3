// SPDX-License-Identifier: Apache-2.0
// Plans written by hand, edge by edge, for tests of what judges and shows plans. Usable in constant evaluation.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <tkl/core/checked.hpp>
#include <tkl/graph/plan_view.hpp>

namespace support {

struct hand_plan {
  tkl::program p{};

  constexpr std::int32_t name(std::string_view text) { return p.names.add(text); }

  constexpr std::int32_t storage(tkl::space where, std::string_view text, std::int64_t bytes, std::int64_t offset,
                                 int index = -1) {
    tkl::storage s;
    s.where = where;
    s.index = static_cast<std::int16_t>(index);
    s.name = name(text);
    s.bytes = bytes;
    s.offset = offset;
    p.storages.push_back(s);
    return static_cast<std::int32_t>(p.storages.size()) - 1;
  }

  /// rows x columns elements, `apart` elements from row to row, from element `first` of the storage on.
  constexpr int matrix(std::int32_t storage_id, int rows, int columns, int apart, int first = 0,
                       std::string_view text = {}) {
    const tkl::storage& s = p.storages[static_cast<std::size_t>(storage_id)];
    tkl::edge e;
    e.where = s.where;
    e.index = s.index;
    e.name = text.empty() ? s.name : name(text);
    e.offset = s.offset + 4 * first;
    e.extent[2] = rows, e.extent[3] = columns;
    e.stride[2] = apart, e.stride[3] = 1;
    p.edges.push_back(e);
    p.edge_storage.push_back(storage_id);
    return static_cast<int>(p.edges.size()) - 1;
  }
  constexpr int vector(std::int32_t storage_id, int n, int first = 0, std::string_view text = {}) {
    return matrix(storage_id, 1, n, 0, first, text);
  }

  /// A value of n floats at `offset` of the arena, with the edge of all of it.
  constexpr int value(std::string_view text, int n, std::int64_t offset) {
    if (p.arena_bytes < offset + 4 * n) p.arena_bytes = tkl::round_up(offset + 4 * n, 64);
    return vector(storage(tkl::space::arena, text, 4 * n, offset), n);
  }
  constexpr int weight(std::string_view text, int n) {
    const std::int64_t offset = p.weights_bytes;
    p.weights_bytes = tkl::round_up(offset + 4 * n, 64);
    return vector(storage(tkl::space::weights, text, 4 * n, offset), n);
  }
  constexpr int input(std::string_view text, int n) {
    p.inputs.push_back(static_cast<std::int16_t>(p.edges.size()));
    return vector(storage(tkl::space::input, text, 4 * n, 0, static_cast<int>(p.inputs.size()) - 1), n);
  }
  constexpr int output(std::string_view text, int n) {
    p.outputs.push_back(static_cast<std::int16_t>(p.edges.size()));
    return vector(storage(tkl::space::output, text, 4 * n, 0, static_cast<int>(p.outputs.size()) - 1), n);
  }

  /// Appends a step and a kernel of its own.
  constexpr tkl::step& step(tkl::algorithm a, std::string_view text, std::initializer_list<int> in, int out) {
    tkl::step s;
    s.algorithm = a;
    s.name = name(text);
    int i = 0;
    for (int e : in) s.in[i++] = static_cast<std::int16_t>(e);
    s.out = static_cast<std::int16_t>(out);
    s.kernel = static_cast<std::int16_t>(p.keys.size());
    tkl::kernel_key key;
    key.algorithm = a;
    p.keys.push_back(key);
    p.steps.push_back(s);
    return p.steps.back();
  }

  constexpr tkl::storage& storage_of(int e) {
    return p.storages[static_cast<std::size_t>(p.edge_storage[static_cast<std::size_t>(e)])];
  }
  /// Moves a value and all its edges.
  constexpr void move(int e, std::int64_t by) {
    const std::int32_t s = p.edge_storage[static_cast<std::size_t>(e)];
    storage_of(e).offset += by;
    for (std::size_t i = 0; i < p.edges.size(); ++i)
      if (p.edge_storage[i] == s) p.edges[i].offset += by;
  }
};

}  // namespace support
