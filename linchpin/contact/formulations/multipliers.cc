// Maximal coordinates with the hinges eliminated by Lagrange multipliers in linear time [004 s.8]. The solver gets the
// rows of loops, contacts and limits, the auxiliary constraints of 004: the same problem as in os.cc.
//
//     v_free = v + dt multipliers(q, v, tau, f_ext),    w = (J Mhat^-1 K + softness) z + J v_free + offset       (1)
//     v+ = v_free + D' (1 - X) Mhat^-1 K z                                                                       (2)
// Mhat^-1 is the response of the bodies to forces with the hinge constraints satisfied [004 (12)]. Its columns come
// from the factors of dynamics/maximal/multiplier_dynamics.h (004's constraint anticipation). W = J Mhat^-1 K is the
// Delassus matrix. Differences from 004: the columns are unit forces on the bodies that rows act on, six for each body,
// not one for each row; friction is in the law of a row's block and not in its direction of force, so that K = J'
// (auxiliary_problem.h has the unsymmetric variant); rows are at velocity level.
#include <algorithm>
#include <limits>
#include <utility>

#include "linchpin/base/check.h"
#include "linchpin/base/index.h"
#include "linchpin/contact/formulations/eliminated.h"
#include "linchpin/contact/formulations/formulations.h"
#include "linchpin/contact/formulations/touched_links.h"
#include "linchpin/dynamics/maximal/body_inverse.h"
#include "linchpin/dynamics/maximal/multiplier_dynamics.h"

namespace linchpin {
namespace {

// A row that hardly moves has a diagonal that is a small difference of the responses without hinges. If least_share()
// is below this number, the responses are refined: without refinement their error is about 1e-14 of the response
// without hinges, and problems are to be exact to 1e-10.
constexpr double little = 1e-3;

class MultiplierFormulation final : public Formulation {
 public:
  explicit MultiplierFormulation(const Model& model);
  std::span<const int> pose(const Motive& motive, const Rows& rows, Problem& problem) override;
  void lift(const Motive& motive, const Rows& rows, std::span<const double> solution, std::span<double> v,
            std::span<double> impulses) override;

 private:
  // The touched bodies of one tree: [first, end) of touched_.
  struct Group {
    int first, end;
    std::size_t compliance;  // start of its matrix in compliance_: 6 (end - first) numbers square, row by row
  };
  struct BodySide {
    int body, row;
    Force<double> force;
  };

  void find_free_velocity(const Motive& motive);
  void spread_sides(const Motive& motive, const Rows& rows);
  void find_touched();
  void find_compliance();
  void put_units(std::span<const int> tree, int first, int column, int count, AlignedArray<double>& columns) const;
  std::span<const int> tree_of(int group) const {  // the nodes of the forest that belong to a tree, ascending
    const int first = first_in_tree_[group], end = first_in_tree_[group + 1];
    return std::span(in_tree_).subspan(first, end - first);
  }

  Multipliers dynamics_;
  std::vector<int> group_of_body_, group_of_link_;  // the tree (bodies joined by hinges), named by its first body
  std::vector<int> first_in_tree_, in_tree_;        // by group: its nodes are in_tree_[first_in_tree_[g], ...[g + 1])

  TouchedLinks links_;
  std::vector<BodySide> sides_;
  std::vector<int> touched_, slot_;  // bodies with sides, sorted by group; by body: its index in touched_, or -1
  std::vector<Group> groups_;

