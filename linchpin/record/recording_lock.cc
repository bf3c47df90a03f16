#include "linchpin/record/recording_lock.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include <sys/file.h>
#include <sys/stat.h>

#include "linchpin/record/hdf5_file.h"

namespace linchpin {
namespace {

struct flock whole_file(short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return lock;
}

// False if the name leads to another file by now: the one that we locked was replaced meanwhile.
bool is_still_named(int descriptor, const std::filesystem::path& file) {
  struct stat ours {
  }, named{};
  return fstat(descriptor, &ours) == 0 && stat(file.c_str(), &named) == 0 && ours.st_dev == named.st_dev &&
         ours.st_ino == named.st_ino;
}

[[noreturn]] void fail_lock(const char* doing) { throw Hdf5Fault{std::string(doing) + ": " + std::strerror(errno)}; }

// Other programs that use HDF5 lock a file with flock() while they have it open, except in SWMR mode.
void refuse_others(int descriptor) {
  if (flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    flock(descriptor, LOCK_UN);
  else if (errno == EWOULDBLOCK)
    throw Hdf5Fault{"is open in another program"};
}

}  // namespace

RecordingLock::~RecordingLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

RecordingLock RecordingLock::to_write(const std::filesystem::path& file, bool create) {
  for (;;) {
    RecordingLock lock;
    if (create) lock.descriptor_ = open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    lock.created_ = lock.descriptor_ >= 0;
    if (!lock.created_) {
      if (create && errno != EEXIST) fail_lock("cannot be created");
      lock.descriptor_ = open(file.c_str(), O_RDWR | O_CLOEXEC);
      if (lock.descriptor_ < 0 && create && errno == ENOENT) continue;  // removed meanwhile
      if (lock.descriptor_ < 0) fail_lock("cannot be opened for writing");
    }
    struct flock wanted = whole_file(F_WRLCK);
    if (fcntl(lock.descriptor_, F_OFD_SETLK, &wanted) != 0) {
      if (errno != EAGAIN && errno != EACCES) fail_lock("cannot be locked");
      throw Hdf5Fault{"is being written by another run"};
    }
    if (!is_still_named(lock.descriptor_, file)) continue;
    if (!create) refuse_others(lock.descriptor_);  // a file that is replaced may be open elsewhere
    return lock;
  }
}

RecordingLock RecordingLock::to_read(const std::filesystem::path& file) {
  RecordingLock lock;
  lock.descriptor_ = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (lock.descriptor_ < 0) fail_lock("cannot be opened");
  struct flock wanted = whole_file(F_RDLCK);
  if (fcntl(lock.descriptor_, F_OFD_SETLK, &wanted) == 0) return lock;
  if (errno != EAGAIN && errno != EACCES) fail_lock("cannot be locked");
  throw Hdf5Fault{"is being written by another run"};
}

bool is_locked_to_write(const std::filesystem::path& file) {
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  struct flock wanted = whole_file(F_RDLCK);
  const bool locked = fcntl(descriptor, F_OFD_GETLK, &wanted) == 0 && wanted.l_type != F_UNLCK;
  close(descriptor);
  return locked;
}

}  // namespace linchpin
