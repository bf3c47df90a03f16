// As much of HDF5's C library as recordings need, with handles that close themselves. Not installed.
//
// Failures are thrown as Hdf5Fault with HDF5's own innermost words ("truncated file: eof = 800, ..."), and caught by
// those who return an Error. HDF5 prints nothing while a QuietHdf5 lives, and only one thread has one: the library is not
// made for several.
#pragma once

#include <cstddef>
#include <hdf5.h>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace linchpin {

struct Hdf5Fault {
  std::string message;
};

class QuietHdf5 {
 public:
  QuietHdf5();
  ~QuietHdf5();
  QuietHdf5(const QuietHdf5&) = delete;
  QuietHdf5& operator=(const QuietHdf5&) = delete;

 private:
  std::unique_lock<std::recursive_mutex> alone_;
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

// Throws Hdf5Fault that says what was being done, and why HDF5 says it could not.
[[noreturn]] void fail_hdf5(const std::string& doing);
inline void hdf5_did(herr_t result, const std::string& doing) {
  if (result < 0) fail_hdf5(doing);
}

// An id of HDF5, and how it is closed.
class Hdf5Id {
 public:
  using Close = herr_t (*)(hid_t);
  Hdf5Id() = default;
  Hdf5Id(hid_t id, Close close, const std::string& doing) : id_(id), close_(close) {
    if (id < 0) fail_hdf5(doing);
  }
  Hdf5Id(Hdf5Id&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Hdf5Id& operator=(Hdf5Id&& other) noexcept {
    if (this != &other) {
      reset();
      id_ = std::exchange(other.id_, -1);
      close_ = other.close_;
    }
    return *this;
  }
  ~Hdf5Id() { reset(); }
  operator hid_t() const { return id_; }  // NOLINT: to be handed to HDF5
  bool open() const { return id_ >= 0; }
  bool reset() {  // whether that went well
    const bool closed = id_ < 0 || close_(id_) >= 0;
    id_ = -1;
    return closed;
  }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

// Files. New ones are in the format that may be written and read at the same time, and whose parts all have checksums.
Hdf5Id create_hdf5(const std::string& path);
// After a failure: nothing more of what HDF5 writes reaches the file, which stays as if the program had been killed. Closed
// in the usual way, it would be marked as whole with its end missing.
void abandon_hdf5(hid_t file);
Hdf5Id open_hdf5_to_append(const std::string& path);  // also where the last writer was killed
struct OpenedHdf5 {
  Hdf5Id file;
  bool closed_well;  // false: its writer was killed, or still writes
};
OpenedHdf5 open_hdf5_to_read(const std::string& path);

// Attributes of the root group.
void write_attribute(hid_t file, const char* name, const std::string& value);
void write_attribute(hid_t file, const char* name, long long value);
bool has_attribute(hid_t file, const char* name);
std::string read_text_attribute(hid_t file, const char* name);
long long read_number_attribute(hid_t file, const char* name);

// One text, and lists of texts.
void write_text(hid_t file, const char* name, const std::string& text);
void write_texts(hid_t file, const char* name, const std::vector<std::string>& texts);
std::string read_text(hid_t file, const char* name);

// A list that grows: rows of `width` values each (0: rows that are one value), in chunks with checksums.
class Hdf5Table {
 public:
  Hdf5Table() = default;
  static Hdf5Table create(hid_t file, const char* name, hid_t type, std::size_t width);
  // With the type that rows are to be read as; refuses another number of values in a row, and a type without one of the
  // fields.
  static Hdf5Table open(hid_t file, const char* name, hid_t type, std::size_t width);

  long long rows() const;
  void truncate(long long rows);
  void append(const void* data, long long rows);
  void read(long long first, long long rows, void* data) const;
  void flush();

 private:
  std::string name_;
  Hdf5Id set_, type_, transfer_;
  std::size_t width_ = 0;
};

}  // namespace linchpin
