// The problems of suite `solvers`: those of ../shared/contact_problems, where that is there, and generated ones.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "linchpin/base/result.h"
#include "linchpin/solvers/problem/problem.h"

namespace linchpin {

struct SolverCase {
  std::string name;
  bool quick = false;  // part of a quick run
  std::function<Result<Problem>()> make;
};

// The folder of the shared problems: LINCHPIN_SHARED, or `shared` beside the current folder.
std::filesystem::path shared_problems();

std::vector<SolverCase> shared_cases();
std::vector<SolverCase> generated_cases();

}  // namespace linchpin
