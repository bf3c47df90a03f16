// Two options that name one file: an output that would overwrite an input or another output.
#pragma once

#include <string>
#include <vector>

namespace linchpin {

struct NamedFile {
  std::string option;  // "--csv", "MODEL"
  std::string path;    // as typed; empty and "-" (the standard output) name no file
};

// Throws a UsageError if an output is the same file as an input or as another output: by device and inode if both
// exist, so also through links, and by the canonical path if not. Devices and pipes may be written twice. To be called
// before any file is opened for writing.
void refuse_same_files(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs);

}  // namespace linchpin
