// expect: the architecture, or the core that a device file describes, is of a level that this unit's compiler flags do not allow
// errors: 8
// SPDX-License-Identifier: Apache-2.0
// A device file of a machine with another instruction set than the unit is compiled for.
// The flags of its level belong with it; `arch/avx512.hpp` is what the file includes.
#include <tkl/arch/avx512.hpp>
#include <tkl/cpu.hpp>

namespace device {
struct server : tkl::arch::avx512 {
  static constexpr std::string_view name = "server";
};
}  // namespace device

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    return tkl::relu(tkl::linear(g.input("x", tkl::f32, {50, 256}), g.weight("w", {64, 256})));
  }
};
constexpr int steps = tkl::compile<model, tkl::cpu<device::server>>::steps;
