// SPDX-License-Identifier: Apache-2.0
// The kernel of one step whose extents are numbers in its text, where the schedule asks for it: the text of the step's
// key is used as it is, behind a definition of each extent that it names, and the extents are arguments no longer.
#pragma once

#include <string>
#include <tkl/config.hpp>
#include <tkl/exec/opencl_plan.hpp>
#include <tkl/exec/opencl_text_of.hpp>
#include <vector>

namespace tkl {
TKL_ISA_BEGIN

class opencl_literal_kernel {
 public:
  /// `k`: the kernel of the key of step `s`.
  TKL_COLD opencl_literal_kernel(const opencl_kernel& k, const step& s, const edge* edges) : kernel_(k) {
    for (int i = 0; i < k.arguments; ++i) {
      const text_argument& a = k.argument[i];
      if (a.kind != argument_kind::extent) {
        argument_.push_back(a);
        continue;
      }
      text<64> line;
      line << "#define ";
      write_argument(line, a);
      line << ' ' << integer_of(a, s, edges, 0) << '\n';
      source_ += line.view();
    }
    source_ += k.source;
  }

  /// Valid as long as this object.
  opencl_kernel kernel() const {
    opencl_kernel k = kernel_;
    k.source = source_;
    k.argument = argument_.data();
    k.arguments = static_cast<int>(argument_.size());
    return k;
  }

 private:
  opencl_kernel kernel_;
  std::string source_{};
  std::vector<text_argument> argument_{};
};

TKL_ISA_END
}  // namespace tkl
