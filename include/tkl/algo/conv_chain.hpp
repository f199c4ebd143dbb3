// SPDX-License-Identifier: Apache-2.0
// Convolutions that hand rows on to each other, so that no tensor between them lies in memory: of each, only the rows
// that the next one's windows meet, in scratch that stays in the cache.
//
//   for image: for band of rows of the result:             in parallel: neighbouring bands by one worker
//     for stage of the chain:
//       move the rows that an earlier band left and this one needs to the front of the stage's window
//       compute the others                               by the stage's own algorithm, epilogue included
//
// Each row is computed once, together with the same others whoever computes it: a worker that begins in the middle
// first computes what the bands before would have left to it. So results have the same bits for any number of workers.
// Other bands put a row into other register tiles, whose sums may round otherwise.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tkl/config.hpp>
#include <tkl/core/checked.hpp>
#include <tkl/schedule/conv_chain.hpp>

namespace tkl {

/// What one stage is asked for.
struct chain_call {
  int stage = 0;
  std::int64_t image = 0;
  row_range in{};           // of its input: those that exist among the rows that it meets
  row_range out{};          // of its result
  std::int64_t pad = 0;     // rows of zeros that the first window meets above in.first
  std::int64_t in_at = 0;   // bytes from the worker's scratch to row in.first (not of the first stage)
  std::int64_t out_at = 0;  // bytes from the worker's scratch to row out.first (not of the last stage)
};

TKL_ISA_BEGIN

/// Runs the chain on `images` images. compute(call, scratch) runs a stage's rows on the scratch of one worker;
/// `scratch`: `bytes` for each worker, which begin with chain.bytes() for the windows.
template <class X, class Compute>
void conv_chain(const chain_rows& chain, std::int64_t images, const X& executor, std::byte* scratch, std::int64_t bytes,
                const Compute& compute) {
  const int last = chain.stages - 1;
  const std::int64_t bands = ceil_div(chain.stage[last].rows, chain.band);
  executor.parallel_for(images * bands, [&](std::int64_t begin, std::int64_t end, int worker) {
    std::byte* const own = scratch + worker * bytes;
    std::int64_t window[max_stages]{};
    for (int i = 0; i < last; ++i) window[i + 1] = window[i] + chain.window_bytes(i);
    for (std::int64_t item = begin; item < end;) {
      const std::int64_t image = item / bands, band = item % bands;
      const std::int64_t bands_here = (std::min)(bands, band + end - item);
      std::int64_t start[max_stages]{};  // the first band whose rows this worker computes, per stage
      start[last] = band;
      for (int i = last; i > 0; --i)
        start[i - 1] = chain.band_of(i - 1, chain.met(i, chain.fresh(i, start[i])).first, start[i]);
      for (std::int64_t b = start[0]; b < bands_here; ++b) {
        for (int i = 0; i <= last; ++i) {
          if (b < start[i]) break;
          const std::int64_t row = chain.stage[i].row_bytes;
          const row_range needed = chain.needed(i, b);
          chain_call call{.stage = i, .image = image, .out = chain.fresh(i, b)};
          if (i < last) {
            if (b > start[i] && call.out.first > needed.first)
              std::memmove(own + window[i], own + window[i] + (needed.first - chain.needed(i, b - 1).first) * row,
                           static_cast<std::size_t>((call.out.first - needed.first) * row));
            call.out_at = window[i] + (call.out.first - needed.first) * row;
          }
          if (call.out.count() == 0) continue;
          call.in = chain.met(i, call.out);
          call.pad = call.in.first - (call.out.first * chain.stage[i].stride - chain.stage[i].pad);
          if (i > 0)
            call.in_at = window[i - 1] + (call.in.first - chain.needed(i - 1, b).first) * chain.stage[i - 1].row_bytes;
          compute(call, own);
        }
      }
      item += bands_here - band;
    }
  });
}

TKL_ISA_END
}  // namespace tkl
