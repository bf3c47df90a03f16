#include "linchpin/solvers/problem/problem_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <numeric>
#include <sstream>
#include <vector>

namespace linchpin {
namespace {

// Longer files are rejected: 1500 contacts, each coupled to each, fill about half of this.
constexpr std::size_t longest_file = std::size_t(1) << 30;
constexpr int always_dense = 256;  // rows of an lcp or mlcp: half a megabyte

constexpr std::array<std::string_view, 3> format_names{"fc3d", "lcp", "mlcp"};

// ---- errors ---------------------------------------------------------------------------------------------------------

struct Fault {  // thrown and caught in this file only
  Error error;
};

// An excerpt of the text for a message: short, and without control characters.
std::string shown(std::string_view text) {
  constexpr std::size_t most = 40;
  std::string out = "'";
  for (const char c : text.substr(0, most)) {
    if (c >= ' ' && c <= '~') {
      out += c;
    } else {
      constexpr const char* digits = "0123456789abcdef";
      out += {'\\', 'x', digits[(c >> 4) & 15], digits[c & 15]};
    }
  }
  return out + (text.size() > most ? "...'" : "'");
}

template <class... Parts>
std::string joined(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

// ---- lines ----------------------------------------------------------------------------------------------------------

bool blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

// The lines of a text that are not blank or comments, each split into words.
class Lines {
 public:
  static constexpr int most_words = 5;  // one more than any line of the formats has

  Lines(std::string_view text, std::string_view file)
      : at_(text.data()), end_(text.data() + text.size()), file_(file), bytes_(text.size()) {}

  // False at the end of the text.
  bool next() {
    while (at_ != end_) {
      ++number_;
      const void* const feed = std::memchr(at_, '\n', std::size_t(end_ - at_));
      const char* const stop = feed ? static_cast<const char*>(feed) : end_;
      split(at_, stop);
      at_ = feed ? stop + 1 : end_;
      if (words_ > 0) return true;
    }
    words_ = 0;
    return false;
  }

  int words() const { return words_; }
  std::string_view word(int i) const { return word_[i]; }
  std::int64_t number() const { return number_; }
  std::size_t bytes() const { return bytes_; }

  // The whole line without its comment.
  std::string_view whole() const {
    return words_ == 0 ? std::string_view() : std::string_view(word(0).data(), std::size_t(last_ - word(0).data()));
  }

  template <class... Parts>
  [[noreturn]] void fail_at(std::int64_t line, const Parts&... parts) const {
    throw Fault{{joined(file_, ":", line, ": ", parts...)}};
  }
  template <class... Parts>
  [[noreturn]] void fail(const Parts&... parts) const {
    fail_at(number_, parts...);
  }
  template <class... Parts>
  [[noreturn]] void fail_ended(const Parts&... parts) const {
    if (number_ == 0) throw Fault{{joined(file_, ": the file is empty, expected ", parts...)}};
    fail("the file ends here, expected ", parts...);
  }

 private:
  void split(const char* begin, const char* stop) {
    if (const void* const hash = std::memchr(begin, '#', std::size_t(stop - begin)))
      stop = static_cast<const char*>(hash);
    words_ = 0;
    while (words_ < most_words) {
      while (begin != stop && blank(*begin)) ++begin;
      if (begin == stop) return;
      const char* const start = begin;
      while (begin != stop && !blank(*begin)) ++begin;
      word_[words_++] = std::string_view(start, std::size_t(begin - start));
      last_ = begin;
    }
    while (stop != begin && blank(stop[-1])) --stop;
    last_ = stop;
  }

  const char *at_, *end_;
  const char* last_ = nullptr;
  std::string_view file_;
  std::size_t bytes_;
  std::int64_t number_ = 0;
  std::array<std::string_view, most_words> word_{};
  int words_ = 0;
};

// ---- words ----------------------------------------------------------------------------------------------------------

// `what()` names the expected value; it is called only for an error message.
template <class What>
double number_in(const Lines& lines, std::string_view word, What&& what) {
  const char* begin = word.data();
  const char* const end = begin + word.size();
  if (word.size() > 1 && *begin == '+' && word[1] != '-') ++begin;  // from_chars does not accept a plus
  double x = 0;
  const auto [rest, fault] = std::from_chars(begin, end, x);
  if (fault == std::errc::result_out_of_range && rest == end)
    lines.fail(shown(word), " is beyond the range of double, expected ", what());
  if (fault != std::errc() || rest != end) lines.fail(shown(word), " is no number, expected ", what());
  if (!std::isfinite(x)) lines.fail(shown(word), " is not finite, expected ", what());
  return x;
}

// An integer within [lowest, highest].
template <class What>
std::int64_t whole_in(const Lines& lines, std::string_view word, std::int64_t lowest, std::int64_t highest,
                      What&& what) {
  std::int64_t i = 0;
  const auto [rest, fault] = std::from_chars(word.data(), word.data() + word.size(), i);
  const bool huge = fault == std::errc::result_out_of_range;
  if ((fault != std::errc() && !huge) || rest != word.data() + word.size())
    lines.fail(shown(word), " is no whole number, expected ", what());
  if (huge || i < lowest || i > highest)
    lines.fail(shown(word), " is out of range, expected ", what(), " from ", lowest, " to ", highest);
  return i;
}

// ---- sections -------------------------------------------------------------------------------------------------------

// `after` names what has just been read.
void next_section(Lines& lines, std::string_view keyword, const std::string& after = {}) {
  const std::string_view then = after.empty() ? "" : " after ";
  if (!lines.next()) lines.fail_ended("'", keyword, "'", then, after);
  if (lines.word(0) != keyword) lines.fail(shown(lines.whole()), " found, expected '", keyword, "'", then, after);
}

// Reads `keyword N`: a count of things that each need at least `bytes_each` bytes of text.
int count_section(Lines& lines, std::string_view keyword, std::string_view what, std::int64_t lowest,
                  std::size_t bytes_each) {
  next_section(lines, keyword);
  if (lines.words() != 2) lines.fail(shown(lines.whole()), " found, expected '", keyword, " <", what, ">'");
  constexpr std::int64_t most = INT32_MAX / 3;  // rows are counted by int, and a contact has three
  const std::int64_t n = whole_in(lines, lines.word(1), lowest, most, [&] { return joined("the ", what); });
  if (std::uint64_t(n) > lines.bytes() / bytes_each)
    lines.fail(shown(lines.whole()), " is more than a file of ", lines.bytes(), " bytes can hold");
  return int(n);
}

// Reads `keyword` alone on its line.
void heading(Lines& lines, std::string_view keyword, const std::string& after = {}) {
  next_section(lines, keyword, after);
  if (lines.words() != 1)
    lines.fail(shown(lines.whole()), " found, expected '", keyword, "' alone, and its values on lines of their own");
}

// Reads n lines of one value each: read(i, word, expected) takes value i; what(i) names it.
template <class What, class Read>
void each_value(Lines& lines, int n, What&& what, Read&& read) {
  for (int i = 0; i < n; ++i) {
    const auto expected = [&] { return joined(what(i), " (", i, " of ", n, " values are there)"); };
    if (!lines.next()) lines.fail_ended(expected());
    if (lines.words() != 1) lines.fail(shown(lines.whole()), " found, expected one value, ", expected());
    read(i, lines.word(0), expected);
  }
}

template <class What>
std::vector<double> values(Lines& lines, int n, What&& what) {
  std::vector<double> x(static_cast<std::size_t>(n));
  each_value(lines, n, what,
             [&](int i, std::string_view word, const auto& expected) { x[i] = number_in(lines, word, expected); });
  return x;
}

std::string so_many(int n, std::string_view keyword) {
  return joined(n, n == 1 ? " value of " : " values of ", keyword);
}

std::vector<double> vector_q(Lines& lines, int n, const std::string& after) {
  heading(lines, "q", after);
  return values(lines, n, [](int i) { return joined("q of row ", i); });
}

bool before(const Triplet& a, const Triplet& b) { return a.row != b.row ? a.row < b.row : a.column < b.column; }

// Sorts the list by rows and, within a row, by columns; entry e is on line line_of[e]. An entry given twice is an
// error.
void put_in_order(const Lines& lines, std::string_view keyword, const std::vector<std::int32_t>& line_of,
                  std::vector<Triplet>& list) {
  std::vector<std::uint32_t> order(list.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return before(list[a], list[b]); });
  std::vector<Triplet> sorted(list.size());
  for (std::size_t e = 0; e < order.size(); ++e) {
    sorted[e] = list[order[e]];
    if (e > 0 && !before(sorted[e - 1], sorted[e]))
      lines.fail_at(line_of[order[e]], "row ", sorted[e].row, ", column ", sorted[e].column, " of ", keyword,
                    " is given here and on line ", line_of[order[e - 1]], ", expected once");
  }
  list = std::move(sorted);
}

// Reads `keyword rows columns entries` and the entries, up to the end of the file.
std::vector<Triplet> entries(Lines& lines, std::string_view keyword, int n) {
  next_section(lines, keyword, so_many(n, "q"));
  if (lines.words() != 4)
    lines.fail(shown(lines.whole()), " found, expected '", keyword, " <rows> <columns> <entries>'");
  for (const int side : {1, 2}) {
    const std::string_view name = side == 1 ? "rows" : "columns";
    const std::int64_t found =
        whole_in(lines, lines.word(side), 0, INT32_MAX, [&] { return joined("the number of ", name); });
    if (found != n) lines.fail(shown(lines.whole()), ": ", found, " ", name, ", expected ", n, ", as many as q has");
  }
  const std::int64_t count =
      whole_in(lines, lines.word(3), 0, std::int64_t(n) * n, [] { return "the number of entries"; });
  constexpr std::size_t bytes_each = 6;  // "0 0 1" and a line break
  if (std::uint64_t(count) > lines.bytes() / bytes_each)
    lines.fail(shown(lines.whole()), ": ", count, " entries are more than a file of ", lines.bytes(),
               " bytes can hold");

  std::vector<Triplet> list(static_cast<std::size_t>(count));
  std::vector<std::int32_t> line_of(list.size());
  bool ascending = true;
  for (std::size_t e = 0; e < list.size(); ++e) {
    const auto expected = [&] {
      return joined("entry ", e + 1, " of ", count, " of ", keyword, ", 'row column value'");
    };
    if (!lines.next()) lines.fail_ended(expected());
    if (lines.words() != 3) lines.fail(shown(lines.whole()), " found, expected ", expected());
    const int row = int(whole_in(lines, lines.word(0), 0, n - 1, [] { return "a row"; }));
    const int column = int(whole_in(lines, lines.word(1), 0, n - 1, [] { return "a column"; }));
    const double value =
        number_in(lines, lines.word(2), [&] { return joined(keyword, " at row ", row, ", column ", column); });
    list[e] = {row, column, value};
    line_of[e] = std::int32_t(lines.number());
    ascending = ascending && (e == 0 || before(list[e - 1], list[e]));
  }
  if (lines.next())
    lines.fail(shown(lines.whole()), " found, expected the end of the file after ", count, " entries of ", keyword);
  if (!ascending) put_in_order(lines, keyword, line_of, list);
  return list;
}

// ---- matrices -------------------------------------------------------------------------------------------------------

Matrix dense_from(int n, const std::vector<Triplet>& list) {
  std::vector<double> all(std::size_t(n) * std::size_t(n), 0.0);
  for (const Triplet& e : list) all[std::size_t(e.row) * std::size_t(n) + std::size_t(e.column)] = e.value;
  return Matrix::dense(n, std::move(all));
}

Matrix sparse_from(int n, int block, const std::vector<Triplet>& list) {
  std::vector<int> start(static_cast<std::size_t>(n / block + 1));
  for (std::size_t i = 0; i < start.size(); ++i) start[i] = int(i) * block;
  return Matrix::sparse(block_sparse(start, start, list));
}

// The number of blocks that hold an entry. The list is sorted.
std::int64_t filled_blocks(int n, int block, const std::vector<Triplet>& list) {
  std::vector<int> last(static_cast<std::size_t>(n / block), -1);  // by column block: the last row block with an entry
  std::int64_t count = 0;
  for (const Triplet& e : list) {
    int& seen = last[e.column / block];
    count += seen != e.row / block;
    seen = e.row / block;
  }
  return count;
}

Matrix matrix_from(int n, int block, const std::vector<Triplet>& list) {
  if (block == 1 && n <= always_dense) return dense_from(n, list);
  const std::int64_t blocks = n / block;
  return 2 * filled_blocks(n, block, list) > blocks * blocks ? dense_from(n, list) : sparse_from(n, block, list);
}

// ---- formats --------------------------------------------------------------------------------------------------------

Problem parse_fc3d(Lines& lines) {
  const int nc = count_section(lines, "nc", "number of contacts", 1, 8);  // mu and three of q, a line each
  heading(lines, "mu");
  const auto contact = [](int i) { return joined("mu of contact ", i); };
  Problem p;
  each_value(lines, nc, contact, [&](int i, std::string_view word, const auto& expected) {
    const double mu = number_in(lines, word, expected);
    if (mu < 0) lines.fail(shown(word), " is negative, expected mu of contact ", i, ", at least 0");
    p.blocks.push_back({BlockKind::cone, 3 * i, 3, mu});
  });
  const int n = 3 * nc;
  p.q = vector_q(lines, n, so_many(nc, "mu"));
  p.M = matrix_from(n, 3, entries(lines, "W", n));
  return p;
}

Problem parse_lcp(Lines& lines) {
  const int n = count_section(lines, "n", "number of rows", 1, 2);
  std::vector<double> q = vector_q(lines, n, "n");
  return linear_complementarity(matrix_from(n, 1, entries(lines, "M", n)), std::move(q));
}

Problem parse_mlcp(Lines& lines) {
  const int equalities = count_section(lines, "n", "number of equalities", 0, 4);  // iscomp and q, a line each
  const int complementarities = count_section(lines, "m", "number of complementarities", 0, 4);
  const int n = count_section(lines, "rows", "number of rows", 1, 4);
  if (n != equalities + complementarities)
    lines.fail(shown(lines.whole()), ", expected n + m = ", equalities, " + ", complementarities, " = ",
               equalities + complementarities);
  heading(lines, "iscomp");
  const std::int64_t line = lines.number();
  Problem p;
  int found = 0;
  const auto row = [](int i) { return joined("iscomp of row ", i, ", 0 or 1"); };
  each_value(lines, n, row, [&](int i, std::string_view word, const auto& expected) {
    if (word != "0" && word != "1") lines.fail(shown(word), " found, expected ", expected());
    const BlockKind kind = word == "1" ? BlockKind::nonnegative : BlockKind::free;
    found += kind == BlockKind::nonnegative;
    if (p.blocks.empty() || p.blocks.back().kind != kind)
      p.blocks.push_back({kind, i, 1, 0});
    else
      ++p.blocks.back().size;
  });
  if (found != complementarities)
    lines.fail_at(line, "iscomp is 1 for ", found, " rows, expected m = ", complementarities);
  p.q = vector_q(lines, n, so_many(n, "iscomp"));
  p.M = matrix_from(n, 1, entries(lines, "M", n));
  return p;
}

// fc3d starts with nc; lcp and mlcp start with n, and mlcp goes on with m.
ProblemFormat format_of_text(Lines lines) {
  constexpr std::string_view beginnings = "'nc' (an fc3d problem) or 'n' (an lcp or mlcp problem)";
  if (!lines.next()) lines.fail_ended(beginnings);
  if (lines.word(0) == "nc") return ProblemFormat::fc3d;
  if (lines.word(0) != "n") lines.fail(shown(lines.whole()), " found, expected ", beginnings);
  return lines.next() && lines.word(0) == "m" ? ProblemFormat::mlcp : ProblemFormat::lcp;
}

// ---- output ---------------------------------------------------------------------------------------------------------

void append(std::string& text, double x) {
  std::array<char, 40> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), x, std::chars_format::general, 17).ptr;
  text.append(digits.data(), end);
}
void append(std::string& text, int i) {
  std::array<char, 16> digits;
  text.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), i).ptr);
}

