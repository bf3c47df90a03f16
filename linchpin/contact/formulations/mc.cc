// Minimal coordinates [000 s.4]: the unknowns are the velocities and the impulses.
//
//     [ M  -J'       ] [ v+ ]   [ -(M v + dt (tau - bias)) ]   = 0
//     [ J   softness ] [ z  ] + [ offset                   ]   by the law of each row                          (1)
// [000 (36)], with rows at velocity level. Order of the unknowns: v+, free rows, other rows.
#include <algorithm>

#include "linchpin/base/check.h"
#include "linchpin/contact/formulations/formulations.h"
#include "linchpin/contact/formulations/minimal.h"
#include "linchpin/contact/formulations/row_problem.h"

namespace linchpin {
namespace {

class Minimal final : public Formulation {
 public:
  Minimal(const Model& model, const Plan<double>& plan) : dense_(model, plan) {}

  void pose(const Motive& motive, const Rows& rows, Problem& problem) override {
    const std::size_t nv = motive.v.size(), size = nv + std::size_t(rows.size());
    dense_.place(motive, rows);
    find_order(rows, FreeRows::first, order_);
    begin_problem(rows, order_, int(nv), problem);
    problem.M.make_dense(problem.size());
    std::vector<double>& M = problem.M.dense();
    std::ranges::fill(M, 0);
    for (std::size_t i = 0; i < nv; ++i) {
      std::copy_n(dense_.mass.begin() + std::ptrdiff_t(i * nv), nv, M.begin() + std::ptrdiff_t(i * size));
      problem.q[i] = -dense_.momentum[i];
    }
    for (std::size_t k = 0; k < order_.rows.size(); ++k) {
      const std::size_t r = std::size_t(order_.rows[k]), at = nv + k;
      for (std::size_t i = 0; i < nv; ++i) {
        const double entry = dense_.J[r * nv + i];
        M[at * size + i] = entry;
        M[i * size + at] = -entry;
      }
      M[at * size + at] = rows.softness[r];
      problem.q[at] = rows.offset[r];
    }
  }

  void lift(const Motive& motive, const Rows& rows, std::span<const double> solution, std::span<double> v,
            std::span<double> impulses) override {
    const std::size_t nv = motive.v.size();
    check(solution.size() == nv + std::size_t(rows.size()) && v.size() == nv, "the solution has ", solution.size(),
          " numbers for ", nv, " velocities and ", rows.size(), " rows");
    std::copy_n(solution.begin(), nv, v.begin());
    for (std::size_t k = 0; k < order_.rows.size(); ++k) impulses[order_.rows[k]] = solution[nv + k];
  }

 private:
  MinimalCoordinates dense_;
  RowOrder order_;
};

}  // namespace

std::unique_ptr<Formulation> make_mc(const Model& model, const Plan<double>& plan) {
  return std::make_unique<Minimal>(model, plan);
}

}  // namespace linchpin
