// SPDX-License-Identifier: Apache-2.0
// The line recogniser at one width, loaded and run: what a user's translation unit with one network costs.
#include <read_page/networks/recogniser.hpp>
#include <tkl/cpu.hpp>

namespace budget {

using recogniser = tkl::compile<read_page::recogniser<320>, tkl::cpu<>>;

tkl::result<recogniser> load(const char* path) {
  return recogniser::load(path);
}

tkl::status run(const recogniser& r, const tkl::arena_workspace& w, const void* const* in, void* const* out) {
  return r.run(w, in, out);
}

}  // namespace budget
