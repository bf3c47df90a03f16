// Siconos on the same complementarity problems, in the same process.
//
// Its solvers take cones (fc3d), nonnegative rows (lcp), or free and nonnegative rows (mlcp), each family alone; no
// boxes. They are called as they come, with their default options but for tolerance and number of iterations, on one
// thread, and start from z = 0. What is made once and kept between calls (options, the matrix in their storage, and
// what they derive from it and keep) is not timed.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "linchpin/solvers/problem/problem.h"

namespace linchpin {

bool siconos_installed();  // when this was built; else there are no solvers
std::string siconos_version();

// Their names for the solvers that take this problem.
std::vector<std::string> siconos_solvers(const Problem& problem);

enum class SiconosStorage { dense, sparse_blocks };  // the latter for cones only

struct SiconosOutcome {
  bool finished = false;  // says that it reached the tolerance, by its own measure
  bool limit = false;     // used all the iterations it was given
  int iterations = 0;
};

// While it lives nothing is printed: some of its solvers write to standard output and error whatever they are told.
class SiconosSilence {
 public:
  SiconosSilence();
  ~SiconosSilence();
  SiconosSilence(const SiconosSilence&) = delete;
  SiconosSilence& operator=(const SiconosSilence&) = delete;

 private:
  int out_ = -1, error_ = -1;  // where the two went before
};

// One of its solvers with one problem. Iterations and tolerance may be set again before each call.
class SiconosSolver {
 public:
  SiconosSolver(const Problem& problem, const std::string& solver, SiconosStorage storage);
  ~SiconosSolver();
  SiconosSolver(SiconosSolver&&) noexcept;
  SiconosSolver& operator=(SiconosSolver&&) noexcept;

  // tolerance: of |z - P(z - w~)| / max(|q|, |z|, |w|) for cones, |min(z, w)| / |q| for others.
  SiconosOutcome solve(double tolerance, int max_iterations, std::span<double> z);

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace linchpin
