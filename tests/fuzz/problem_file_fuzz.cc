// Fuzz test of the reader of problem files, for libFuzzer. On any input the reader must not crash and must not return a
// problem with a fault; a problem that it returns must be the same after writing and reading. ./test does not run it,
// but problem_fuzz_test.cc, which needs no clang.
//
// From the root of the repository, with clang. /tmp/corpus collects the inputs; the samples are the first ones.
//   clang++ -std=c++20 -O1 -g -fsanitize=fuzzer,address,undefined -I. tests/fuzz/problem_file_fuzz.cc \
//     linchpin/solvers/problem/{problem_file,problem}.cc linchpin/algebra/matrix.cc -o /tmp/problem_file_fuzz &&
//   mkdir -p /tmp/corpus && /tmp/problem_file_fuzz -max_len=4096 -max_total_time=600 /tmp/corpus models/problems
#include <cstdint>
#include <string_view>

#include "linchpin/base/check.h"
#include "linchpin/solvers/problem/problem_file.h"

using namespace linchpin;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  // For 3 of 16 values of the first byte, the byte gives the format; otherwise the reader finds it from the text.
  const unsigned pick = data[0] & 15u;
  const std::optional<ProblemFormat> format =
      pick < 3 ? std::optional<ProblemFormat>(ProblemFormat(pick)) : std::nullopt;
  const std::string_view text(reinterpret_cast<const char*>(data) + (format ? 1 : 0), size - (format ? 1 : 0));
  const Result<Problem> problem = parse_problem(text, "fuzz", format);
  if (!problem) return 0;
  const std::optional<Error> fault = find_fault(problem.value());
  check(!fault, "a problem with a fault: ", fault ? fault->message : "");
  const std::string written = problem_text(problem.value()).value();
  check(problem_text(parse_problem(written, "written").value()).value() == written, "reads differently when written");
  return 0;
}
