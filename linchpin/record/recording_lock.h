// The lock of a recording while it is written: a second run that would write to the same file is refused. Not
// installed.
//
// A record lock of the open file (fcntl, F_OFD_SETLK): it belongs to the file, not to its name, other processes see it,
// and it ends with the process that holds it, however that ends. Readers ignore it.
#pragma once

#include <filesystem>
#include <utility>

namespace linchpin {

class RecordingLock {
 public:
  RecordingLock() = default;
  RecordingLock(RecordingLock&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)), created_(std::exchange(other.created_, false)) {}
  RecordingLock& operator=(RecordingLock&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(created_, other.created_);
    return *this;
  }
  ~RecordingLock();

  // Throws an Hdf5Fault if another run holds the lock, or the file cannot be opened. `create`: creates an empty file if
  // there is none, so that of two runs that begin at once only one gets the name.
  static RecordingLock to_write(const std::filesystem::path& file, bool create = false);
  // Keeps others from writing; any number of processes can hold it.
  static RecordingLock to_read(const std::filesystem::path& file);

  bool created() const { return created_; }

 private:
  int descriptor_ = -1;
  bool created_ = false;
};

// True if a run holds the lock to write.
bool is_locked_to_write(const std::filesystem::path& file);

}  // namespace linchpin