  std::vector<double> v_free_, vdot_, change_;
  std::vector<Motion<double>> motion_;
  AlignedArray<double> y8_, F8_, l8_;
  std::vector<double> compliance_, F_, y_, l_;
  std::vector<Matrix36> loose_, alone_;  // inverse inertias: responses without hinges, by body and by touched body
  bool refined_ = false;
  EliminatedProblem eliminated_;
};

MultiplierFormulation::MultiplierFormulation(const Model& model)
    : dynamics_(model),
      group_of_body_(dynamics_.bodies().size()),
      group_of_link_(model.links().size(), 0),
      links_(model),
      slot_(group_of_body_.size(), -1),
      v_free_(model.nv()),
      vdot_(v_free_.size()),
      change_(v_free_.size()),
      motion_(model.links().size(), Motion<double>::zero()),
      y8_(8 * std::size_t(dynamics_.forest().total_size())),
      F8_(y8_.size()),
      l8_(8 * std::size_t(dynamics_.forest().total_rows())),
      F_(dynamics_.forest().total_size()),
      y_(F_.size()),
      l_(dynamics_.forest().total_rows()) {
  dynamics_.factors().make_room8();
  // A side on a link between two axes of a joint acts on both bodies of the joint. So a tree ends only at free joints.
  const MaximalBodies& bodies = dynamics_.bodies();
  for (int b = 0; b < bodies.size(); ++b) {
    const bool alone = bodies[b].parent < 0 || model.links()[bodies[b].link].kind == LinkKind::free;
    group_of_body_[b] = alone ? b : group_of_body_[bodies[b].parent];
    loose_.push_back(inverse_of(model.links()[bodies[b].link].inertia).value());
  }
  for (std::size_t i = 1; i < group_of_link_.size(); ++i) group_of_link_[i] = group_of_body_[bodies.of_link(int(i))];
  const std::span<const ConstraintForest::Node> nodes = dynamics_.forest().nodes();
  first_in_tree_.assign(group_of_body_.size() + 1, 0);
  for (const int group : group_of_body_) ++first_in_tree_[group + 1];
  for (std::size_t g = 1; g < first_in_tree_.size(); ++g) first_in_tree_[g] += first_in_tree_[g - 1];
  in_tree_.resize(nodes.size());
  std::vector<int> at(first_in_tree_.begin(), first_in_tree_.end() - 1);
  for (std::size_t n = 0; n < nodes.size(); ++n) in_tree_[at[group_of_body_[nodes[n].body]]++] = int(n);
}

void MultiplierFormulation::find_free_velocity(const Motive& motive) {
  std::ranges::copy(motive.v, v_free_.begin());
  bool good;
  if (motive.dt == 0) {
    good = dynamics_.factor(motive.q);
  } else {
    good = dynamics_.accelerations(motive.q, motive.products(), motive.tau, motive.f_ext, vdot_);
    for (std::size_t k = 0; k < v_free_.size(); ++k) v_free_[k] += motive.dt * vdot_[k];
  }
  // NaN propagates; the stepper reports it (StepStatus::not_finite).
  if (!good) std::ranges::fill(v_free_, std::numeric_limits<double>::quiet_NaN());
}

// Converts the sides on links to sides on bodies, in the bodies' axes.
void MultiplierFormulation::spread_sides(const Motive& motive, const Rows& rows) {
  sides_.clear();
  for (int r = 0; r < rows.size(); ++r)
    for (int s = rows.first_side[r]; s < rows.first_side[r + 1]; ++s) {
      const RowSide& side = rows.sides[s];
      const Mat3<double>& R = motive.kin.X_WL[side.link].R;
      dynamics_.spread(side.link, {transpose_times(R, side.force.n), transpose_times(R, side.force.f)},
                       [&](int body, const Force<double>& F) {
                         sides_.push_back({body, r, F});
                       });
    }
}

// Finds the bodies of sides_ and sorts them by group.
void MultiplierFormulation::find_touched() {
  for (const int b : touched_) slot_[b] = -1;
  touched_.clear();
  alone_.clear();
  groups_.clear();
  for (const BodySide& side : sides_) {
    if (slot_[side.body] >= 0) continue;
    slot_[side.body] = 0;
    touched_.push_back(side.body);
  }
  std::ranges::sort(touched_,
                    [&](int a, int b) { return std::pair(group_of_body_[a], a) < std::pair(group_of_body_[b], b); });
  std::size_t blocks = 0;
  for (int s = 0; s < int(touched_.size()); ++s) {
    const int b = touched_[s];
    slot_[b] = s;
    alone_.push_back(loose_[b]);
    const bool begins = s == 0 || group_of_body_[b] != group_of_body_[touched_[s - 1]];
    if (begins) groups_.push_back({s, s, 0});
    groups_.back().end = s + 1;
  }
  for (Group& group : groups_) {
    group.compliance = 36 * blocks;
    blocks += std::size_t(group.end - group.first) * std::size_t(group.end - group.first);
  }
  compliance_.resize(36 * blocks);
}

// Computes the responses to unit forces on the touched bodies, eight columns at a time.
void MultiplierFormulation::find_compliance() {
  ForestFactors& factors = dynamics_.factors();
  for (const Group& group : groups_) {
    const std::span<const int> tree = tree_of(group_of_body_[touched_[group.first]]);
    const int width = 6 * (group.end - group.first);
    for (int column = 0; column < width; column += 8) {
      const int count = std::min(8, width - column);
      put_units(tree, group.first, column, count, y8_);
      factors.solve8({y8_.data(), y8_.size()}, {}, {l8_.data(), l8_.size()}, tree);
      if (refined_) {
        put_units(tree, group.first, column, count, F8_);
        factors.refine8({F8_.data(), F8_.size()}, {y8_.data(), y8_.size()}, {l8_.data(), l8_.size()}, tree);
      }
      for (int row = 0; row < width; ++row) {
        const int body = touched_[group.first + row / 6];
        for (int k = 0; k < count; ++k)
          compliance_[group.compliance + index(row) * width + column + k] = y8_[8 * (6 * body + row % 6) + k];
      }
    }
  }
}

// Sets eight columns of forces on the bodies of a tree. Column k is a unit force on touched body
// first + (column + k) / 6.
void MultiplierFormulation::put_units(std::span<const int> tree, int first, int column, int count,
                                      AlignedArray<double>& columns) const {
  const std::span<const ConstraintForest::Node> nodes = dynamics_.forest().nodes();
  for (const int node : tree) std::fill_n(columns.data() + 8 * nodes[node].y, 48, 0.0);
  for (int k = 0; k < count; ++k) {
    const int body = touched_[first + (column + k) / 6];
    columns[8 * (6 * body + (column + k) % 6) + k] = 1;
  }
}

std::span<const int> MultiplierFormulation::pose(const Motive& motive, const Rows& rows, Problem& problem) {
  check(motive.v.size() == v_free_.size() && motive.model.links().size() == motion_.size(),
        "the motive belongs to another model");
  find_free_velocity(motive);
  spread_sides(motive, rows);
  if (links_.update(motive.model, rows)) find_touched();
  links_.motions(motive, v_free_, motion_);
  SideTable& table = eliminated_.sides;
  table.begin(touched_.size());
  for (const BodySide& side : sides_) table.count(slot_[side.body]);
  table.end_count();
  for (const BodySide& side : sides_) table.put(slot_[side.body], side.row, side.force);
  const auto each_compliance = [&](const auto& take) {
    for (const Group& group : groups_) {
      const std::size_t width = 6 * std::size_t(group.end - group.first);
      for (int j = group.first; j < group.end; ++j)
        for (int i = j; i >= group.first; --i)
          take(i, j,
               compliance_.data() + group.compliance +
                   6 * (std::size_t(i - group.first) * width + std::size_t(j - group.first)),
               width);
    }
  };
  const auto assemble = [&] {
    find_compliance();
    eliminated_.assemble(rows, motion_, group_of_link_, int(group_of_link_.size()), each_compliance, problem, alone_);
  };
  refined_ = dynamics_.refines();
  assemble();
  if (!refined_ && !(eliminated_.least_share() > little)) {
    refined_ = true;
    assemble();
  }
  return eliminated_.blocks(problem);
}

void MultiplierFormulation::lift(const Motive&, const Rows& rows, std::span<const double> solution, std::span<double> v,
                                 std::span<double> impulses) {
  check(solution.size() == std::size_t(rows.size()) && impulses.size() == solution.size(), "the solution has ",
        solution.size(), " numbers and ", impulses.size(), " impulses for ", rows.size(), " rows");
  std::ranges::copy(solution, impulses.begin());
  std::ranges::fill(F_, 0);
  for (const BodySide& side : sides_) {
    const double z = impulses[side.row];
    double* F = F_.data() + 6 * side.body;
    const double force[6] = {side.force.n.x, side.force.n.y, side.force.n.z,
                             side.force.f.x, side.force.f.y, side.force.f.z};
    for (int k = 0; k < 6; ++k) F[k] += z * force[k];
  }
  dynamics_.factors().solve(F_, {}, y_, l_);
  if (refined_) dynamics_.factors().refine(F_, {}, y_, l_);
  dynamics_.coordinates(y_, change_);
  for (std::size_t k = 0; k < v.size(); ++k) v[k] = v_free_[k] + change_[k];
}

}  // namespace

std::unique_ptr<Formulation> make_multipliers(const Model& model) {
  return std::make_unique<MultiplierFormulation>(model);
}

}  // namespace linchpin
