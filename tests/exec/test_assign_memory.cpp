// SPDX-License-Identifier: Apache-2.0
// Memory of targets and operands: missing, misaligned, too much of it, and where large tensors live.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <string>
#include <tkl/elementwise.hpp>
#include <tkl/gemm.hpp>

#include "assign_support.hpp"

using namespace tkl;
using namespace tkl::test;

namespace {

constexpr int aborted = 86;

/// What a child process that runs f writes to stderr, when it ends with SIGABRT.
template <class F>
std::string stops(const F& f) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGABRT, [](int) { _exit(aborted); });  // not doctest's handler, nor the emulator's message
    dup2(ends[1], 2);
    f();
    _exit(0);
  }
  close(ends[1]);
  std::string said;
  char c;
  while (read(ends[0], &c, 1) == 1) said += c;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == aborted ? said : "did not stop: " + said;
}

}  // namespace

TEST_CASE("null and misaligned buffers are refused") {
  float memory[16]{};
  using rows = row_major<dyn, dyn>;
  const view<float, rows> nothing(nullptr, rows(2, 4)), y(memory, rows(2, 4));
  CHECK(message_of(assign(nothing, y + 1)) == "assign: the target is null, 8 elements expected");
  CHECK(message_of(assign(y, nothing + 1)) ==
        "assign: operand 1 of the element-wise part is null, 8 elements expected");
  const view<float, rows> odd(reinterpret_cast<float*>(reinterpret_cast<char*>(memory) + 2), rows(2, 4));
  CHECK(message_of(assign(odd, y + 1)) == "assign: the target begins 2 bytes past a multiple of 4");
  CHECK(message_of(assign(y, matmul(odd, y))).find("matmul: inner extents differ") == 0);
  tensor<float, rows> product(rows(2, 2));
  CHECK(message_of(assign(product, matmul(odd, y, {.transpose_b = true}))) ==
        "matmul: first operand begins 2 bytes past a multiple of 4");
  for (float v : memory) CHECK(v == 0.0f);
}

TEST_CASE("a tensor's extents are checked when it gets its memory") {
  using rows = row_major<dyn, 8>;
  CHECK(message_of(tensor<float, rows>::allocate(rows(2, 7)).error()) == "tensor: extents 2x7, the type declares ?x8");
  CHECK(message_of(tensor<float, rows>::allocate(rows(-1, 8)).error()) ==
        "tensor: extents ?x8 are negative or leave 64 bits");
  CHECK(message_of(
            tensor<float, row_major<dyn, dyn>>::allocate({std::int64_t{1} << 40, std::int64_t{1} << 40}).error()) ==
        "tensor: extents 1099511627776x1099511627776 are negative or leave 64 bits");
  CHECK(message_of(
            tensor<float, row_major<dyn, dyn>>::allocate({std::int64_t{1} << 30, std::int64_t{1} << 30}).error()) ==
        "tensor: no memory for 4611686018427387904 bytes");
  const auto t = tensor<half, rows>::allocate(rows(3, 8));
  REQUIRE(t);
  CHECK(reinterpret_cast<std::uintptr_t>(t->data()) % 64 == 0);
  CHECK(t->size() == 24);
  CHECK(tensor<float, rows>::allocate(rows(0, 8)).ok());
  tensor<float, rows> none(rows(2, 7));  // a view of it is refused
  CHECK(none.data() == nullptr);
  tensor<float, rows> y(rows(2, 8));
  CHECK(message_of(assign(y, none + 1)) == "operand 1 of the element-wise part: extents 2x7, the type declares ?x8");
}

TEST_CASE("large tensors live on the heap, also inside expressions") {
  // 16 MiB each, with a stack of 1 MiB.
  const auto run = [] {
    rlimit small{1 << 20, 1 << 20};
    setrlimit(RLIMIT_STACK, &small);
    using layout = row_major<32, 512, 256>;
    static_assert(sizeof(tensor<float, layout>) <= 16);
    tensor<float, layout> x, y;
    for (float& v : x) v = 1;
    const auto e = relu(x + x) * x;
    static_assert(sizeof(e) <= 128);
    assign(y, e);
    if (y(31, 511, 255) == 2.0f) std::abort();
  };
  CHECK(stops(run) == "");
}

TEST_CASE("an assign without status stops the program when memory is wrong") {
  CHECK(stops([] {
          tensor<float, row_major<2, 2>> c;
          assign(c, matmul(c, c));
        }) == "tkl: matmul: the target (bytes 0 to 16) overlaps first operand (bytes 0 to 16 of the same memory)\n");
  CHECK(
      stops([] {  // one row, broadcast over two of which it is one
        tensor<float, row_major<3, 4>> table;
        tensor<float, row_major<2, 4>> ones;
        assign(slice<slice_params{.end = 2}>(table), ones + slice<slice_params{.begin = 1, .end = 2}>(table));
      }) ==
      "tkl: assign: the target (bytes 0 to 32) overlaps operand 2 of the element-wise part (bytes 16 to 32 of the same "
      "memory)\n");
  CHECK(stops([] {
          tensor<float, row_major<2, 2>> c, lost;
          const auto kept = std::move(lost);
          assign(c, lost + 1);
        }) == "tkl: assign: operand 1 of the element-wise part is null, 4 elements expected\n");
}

TEST_CASE("types of the interface are the same at every level") {
  static_assert(sizeof(view<float, nhwc<1, 2, 3, 4>>) == 2 * sizeof(void*));
  static_assert(sizeof(tensor<float, nhwc<1, 2, 3, 4>>) == 2 * sizeof(void*));
  static_assert(alignof(tensor<float, nhwc<1, 2, 3, 4>>) == alignof(void*));
  static_assert(sizeof(scratch_memory) == 16 && sizeof(status) == 264 && alignof(status) == 8);
  static_assert(sizeof(row_major<dyn, 8>) == sizeof(shape));
}