void append_lines(std::string& text, std::span<const double> x) {
  for (const double v : x) {
    append(text, v);
    text += '\n';
  }
}

// Calls a function for each number of M that is not +0 (-0 is kept).
template <class Take>
void each_entry(const Matrix& M, Take&& take) {
  const auto offer = [&](int row, int column, double value) {
    if (std::bit_cast<std::uint64_t>(value) != 0) take(row, column, value);
  };
  const int n = M.size();
  if (M.kind() == Matrix::Kind::block_sparse) {
    const BlockSparse& b = M.blocks();
    for (std::size_t i = 0; i + 1 < b.row_start.size(); ++i)
      for (int row = b.row_start[i]; row < b.row_start[i + 1]; ++row)
        for (int e = b.first[i]; e < b.first[i + 1]; ++e) {
          const std::size_t column = std::size_t(b.column[e]);
          const int start = b.column_start[column], width = b.column_start[column + 1] - start;
          const double* const value =
              b.values.data() + b.value_start[e] + std::size_t(row - b.row_start[i]) * std::size_t(width);
          for (int k = 0; k < width; ++k) offer(row, start + k, value[k]);
        }
    return;
  }
  std::vector<double> all(std::size_t(n) * std::size_t(n));
  M.to_dense(all.data(), n);
  for (int row = 0; row < n; ++row)
    for (int column = 0; column < n; ++column)
      offer(row, column, all[std::size_t(row) * std::size_t(n) + std::size_t(column)]);
}

