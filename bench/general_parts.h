// The general solvers by what they are given: each function makes those of one file. For general_*.cc alone.
#pragma once

#include <memory>

#include "bench/general_solvers.h"

namespace linchpin::general_detail {

// ldlt_in_our_order, ldlt_amd, lu: factors of the whole matrix (general_whole.cc).
std::unique_ptr<GeneralSolver> make_of_whole(General solver, const BlockSystem& system);
// llt_of_A, cholmod_of_A (nullptr where that is not here), dense_of_A (general_factors.cc).
std::unique_ptr<GeneralSolver> make_factors_of_A(General solver, const BlockSystem& system);
// cg_of_A (general_iteration.cc).
std::unique_ptr<GeneralSolver> make_iteration_on_A(const BlockSystem& system, const GeneralOptions& options);

}  // namespace linchpin::general_detail
