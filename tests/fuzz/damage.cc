// The changes that make an input from a good one.
#include <algorithm>
#include <cctype>
#include <cstring>
#include <iterator>

#include "tests/fuzz/fuzz.h"

namespace linchpin {
namespace {

std::size_t below(SplitMix& random, std::size_t n) { return n == 0 ? 0 : std::size_t(random.next() % n); }

const std::string& one_of(const std::vector<std::string>& list, SplitMix& random) {
  return list[below(random, list.size())];
}

// The first twenty are valid in all formats.
constexpr std::size_t valid_numbers = 20;
constexpr const char* numbers[] = {"0",          "-0",
                                   "1",          "-1",
                                   "2",          "3",
                                   "0.5",        "0.999",
                                   "1e-8",       "1e8",
                                   "255",        "1e-20",
                                   "1e20",       "-1e20",
                                   "1e-300",     "1e300",
                                   "-1e300",     "1e308",
                                   "1e-320",     "65536",
                                   "nan",        "inf",
                                   "-inf",       "1e999",
                                   "1e-999",     "2147483647",
                                   "2147483648", "-2147483648",
                                   "1e",         "0x10",
                                   "\"inf\"",    "null",
                                   "4294967295", "9223372036854775808"};

struct Piece {
  std::size_t begin, end;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// The first number that ends after `at`, and the first word; empty, at the end of the text, if there is none.
Piece number_at(const std::string& text, std::size_t at) {
  const auto fits = [&](std::size_t i) {
    const char c = text[i];
    return is_digit(c) || c == '.' || c == '-' || c == '+' || (c == 'e' && i > 0 && is_digit(text[i - 1]));
  };
  std::size_t begin = at;
  while (begin < text.size() && !is_digit(text[begin])) ++begin;
  std::size_t end = begin;
  while (begin > 0 && begin < text.size() && fits(begin - 1)) --begin;
  while (end < text.size() && fits(end)) ++end;
  return {begin, end};
}
Piece word_at(const std::string& text, std::size_t at) {
  std::size_t begin = at;
  while (begin < text.size() && !is_in_word(text[begin])) ++begin;
  std::size_t end = begin;
  while (begin > 0 && begin < text.size() && is_in_word(text[begin - 1])) --begin;
  while (end < text.size() && is_in_word(text[end])) ++end;
  return {begin, end};
}

Piece line(const std::string& text, std::size_t at) {
  const std::size_t before = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  const std::size_t end = text.find('\n', at);
  return {begin, end == std::string::npos ? text.size() : end + 1};
}

// Overwrites some bytes by a number of a binary format.
void put_binary(std::string& text, std::size_t at, SplitMix& random) {
  const double reals[] = {0.0, -1.0, 1e300, 1e-300, __builtin_nan(""), __builtin_inf(), -__builtin_inf()};
  const std::uint64_t whole[] = {0, 1, 0x7f, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0xffffffff, ~std::uint64_t(0)};
  char bytes[8];
  std::size_t count = 8;
  switch (below(random, 3)) {
    case 0:
      std::memcpy(bytes, &reals[below(random, std::size(reals))], 8);
      break;
    case 1: {
      const float real = float(reals[below(random, std::size(reals))]);
      std::memcpy(bytes, &real, count = 4);
      break;
    }
    default:
      std::memcpy(bytes, &whole[below(random, std::size(whole))], 8);
      count = std::size_t(1) << below(random, 4);
  }
  count = std::min(count, text.size() - at);
  text.replace(at, count, bytes, count);
}

// `gently`: the text stays one of its format in most cases, so that what is behind the parser is reached too.
void change(std::string& text, const FuzzTarget& target, bool gently, SplitMix& random) {
  const std::size_t at = below(random, text.size());
  switch (gently ? (below(random, 8) == 0 ? 8 : 9) : below(random, 12)) {
    case 0:
      text[at] = char(text[at] ^ (1 << below(random, 8)));
      return;
    case 1:
      text[at] = char(random.next());
      return;
    case 2:
      if (below(random, 4) == 0) text.resize(at);  // rarely: all later changes are then near the beginning
      return;
    case 3:
      text.erase(at, 1 + below(random, 16));
      return;
    case 4: {
      const std::string& from = one_of(target.seeds, random);
      text.insert(at, from.substr(below(random, from.size() + 1), 1 + below(random, 60)));
      return;
    }
    case 5: {
      const Piece piece = line(text, at);
      if (below(random, 2) == 0) {
        text.erase(piece.begin, piece.end - piece.begin);
      } else {
        const std::string copy = text.substr(piece.begin, piece.end - piece.begin);
        text.insert(line(text, below(random, text.size())).begin, copy);
      }
      return;
    }
    case 6:
      put_binary(text, at, random);
      return;
    case 7:
    case 8: {  // a word by one that means something, or by another of the text
      const Piece piece = word_at(text, at);
      const Piece other = word_at(text, below(random, text.size()));
      const std::string word = target.words.empty() || below(random, 3) == 0
                                   ? text.substr(other.begin, other.end - other.begin)
                                   : one_of(target.words, random);
      text.replace(piece.begin, piece.end - piece.begin, word);
      return;
    }
    default: {  // a number by another one
      const Piece piece = number_at(text, at);
      const Piece other = number_at(text, below(random, text.size()));
      const std::string number = below(random, 4) == 0
                                     ? text.substr(other.begin, other.end - other.begin)
                                     : numbers[below(random, gently ? valid_numbers : std::size(numbers))];
      text.replace(piece.begin, piece.end - piece.begin, number);
    }
  }
}

}  // namespace

std::string damaged(const FuzzTarget& target, SplitMix& random) {
  std::string text = one_of(target.seeds, random);
  const bool gently = below(random, 2) == 0;
  const std::size_t changes = 1 + below(random, 4);
  for (std::size_t i = 0; i < changes && !text.empty(); ++i) change(text, target, gently, random);
  return text;
}

}  // namespace linchpin
