#include "apps/progress.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#include <fmt/format.h>
#include <sys/ioctl.h>

#include "apps/terminal_text.h"

namespace linchpin {

Progress::Progress(bool wanted) : start_(Clock::now()), last_(start_) {
  const char* const kind = std::getenv("TERM");
  on_ = wanted && isatty(STDERR_FILENO) && !(kind && std::strcmp(kind, "dumb") == 0);
}

bool Progress::due() const { return on_ && Clock::now() - last_ >= std::chrono::milliseconds(100); }

void Progress::show(double fraction, const std::string& what) {
  if (!due()) return;
  last_ = Clock::now();
  winsize size{};
  const int columns = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
  const int width = std::clamp(columns - 50, 8, 30);
  fraction = std::clamp(fraction, 0.0, 1.0);
  const int filled = static_cast<int>(std::lround(fraction * width));
  std::string line = fmt::format("[{:#<{}}{:.<{}}] {:3.0f} %", "", filled, "", width - filled, 100 * fraction);
  const double elapsed = std::chrono::duration<double>(last_ - start_).count();
  if (fraction > 0.02 && elapsed > 1) line += fmt::format(", {:.0f} s left", elapsed * (1 - fraction) / fraction);
  line += "  " + printable(what);
  if (static_cast<int>(line.size()) >= columns) line.resize(static_cast<std::size_t>(columns - 1));
  std::fprintf(stderr, "\r%s\033[K", line.c_str());
  std::fflush(stderr);
  drawn_ = true;
}

void Progress::clear() {
  if (!drawn_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace linchpin
