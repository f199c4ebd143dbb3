// SPDX-License-Identifier: Apache-2.0
// The line recogniser for OpenCL, loaded and run: its plan, and the texts of its kernels, written by the compiler.
#include <read_page/networks/recogniser.hpp>
#include <tkl/opencl.hpp>

namespace budget {

using recogniser = tkl::compile<read_page::recogniser<320>, tkl::opencl<>>;

tkl::result<recogniser> load(const tkl::opencl_context& context, const char* path) {
  return recogniser::load(context, path);
}

tkl::status run(const recogniser& r, const recogniser::workspace& w, const void* const* in, void* const* out) {
  return r.run(w, in, out);
}

}  // namespace budget
