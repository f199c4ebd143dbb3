// SPDX-License-Identifier: Apache-2.0
// The three networks that read a page for OpenCL, loaded: what the texts of their kernels add where the compiler writes
// them, compared with the same unit where the program writes them when it starts (TKL_OPENCL_TEXT_AT_START).
#include <read_page/networks/classifier.hpp>
#include <read_page/networks/detector.hpp>
#include <read_page/networks/recogniser.hpp>
#include <tkl/opencl.hpp>

namespace budget {

template <class Model>
tkl::result<tkl::compile<Model, tkl::opencl<>>> load(const tkl::opencl_context& context, const char* path) {
  return tkl::compile<Model, tkl::opencl<>>::load(context, path);
}

template tkl::result<tkl::compile<read_page::recogniser<320>, tkl::opencl<>>> load<read_page::recogniser<320>>(
    const tkl::opencl_context&, const char*);
template tkl::result<tkl::compile<read_page::detector<read_page::extent{640, 640}>, tkl::opencl<>>>
load<read_page::detector<read_page::extent{640, 640}>>(const tkl::opencl_context&, const char*);
template tkl::result<tkl::compile<read_page::classifier, tkl::opencl<>>> load<read_page::classifier>(
    const tkl::opencl_context&, const char*);

}  // namespace budget
