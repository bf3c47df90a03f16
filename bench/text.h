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

}  // namespace linchpin
