#include "apps/file_conflicts.h"

#include <filesystem>

#include <fmt/format.h>
#include <sys/stat.h>

#include "apps/command.h"

namespace linchpin {
namespace {

namespace fs = std::filesystem;

// The path of a file that need not exist, with all links resolved, also one that points to nothing yet.
fs::path resolved(fs::path path) {
  constexpr int most_links = 40;  // as the kernel
  std::error_code fault;
  for (int i = 0; i < most_links && fs::is_symlink(fs::symlink_status(path, fault)); ++i) {
    const fs::path target = fs::read_symlink(path, fault);
    if (fault) break;
    path = target.is_absolute() ? target : path.parent_path() / target;
  }
  const fs::path canonical = fs::weakly_canonical(fs::absolute(path, fault), fault);
  return fault ? path.lexically_normal() : canonical;
}

// What tells a file from others: device and inode, or the path of one that does not exist.
struct Identity {
  bool is_file = false;  // that is regular or does not exist yet
  bool exists = false;
  struct stat status {};
  fs::path path;

  explicit Identity(const std::string& name) {
    if (name.empty() || name == "-") return;
    exists = stat(name.c_str(), &status) == 0;
    is_file = !exists || S_ISREG(status.st_mode);
    if (!exists) path = resolved(name);
  }
  bool operator==(const Identity& other) const {
    if (!is_file || !other.is_file || exists != other.exists) return false;
    return exists ? status.st_dev == other.status.st_dev && status.st_ino == other.status.st_ino : path == other.path;
  }
};

std::vector<Identity> identities(const std::vector<NamedFile>& files) {
  std::vector<Identity> all;
  for (const NamedFile& file : files) all.emplace_back(file.path);
  return all;
}

}  // namespace

void refuse_same_files(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs) {
  const std::vector<Identity> read = identities(inputs), written = identities(outputs);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (std::size_t k = 0; k < inputs.size(); ++k)
      if (written[i] == read[k])
        throw UsageError(fmt::format("{}: '{}' is the file that {} reads; it would be overwritten, give another name",
                                     outputs[i].option, outputs[i].path, inputs[k].option));
    for (std::size_t k = 0; k < i; ++k)
      if (written[i] == written[k])
        throw UsageError(fmt::format("{} and {} name the same file '{}'; give each its own", outputs[k].option,
                                     outputs[i].option, outputs[i].path));
  }
}

}  // namespace linchpin
