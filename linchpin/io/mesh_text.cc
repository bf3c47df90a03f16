#include "linchpin/io/mesh_text.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "linchpin/io/mesh_parts.h"

namespace linchpin {
namespace {

bool blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f'; }

std::string_view without_plus(std::string_view word) {
  return word.size() > 1 && word[0] == '+' && word[1] != '-' ? word.substr(1) : word;
}

// False if the word is not a number. Numbers too small for a double are 0; those too large are infinite.
bool parse(std::string_view word, double& x) {
  word = without_plus(word);
  const auto [rest, fault] = std::from_chars(word.data(), word.data() + word.size(), x);
  if (rest != word.data() + word.size() || fault == std::errc::invalid_argument) return false;
  if (fault == std::errc::result_out_of_range) {
    const std::size_t exponent = word.find_first_of("eE");
    x = exponent != word.npos && word.substr(exponent + 1).starts_with('-') ? 0.0 : INFINITY;
  }
  return true;
}

}  // namespace

bool MeshLines::next() {
  while (!rest_.empty()) {
    number_ += lines_in_;
    lines_in_ = 1;
    std::size_t end = rest_.find('\n');
    while (continued_ && end != rest_.npos) {
      const std::string_view before = rest_.substr(0, end);
      if (!before.ends_with('\\') && !before.ends_with("\\\r")) break;
      end = rest_.find('\n', end + 1);
      ++lines_in_;
    }
    line_ = rest_.substr(0, end);
    rest_ = end == rest_.npos ? std::string_view() : rest_.substr(end + 1);
    if (!rest().empty()) return true;
  }
  line_ = {};
  return false;
}

std::string_view MeshLines::rest() {
  while (!line_.empty() && blank(line_.front())) line_.remove_prefix(1);
  while (!line_.empty() && blank(line_.back())) line_.remove_suffix(1);
  return line_;
}

std::string_view MeshLines::word() {
  const auto joins = [&](std::size_t i) {  // a backslash before the end of a line
    return continued_ && line_[i] == '\\' &&
           (line_.substr(i + 1).starts_with('\n') || line_.substr(i + 1).starts_with("\r\n"));
  };
  std::size_t begin = 0;
  while (begin < line_.size() && (blank(line_[begin]) || joins(begin))) ++begin;
  std::size_t end = begin;
  while (end < line_.size() && !blank(line_[end]) && !joins(end)) ++end;
  const std::string_view found = line_.substr(begin, end - begin);
  line_.remove_prefix(end);
  return found;
}

float MeshLines::coordinate(const char* what) {
  const std::string_view found = word();
  if (found.empty()) refuse_mesh(place(), ": ", what, " is missing");
  double x = 0;
  if (!parse(found, x)) refuse_mesh(place(), ": ", what, " is ", in_quotes(found), ", which is not a number");
  float rounded = 0;
  if (!to_single(x, rounded))
    refuse_mesh(place(), ": ", what, " is ", in_quotes(found), "; it must be finite in single precision");
  return rounded;
}

std::int64_t MeshLines::whole_number(const char* what) {
  const std::string_view found = word(), digits = without_plus(found);
  if (found.empty()) refuse_mesh(place(), ": ", what, " is missing");
  std::int64_t x = 0;
  const auto [rest, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), x);
  if (fault != std::errc() || rest != digits.data() + digits.size())
    refuse_mesh(place(), ": ", what, " is ", in_quotes(found), ", which is not a whole number");
  return x;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t most = 40;
  constexpr const char* digits = "0123456789abcdef";
  std::string out = "'";
  for (const char c : text.substr(0, most)) {
    if (c >= ' ' && c <= '~')
      out += c;
    else
      out += {'\\', 'x', digits[(c >> 4) & 15], digits[c & 15]};
  }
  return out + (text.size() > most ? "...'" : "'");
}

bool to_single(double x, float& rounded) {
  if (!(std::abs(x) <= double(std::numeric_limits<float>::max()))) return false;
  rounded = float(x);
  return true;
}

}  // namespace linchpin
