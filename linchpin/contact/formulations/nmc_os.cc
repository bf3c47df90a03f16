// Non-minimal coordinates with the elimination of the operational-space formulation [000 s.8]: the twists are
// eliminated, since their mass matrix is block-diagonal; the hinges stay rows of the problem.
//
//     w = (H Mass^-1 H' + softness) (p, z) + H V_free + offset,     V+ = V_free + Mass^-1 H' (p, z)             (1)
// with H, Mass and V_free of maximal.h: 000 (53) with the compliance Mass^-1 of free bodies.
#include <algorithm>

#include "linchpin/base/check.h"
#include "linchpin/contact/formulations/eliminated.h"
#include "linchpin/contact/formulations/formulations.h"
#include "linchpin/contact/formulations/maximal.h"

namespace linchpin {
namespace {

class NonMinimalOperationalSpace final : public Formulation {
 public:
  explicit NonMinimalOperationalSpace(const Model& model) : bodies_(model) {
    for (int b = 0; b <= bodies_.bodies(); ++b) group_.push_back(b);  // without hinges, no body moves another
  }

  void pose(const Motive& motive, const Rows& rows, Problem& problem) override {
    find_order(rows, FreeRows::first, order_);
    bodies_.place(motive, rows, order_);
    SideTable& sides = eliminated_.sides;
    sides.begin(bodies_.bodies());
    for (const RowSide& side : bodies_.rows.sides) sides.count(side.link - 1);
    sides.end_count();
    for (int r = 0; r < bodies_.rows.size(); ++r)
      for (int s = bodies_.rows.first_side[r]; s < bodies_.rows.first_side[r + 1]; ++s)
        sides.put(bodies_.rows.sides[s].link - 1, r, bodies_.rows.sides[s].force);
    const auto each_compliance = [&](const auto& take) {
      for (int b = 0; b < bodies_.bodies(); ++b) take(b, b, bodies_.inverse(b).data(), std::size_t(6));
    };
    eliminated_.assemble(bodies_.rows, bodies_.V_free, group_, int(group_.size()), each_compliance, problem);
  }

  void lift(const Motive& motive, const Rows& rows, std::span<const double> solution, std::span<double> v,
            std::span<double> impulses) override {
    const std::size_t leading = std::size_t(bodies_.hinge_rows());
    check(solution.size() == leading + std::size_t(rows.size()), "the solution has ", solution.size(), " numbers for ",
          leading + std::size_t(rows.size()), " rows");
    on_body_.assign(group_.size(), Force<double>::zero());
    for (std::size_t r = 0; r < solution.size(); ++r) add_row_impulse(bodies_.rows, int(r), solution[r], on_body_);
    V_ = bodies_.V_free;
    for (std::size_t b = 1; b < V_.size(); ++b) V_[b] = V_[b] + bodies_.inverse(int(b) - 1) * on_body_[b];
    bodies_.coordinates(motive, V_, v);
    for (std::size_t k = 0; k < order_.rows.size(); ++k) impulses[order_.rows[k]] = solution[leading + k];
  }

 private:
  MaximalCoordinates bodies_;
  std::vector<int> group_;
  RowOrder order_;
  EliminatedProblem eliminated_;
  std::vector<Force<double>> on_body_;
  std::vector<Motion<double>> V_;
};

}  // namespace

std::unique_ptr<Formulation> make_nmc_os(const Model& model) {
  return std::make_unique<NonMinimalOperationalSpace>(model);
}

}  // namespace linchpin
