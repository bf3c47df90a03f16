#include "linchpin/solvers/problem/problem_file.h"

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>

#include <gtest/gtest.h>

#include "linchpin/base/compare_testing.h"
#include "linchpin/solvers/problem/residual.h"

namespace linchpin {
namespace {

// The smallest of each format, with comments where they may stand.
const std::string fc3d =
    "# one contact\nnc 1\nmu\n0.5\n\nq\n-1 # normal\n0.25\n-0\nW 3 3 4\n0 0 2\n0 1 -1e-3\n1 1 1.5\n2 2 +0.75\n";
const std::string lcp = "n 2\nq\n-1\n3\nM 2 2 3\n0 0 2\n0 1 1\n1 1 1\n";
const std::string mlcp = "n 1\nm 2\nrows 3\niscomp\n1\n0\n1\nq\n1\n2\n3\nM 3 3 2\n0 1 4\n2 0 5\n";

std::string problems() {  // the folder of the samples
  return LINCHPIN_SOURCE_DIR "/models/problems";
}

std::vector<double> all_of(const Matrix& M) {
  const std::size_t n = std::size_t(M.size());
  std::vector<double> out(n * n);
  M.to_dense(out.data(), M.size());
  return out;
}

void expect_same(const Problem& a, const Problem& b) {
  EXPECT_TRUE(same_finite_bits(a.q, b.q));
  EXPECT_TRUE(same_finite_bits(all_of(a.M), all_of(b.M)));
  ASSERT_EQ(a.blocks.size(), b.blocks.size());
  for (std::size_t i = 0; i < a.blocks.size(); ++i) {
    EXPECT_EQ(a.blocks[i].kind, b.blocks[i].kind);
    EXPECT_EQ(a.blocks[i].start, b.blocks[i].start);
    EXPECT_EQ(a.blocks[i].size, b.blocks[i].size);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(a.blocks[i].mu), std::bit_cast<std::uint64_t>(b.blocks[i].mu));
  }
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << "no '" << what << "' in the text";
  return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

// Any double, by its bits, that is finite.
double any_double(std::mt19937_64& random) {
  for (;;) {
    const double x = std::bit_cast<double>(random());
    if (std::isfinite(x)) return x;
  }
}

// A place for files that is gone afterwards.
class Folder {
 public:
  Folder() {
    path_ =
        std::filesystem::temp_directory_path() / ("linchpin_problem_file_" + std::to_string(std::random_device{}()));
    std::filesystem::create_directories(path_);
  }
  ~Folder() {
    std::error_code fault;
    std::filesystem::remove_all(path_, fault);
  }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

// ---- what is read ---------------------------------------------------------------------------------------------------

TEST(ProblemFile, Fc3dIsConesOfThreeRows) {
  const Problem p = parse_problem(fc3d, "a.fc3d.txt").value();
  EXPECT_FALSE(find_fault(p));
  ASSERT_EQ(p.blocks.size(), 1u);
  EXPECT_EQ(p.blocks[0].kind, BlockKind::cone);
  EXPECT_EQ(p.blocks[0].size, 3);
  EXPECT_EQ(p.blocks[0].mu, 0.5);
  EXPECT_EQ(p.q, (std::vector<double>{-1, 0.25, 0}));
  EXPECT_TRUE(std::signbit(p.q[2]));
  EXPECT_EQ(all_of(p.M), (std::vector<double>{2, -1e-3, 0, 0, 1.5, 0, 0, 0, 0.75}));
}

TEST(ProblemFile, LcpIsOneBlock) {
  const Problem p = parse_problem(lcp, "a.lcp.txt").value();
  EXPECT_FALSE(find_fault(p));
  ASSERT_EQ(p.blocks.size(), 1u);
  EXPECT_EQ(p.blocks[0].kind, BlockKind::nonnegative);
  EXPECT_EQ(p.blocks[0].size, 2);
  EXPECT_EQ(p.q, (std::vector<double>{-1, 3}));
  EXPECT_EQ(all_of(p.M), (std::vector<double>{2, 1, 0, 1}));
}

TEST(ProblemFile, RowsOfOneKindInARowAreOneBlock) {
  const Problem p = parse_problem(mlcp, "a.mlcp.txt").value();
  EXPECT_FALSE(find_fault(p));
  ASSERT_EQ(p.blocks.size(), 3u);
  EXPECT_EQ(p.blocks[0].kind, BlockKind::nonnegative);
  EXPECT_EQ(p.blocks[1].kind, BlockKind::free);
  EXPECT_EQ(p.blocks[2].kind, BlockKind::nonnegative);
  EXPECT_EQ(all_of(p.M), (std::vector<double>{0, 4, 0, 0, 0, 0, 5, 0, 0}));
  const Problem together = parse_problem(replaced(mlcp, "1\n0\n1\n", "0\n1\n1\n"), "a.mlcp.txt").value();
  ASSERT_EQ(together.blocks.size(), 2u);
  EXPECT_EQ(together.blocks[1].start, 1);
  EXPECT_EQ(together.blocks[1].size, 2);
}

TEST(ProblemFile, TheTextTellsItsFormatWhereTheNameDoesNot) {
  EXPECT_EQ(parse_problem(fc3d, "a").value().blocks[0].kind, BlockKind::cone);
  EXPECT_EQ(parse_problem(lcp, "a.txt").value().blocks.size(), 1u);
  EXPECT_EQ(parse_problem(mlcp, "a.fc3d.dat").value().blocks.size(), 3u);
  EXPECT_EQ(parse_problem(lcp, "a.mlcp.txt", ProblemFormat::lcp).value().size(), 2);  // the caller knows better
  EXPECT_EQ(format_of_name("x.lcp.txt"), ProblemFormat::lcp);
  EXPECT_EQ(format_of_name("x.mlcp.txt"), ProblemFormat::mlcp);
  EXPECT_EQ(format_of_name("x.hdf5.fc3d.txt"), ProblemFormat::fc3d);
  EXPECT_FALSE(format_of_name("x.fc3d.sol.txt"));
}

TEST(ProblemFile, LayoutDoesNotMatter) {
  const Problem p = parse_problem(lcp, "a").value();
  const std::string spread =
      "\n# so\n  n\t2 # two\r\n\nq\n -1\r\n#\n\t3\r\nM  2 2\t3\n1 1 1\n0 1 1 # any order\n\n0 0 2";
  expect_same(p, parse_problem(spread, "a").value());
}

TEST(ProblemFile, ContactsAreBlockSparseUpToHalfOfTheBlocks) {
  // Four contacts have 16 blocks; one number puts a block there.
  const auto with = [](int blocks) {
    std::string text = "nc 4\nmu\n1\n1\n1\n1\nq\n";
    for (int i = 0; i < 12; ++i) text += "0\n";
    text += "W 12 12 " + std::to_string(blocks) + "\n";
    for (int b = 0; b < blocks; ++b)
      text += std::to_string(b / 4 * 3 + 1) + " " + std::to_string(b % 4 * 3 + 2) + " " + std::to_string(b + 1) + "\n";
    return parse_problem(text, "a").value();
  };
  EXPECT_EQ(with(8).M.kind(), Matrix::Kind::block_sparse);
  EXPECT_EQ(with(9).M.kind(), Matrix::Kind::dense);
  EXPECT_EQ(with(0).M.kind(), Matrix::Kind::block_sparse);
  const Matrix M = with(8).M;
  EXPECT_EQ(M.blocks().row_blocks(), 4);
  EXPECT_EQ(M.blocks().column.size(), 8u);
  const std::vector<double> all = all_of(M);
  for (int b = 0; b < 8; ++b) EXPECT_EQ(all[(b / 4 * 3 + 1) * 12 + b % 4 * 3 + 2], b + 1);
}

// A long lcp with a few numbers must not become a dense matrix of gigabytes.
TEST(ProblemFile, LongAndThinStaysSparse) {
  const int n = 100000;
  std::string text = "n " + std::to_string(n) + "\nq\n";
  for (int i = 0; i < n; ++i) text += "1\n";
  text += "M 100000 100000 2\n99999 99999 7\n0 99999 -7\n";
  const Problem p = parse_problem(text, "long.lcp.txt").value();
  EXPECT_FALSE(find_fault(p));
  ASSERT_EQ(p.M.kind(), Matrix::Kind::block_sparse);
  EXPECT_EQ(p.M.blocks().values, (std::vector<double>{-7, 7}));
  const std::string again = problem_text(p).value();
  EXPECT_EQ(again, problem_text(parse_problem(again, "long.lcp.txt").value()).value());
}

// ---- round trips ----------------------------------------------------------------------------------------------------

TEST(ProblemFile, EveryBitComesBack) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 60; ++round) {
    const int kind = round % 3, contacts = 1 + round % 7, n = 3 * contacts;
    std::vector<double> M(n * n);
    for (double& x : M) x = random() % 4 == 0 ? any_double(random) : random() % 4 == 0 ? -0.0 : 0.0;
    Problem p;
    p.M = Matrix::dense(n, std::move(M));
    for (int i = 0; i < n; ++i) p.q.push_back(any_double(random));
    if (kind == 0) {
      for (int c = 0; c < contacts; ++c) p.blocks.push_back({BlockKind::cone, 3 * c, 3, std::abs(any_double(random))});
    } else if (kind == 1) {
      p.blocks = {{BlockKind::nonnegative, 0, n, 0}};
    } else {
      p.blocks = {{BlockKind::free, 0, 1, 0}, {BlockKind::nonnegative, 1, n - 2, 0}, {BlockKind::free, n - 1, 1, 0}};
    }
    const std::string text = problem_text(p, "two lines\nof comment").value();
    EXPECT_TRUE(text.starts_with("# two lines\n# of comment\n"));
    const Problem back = parse_problem(text, "back").value();
    expect_same(p, back);
    EXPECT_EQ(problem_text(back, "two lines\nof comment").value(), text);
  }
}

TEST(ProblemFile, FilesComeBack) {
  const Folder folder;
  const Problem p = parse_problem(mlcp, "a").value();
  const std::string path = folder / "a.mlcp.txt";
  EXPECT_FALSE(write_problem(path, p, "a problem"));
  expect_same(p, read_problem(path).value());

  const std::vector<double> z{1.0 / 3, -0.0, 5e-324, 1.7976931348623157e308, 0.1};
  EXPECT_FALSE(write_solution(folder / "z.txt", z));
  std::ifstream in(folder / "z.txt");
  std::vector<double> back;
  for (std::string line; std::getline(in, line);) back.push_back(std::strtod(line.c_str(), nullptr));
  EXPECT_TRUE(same_finite_bits(z, back));
}

TEST(ProblemFile, WhatHasNoFormatIsNotWritten) {
  const Folder folder;
  Problem p = parse_problem(lcp, "a").value();
  p.blocks = {{BlockKind::box, 0, 2, 0}};
  p.lower = {0, 0};
  p.upper = {1, 1};
  EXPECT_NE(problem_text(p).error().message.find("no text format has boxes"), std::string::npos);
  const std::string path = folder / "a.txt";
  const std::optional<Error> fault = write_problem(path, p);
  ASSERT_TRUE(fault);
  EXPECT_NE(fault->message.find(path), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path));

