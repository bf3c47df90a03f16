// Lines and words of mesh files in text. Not installed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace linchpin {

// Goes through a text by lines, and through each line by words. Blank lines are skipped.
class MeshLines {
 public:
  // continued: a backslash at the end of a line joins it with the next one, as in OBJ.
  explicit MeshLines(std::string_view text, bool continued = false) : rest_(text), continued_(continued) {}

  bool next();              // goes to the next line that is not blank; false at the end of the text
  std::string_view word();  // the next word of the line; empty after the last one
  std::string_view rest();  // the rest of the line, without blanks at its ends
  std::size_t number() const { return number_; }                           // of the line, counted from 1
  std::string_view text_after_line() const { return rest_; }               // everything after the line
  std::string place() const { return "line " + std::to_string(number_); }  // for messages

  float coordinate(const char* what);           // the next word as a number of single precision; throws a MeshFault
  std::int64_t whole_number(const char* what);  // throws a MeshFault

 private:
  std::string_view rest_, line_;
  std::size_t number_ = 0, lines_in_ = 1;  // lines_in_: how many lines of the text are joined in line_
  bool continued_;
};

// The text for a message: quoted, short, and without control characters.
std::string in_quotes(std::string_view text);

// Rounds to single precision. False if x is not finite or too large.
bool to_single(double x, float& rounded);

}  // namespace linchpin
