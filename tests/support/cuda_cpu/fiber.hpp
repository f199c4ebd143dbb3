// SPDX-License-Identifier: Apache-2.0
// A fiber: a stack of its own and a place to go on. Each is told to the address and thread sanitizers, for which the
// fibers of a block are threads that only barriers order.
#pragma once

#include <sys/mman.h>
#include <ucontext.h>

#include <cstddef>
#include <cstdlib>

#if defined(__SANITIZE_THREAD__)
#  define CUDA_CPU_TSAN 1
extern "C" {
void* __tsan_get_current_fiber(void);
void* __tsan_create_fiber(unsigned);
void __tsan_destroy_fiber(void*);
void __tsan_switch_to_fiber(void*, unsigned);
void __tsan_acquire(void*);
void __tsan_release(void*);
void AnnotateIgnoreReadsBegin(const char*, int);
void AnnotateIgnoreReadsEnd(const char*, int);
void AnnotateIgnoreWritesBegin(const char*, int);
void AnnotateIgnoreWritesEnd(const char*, int);
}
#endif
#if defined(__SANITIZE_ADDRESS__)
#  define CUDA_CPU_ASAN 1
extern "C" {
void __sanitizer_start_switch_fiber(void**, const void*, std::size_t);
void __sanitizer_finish_switch_fiber(void*, const void**, std::size_t*);
void __asan_unpoison_memory_region(const volatile void*, std::size_t);
}
#endif

namespace cuda_cpu {

/// Hides the simulator's own accesses from the thread sanitizer.
struct quiet {
#if defined(CUDA_CPU_TSAN)
  quiet() {
    AnnotateIgnoreReadsBegin("", 0), AnnotateIgnoreWritesBegin("", 0);
  }
  ~quiet() {
    AnnotateIgnoreReadsEnd("", 0), AnnotateIgnoreWritesEnd("", 0);
  }
#else
  quiet() {}
#endif
  quiet(const quiet&) = delete;
  quiet& operator=(const quiet&) = delete;
};

/// Within a `quiet`: shows what follows to the thread sanitizer all the same.
struct heard {
#if defined(CUDA_CPU_TSAN)
  heard() {
    AnnotateIgnoreReadsEnd("", 0), AnnotateIgnoreWritesEnd("", 0);
  }
  ~heard() {
    AnnotateIgnoreReadsBegin("", 0), AnnotateIgnoreWritesBegin("", 0);
  }
#else
  heard() {}
#endif
  heard(const heard&) = delete;
  heard& operator=(const heard&) = delete;
};

#if defined(__x86_64__)
/// Saves the registers that a call keeps, changes stacks, and restores those of the other side.
[[gnu::naked, gnu::noinline]] inline void swap_stacks(void** /*from*/, void* /*to*/) {
  __asm__(
      "pushq %rbp; pushq %rbx; pushq %r12; pushq %r13; pushq %r14; pushq %r15\n"
      "movq %rsp, (%rdi); movq %rsi, %rsp\n"
      "popq %r15; popq %r14; popq %r13; popq %r12; popq %rbx; popq %rbp; ret");
}
#endif

class fiber {
 public:
  fiber() = default;
  fiber(const fiber&) = delete;
  fiber& operator=(const fiber&) = delete;

  /// Lets the fiber start with f, which never returns, when it is jumped to.
  void begin(void (*f)()) {
    if (stack_ == nullptr) {
      stack_ = static_cast<std::byte*>(
          mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
      mprotect(stack_, 4096, PROT_NONE);
    }
#if defined(CUDA_CPU_TSAN)
    if (sanitizer_ != nullptr) __tsan_destroy_fiber(sanitizer_);
    sanitizer_ = __tsan_create_fiber(0);
#endif
#if defined(CUDA_CPU_ASAN)
    __asan_unpoison_memory_region(stack_, bytes);  // the fiber left its last frames without returning
#endif
#if defined(__x86_64__)
    void** top = reinterpret_cast<void**>(stack_ + bytes) - 3;
    *--top = reinterpret_cast<void*>(f);
    for (int i = 0; i < 6; ++i) *--top = nullptr;
    pointer_ = top;
#else
    getcontext(&context_);
    context_.uc_stack.ss_sp = stack_;
    context_.uc_stack.ss_size = bytes;
    context_.uc_link = nullptr;
    makecontext(&context_, f, 0);
#endif
  }

  [[gnu::no_sanitize_thread, gnu::noinline]] static void jump(fiber& from, fiber& to) {
#if defined(CUDA_CPU_TSAN)
    if (from.sanitizer_ == nullptr) from.sanitizer_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(to.sanitizer_, 1);  // 1: the switch itself orders nothing
#endif
#if defined(CUDA_CPU_ASAN)
    if (to.stack_ != nullptr) {
      __sanitizer_start_switch_fiber(&from.fake_, to.stack_, bytes);
    } else {
      __sanitizer_start_switch_fiber(&from.fake_, outer_stack(), outer_size());
    }
#endif
#if defined(__x86_64__)
    swap_stacks(&from.pointer_, to.pointer_);
#else
    swapcontext(&from.context_, &to.context_);
#endif
#if defined(CUDA_CPU_ASAN)
    __sanitizer_finish_switch_fiber(from.fake_, nullptr, nullptr);
#endif
  }
  /// The first thing that a fiber does.
  static void arrived() {
#if defined(CUDA_CPU_ASAN)
    const void* stack = nullptr;
    std::size_t size = 0;
    __sanitizer_finish_switch_fiber(nullptr, &stack, &size);
    if (outer_stack() == nullptr) outer_stack() = stack, outer_size() = size;
#endif
  }

  void acquire([[maybe_unused]] void* what) const {
#if defined(CUDA_CPU_TSAN)
    __tsan_acquire(what);
#endif
  }
  void release([[maybe_unused]] void* what) const {
#if defined(CUDA_CPU_TSAN)
    __tsan_release(what);
#endif
  }

 private:
  static constexpr std::size_t bytes = std::size_t{256} << 10;
#if defined(CUDA_CPU_ASAN)
  static const void*& outer_stack() {
    static const void* stack = nullptr;
    return stack;
  }
  static std::size_t& outer_size() {
    static std::size_t size = 0;
    return size;
  }
  void* fake_ = nullptr;
#endif
#if defined(CUDA_CPU_TSAN)
  void* sanitizer_ = nullptr;
#endif
#if defined(__x86_64__)
  void* pointer_ = nullptr;
#else
  ucontext_t context_{};
#endif
  std::byte* stack_ = nullptr;
};

}  // namespace cuda_cpu
