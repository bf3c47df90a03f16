// An array whose first element sits on a cache line, of fixed size once made. The alignment is a constant of this
// header, never of the compiler flags, so that programs built with other flags agree with the library about it.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace linchpin {

inline constexpr std::size_t cache_line = 64;

template <class T>
class AlignedArray {
  static_assert(std::is_trivially_destructible_v<T>);
  static_assert(alignof(T) <= cache_line);

 public:
  AlignedArray() = default;
  explicit AlignedArray(std::size_t size) : size_(size) {
    if (size == 0) return;
    data_ = static_cast<T*>(::operator new(size * sizeof(T), std::align_val_t{cache_line}));
    std::uninitialized_value_construct_n(data_, size);
  }
  AlignedArray(const AlignedArray& other) : AlignedArray(other.size_) {
    for (std::size_t i = 0; i < size_; ++i) data_[i] = other.data_[i];
  }
  AlignedArray(AlignedArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  AlignedArray& operator=(AlignedArray other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~AlignedArray() {
    if (data_) ::operator delete(data_, std::align_val_t{cache_line});
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
