// Names and texts of files in messages: printable on a terminal, whatever they contain.
#pragma once

#include <string>
#include <string_view>

namespace linchpin {

// The text with control characters (also those of Unicode, and marks that turn the direction of writing) as \n, \t,
// \x1b or \u{202e}, and with bytes that are not UTF-8 as \xff. Everything else is unchanged, so the result is one line
// that cannot move the cursor or change the terminal. CSV and JSON have the text itself.
std::string printable(std::string_view text);

}  // namespace linchpin