  Problem mixed = parse_problem(fc3d, "a").value();
  mixed.M = Matrix::dense(4, std::vector<double>(16, 1.0));
  mixed.q.push_back(1);
  mixed.blocks.push_back({BlockKind::free, 3, 1, 0});
  EXPECT_NE(problem_text(mixed).error().message.find("cones beside other blocks"), std::string::npos);
  EXPECT_NE(problem_text(Problem()).error().message.find("without rows"), std::string::npos);

  Problem bad = parse_problem(lcp, "a").value();
  bad.q[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(problem_text(bad).ok());
  EXPECT_TRUE(write_problem(folder / "nowhere/a.txt", parse_problem(lcp, "a").value()));
  EXPECT_TRUE(write_solution(folder / "nowhere/z.txt", {}));
}

// ---- what is refused ------------------------------------------------------------------------------------------------

struct Refusal {
  const char* format;  // which of the three texts
  const char* what;    // this in it ...
  const char* by;      // ... becomes this
  const char* message;
};

const Refusal refusals[] = {
    // numbers
    {"fc3d", "0.5\n", "half\n", "f:4: 'half' is no number, expected mu of contact 0 (0 of 1 values are there)"},
    {"fc3d", "0.5\n", "0.5x\n", "f:4: '0.5x' is no number, expected mu of contact 0 (0 of 1 values are there)"},
    {"fc3d", "0.5\n", "nan\n", "f:4: 'nan' is not finite, expected mu of contact 0 (0 of 1 values are there)"},
    {"fc3d", "0.5\n", "-0.5\n", "f:4: '-0.5' is negative, expected mu of contact 0, at least 0"},
    {"fc3d", "0.25\n", "-inf\n", "f:8: '-inf' is not finite, expected q of row 1 (1 of 3 values are there)"},
    {"fc3d", "0.25\n", "1e999\n",
     "f:8: '1e999' is beyond the range of double, expected q of row 1 (1 of 3 values are there)"},
    {"fc3d", "0.25\n", "+\n", "f:8: '+' is no number, expected q of row 1 (1 of 3 values are there)"},
    {"fc3d", "0.25\n", "+-1\n", "f:8: '+-1' is no number, expected q of row 1 (1 of 3 values are there)"},
    {"fc3d", "0.25\n", "0x1p3\n", "f:8: '0x1p3' is no number, expected q of row 1 (1 of 3 values are there)"},
    {"fc3d", "0.25\n", "1,5\n", "f:8: '1,5' is no number, expected q of row 1 (1 of 3 values are there)"},
    {"fc3d", "0.25\n", "\x01\xff\n", "f:8: '\\x01\\xff' is no number, expected q of row 1 (1 of 3 values are there)"},
    {"fc3d", "-1e-3\n", "NaN\n", "f:12: 'NaN' is not finite, expected W at row 0, column 1"},
    {"lcp", "n 2", "n two", "f:1: 'two' is no whole number, expected the number of rows"},
    {"lcp", "n 2", "n 2.0", "f:1: '2.0' is no whole number, expected the number of rows"},
    {"lcp", "n 2", "n 0", "f:1: '0' is out of range, expected the number of rows from 1 to 715827882"},
    {"fc3d", "nc 1", "nc -1", "f:2: '-1' is out of range, expected the number of contacts from 1 to 715827882"},
    {"mlcp", "n 1", "n -1", "f:1: '-1' is out of range, expected the number of equalities from 0 to 715827882"},
    // indices
    {"lcp", "0 1 1", "0 2 1", "f:7: '2' is out of range, expected a column from 0 to 1"},
    {"lcp", "0 1 1", "-1 1 1", "f:7: '-1' is out of range, expected a row from 0 to 1"},
    {"lcp", "0 1 1", "99999999999999999999 1 1",
     "f:7: '99999999999999999999' is out of range, expected a row from 0 to 1"},
    {"lcp", "0 1 1", "0.5 1 1", "f:7: '0.5' is no whole number, expected a row"},
    // too few and too many
    {"fc3d", "nc 1\n", "nc\n", "f:2: 'nc' found, expected 'nc <number of contacts>'"},
    {"fc3d", "nc 1\n", "nc 1 1\n", "f:2: 'nc 1 1' found, expected 'nc <number of contacts>'"},
    {"fc3d", "0.5\n", "", "f:5: 'q' is no number, expected mu of contact 0 (0 of 1 values are there)"},
    {"fc3d", "0.5\n", "0.5\n0.5\n", "f:5: '0.5' found, expected 'q' after 1 value of mu"},
    {"fc3d", "0.5\n", "0.5 0.5\n",
     "f:4: '0.5 0.5' found, expected one value, mu of contact 0 (0 of 1 values are there)"},
    {"fc3d", "mu\n", "mu 0.5\n", "f:3: 'mu 0.5' found, expected 'mu' alone, and its values on lines of their own"},
    {"fc3d", "mu\n", "", "f:3: '0.5' found, expected 'mu'"},
    {"fc3d", "-0\n", "", "f:9: 'W 3 3 4' found, expected one value, q of row 2 (2 of 3 values are there)"},
    {"fc3d", "-0\n", "0\n0\n", "f:10: '0' found, expected 'W' after 3 values of q"},
    {"fc3d", "W 3 3 4", "W 3 3", "f:10: 'W 3 3' found, expected 'W <rows> <columns> <entries>'"},
    {"fc3d", "W 3 3 4", "W 4 3 4", "f:10: 'W 4 3 4': 4 rows, expected 3, as many as q has"},
    {"fc3d", "W 3 3 4", "W 3 6 4", "f:10: 'W 3 6 4': 6 columns, expected 3, as many as q has"},
    {"fc3d", "W 3 3 4", "W 3 3 10", "f:10: '10' is out of range, expected the number of entries from 0 to 9"},
    {"fc3d", "W 3 3 4", "W 3 3 5", "f:14: the file ends here, expected entry 5 of 5 of W, 'row column value'"},
    {"fc3d", "W 3 3 4", "W 3 3 3", "f:14: '2 2 +0.75' found, expected the end of the file after 3 entries of W"},
    {"fc3d", "1 1 1.5", "1 1", "f:13: '1 1' found, expected entry 3 of 4 of W, 'row column value'"},
    {"fc3d", "1 1 1.5", "1 1 1.5 2", "f:13: '1 1 1.5 2' found, expected entry 3 of 4 of W, 'row column value'"},
    {"lcp", "1 1 1\n", "1 1 1\nthank you\n",
     "f:9: 'thank you' found, expected the end of the file after 3 entries of M"},
    {"lcp", "n 2\n", "n 1\n", "f:4: '3' found, expected 'M' after 1 value of q"},
    // given twice, next to each other and far apart
    {"lcp", "0 1 1", "0 0 1", "f:7: row 0, column 0 of M is given here and on line 6, expected once"},
    {"lcp", "1 1 1", "0 0 1", "f:8: row 0, column 0 of M is given here and on line 6, expected once"},
    // counts that disagree
    {"mlcp", "rows 3", "rows 4", "f:3: 'rows 4', expected n + m = 1 + 2 = 3"},
    {"mlcp", "1\n0\n1\n", "1\n1\n1\n", "f:4: iscomp is 1 for 3 rows, expected m = 2"},
    {"mlcp", "1\n0\n1\n", "1\n2\n1\n", "f:6: '2' found, expected iscomp of row 1, 0 or 1 (1 of 3 values are there)"},
    {"mlcp", "m 2\n", "", "f:2: 'rows 3' found, expected 'm'"},
    // sizes that no such file can hold are refused before memory is asked for
    {"fc3d", "nc 1", "nc 700000000", "f:2: 'nc 700000000' is more than a file of "},
    {"lcp", "n 2", "n 700000000", "f:1: 'n 700000000' is more than a file of "},
    {"lcp", "n 2", "n 2000000000", "f:1: '2000000000' is out of range, expected the number of rows from 1 to "},
    {"mlcp", "rows 3", "rows 700000000", "f:3: 'rows 700000000' is more than a file of "},
};

TEST(ProblemFile, NamesFileLineValueAndWhatWasExpected) {
  for (const Refusal& r : refusals) {
    const std::string format = r.format;
    const std::string& text = format == "fc3d" ? fc3d : format == "lcp" ? lcp : mlcp;
    const ProblemFormat as = format == "fc3d"  ? ProblemFormat::fc3d
                             : format == "lcp" ? ProblemFormat::lcp
                                               : ProblemFormat::mlcp;
    const Result<Problem> p = parse_problem(replaced(text, r.what, r.by), "f", as);
    ASSERT_FALSE(p.ok()) << r.message;
    EXPECT_TRUE(p.error().message.starts_with(r.message)) << p.error().message << "\nexpected\n" << r.message;
  }
}

TEST(ProblemFile, RefusesWhatIsNoProblem) {
  const auto message = [](std::string_view text, std::string_view file) {
    const Result<Problem> p = parse_problem(text, file);
    return p.ok() ? "a problem" : p.error().message;
  };
  EXPECT_EQ(message("", "e.txt"),
            "e.txt: the file is empty, expected 'nc' (an fc3d problem) or 'n' (an lcp or mlcp "
            "problem)");
  EXPECT_EQ(message("", "e.fc3d.txt"), "e.fc3d.txt: the file is empty, expected 'nc'");
  EXPECT_EQ(message("# nothing\n\n", "e.lcp.txt"), "e.lcp.txt:2: the file ends here, expected 'n'");
  EXPECT_EQ(message("0.1\n0.2\n", "e.sol.txt"),
            "e.sol.txt:1: '0.1' found, expected 'nc' (an fc3d problem) or 'n' (an lcp or mlcp problem)");
  EXPECT_EQ(message("n", "e"), "e:1: 'n' found, expected 'n <number of rows>'");
  EXPECT_EQ(message(lcp, "e.fc3d.txt"), "e.fc3d.txt:1: 'n 2' found, expected 'nc'");
  EXPECT_EQ(message(lcp, "e.mlcp.txt"), "e.mlcp.txt:2: 'q' found, expected 'm'");
  EXPECT_EQ(message(std::string_view("nc 1\0mu", 7), "e.fc3d.txt"),
            "e.fc3d.txt:1: '1\\x00mu' is no whole number, expected the number of contacts");
  EXPECT_EQ(message("n 2\nq\n" + std::string(100, '7') + "x\n", "e"),
            "e:3: '" + std::string(40, '7') + "...' is no number, expected q of row 0 (0 of 2 values are there)");
}

// A matrix of a few lines that says it has more entries than there is room for in the text.
TEST(ProblemFile, AsksForNoMoreMemoryThanTheTextIsWorth) {
  std::string text = "n 50000\nq\n";
  for (int i = 0; i < 50000; ++i) text += "0\n";
  const Result<Problem> p = parse_problem(text + "M 50000 50000 2500000000\n0 0 1\n", "f");
  ASSERT_FALSE(p.ok());
  EXPECT_TRUE(
      p.error().message.starts_with("f:50003: 'M 50000 50000 2500000000': 2500000000 entries are more than a file of "))
      << p.error().message;
}

TEST(ProblemFile, RefusesWhatCannotBeRead) {
  const Folder folder;
  const std::string nowhere = folder / "nowhere.lcp.txt", here = folder / "";
  EXPECT_EQ(read_problem(nowhere).error().message, nowhere + ": cannot read it: No such file or directory");
  EXPECT_EQ(read_problem(here).error().message, here + ": it is a folder, expected a problem file");
  EXPECT_NE(read_problem("").error().message.find("cannot read it"), std::string::npos);
  // Longer than any problem; the file has a hole and takes no room.
  const std::string huge = folder / "huge.lcp.txt";
  std::ofstream(huge) << "n 1\n";
  std::error_code fault;
  std::filesystem::resize_file(huge, std::uintmax_t(1) << 40, fault);
  if (fault) GTEST_SKIP() << "no files with holes here: " << fault.message();
  EXPECT_NE(read_problem(huge).error().message.find("longer than 1073741824 bytes"), std::string::npos);
}

// ---- the samples ----------------------------------------------------------------------------------------------------

std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in.good()) << "cannot read " << path;
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