void append_matrix(std::string& text, std::string_view keyword, const Matrix& M) {
  std::int64_t count = 0;
  each_entry(M, [&](int, int, double) { ++count; });
  text += joined(keyword, " ", M.size(), " ", M.size(), " ", count, "\n");
  each_entry(M, [&](int row, int column, double value) {
    append(text, row);
    text += ' ';
    append(text, column);
    text += ' ';
    append(text, value);
    text += '\n';
  });
}

void append_iscomp(std::string& text, const Problem& problem) {
  int nonnegative = 0;
  for (const Block& block : problem.blocks) nonnegative += block.kind == BlockKind::nonnegative ? block.size : 0;
  text += joined("n ", problem.size() - nonnegative, "\nm ", nonnegative, "\nrows ", problem.size(), "\niscomp\n");
  for (const Block& block : problem.blocks)
    for (int k = 0; k < block.size; ++k) text += block.kind == BlockKind::nonnegative ? "1\n" : "0\n";
}

std::optional<Error> write_file(const std::string& path, std::string_view text) {
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  bool good = file != nullptr;
  if (file) {
    good = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    good = std::fclose(file) == 0 && good;
  }
  if (good) return std::nullopt;
  return Error{joined("cannot write '", path, "': ", std::strerror(errno))};
}

}  // namespace

