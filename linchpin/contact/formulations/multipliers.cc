// The engine on Lagrange multipliers in maximal coordinates [004 s.8]: hinges are eliminated in linear time, and the
// rows of loops, contacts and limits are the auxiliary constraints of 004.
//
//     v_free = v + dt multipliers(q, v, tau, f_ext),    W = J Mhat^-1 J'                                         (1)
//     lift: D' (1 - X) Mhat^-1 (J' F + D x)                                                                      (2)
// Mhat^-1 is the response of the bodies to forces with the hinge constraints satisfied [004 (12)]. Its columns come
// from the factors of dynamics/maximal/multiplier_dynamics.h (004's constraint anticipation). Differences from 004: the
// columns are unit forces on the links that rows act on, six for each, not one for each row; friction is in the law of
// a row's block and not in its direction of force, so that K = J' (auxiliary_problem.h has the unsymmetric variant);
// rows are at velocity level. A link between the axes of one joint is no body; a force on it is spread over two.
#include <algorithm>
#include <limits>

#include "linchpin/base/check.h"
#include "linchpin/base/index.h"
#include "linchpin/contact/formulations/engine.h"
#include "linchpin/dynamics/maximal/body_inverse.h"
#include "linchpin/dynamics/maximal/multiplier_dynamics.h"

namespace linchpin {
namespace {

// A row that hardly moves has a diagonal that is a small difference of the responses without hinges. If it moves less
// than this share, the responses are refined: without refinement their error is about 1e-14 of the response without
// hinges, and problems are to be exact to 1e-10.
constexpr double little = 1e-3;

class MultiplierEngine final : public Engine {
 public:
  explicit MultiplierEngine(const Model& model);
  void free_velocity(const Motive& motive, std::span<double> v_free) override;
  void choose(const Motive& motive, std::span<const int> links, std::span<const int> group) override;
  std::span<const LinkResponse> response(const Motive& motive) override;
  void lift(const Motive& motive, std::span<const Force<double>> on_link, std::span<double> x) override;
  std::span<const Matrix36> without_joints() const override { return alone_; }
  bool refine(const Motive& motive, double least_share) override;

 private:
  // The chosen links [first, end) of one tree.
  struct Group {
    int first, end, tree;
  };
  // A part of a unit force on a chosen link: a force on a body.
  struct Part {
    int body;
    Force<double> F;
  };

  void spread_units();
  void find_response();
  void put_units(std::span<const int> tree, int first, int column, int count, AlignedArray<double>& columns) const;
  std::span<const Part> parts(int unit) const {  // of unit force 6 (chosen link) + component
    return std::span(parts_).subspan(first_part_[unit], first_part_[unit + 1] - first_part_[unit]);
  }
  std::span<const int> tree_of(int group) const {  // the nodes of the forest that belong to a tree, ascending
    const int first = first_in_tree_[group], end = first_in_tree_[group + 1];
    return std::span(in_tree_).subspan(first, end - first);
  }

  Multipliers dynamics_;
  std::vector<int> tree_of_body_;             // the tree (bodies joined by hinges), named by its first body
  std::vector<int> first_in_tree_, in_tree_;  // by tree: its nodes are in_tree_[first_in_tree_[g], ...[g + 1])
  std::vector<Matrix36> loose_;               // inverse inertias by body: responses without hinges

  // Valid while the chosen links stay the same.
  std::vector<int> chosen_;
  std::vector<Group> groups_;
  ResponseMatrices W_;

