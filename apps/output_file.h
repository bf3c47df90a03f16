// An output file that is either complete or absent.
//
// It is written under a temporary name in the same folder, and commit() renames it. A path that cannot be written is
// refused when the object is made, before any work; without commit() nothing is left behind. "-" is the standard
// output; a path that is not a regular file (a pipe, /dev/null) is written directly.
//
// A program that is killed leaves its temporary file, NAME.part-PROCESS-NUMBER. The next one that writes NAME removes
// it. A temporary file in use is locked (flock) and stays.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace linchpin {

class OutputFile {
 public:
  OutputFile() = default;                                        // writes nowhere
  OutputFile(std::string_view option, const std::string& path);  // empty path: nowhere; UsageError names option
  OutputFile(OutputFile&& other) noexcept { *this = std::move(other); }
  OutputFile& operator=(OutputFile&& other) noexcept;
  ~OutputFile();

  explicit operator bool() const { return file_ != nullptr; }
  bool is_standard_output() const { return file_ == stdout; }
  std::FILE* file() { return file_; }
  void write(std::string_view text);
  void commit();  // UsageError if the disk is full or the folder is gone

 private:
  void discard();
  std::string option_, path_, temporary_;
  std::FILE* file_ = nullptr;
};

}  // namespace linchpin
