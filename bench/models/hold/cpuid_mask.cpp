// SPDX-License-Identifier: Apache-2.0
// Preloaded into a runtime that has no switch for its instruction set: hold.py replaced the instruction `cpuid` in
// copies of its libraries by an invalid one (ud2), and this answers it: the truth, without AVX-512, AVX-VNNI, AMX and
// the like.
#include <cpuid.h>
#include <ucontext.h>

#include <csignal>
#include <cstdint>
#include <initializer_list>

namespace {

unsigned long answers = 0;

constexpr unsigned without(std::initializer_list<int> features) {
  unsigned mask = ~0U;
  for (const int f : features) mask &= ~(1U << f);
  return mask;
}

void answer(int signal_number, siginfo_t*, void* context) {
  auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const auto* instruction = reinterpret_cast<const std::uint8_t*>(registers[REG_RIP]);
  if (instruction[0] != 0x0f || instruction[1] != 0x0b) {
    std::signal(signal_number, SIG_DFL);  // another invalid instruction: fail as usual
    return;
  }
  const auto leaf = static_cast<unsigned>(registers[REG_RAX]), part = static_cast<unsigned>(registers[REG_RCX]);
  unsigned a = 0, b = 0, c = 0, d = 0;
  __cpuid_count(leaf, part, a, b, c, d);
  if (leaf == 7 && part == 0) {
    b &= without({16, 17, 21, 26, 27, 28, 30, 31});  // AVX-512 F, DQ, IFMA, PF, ER, CD, BW, VL
    c &= without({1, 6, 8, 9, 10, 11, 12, 14});      // VBMI, VBMI2, GFNI, VAES, VPCLMULQDQ, VNNI, BITALG, VPOPCNTDQ
    d &= without({2, 3, 8, 22, 23, 24, 25});         // 4VNNIW, 4FMAPS, VP2INTERSECT, AMX, AVX-512 FP16
  } else if (leaf == 7) {
    a = b = c = d = 0;  // AVX-VNNI, AVX-512 BF16 and later ones
  }
  registers[REG_RAX] = a, registers[REG_RBX] = b, registers[REG_RCX] = c, registers[REG_RDX] = d;
  registers[REG_RIP] += 2;
  ++answers;
}

[[gnu::constructor]] void install() {
  struct sigaction action {};
  action.sa_sigaction = answer;
  action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
  sigaction(SIGILL, &action, nullptr);
}

}  // namespace

/// How often a library asked; 0 means that none is held.
extern "C" [[gnu::visibility("default")]] unsigned long tkl_bench_cpuid_answers() {
  return answers;
}
