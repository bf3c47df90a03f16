// Who tries to solve a problem of suite `solvers`, and how long it takes him; solvers.cc says by what rules.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "bench/timing.h"
#include "linchpin/solvers/solver.h"
#ifdef LINCHPIN_BENCH_PEERS
#include "bench/peers/siconos.h"
#endif

namespace linchpin {

inline constexpr const char *ours = "linchpin", *theirs = "Siconos";

// What one call came to, told by the solver itself.
struct Call {
  bool limit = false;  // it used all its iterations
};

// One solver with one problem in one storage.
struct Attempt {
  std::string who, solver;
  std::vector<double> tolerances;                         // to try, loosest first; none: the target
  std::function<Call(double tolerance, int limit)> call;  // leaves its answer in z
  std::vector<double>* z = nullptr;
  int first_limit = 20;  // iterations of the first call; more follow where that was too few
  bool failed = false;   // at a target before, given all the time: it will not reach a tighter one either
};

// How a residual was reached, if it was.
struct Reached {
  const Attempt* attempt = nullptr;
  bool reached = false;
  bool cut = false;  // there was no time to go on
  double tolerance = 0;
  int limit = 0;
  double residual = std::numeric_limits<double>::infinity();  // the best seen
  double seconds = 0;                                         // of the call that reached it, or all that was spent
  Timing timing;
};

// More and more iterations with tighter and tighter tolerance until the judge is content or `cap` seconds are spent.
Reached reach(const Attempt& attempt, const Problem& problem, double target, double cap);

// Prepared solvers and their memory, for as long as a case lasts.
struct Contest {
  std::vector<std::unique_ptr<Problem>> problems;  // one for each storage
  std::vector<std::unique_ptr<Solver>> solvers;
  std::vector<std::unique_ptr<std::vector<double>>> answers;
  std::vector<Attempt> attempts;
#ifdef LINCHPIN_BENCH_PEERS
  std::vector<std::unique_ptr<SiconosSolver>> siconos;
#endif
};

// Every solver of ours that takes the problem. `guess`: what it starts from, or nothing for z = 0.
void add_ours(const Problem& problem, const std::vector<double>* guess, Contest& contest);
#ifdef LINCHPIN_BENCH_PEERS
void add_siconos(const Problem& problem, Contest& contest);
#endif

}  // namespace linchpin
