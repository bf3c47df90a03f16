// Hinged bodies (block_system.h) by the forest and by general solvers, in one run: for the suite `multipliers` and for
// `linchpin reproduce multipliers/section9`.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/block_system.h"
#include "bench/general_solvers.h"
#include "bench/timing.h"

namespace linchpin {

inline constexpr General all_general[] = {
    General::ldlt_in_our_order, General::ldlt_amd,   General::lu,     General::llt_of_A,
    General::cholmod_of_A,      General::dense_of_A, General::cg_of_A};

// Which solver is worth its time where: above this it takes seconds, or memory, for what ours does in milliseconds.
struct GeneralLimits {
  int bodies = 1 << 30;           // all of them
  long numbers_of_A = 6'000'000;  // those that make A, or pivot
  int lu = 10000, cg = 1000;      // bodies; of conjugate gradients iterations grow with a chain's length
  bool allow(General solver, int bodies, long numbers) const;
};

struct GeneralTimed {
  General solver;
  std::optional<Timing> both;  // factors and a solution, slow ones timed once; none: `reason`
  std::string reason;
  double residual = 0;
  long nonzeros = 0;
  int iterations = 0;
};

struct ForestTimed {
  int bodies = 0, numbers = 0;         // of y
  Timing both, factor, solve, solve8;  // solve8 per column
  Timing touch;                        // one number of each cache line of the factors read: what memory alone takes
  double residual = 0;
  long numbers_below_diagonal = 0;  // block_system.h
  std::vector<GeneralTimed> general;
  const GeneralTimed* best() const;  // of those that have a time
  const GeneralTimed* find(General solver) const;
};

// Told before each solver; false asks to stop, and what is returned then is thrown away.
using ForestProgress = std::function<bool(const std::string& what)>;

// The system's order is set here.
ForestTimed time_forest(BlockSystem& system, std::span<const General> general, const GeneralLimits& limits,
                        const TimingOptions& timing, const ForestProgress& progress);

}  // namespace linchpin
