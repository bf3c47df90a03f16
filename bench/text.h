// Numbers in words, for tables and notes.
#pragma once

#include <cstdio>
#include <string>

namespace linchpin {

// As printf; up to 200 characters.
template <class... Parts>
std::string text(const char* format, Parts... parts) {
  char buffer[200];
  std::snprintf(buffer, sizeof buffer, format, parts...);
  return buffer;
}

// With two decimals below 10, one below 1000 and none above.
inline std::string rounded(double x) { return text(x < 10 ? "%.2f" : x < 1000 ? "%.1f" : "%.0f", x); }

}  // namespace linchpin
