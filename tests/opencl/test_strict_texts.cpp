// SPDX-License-Identifier: Apache-2.0
// All kernels of the networks through clang's OpenCL front end, with the language of OpenCL C 1.2 and nothing more, or
// cl_khr_fp16 where they compute in half precision: an ambiguous call, or a name that only some devices know, does not
// pass. Needs no device.
// tkl-test: libs=read_page
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <tkl/exec/opencl_context.hpp>

#include "support/opencl_networks.hpp"
#include "support/skip.hpp"

namespace {

using namespace tkl_test;

bool runs(const std::string& command) {
  const int status = std::system((command + " 2>&1").c_str());
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// The command that checks one text, or nothing where no clang knows OpenCL.
std::string front_end() {
  for (const char* name : {"clang-19", "clang-14", "clang"}) {
    const std::string command =
        std::string(name) +
        " -x cl -cl-std=CL1.2 -target spir64 -Xclang -finclude-default-header -fsyntax-only"
        " -Wall -Wextra -Wno-unused-parameter -Wno-unused-function -Wno-unused-variable -Werror ";
    if (runs("echo '__kernel void k(__global float* x) { *x = exp(*x); }' | " + command + "- >/dev/null"))
      return command;
  }
  return {};
}

TEST_CASE("texts are strict OpenCL C 1.2") {
  const std::string command = front_end();
  if (command.empty()) tkl::test::skip("no clang with an OpenCL front end (Debian: apt-get install clang-14)");
  const std::string folder = std::string(TKL_BUILD_DIR) + "/opencl_texts";
  std::filesystem::create_directories(folder);
  CHECK(!runs("echo 'half f(half4 x) { return clamp(x, 0.0f, 1.0f).x; }' | " + command + "- >/dev/null"));
  std::set<std::string> seen;
  std::string files, files_in_half;
  const auto add = [&](const std::vector<network_texts>& networks, const std::string& storage) {
    for (const network_texts& net : networks)
      for (std::size_t i = 0; i < net.written.size(); ++i) {
        const std::string source = tkl::opencl_context::full_source(net.kernel(i));
        if (!seen.insert(source).second) continue;
        std::string path = folder;
        path.append("/").append(net.name).append(storage).append(std::to_string(i)).append(".cl");
        std::ofstream(path) << source;
        (net.kernel(i).half ? files_in_half : files).append(" '").append(path).append("'");
      }
  };
  add(texts_of_networks<tkl::opencl<>>(), "_");
  add(texts_of_networks<tkl::half_storage<tkl::opencl<>>>(), "_half_");
  add(texts_of_networks<tkl::opencl<tkl::arch::mali_g52, tkl::text_time::compile, tkl::opencl_precision::half>>(),
      "_in_half_");
  MESSAGE(seen.size(), " texts");
  CHECK(runs(command + files));
  const std::string with_half = command + " -Xclang -cl-ext=+cl_khr_fp16 ";
  const auto takes = [&](const char* function) {
    return runs(std::string("printf '#pragma OPENCL EXTENSION cl_khr_fp16 : enable\\n") + function + "\\n' | " +
                with_half + "- >/dev/null");
  };
  CHECK(takes("half f(half a, half b) { return a + b; }"));
  CHECK(!takes("half f(half a, half b, int c) { return select(a, b, c); }"));
  CHECK(!files_in_half.empty());
  CHECK(runs(with_half + files_in_half));
}

}  // namespace
