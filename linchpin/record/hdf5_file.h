// The part of HDF5's C library that recordings need, with handles that close themselves. Not installed.
//
// Failures are thrown as Hdf5Fault with HDF5's innermost message ("truncated file: eof = 800, ..."); the functions that
// return an Error catch them. While a QuietHdf5 exists, HDF5 prints nothing. Only one thread at a time can hold one,
// since the library is not thread-safe.
#pragma once

#include <cstddef>
#include <hdf5.h>
#include <mutex>
#include <span>
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

// Throws an Hdf5Fault: the failed action, followed by HDF5's reason.
[[noreturn]] void fail_hdf5(const std::string& doing);
inline void hdf5_did(herr_t result, const std::string& doing) {
  if (result < 0) fail_hdf5(doing);
}

// An HDF5 id that closes itself.
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
  operator hid_t() const { return id_; }  // NOLINT: to be passed to HDF5
  bool open() const { return id_ >= 0; }
  bool reset() {  // true on success
    const bool closed = id_ < 0 || close_(id_) >= 0;
    id_ = -1;
    return closed;
  }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

// Files. New ones have the format that can be read while it is written (SWMR), with checksums on all parts.
Hdf5Id create_hdf5(const std::string& path);
// To be called after a failure: nothing that HDF5 still writes reaches the file, which stays as if the program had been
// killed. If it were closed in the usual way, it would be marked as complete although its end is missing.
void abandon_hdf5(hid_t file);
Hdf5Id open_hdf5_to_append(const std::string& path);  // also if the last writer was killed
struct OpenedHdf5 {
  Hdf5Id file;
  bool closed_well;  // false: its writer was killed, or is still writing
};
OpenedHdf5 open_hdf5_to_read(const std::string& path);

// Files may come from anyone. The functions that read refuse data sets that lead to other files or objects (links other
// than hard ones, external storage, virtual data sets, filters that would be loaded), that declare more than the file
// can hold, or that declare data that were never stored.
//
// Refuses links of the groups of a recording that are not hard links, and objects with two names.
void check_links(hid_t file);
// Refuses a number of rows that the file cannot hold, even if they are compressed as much as possible.
void check_declared_bytes(hid_t file, unsigned long long rows, unsigned long long row_bytes, const std::string& name);

// Attributes of the root group.
void write_attribute(hid_t file, const char* name, const std::string& value);
void write_attribute(hid_t file, const char* name, long long value);
bool has_attribute(hid_t file, const char* name);
std::string read_text_attribute(hid_t file, const char* name);
long long read_number_attribute(hid_t file, const char* name);

// Data sets with one text, or a list of texts.
void write_text(hid_t file, const char* name, const std::string& text);
void write_texts(hid_t file, const char* name, const std::vector<std::string>& texts);
std::string read_text(hid_t file, const char* name);

// A data set that grows: rows of `width` values each (0: one value, one-dimensional), in chunks with checksums.
class Hdf5Table {
 public:
  Hdf5Table() = default;
  static Hdf5Table create(hid_t file, const char* name, hid_t type, std::size_t width);
  // type: the memory type of a row. Fails if rows have another width, or the stored type lacks one of the fields or has
  // it in another type.
  static Hdf5Table open(hid_t file, const char* name, hid_t type, std::size_t width);

  const std::string& name() const { return name_; }
  long long rows() const;
  std::size_t row_bytes() const { return row_bytes_; }  // in the file, before compression
  void truncate(long long rows);
  void append(const void* data, long long rows);
  void read(long long first, long long rows, void* data) const;
  // Fails if one of these rows was never written. read() calls it; call it before reserving memory for many rows.
  void check_stored(long long first, long long rows) const;
  void flush();

 private:
  Hdf5Table(const char* name, hid_t type, std::size_t width);
  std::string name_;
  Hdf5Id set_, type_, transfer_;
  std::size_t width_ = 0, row_bytes_ = 0;
  hsize_t chunk_rows_ = 1;
};

}  // namespace linchpin
