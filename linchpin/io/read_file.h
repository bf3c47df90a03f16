// The whole content of a file, up to a stated size. Not installed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "linchpin/base/result.h"

namespace linchpin {

// Reads a regular file or a pipe. Folders, devices and sockets are refused: a device may never end. The size of a
// regular file is checked before memory is asked for; a pipe is read until it ends or exceeds `most` bytes. The error
// names the file.
Result<std::string> read_file(const std::filesystem::path& file, std::size_t most);

}  // namespace linchpin