// The solutions that the files state, worked out by hand there: a few digits long, so right to round-off.
TEST(ProblemFile, SamplesHaveTheSolutionsTheyState) {
  const std::pair<const char*, std::vector<double>> samples[] = {
      {"sliding_block.fc3d.txt", {0.1962, -0.047088, 0.035316}},
      {"box_on_slope.fc3d.txt",
       {0.051666, -0.013734, 0, 0.051666, -0.013734, 0, 0.04251, -0.013734, 0, 0.04251, -0.013734, 0}},
      {"pendulum_limit.lcp.txt", {5, 1.5}},
      {"diode_bridge.mlcp.txt", {2, 8, 0, 8, 2, 0, 0, 2}},
  };
  for (const auto& [file, z] : samples) {
    const Result<Problem> p = read_problem(problems() + "/" + file);
    ASSERT_TRUE(p.ok()) << p.error().message;
    EXPECT_FALSE(find_fault(p.value()));
    ASSERT_EQ(p.value().q.size(), z.size());
    ResidualWorkspace ws;
    const Residual r = residual(p.value(), z, ws);
    EXPECT_TRUE(r.within(1e-15 * double(z.size()))) << file << ": " << r.relative << ", " << r.plain_relative;
  }
  // The certificate of no_solution: y >= 0, y'M = 0, y'q < 0 with y = (1, 1).
  const Problem none = read_problem(problems() + "/no_solution.lcp.txt").value();
  const std::vector<double> M = all_of(none.M);
  EXPECT_EQ(M[0] + M[2], 0);
  EXPECT_EQ(M[1] + M[3], 0);
  EXPECT_LT(none.q[0] + none.q[1], 0);
}

