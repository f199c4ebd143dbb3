// SPDX-License-Identifier: Apache-2.0
// The line recogniser at the four widths of the page reader, which share weights and kernels.
#include <read_page/networks/recogniser.hpp>
#include <tkl/cpu.hpp>

namespace budget {

using recognisers = tkl::buckets<read_page::recogniser, tkl::cpu<>, 320, 480, 640, 960>;

tkl::result<recognisers> load(const char* path) {
  return recognisers::load(path);
}

tkl::status run(const recognisers& r, int width, const tkl::arena_workspace& w, const void* const* in,
                void* const* out) {
  return r.run(width, w, in, out);
}

}  // namespace budget
