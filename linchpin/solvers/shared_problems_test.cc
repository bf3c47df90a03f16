// The real problems in shared/contact_problems beside the repository: dumped by simulations of rovers, capsules,
// towers, stacks and circuits (its INDEX.md). All are solvable, and `automatic` must solve all.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include "linchpin/solvers/problem/problem_file.h"
#include "linchpin/solvers/solver.h"

namespace linchpin {
namespace {

// The project's target: both figures, relative to |q|.
constexpr double tolerance = 1e-10;

std::filesystem::path folder() {
  return std::filesystem::path(LINCHPIN_SOURCE_DIR) / ".." / "shared" / "contact_problems";
}

std::vector<std::filesystem::path> problem_files() {
  std::vector<std::filesystem::path> files;
  if (!std::filesystem::is_directory(folder())) return files;
  for (const auto& file : std::filesystem::directory_iterator(folder()))
    if (format_of_name(file.path().filename().string()) && !file.path().filename().string().ends_with(".sol.txt"))
      files.push_back(file.path());
  std::sort(files.begin(), files.end());
  return files;
}

TEST(SharedProblems, AutomaticSolvesAll) {
  const std::vector<std::filesystem::path> files = problem_files();
  if (files.empty()) GTEST_SKIP() << "there are no problems in " << folder().lexically_normal();
  Solver solver;
  for (const std::filesystem::path& file : files) {
    const std::string name = file.filename().string();
    const Result<Problem> problem = read_problem(file.string());
    ASSERT_TRUE(problem.ok()) << problem.error().message;
    std::vector<double> z(problem.value().q.size());
    const SolveReport report = solver.solve(problem.value(), SolverId::automatic, {.tolerance = tolerance}, z);
    EXPECT_EQ(report.status, Status::solved)
        << name << ": " << linchpin::to_string(report.stop) << " by " << info(report.solver).name;
    ResidualWorkspace ws;  // checked independently of the report
    const Residual r = residual(problem.value(), z, ws);
    EXPECT_LE(r.relative, tolerance) << name;
    EXPECT_LE(r.plain_relative, tolerance) << name;
  }
}

// Every solver that finishes has solved the problem, and none reports one of these as unsolvable.
TEST(SharedProblems, NobodyIsWrong) {
  const std::vector<std::filesystem::path> files = problem_files();
  if (files.empty()) GTEST_SKIP() << "there are no problems in " << folder().lexically_normal();
  Solver solver;
  for (const std::filesystem::path& file : files) {
    const Result<Problem> problem = read_problem(file.string());
    ASSERT_TRUE(problem.ok()) << problem.error().message;
    if (problem.value().size() > 300) continue;  // the larger ones take the baselines too long
    for (const SolverInfo& s : solvers()) {
      if (find_refusal(s, problem.value())) continue;
      std::vector<double> z(problem.value().q.size());
      const bool sweeps = s.id == SolverId::gauss_seidel || s.id == SolverId::proximal;
      const SolveReport report =
          solver.solve(problem.value(), s.id, {.tolerance = tolerance, .max_iterations = sweeps ? 200 : 0}, z);
      const std::string what = file.filename().string() + " by " + std::string(s.name);
      EXPECT_TRUE(report.status == Status::solved || report.status == Status::not_solved)
          << what << ": " << to_string(report.status);
      EXPECT_TRUE(std::all_of(z.begin(), z.end(), [](double x) { return std::isfinite(x); })) << what;
      ResidualWorkspace ws;
      EXPECT_EQ(report.status == Status::solved, residual(problem.value(), z, ws).within(tolerance)) << what;
    }
  }
}

}  // namespace
}  // namespace linchpin
