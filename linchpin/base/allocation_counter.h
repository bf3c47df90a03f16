// Counts allocations, for tests that expect none. This header replaces operator new for the whole program, so exactly
// one file of a test program may include it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace linchpin {

inline std::atomic<long> allocations{0};

inline void* count_and_allocate(std::size_t size, std::size_t alignment) noexcept {
  ++allocations;
  size = (size + alignment - 1) / alignment * alignment;
  return std::aligned_alloc(alignment, size ? size : alignment);
}
inline void* count_or_throw(std::size_t size, std::size_t alignment) {
  if (void* memory = count_and_allocate(size, alignment)) return memory;
  throw std::bad_alloc();
}

}  // namespace linchpin

// The array forms call these. The nothrow forms are replaced too, because their memory is freed by the same delete.
void* operator new(std::size_t size) { return linchpin::count_or_throw(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return linchpin::count_or_throw(size, std::size_t(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return linchpin::count_and_allocate(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return linchpin::count_and_allocate(size, std::size_t(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept { std::free(memory); }
