#include "linchpin/io/read_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include <sys/stat.h>

#include "linchpin/spatial/message.h"

namespace linchpin {
namespace {

struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) close(number);
  }
};

}  // namespace

Result<std::string> read_file(const std::filesystem::path& file, std::size_t most) {
  const auto fault = [&](const auto&... parts) { return Error{file.string() + ": " + message(parts...)}; };
  const auto too_long = [&] { return fault("the file is too long: at most ", most, " bytes are read"); };
  const Descriptor in{open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY)};
  struct stat status {};
  if (in.number < 0 || fstat(in.number, &status) != 0) {
    if (errno == ENOENT) return fault("cannot be read: no such file");
    return fault("cannot be read: ", std::strerror(errno));
  }
  if (S_ISDIR(status.st_mode)) return fault("cannot be read: it is a folder, not a file");
  if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode))
    return fault("cannot be read: it is not a file, but a device or a socket");
  if (std::size_t(status.st_size) > most) return too_long();

  // One byte more than expected, so that the end is seen without growing; files of /proc say that they have 0 bytes.
  std::string content(std::clamp<std::size_t>(std::size_t(status.st_size) + 1, 4096, most + 1), '\0');
  std::size_t filled = 0;
  for (;;) {
    if (filled > most) return too_long();
    if (filled == content.size()) content.resize(std::min(2 * content.size(), most + 1));
    const ssize_t count = read(in.number, content.data() + filled, content.size() - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fault("cannot be read: ", std::strerror(errno));
    if (count == 0) break;
    filled += std::size_t(count);
  }
  content.resize(filled);
  return content;
}

}  // namespace linchpin
