#include "bench/general_solvers.h"

#include "bench/general_matrix_a.h"
#include "bench/general_parts.h"
#include "linchpin/base/names.h"

namespace linchpin {

std::string to_string(General solver) {
  static constexpr EnumNames<General::cg_of_A> names{
      "general solver",
      {"SimplicialLDLT, our order", "SimplicialLDLT, AMD", "SparseLU", "SimplicialLLT of A", "CHOLMOD of A",
       "dense LLT of A", "CG on A"}};
  return std::string(names.of(solver));
}

bool is_here(General solver) {
#ifdef LINCHPIN_HAVE_CHOLMOD
  (void)solver;
  return true;
#else
  return solver != General::cholmod_of_A;
#endif
}

std::unique_ptr<GeneralSolver> make_general(General solver, const BlockSystem& system, const GeneralOptions& options) {
  switch (solver) {
    case General::ldlt_in_our_order:
    case General::ldlt_amd:
    case General::lu:
      return general_detail::make_of_whole(solver, system);
    case General::llt_of_A:
    case General::cholmod_of_A:
    case General::dense_of_A:
      return general_detail::make_factors_of_A(solver, system);
    default:
      return general_detail::make_iteration_on_A(system, options);
  }
}

long nonzeros_of_A(const BlockSystem& s) {
  long sum = 0;  // pairs that share two bodies, which a forest has none of, are counted twice but on the diagonal
  for (const BlockSystem::Constraint& c : s.constraints) sum += long(c.rows) * c.rows;
  for (const auto& at : general_detail::constraints_of_bodies(s)) {
    long rows = 0, squares = 0;
    for (const auto& [c, part] : at) {
      const long count = s.constraints[c].rows;
      rows += count;
      squares += count * count;
    }
    sum += rows * rows - squares;
  }
  return sum;
}

}  // namespace linchpin
