// SPDX-License-Identifier: Apache-2.0
// Places: where the elements of a graph value lie. Slices, transposes, reshapes and parts of a concatenation are
// arithmetic on places, not copies.
#pragma once

#include <cstdint>
#include <tkl/core/element.hpp>
#include <tkl/core/shape.hpp>
#include <tkl/graph/graph.hpp>

namespace tkl {

/// A strided tensor inside a storage (an index into the program's storages).
struct place {
  std::int32_t storage = -1;  // -1: nowhere yet
  std::int64_t offset = 0;    // elements
  tkl::shape extents{};
  std::int64_t stride[max_rank]{};  // elements; 0 where the extent is 1

  constexpr bool assigned() const { return storage >= 0; }
  /// Whether the innermost axis is consecutive in memory.
  constexpr bool consecutive() const {
    return extents.rank == 0 || extents.back(0) == 1 || stride[extents.rank - 1] == 1;
  }
  /// Whether the elements lie densely in the order of their indices.
  constexpr bool dense() const {
    std::int64_t expected = 1;
    for (int i = extents.rank - 1; i >= 0; --i) {
      if (extents[i] != 1 && stride[i] != expected) return false;
      expected *= extents[i];
    }
    return true;
  }
};

/// The dense place of a shape at the start of a storage.
constexpr place dense_place(std::int32_t storage, const shape& extents) {
  place p;
  p.storage = storage;
  p.extents = extents;
  std::uint64_t step = 1;  // may leave 64 bits, where the storage of so many elements is refused
  for (int i = extents.rank - 1; i >= 0; --i) {
    p.stride[i] = extents[i] == 1 ? 0 : static_cast<std::int64_t>(step);
    step *= static_cast<std::uint64_t>(extents[i]);
  }
  return p;
}

/// The place of logical axes batch, row, column, channel that lie in memory as batch, channel, row, column.
constexpr place nchw_place(std::int32_t storage, const shape& extents) {
  const place memory = dense_place(storage, shape(extents[0], extents[3], extents[1], extents[2]));
  place p;
  p.storage = storage;
  p.extents = extents;
  constexpr int from[4] = {0, 2, 3, 1};
  for (int i = 0; i < 4; ++i) p.stride[i] = memory.stride[from[i]];
  return p;
}

/// Output axis i is input axis permutation[i].
constexpr place transposed(const place& p, const std::int32_t* permutation) {
  place r = p;
  for (int i = 0; i < p.extents.rank; ++i) {
    r.extents[i] = p.extents[permutation[i]];
    r.stride[i] = p.stride[permutation[i]];
  }
  return r;
}

/// First index and step per axis; `extents` is the shape of the slice.
constexpr place sliced(const place& p, const shape& extents, const std::int64_t* begin, const std::int64_t* step) {
  place r = p;
  r.extents = extents;
  for (int i = 0; i < extents.rank; ++i) {
    if (extents[i] > 0) r.offset += begin[i] * p.stride[i];
    r.stride[i] = extents[i] == 1 ? 0 : p.stride[i] * step[i];
  }
  return r;
}

/// The same elements under another shape, or an unassigned place when that needs a copy: axes of the old shape are
/// merged only where they are consecutive, and split freely.
constexpr place reshaped(const place& p, const shape& extents) {
  place r = extents.elements().value == 0 ? dense_place(p.storage, extents) : place{};
  r.storage = p.storage;
  r.offset = p.offset;
  r.extents = extents;
  if (extents.elements().value == 0) return r;  // no element, no order to keep
  int from = 0, to = 0;
  const int from_rank = p.extents.rank, to_rank = extents.rank;
  while (from < from_rank || to < to_rank) {
    if (from < from_rank && p.extents[from] == 1) {
      ++from;
      continue;
    }
    if (to < to_rank && extents[to] == 1) {
      ++to;
      continue;
    }
    if (from >= from_rank || to >= to_rank) return {};  // different element counts
    int from_end = from + 1, to_end = to + 1;
    std::int64_t old_count = p.extents[from], new_count = extents[to];
    while (old_count != new_count) {  // the smallest groups of axes with equal products
      if (old_count < new_count) {
        if (from_end >= from_rank) return {};
        old_count *= p.extents[from_end++];
      } else {
        if (to_end >= to_rank) return {};
        new_count *= extents[to_end++];
      }
    }
    std::int64_t step = 0;
    for (int i = from_end - 1, next = -1; i >= from; --i) {  // the old group must be consecutive
      if (p.extents[i] == 1) continue;
      if (next < 0) {
        step = p.stride[i];
      } else if (p.stride[i] != p.stride[next] * p.extents[next]) {
        return {};
      }
      next = i;
    }
    for (int i = to_end - 1; i >= to; --i) {
      r.stride[i] = extents[i] == 1 ? 0 : step;
      step *= extents[i];
    }
    from = from_end;
    to = to_end;
  }
  return r;
}

/// The place seen with a larger shape under the broadcasting rule: strides of 0 where it repeats.
constexpr place broadcast_to(const place& p, const shape& extents) {
  place r = p;
  r.extents = extents;
  for (int i = 0; i < extents.rank; ++i) {
    const int axis = i - (extents.rank - p.extents.rank);
    r.stride[i] = axis < 0 || p.extents[axis] == 1 ? 0 : p.stride[axis];
  }
  return r;
}

/// Several places of one shape, their axes merged together to at most four where every place allows it.
template <int Count>
struct merged_places {
  std::int32_t rank = 0;
  std::int64_t extent[max_rank]{};
  std::int64_t stride[Count][max_rank]{};
};

/// Merges adjacent axes, dropping those of extent 1; `count` places of shape `extents`.
template <int Count>
constexpr merged_places<Count> merge_axes(const place* places, int count, const shape& extents) {
  merged_places<Count> m;
  for (int axis = 0; axis < extents.rank; ++axis) {
    if (extents[axis] == 1) continue;
    bool joins = m.rank > 0;
    for (int k = 0; joins && k < count; ++k) joins = m.stride[k][m.rank - 1] == places[k].stride[axis] * extents[axis];
    if (joins) {
      m.extent[m.rank - 1] *= extents[axis];
    } else {
      m.extent[m.rank++] = extents[axis];
    }
    for (int k = 0; k < count; ++k) m.stride[k][m.rank - 1] = places[k].stride[axis];
  }
  return m;
}

}  // namespace tkl
