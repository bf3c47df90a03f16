#include "apps/command.h"

#include <charconv>
#include <cmath>
#include <csignal>
#include <limits>

#include <fmt/format.h>

namespace linchpin {
namespace {

volatile std::sig_atomic_t last_signal = 0;
// A second signal ends the program at once.
void note_signal(int signal) {
  last_signal = signal;
  std::signal(signal, SIG_DFL);
}

template <class Number>
bool parse(const std::string& text, Number& number) {
  const char* const end = text.data() + text.size();
  const char* begin = text.data();
  if (begin != end && *begin == '+') ++begin;
  const auto [rest, fault] = std::from_chars(begin, end, number);
  return fault == std::errc() && rest == end && begin != end;
}

}  // namespace

double number_from(std::string_view option, const std::string& text, const Range& range) {
  double number = 0;
  if (!parse(text, number) || std::isnan(number))
    throw UsageError(fmt::format("{}: '{}' is not a number", option, text));
  const bool low = range.open ? number > range.lowest : number >= range.lowest;
  if (low && number <= range.highest) return number;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const bool bounded_below = range.lowest > -infinity,
             bounded_above = range.highest < std::numeric_limits<double>::max();
  std::string allowed = "must be finite";
  if (bounded_below && bounded_above)
    allowed =
        fmt::format("must be {} {:g} and at most {:g}", range.open ? "above" : "at least", range.lowest, range.highest);
  else if (bounded_above)
    allowed = fmt::format("must be at most {:g}", range.highest);
  else if (bounded_below)
    allowed = fmt::format("must be {} {:g}{}", range.open ? "above" : "at least", range.lowest,
                          std::isinf(number) ? " and finite" : "");
  throw UsageError(fmt::format("{}: {} {}", option, text, allowed));
}

long long whole_number_from(std::string_view option, const std::string& text, long long lowest, long long highest) {
  long long number = 0;
  if (!parse(text, number)) throw UsageError(fmt::format("{}: '{}' is not a whole number", option, text));
  if (number < lowest || number > highest)
    throw UsageError(fmt::format("{}: {} must be between {} and {}", option, text, lowest, highest));
  return number;
}

void catch_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    if (std::signal(signal, note_signal) == SIG_IGN) std::signal(signal, SIG_IGN);
}
bool interrupted() { return last_signal != 0; }
void end_by_signal() {
  const int signal = last_signal ? last_signal : SIGTERM;
  std::fflush(nullptr);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
  std::abort();
}

}  // namespace linchpin
