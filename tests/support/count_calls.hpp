// SPDX-License-Identifier: Apache-2.0
// Counts the program's calls of the allocator and of locks, by defining these functions before the C library's. For one
// source file of a dynamically linked program; sanitizers define them too, so not with those.
#pragma once

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <cstddef>

namespace tkl::test {

inline std::atomic<long> allocations{0};  // malloc and its relatives, free not included
inline std::atomic<long> locks{0};

/// The next definition of a function, in the C library.
template <class F>
F* original(const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

}  // namespace tkl::test

extern "C" {
void* __libc_malloc(std::size_t);                 // NOLINT(bugprone-reserved-identifier): glibc's names
void* __libc_calloc(std::size_t, std::size_t);    // NOLINT(bugprone-reserved-identifier)
void* __libc_realloc(void*, std::size_t);         // NOLINT(bugprone-reserved-identifier)
void* __libc_memalign(std::size_t, std::size_t);  // NOLINT(bugprone-reserved-identifier)

void* malloc(std::size_t n) noexcept {
  ++tkl::test::allocations;
  return __libc_malloc(n);
}
void* calloc(std::size_t n, std::size_t size) noexcept {
  ++tkl::test::allocations;
  return __libc_calloc(n, size);
}
void* realloc(void* p, std::size_t n) noexcept {
  ++tkl::test::allocations;
  return __libc_realloc(p, n);
}
void* aligned_alloc(std::size_t alignment, std::size_t n) noexcept {
  ++tkl::test::allocations;
  return __libc_memalign(alignment, n);
}
void* memalign(std::size_t alignment, std::size_t n) noexcept {
  ++tkl::test::allocations;
  return __libc_memalign(alignment, n);
}
int posix_memalign(void** p, std::size_t alignment, std::size_t n) noexcept {
  ++tkl::test::allocations;
  *p = __libc_memalign(alignment, n);
  return *p == nullptr ? ENOMEM : 0;
}

int pthread_mutex_lock(pthread_mutex_t* m) noexcept {
  static auto* const next = tkl::test::original<int(pthread_mutex_t*)>("pthread_mutex_lock");
  ++tkl::test::locks;
  return next(m);
}
int pthread_spin_lock(pthread_spinlock_t* l) noexcept {
  static auto* const next = tkl::test::original<int(pthread_spinlock_t*)>("pthread_spin_lock");
  ++tkl::test::locks;
  return next(l);
}
int pthread_rwlock_rdlock(pthread_rwlock_t* l) noexcept {
  static auto* const next = tkl::test::original<int(pthread_rwlock_t*)>("pthread_rwlock_rdlock");
  ++tkl::test::locks;
  return next(l);
}
int pthread_rwlock_wrlock(pthread_rwlock_t* l) noexcept {
  static auto* const next = tkl::test::original<int(pthread_rwlock_t*)>("pthread_rwlock_wrlock");
  ++tkl::test::locks;
  return next(l);
}
}
