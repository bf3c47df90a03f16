#include "apps/terminal_text.h"

#include <cstdint>

#include <fmt/format.h>

namespace linchpin {
namespace {

struct Character {
  std::uint32_t code;
  std::size_t bytes;  // 0: not UTF-8
};

// The first character of a text in UTF-8.
Character first_of(std::string_view text) {
  const auto byte = [&](std::size_t i) { return std::uint32_t(static_cast<unsigned char>(text[i])); };
  const std::uint32_t head = byte(0);
  if (head < 0x80) return {head, 1};
  const std::size_t bytes = head >= 0xf0 ? 4 : head >= 0xe0 ? 3 : 2;
  if (head < 0xc2 || head > 0xf4 || text.size() < bytes) return {head, 0};
  std::uint32_t code = head & (0xffu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {head, 0};
    code = code << 6 | (byte(i) & 0x3f);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < least[bytes] || code > 0x10ffff || surrogate) return {head, 0};
  return {code, bytes};
}

// Control characters, line separators, and marks of the direction of writing.
bool is_hidden(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || (code >= 0x200e && code <= 0x200f) ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) || code == 0xfeff;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Character c = first_of(text);
    if (c.bytes == 0)
      out += fmt::format("\\x{:02x}", c.code);
    else if (c.code == '\n')
      out += "\\n";
    else if (c.code == '\t')
      out += "\\t";
    else if (is_hidden(c.code))
      out += c.code < 0x100 && c.bytes == 1 ? fmt::format("\\x{:02x}", c.code) : fmt::format("\\u{{{:x}}}", c.code);
    else
      out += text.substr(0, c.bytes);
    text.remove_prefix(c.bytes == 0 ? 1 : c.bytes);
  }
  return out;
}

}  // namespace linchpin