// ---- reading --------------------------------------------------------------------------------------------------------

std::string_view to_string(ProblemFormat format) { return format_names[int(format)]; }

std::optional<ProblemFormat> format_of_name(std::string_view file) {
  for (std::size_t i = 0; i < format_names.size(); ++i)
    if (file.ends_with(joined(".", format_names[i], ".txt"))) return ProblemFormat(i);
  return std::nullopt;
}

Result<Problem> parse_problem(std::string_view text, std::string_view file, std::optional<ProblemFormat> format) {
  try {
    Lines lines(text, file);
    if (text.size() > longest_file)
      throw Fault{{joined(file, ": ", text.size(), " bytes, expected at most ", longest_file)}};
    if (!format) format = format_of_name(file);
    if (!format) format = format_of_text(lines);
    switch (*format) {
      case ProblemFormat::fc3d:
        return parse_fc3d(lines);
      case ProblemFormat::lcp:
        return parse_lcp(lines);
      case ProblemFormat::mlcp:
        return parse_mlcp(lines);
    }
    fail_check("no such problem format: ", int(*format));
  } catch (Fault& fault) {
    return std::move(fault.error);
  }
}

Result<Problem> read_problem(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code trouble;
  if (fs::is_directory(path, trouble)) return Error{joined(path, ": it is a folder, expected a problem file")};
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) return Error{joined(path, ": cannot read it: ", std::strerror(errno))};
  const std::uintmax_t length = fs::is_regular_file(path, trouble) ? fs::file_size(path, trouble) : 0;
  std::string text;
  if (!trouble && length <= longest_file) text.reserve(std::size_t(length) + 1);
  std::vector<char> chunk(std::size_t(1) << 16);
  for (std::size_t got = 0; (got = std::fread(chunk.data(), 1, chunk.size(), file.get())) > 0;) {
    text.append(chunk.data(), got);
    if (text.size() > longest_file || (!trouble && length > longest_file))
      return Error{joined(path, ": longer than ", longest_file, " bytes, which no problem is expected to be")};
  }
  if (std::ferror(file.get())) return Error{joined(path, ": cannot read it: ", std::strerror(errno))};
  return parse_problem(text, path);
}

