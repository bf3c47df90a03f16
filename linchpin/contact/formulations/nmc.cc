// Non-minimal coordinates [000 s.3]: the unknowns are the twists of all bodies and the impulses of hinges and rows.
// Nothing is eliminated.
//
//     [ Mass  -H'      ] [ V+   ]   [ -Mass V_free ]   = 0
//     [ H     softness ] [ p, z ] + [ offset       ]   hinges = 0, rows by their laws                          (1)
// [000 (27)]; H: the hinges of maximal.h, then the rows, free ones first. Differences from 000: see maximal.h.
#include <algorithm>

#include "linchpin/base/check.h"
#include "linchpin/contact/formulations/formulations.h"
#include "linchpin/contact/formulations/maximal.h"

namespace linchpin {
namespace {

class NonMinimal final : public Formulation {
 public:
  explicit NonMinimal(const Model& model) : bodies_(model) {}

  void pose(const Motive& motive, const Rows& rows, Problem& problem) override {
    find_order(rows, FreeRows::first, order_);
    bodies_.place(motive, rows, order_);
    find_order(bodies_.rows, FreeRows::in_place, all_);
    const std::size_t twists = 6 * std::size_t(bodies_.bodies()), size = twists + std::size_t(bodies_.rows.size());
    begin_problem(bodies_.rows, all_, int(twists), problem);
    problem.M.make_dense(problem.size());
    std::vector<double>& M = problem.M.dense();
    std::ranges::fill(M, 0);
    for (std::size_t i = 0; i < twists; ++i) {
      const std::size_t first = i / 6 * 6;
      for (std::size_t k = 0; k < 6; ++k) M[i * size + first + k] = bodies_.mass(int(i / 6))[6 * (i - first) + k];
      problem.q[i] = -bodies_.momentum[i];
    }
    for (std::size_t r = 0; r < size - twists; ++r) {
      const std::size_t at = twists + r;
      for (int s = bodies_.rows.first_side[r]; s < bodies_.rows.first_side[r + 1]; ++s) {
        const RowSide& side = bodies_.rows.sides[s];
        const Force<double>& F = side.force;
        const double numbers[6] = {F.n.x, F.n.y, F.n.z, F.f.x, F.f.y, F.f.z};
        for (std::size_t k = 0; k < 6; ++k) {
          const std::size_t twist = 6 * std::size_t(side.link - 1) + k;
          M[at * size + twist] += numbers[k];
          M[twist * size + at] -= numbers[k];
        }
      }
      M[at * size + at] = bodies_.rows.softness[r];
      problem.q[at] = bodies_.rows.offset[r];
    }
  }

  void lift(const Motive& motive, const Rows& rows, std::span<const double> solution, std::span<double> v,
            std::span<double> impulses) override {
    const std::size_t bodies = std::size_t(bodies_.bodies()), leading = 6 * bodies + std::size_t(bodies_.hinge_rows());
    check(solution.size() == leading + std::size_t(rows.size()), "the solution has ", solution.size(), " numbers for ",
          leading + std::size_t(rows.size()), " rows");
    V_.assign(1, Motion<double>::zero());
    for (std::size_t b = 0; b < bodies; ++b) {
      const double* x = solution.data() + 6 * b;
      V_.push_back({{x[0], x[1], x[2]}, {x[3], x[4], x[5]}});
    }
    bodies_.coordinates(motive, V_, v);
    for (std::size_t k = 0; k < order_.rows.size(); ++k) impulses[order_.rows[k]] = solution[leading + k];
  }

 private:
  MaximalCoordinates bodies_;
  RowOrder order_, all_;  // of the given rows; of the rows of bodies_, with hinges
  std::vector<Motion<double>> V_;
};

}  // namespace

std::unique_ptr<Formulation> make_nmc(const Model& model) { return std::make_unique<NonMinimal>(model); }

}  // namespace linchpin
