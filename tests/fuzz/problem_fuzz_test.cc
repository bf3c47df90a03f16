// Complementarity problems as text, as far as their solution.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "linchpin/solvers/problem/problem_file.h"
#include "linchpin/solvers/solver.h"
#include "tests/fuzz/fuzz.h"

namespace linchpin {
namespace {

void solve(const Problem& problem) {
  std::vector<double> z(std::size_t(problem.size()), 0.0);
  Solver solver;
  const SolverOptions options;
  const SolveReport report = solver.solve(problem, SolverId::automatic, options, z);
  promise(report.status != Status::bad_input, "a problem that was read is bad input to the solver");
  if (report.status != Status::solved) return;
  for (const double number : z) promise(std::isfinite(number), "solved, with NaN or infinity in z");
  ResidualWorkspace ws;
  promise(residual(problem, z, ws).within(options.tolerance), "solved, but the residual is above the tolerance");
}

bool read_text(const std::string& text) {
  const Result<Problem> problem = parse_problem(text, "fuzz");
  if (!problem) {
    promise(problem.error().message.starts_with("fuzz:"), "an error that does not begin with the file's name");
    return false;
  }
  promise(!find_fault(problem.value()), "a problem with a fault");
  const std::string written = problem_text(problem.value()).value();
  promise(problem_text(parse_problem(written, "written").value()).value() == written, "another problem after writing");
  if (problem.value().size() <= 60) solve(problem.value());
  return true;
}

TEST(Fuzz, ProblemFile) {
  FuzzTarget target{.name = "problem file", .seeds = {}, .words = {}, .inputs = 4000, .read = read_text};
  for (const auto& entry : std::filesystem::directory_iterator(LINCHPIN_SOURCE "/models/problems")) {
    if (entry.path().extension() != ".txt") continue;
    std::ifstream file(entry.path());
    // Without comments, so that most changes hit a number.
    std::string bare;
    for (std::string line; std::getline(file, line);)
      if (!line.starts_with('#')) bare += line + "\n";
    target.seeds.push_back(bare);
  }
  ASSERT_FALSE(target.seeds.empty());
  target.words = {"nc", "n", "m", "q", "M", "W", "mu", "rows", "iscomp", "#"};
  fuzz(target);
}

}  // namespace
}  // namespace linchpin
