#include "apps/output_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "apps/command.h"

namespace linchpin {
namespace {

namespace fs = std::filesystem;

// True for NAME.part-123-0.
bool is_part_of(const std::string& file, const std::string& name) {
  const std::string head = name + ".part-";
  if (!file.starts_with(head)) return false;
  const std::string_view numbers = std::string_view(file).substr(head.size());
  const std::size_t dash = numbers.find('-');
  return dash != numbers.npos && dash > 0 && dash + 1 < numbers.size() &&
         numbers.find_first_not_of("0123456789-") == numbers.npos && numbers.find('-', dash + 1) == numbers.npos;
}

// Removes the temporary files of this path that no process has locked.
void remove_leftovers(const fs::path& path) {
  std::error_code fault;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : ".";
  for (fs::directory_iterator at(folder, fault), end; !fault && at != end; at.increment(fault)) {
    if (!is_part_of(at->path().filename().string(), path.filename().string())) continue;
    const int descriptor = open(at->path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0) continue;
    struct stat status {};
    const bool ours = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
    if (ours && flock(descriptor, LOCK_EX | LOCK_NB) == 0) unlink(at->path().c_str());
    close(descriptor);
  }
}

}  // namespace

OutputFile::OutputFile(std::string_view option, const std::string& path) : option_(option), path_(path) {
  if (path.empty()) return;
  if (path == "-") {
    file_ = stdout;
    return;
  }
  const auto refuse = [&](const std::string& why) {
    throw UsageError(fmt::format("{}: cannot write '{}': {}", option, path, why));
  };
  std::error_code fault;
  if (fs::is_symlink(path, fault)) path_ = fs::weakly_canonical(path, fault).string();  // the link stays a link
  const fs::file_status status = fs::status(path_, fault);
  if (fs::is_directory(status)) refuse("it is a folder");
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    file_ = std::fopen(path_.c_str(), "w");
    if (!file_) refuse(std::strerror(errno));
    return;
  }
  if (fs::exists(status) && access(path_.c_str(), W_OK) != 0) refuse(std::strerror(errno));
  remove_leftovers(path_);
  for (int attempt = 0; !file_; ++attempt) {
    temporary_ = fmt::format("{}.part-{}-{}", path_, getpid(), attempt);
    const int descriptor = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) {
      flock(descriptor, LOCK_EX | LOCK_NB);  // until it is closed; file systems without locks do without
      file_ = fdopen(descriptor, "w");
    } else if (errno != EEXIST || attempt > 100) {
      temporary_.clear();
      refuse(std::strerror(errno));
    }
  }
}

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
  if (this == &other) return *this;
  discard();
  option_ = std::move(other.option_);
  path_ = std::move(other.path_);
  temporary_ = std::exchange(other.temporary_, {});
  file_ = std::exchange(other.file_, nullptr);
  return *this;
}

OutputFile::~OutputFile() { discard(); }

void OutputFile::discard() {
  if (file_ && file_ != stdout) std::fclose(file_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
  file_ = nullptr;
  temporary_.clear();
}

void OutputFile::write(std::string_view text) {
  if (file_) std::fwrite(text.data(), 1, text.size(), file_);
}

void OutputFile::commit() {
  if (!file_) return;
  bool good = std::fflush(file_) == 0 && !std::ferror(file_);
  const int lock = temporary_.empty() ? -1 : dup(fileno(file_));  // keeps the lock until the file has its name
  if (file_ != stdout) good = std::fclose(file_) == 0 && good;
  file_ = nullptr;
  if (good && !temporary_.empty()) good = std::rename(temporary_.c_str(), path_.c_str()) == 0;
  if (lock >= 0) close(lock);
  if (good) {
    temporary_.clear();
    return;
  }
  const std::string why = std::strerror(errno);
  discard();
  throw UsageError(fmt::format("{}: could not write '{}': {}", option_, path_, why));
}

}  // namespace linchpin