// ---- nonsense -------------------------------------------------------------------------------------------------------

using Random = std::mt19937_64;

std::size_t below(Random& random, std::size_t n) { return n == 0 ? 0 : std::size_t(random() % n); }

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string text_from(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// One thing goes wrong.
std::string mutated(std::string text, Random& random) {
  static const char* const nonsense[] = {
      "nan",      "inf",  "-inf", "1e999",      "1e-999",     "-1",         "0",
      "1",        "2",    "3",    "2147483647", "2147483648", "4294967296", "99999999999999999999",
      "-0",       "0x10", "1e",   "+",          "",           ".",          "#",
      "nc",       "n",    "m",    "q",          "M",          "W",          "rows",
      "iscomp",   "mu",   "1 1",  "0 0 1",      "\xff\xfe",   "1e308",      "715827882",
      "700000000"};
  std::vector<std::string> lines;
  switch (random() % 8) {
    case 0:  // a bit flips
      if (!text.empty()) text[below(random, text.size())] ^= char(1 << (random() % 8));
      return text;
    case 1:  // a byte becomes another
      if (!text.empty()) text[below(random, text.size())] = char(random());
      return text;
    case 2:  // cut short
      return text.substr(0, below(random, text.size() + 1));
    case 3:  // a piece is lost
      return text.erase(below(random, text.size()), below(random, 12));
    case 4:  // a line is lost
      lines = lines_of(text);
      if (!lines.empty()) lines.erase(lines.begin() + std::ptrdiff_t(below(random, lines.size())));
      return text_from(lines);
    case 5:  // a line comes twice, anywhere
      lines = lines_of(text);
      if (!lines.empty()) {
        const std::string line = lines[below(random, lines.size())];
        lines.insert(lines.begin() + std::ptrdiff_t(below(random, lines.size() + 1)), line);
      }
      return text_from(lines);
    case 6:  // two lines change places
      lines = lines_of(text);
      if (!lines.empty()) std::swap(lines[below(random, lines.size())], lines[below(random, lines.size())]);
      return text_from(lines);
    default: {  // a word becomes nonsense
      const std::size_t begin = text.find_first_not_of(" \n", below(random, text.size()));
      if (begin == std::string::npos) return text;
      const std::size_t end = std::min(text.find_first_of(" \n", begin), text.size());
      return text.replace(begin, end - begin, nonsense[below(random, std::size(nonsense))]);
    }
  }
}

std::vector<std::string> seeds() {
  std::vector<std::string> texts{fc3d, lcp, mlcp, ""};
  for (const char* file : {"sliding_block.fc3d.txt", "box_on_slope.fc3d.txt", "pendulum_limit.lcp.txt",
                           "diode_bridge.mlcp.txt", "no_solution.lcp.txt"}) {
    const std::string text = text_of(problems() + "/" + file);
    texts.push_back(text);
    std::string bare;  // without its comments, so that most mutations hit something
    for (const std::string& line : lines_of(text))
      if (!line.starts_with('#')) bare += line + "\n";
    texts.push_back(bare);
  }
  return texts;
}

TEST(ProblemFile, NonsenseIsRefusedOrIsAProblem) {
  const std::vector<std::string> texts = seeds();
  const std::uint64_t seed = 20;
  Random random(seed);
  int problems_found = 0, refused = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string text = texts[std::size_t(round) % texts.size()];
    for (std::uint64_t k = 0, times = 1 + random() % 3; k < times; ++k) text = mutated(std::move(text), random);
    const std::uint64_t pick = random() % 4;
    const std::optional<ProblemFormat> format =
        pick == 3 ? std::nullopt : std::optional<ProblemFormat>(ProblemFormat(pick));
    const Result<Problem> p = parse_problem(text, "fuzz", format);
    if (!p.ok()) {
      ++refused;
      ASSERT_TRUE(p.error().message.starts_with("fuzz:")) << p.error().message;
      ASSERT_EQ(p.error().message.find('\n'), std::string::npos) << p.error().message;
      continue;
    }
    ++problems_found;
    const std::optional<Error> fault = find_fault(p.value());
    ASSERT_FALSE(fault) << "seed " << seed << ", round " << round << ": " << fault->message << "\n" << text;
    // What was read can be written, and reads the same.
    const std::string again = problem_text(p.value()).value();
    const Problem back = parse_problem(again, "again").value();
    expect_same(p.value(), back);
  }
  // Both happen often, or the test tests nothing.
  EXPECT_GT(problems_found, 1000) << "seed " << seed;
  EXPECT_GT(refused, 5000) << "seed " << seed;
}

}  // namespace
}  // namespace linchpin
