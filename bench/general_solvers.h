// What one would take for M y = F + J' l, J y = r without [004]: general solvers of Eigen, compiled at
// their best, and CHOLMOD as shipped.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bench/block_system.h"

namespace linchpin {

enum class General {
  // Of the whole matrix [M -J'; -J 0].
  ldlt_in_our_order,  // SimplicialLDLT, given the order in which nothing fills in
  ldlt_amd,           // in Eigen's own order, which meets the zero block: no pivot there
  lu,                 // SparseLU, which pivots
  // Of A = J M^-1 J' [004 s.5], made block by block.
  llt_of_A,      // SimplicialLLT, AMD
  cholmod_of_A,  // SuiteSparse's CHOLMOD with its own choice of order and of supernodes (LINCHPIN_BENCH_CHOLMOD)
  dense_of_A,    // LLT of a full matrix: the O(n^3) way
  cg_of_A,       // conjugate gradients with the diagonal as preconditioner, A as matrix or as operator, what is cheaper
};
std::string to_string(General solver);

class GeneralSolver {
 public:
  virtual ~GeneralSolver() = default;
  // From the blocks' numbers; what depends on the pattern alone was done before. False: no such factors.
  virtual bool factor() = 0;
  virtual void solve(std::span<const double> F, std::span<const double> r, std::span<double> y,
                     std::span<double> l) = 0;
  virtual long nonzeros() const { return 0; }      // of the factor
  virtual int iterations() const { return 0; }     // of the last solve
  virtual bool converged() const { return true; }  // the last solve
};

struct GeneralOptions {
  double tolerance = 1e-10;  // of an iteration: its residual as a part of the right-hand side
  int most_iterations = 1000000;
};
bool is_here(General solver);
// The system must outlive it.
std::unique_ptr<GeneralSolver> make_general(General solver, const BlockSystem& system,
                                            const GeneralOptions& options = {});

// Numbers that A has, had it been made: a star's are all there [004 figure 1].
long nonzeros_of_A(const BlockSystem& system);
// Of A, by its eigenvalues: small systems only.
double condition_of_A(const BlockSystem& system);

}  // namespace linchpin