  // Workspace.
  std::vector<Part> parts_;
  std::vector<int> first_part_;
  std::vector<Matrix36> alone_;  // responses without hinges, by chosen link
  std::vector<double> vdot_, F_, y_, l_;
  AlignedArray<double> y8_, F8_, l8_;
  bool refined_ = false;
};

void numbers_of(const Force<double>& F, double* out) {
  out[0] = F.n.x, out[1] = F.n.y, out[2] = F.n.z, out[3] = F.f.x, out[4] = F.f.y, out[5] = F.f.z;
}

Force<double> unit_force(int component) {
  double e[6] = {};
  e[component] = 1;
  return {{e[0], e[1], e[2]}, {e[3], e[4], e[5]}};
}

MultiplierEngine::MultiplierEngine(const Model& model)
    : dynamics_(model),
      tree_of_body_(dynamics_.bodies().size()),
      vdot_(model.nv()),
      F_(dynamics_.forest().total_size()),
      y_(F_.size()),
      l_(dynamics_.forest().total_rows()),
      y8_(8 * std::size_t(dynamics_.forest().total_size())),
      F8_(y8_.size()),
      l8_(8 * std::size_t(dynamics_.forest().total_rows())) {
  dynamics_.factors().make_room8();
  // A force on a link between two axes of a joint acts on both bodies of the joint. So a tree ends only at free joints.
  const MaximalBodies& bodies = dynamics_.bodies();
  for (int b = 0; b < bodies.size(); ++b) {
    const bool alone = bodies[b].parent < 0 || model.links()[bodies[b].link].kind == LinkKind::free;
    tree_of_body_[b] = alone ? b : tree_of_body_[bodies[b].parent];
    loose_.push_back(inverse_of(model.links()[bodies[b].link].inertia).value());
  }
  const std::span<const ConstraintForest::Node> nodes = dynamics_.forest().nodes();
  first_in_tree_.assign(tree_of_body_.size() + 1, 0);
  for (const int tree : tree_of_body_) ++first_in_tree_[tree + 1];
  for (std::size_t g = 1; g < first_in_tree_.size(); ++g) first_in_tree_[g] += first_in_tree_[g - 1];
  in_tree_.resize(nodes.size());
  std::vector<int> at(first_in_tree_.begin(), first_in_tree_.end() - 1);
  for (std::size_t n = 0; n < nodes.size(); ++n) in_tree_[at[tree_of_body_[nodes[n].body]]++] = int(n);
}

void MultiplierEngine::free_velocity(const Motive& motive, std::span<double> v_free) {
  std::ranges::copy(motive.v, v_free.begin());
  refined_ = dynamics_.refines();
  bool good;
  if (motive.dt == 0) {
    good = dynamics_.factor(motive.q);
  } else {
    good = dynamics_.accelerations(motive.q, motive.products(), motive.tau, motive.f_ext, vdot_);
    for (std::size_t k = 0; k < v_free.size(); ++k) v_free[k] += motive.dt * vdot_[k];
  }
  // NaN propagates; the stepper reports it (StepStatus::not_finite).
  if (!good) std::ranges::fill(v_free, std::numeric_limits<double>::quiet_NaN());
}

void MultiplierEngine::choose(const Motive&, std::span<const int> links, std::span<const int> group) {
  chosen_.assign(links.begin(), links.end());
  groups_.clear();
  for (int k = 0; k < int(links.size()); ++k) {
    if (k == 0 || group[k] != group[k - 1])
      groups_.push_back({k, k, tree_of_body_[dynamics_.bodies().of_link(links[k])]});
    groups_.back().end = k + 1;
  }
  W_.place(group);
}

// The unit forces on the chosen links as forces on bodies, and the responses of these without hinges.
void MultiplierEngine::spread_units() {
  parts_.clear();
  first_part_.assign(1, 0);
  alone_.clear();
  for (const int link : chosen_) {
    const std::size_t first = first_part_.size() - 1;
    for (int component = 0; component < 6; ++component) {
      dynamics_.spread(link, unit_force(component), [&](int body, const Force<double>& F) {
        parts_.push_back({body, F});
      });
      first_part_.push_back(int(parts_.size()));
    }
    const int body = dynamics_.bodies().of_link(link);
    if (dynamics_.bodies()[body].link == link) {
      alone_.push_back(loose_[body]);
      continue;
    }
    Matrix36& sum = alone_.emplace_back();
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t j = 0; j < 6; ++j) {
        sum[6 * i + j] = 0;
        for (const Part& a : parts(int(first + i)))
          for (const Part& b : parts(int(first + j)))
            if (a.body == b.body) sum[6 * i + j] += dot(a.F, loose_[b.body] * b.F);
      }
  }
}

// Computes the responses to unit forces on the chosen links, eight columns at a time.
void MultiplierEngine::find_response() {
  ForestFactors& factors = dynamics_.factors();
  for (const Group& group : groups_) {
    const std::span<const int> tree = tree_of(group.tree);
    const int width = 6 * (group.end - group.first);
    for (int column = 0; column < width; column += 8) {
      const int count = std::min(8, width - column);
      put_units(tree, group.first, column, count, y8_);
      factors.solve8({y8_.data(), y8_.size()}, {}, {l8_.data(), l8_.size()}, tree);
      if (refined_) {
        put_units(tree, group.first, column, count, F8_);
        factors.refine8({F8_.data(), F8_.size()}, {y8_.data(), y8_.size()}, {l8_.data(), l8_.size()}, tree);
      }
      double* const W = W_.block(group.first, group.first);
      for (int row = 0; row < width; ++row) {
        double* const out = W + index(row) * index(width) + column;
        const std::span<const Part> on = parts(6 * group.first + row);
        std::fill_n(out, count, 0.0);
        for (const Part& part : on) {
          double F[6];
          numbers_of(part.F, F);
          for (int r = 0; r < 6; ++r)
            for (int k = 0; F[r] != 0 && k < count; ++k) out[k] += F[r] * y8_[8 * (6 * part.body + r) + k];
        }
      }
    }
  }
}

// Sets eight columns of forces on the bodies of a tree. Column k is component (column + k) % 6 of the unit forces on
// chosen link first + (column + k) / 6.
void MultiplierEngine::put_units(std::span<const int> tree, int first, int column, int count,
                                 AlignedArray<double>& columns) const {
  const std::span<const ConstraintForest::Node> nodes = dynamics_.forest().nodes();
  for (const int node : tree) std::fill_n(columns.data() + 8 * nodes[node].y, 48, 0.0);
  for (int k = 0; k < count; ++k)
    for (const Part& part : parts(6 * first + column + k)) {
      double F[6];
      numbers_of(part.F, F);
      for (int r = 0; r < 6; ++r) columns[8 * (6 * part.body + r) + k] += F[r];
    }
}

std::span<const LinkResponse> MultiplierEngine::response(const Motive&) {
  spread_units();
  find_response();
  return W_.links();
}

bool MultiplierEngine::refine(const Motive&, double least_share) {
  if (refined_ || least_share > little) return false;
  refined_ = true;
  return true;
}

void MultiplierEngine::lift(const Motive&, std::span<const Force<double>> on_link, std::span<double> x) {
  std::ranges::fill(F_, 0);
  dynamics_.add_joint_forces(x, F_);
  if (!on_link.empty())
    for (const int link : chosen_)
      dynamics_.spread(link, on_link[link], [&](int body, const Force<double>& force) {
        double F[6];
        numbers_of(force, F);
        for (int k = 0; k < 6; ++k) F_[6 * body + k] += F[k];
      });
  dynamics_.factors().solve(F_, {}, y_, l_);
  if (refined_) dynamics_.factors().refine(F_, {}, y_, l_);
  dynamics_.coordinates(y_, x);
}

}  // namespace

std::unique_ptr<Engine> make_multiplier_engine(const Model& model) { return std::make_unique<MultiplierEngine>(model); }

}  // namespace linchpin
