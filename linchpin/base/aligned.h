// AlignedArray: an array of fixed size whose first element is aligned to a cache line. The alignment is a constant of
// this header and does not depend on compiler flags, so that programs built with other flags agree with the library.
#pragma once

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace linchpin {

inline constexpr std::size_t cache_line = 64;

// Arrays of two huge pages or more are aligned and padded to huge pages and request them from the kernel. A sweep over
// 100000 links then has TLB misses for a few dozen pages instead of ten thousand.
inline constexpr std::size_t huge_page = std::size_t(2) << 20;
inline bool is_huge(std::size_t bytes) { return bytes >= 2 * huge_page; }
inline std::size_t alignment_for(std::size_t bytes) { return is_huge(bytes) ? huge_page : cache_line; }
inline std::size_t rounded_up(std::size_t bytes) {
  return is_huge(bytes) ? (bytes + huge_page - 1) / huge_page * huge_page : bytes;
}
// The content of the memory is lost. Memory that was used and freed before is still mapped with small pages, so these
// are released first (MADV_DONTNEED). Both calls are hints: if the kernel refuses them, the memory works all the same.
inline void ask_for_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__)
  if (!is_huge(bytes)) return;
  (void)madvise(memory, bytes, MADV_DONTNEED);
  (void)madvise(memory, bytes, MADV_HUGEPAGE);
#endif
}

template <class T>
class AlignedArray {
  static_assert(std::is_trivially_destructible_v<T>);
  static_assert(alignof(T) <= cache_line);

 public:
  AlignedArray() = default;
  explicit AlignedArray(std::size_t size) : size_(size) {
    if (size == 0) return;
    const std::size_t bytes = rounded_up(size * sizeof(T));
    data_ = static_cast<T*>(::operator new (bytes, std::align_val_t{alignment_for(bytes)}));
    ask_for_huge_pages(data_, bytes);
    std::uninitialized_value_construct_n(data_, size);
  }
  AlignedArray(const AlignedArray& other) : AlignedArray(other.size_) {
    for (std::size_t i = 0; i < size_; ++i) data_[i] = other.data_[i];
  }
  AlignedArray(AlignedArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  // Arrays of the same size are copied in place, so that copying a workspace does not allocate.
  AlignedArray& operator=(const AlignedArray& other) {
    if (size_ != other.size_) return *this = AlignedArray(other);
    for (std::size_t i = 0; i < size_; ++i) data_[i] = other.data_[i];
    return *this;
  }
  AlignedArray& operator=(AlignedArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~AlignedArray() {
    if (data_) ::operator delete (data_, std::align_val_t{alignment_for(size_ * sizeof(T))});
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace linchpin