// ---- writing --------------------------------------------------------------------------------------------------------

Result<ProblemFormat> format_for(const Problem& problem) {
  bool free = false, nonnegative = false, cone = false;
  for (const Block& block : problem.blocks) {
    if (block.kind == BlockKind::box)
      return Error{joined("row ", block.start, " is boxed, and no text format has boxes")};
    free = free || block.kind == BlockKind::free;
    nonnegative = nonnegative || block.kind == BlockKind::nonnegative;
    cone = cone || block.kind == BlockKind::cone;
  }
  if (problem.size() == 0) return Error{"a problem without rows has no text format"};
  if (cone && (free || nonnegative)) return Error{"no text format has cones beside other blocks"};
  return cone ? ProblemFormat::fc3d : free ? ProblemFormat::mlcp : ProblemFormat::lcp;
}

Result<std::string> problem_text(const Problem& problem, std::string_view comment) {
  if (std::optional<Error> fault = find_fault(problem)) return std::move(*fault);
  const Result<ProblemFormat> format = format_for(problem);
  if (!format) return format.error();
  std::string text;
  while (!comment.empty()) {
    const std::size_t end = std::min(comment.find('\n'), comment.size());
    text += joined("# ", comment.substr(0, end), "\n");
    comment.remove_prefix(std::min(end + 1, comment.size()));
  }
  switch (format.value()) {
    case ProblemFormat::fc3d:
      text += joined("nc ", problem.blocks.size(), "\nmu\n");
      for (const Block& block : problem.blocks) append_lines(text, {&block.mu, 1});
      break;
    case ProblemFormat::lcp:
      text += joined("n ", problem.size(), "\n");
      break;
    case ProblemFormat::mlcp:
      append_iscomp(text, problem);
      break;
  }
  text += "q\n";
  append_lines(text, problem.q);
  append_matrix(text, format.value() == ProblemFormat::fc3d ? "W" : "M", problem.M);
  return text;
}

std::string solution_text(std::span<const double> z) {
  std::string text;
  append_lines(text, z);
  return text;
}

std::optional<Error> write_problem(const std::string& path, const Problem& problem, std::string_view comment) {
  const Result<std::string> text = problem_text(problem, comment);
  if (!text) return Error{joined("cannot write '", path, "': ", text.error().message)};
  return write_file(path, text.value());
}

std::optional<Error> write_solution(const std::string& path, std::span<const double> z) {
  return write_file(path, solution_text(z));
}

}  // namespace linchpin
