// The operational-space formulation [000 s.6]: velocities are eliminated by the compliance of the links that rows act
// on.
//
//     v_free = v + dt aba(q, v, tau, f_ext),     w = (W + softness) z + J v_free + offset                      (1)
//     v+ = v_free + M^-1 J' z                                                                                  (2)
// W = J M^-1 J' is the Delassus matrix. J = Q J_nodes with the frames of the touched links as nodes and the forces of
// the rows' sides in Q [000 (46)-(50)], so that
//     W = Q C Q',   C = J_nodes M^-1 J_nodes' by compliance.h in O(n + nodes^2 of each tree)                   (3)
// The factors of aba() are used in (2) and (3) too. Differences from 000 (53): all rows are at velocity level, also
// with dt = 0; and a loose body (on a free joint, without children; piles) needs no recursion: its block of C is the
// inverse of its own inertia, which is constant in its own axes.
//
// The touched links seldom change. The tree of nodes depends on nothing else and is kept while they stay the same.
#include <algorithm>

#include "linchpin/base/check.h"
#include "linchpin/contact/formulations/eliminated.h"
#include "linchpin/contact/formulations/formulations.h"
#include "linchpin/contact/formulations/touched_links.h"
#include "linchpin/dynamics/compliance/compliance.h"
#include "linchpin/dynamics/maximal/body_inverse.h"
#include "linchpin/dynamics/tree/aba.h"
#include "linchpin/dynamics/tree/articulated_factor.h"

namespace linchpin {
namespace {

class OperationalSpace final : public Formulation {
 public:
  OperationalSpace(const Model& model, const Plan<double>& plan);
  std::span<const int> pose(const Motive& motive, const Rows& rows, Problem& problem) override;
  void repose(const Motive& motive, std::span<const double> change, const Rows& rows, Problem& problem) override;
  void lift(const Motive& motive, const Rows& rows, std::span<const double> solution, std::span<double> v,
            std::span<double> impulses) override;

 private:
  // A link that rows act on.
  struct Touched {
    int link;
    int node;  // in tree_, or -1 for a loose body
  };

  void find_free_velocity(const Motive& motive);
  void place_nodes(const Motive& motive);
  void gather_forces(const Motive& motive, const Rows& rows);
  template <class Take>
  void each_compliance(const Take& take) const;

  // Of the model. Two links are in one group if an impulse on one moves the other.
  std::vector<int> rank_;   // by link: its place when links are sorted by group
  std::vector<int> group_;  // by link: the first link of its group
  std::vector<int> loose_;  // by link: its index in loose_inverse_, or -1
  std::vector<Matrix36> loose_inverse_;

  TouchedLinks links_of_rows_;
  // Valid while the touched links stay the same.
  std::vector<Touched> touched_;  // in the order of rank_
  std::vector<int> touched_at_;   // by link: its index in touched_, or -1
  std::vector<LinkNode> nodes_;
  NodeTree<double> tree_;
  Compliance<double> compliance_;

  // Workspace.
  AbaWorkspace<double> aba_;
  SolveWorkspace<double> solve_;
  std::vector<double> v_free_, vdot_;
  std::vector<double> node_matrix_;  // C of the nodes of tree_, by compliance_by_tree()
  EliminatedProblem eliminated_;
  std::vector<int> links_;
  std::vector<Motion<double>> motion_;
  std::vector<Force<double>> on_link_;
};

OperationalSpace::OperationalSpace(const Model& model, const Plan<double>& plan)
    : links_of_rows_(model),
      aba_(plan),
      solve_(plan),
      v_free_(model.nv()),
      vdot_(model.nv()),
      motion_(model.links().size(), Motion<double>::zero()),
      on_link_(model.links().size(), Force<double>::zero()) {
  const std::span<const Link> links = model.links();
  const std::size_t n = links.size();
  group_.assign(n, 0);
  loose_.assign(n, -1);
  touched_at_.assign(n, -1);
  std::vector<char> carries(n, 0);
  for (std::size_t i = 1; i < n; ++i) {
    carries[links[i].parent] = 1;
    const bool begins = links[i].parent == 0 || links[i].kind == LinkKind::free;  // a free joint transmits no force
    group_[i] = begins ? int(i) : group_[links[i].parent];
  }
  std::vector<int> by_rank(n);
  for (std::size_t i = 0; i < n; ++i) by_rank[i] = int(i);
  std::ranges::stable_sort(by_rank, {}, [&](int i) { return group_[i]; });
  rank_.resize(n);
  for (std::size_t k = 0; k < n; ++k) rank_[by_rank[k]] = int(k);
  for (std::size_t i = 1; i < n; ++i)
    if (links[i].kind == LinkKind::free && !carries[i])
      if (const std::optional<Matrix36> inverse = inverse_of(links[i].inertia)) {
        loose_[i] = int(loose_inverse_.size());
        loose_inverse_.push_back(*inverse);
      }
}

void OperationalSpace::find_free_velocity(const Motive& motive) {
  std::ranges::copy(motive.v, v_free_.begin());
  if (motive.dt == 0) {  // only the factors are needed
    std::ranges::fill(vdot_, 0);
    aba_inward<double>(motive.plan, motive.q, motive.v, vdot_, {}, aba_);
    return;
  }
  aba<double>(motive.plan, motive.q, motive.products(), motive.tau, motive.f_ext, aba_, vdot_);
  for (std::size_t k = 0; k < v_free_.size(); ++k) v_free_[k] += motive.dt * vdot_[k];
}

void OperationalSpace::place_nodes(const Motive& motive) {
  for (const Touched& t : touched_) touched_at_[t.link] = -1;
  touched_.clear();
  nodes_.clear();
  links_.assign(links_of_rows_.links().begin(), links_of_rows_.links().end());
  std::ranges::sort(links_, {}, [&](int i) { return rank_[i]; });
  for (const int i : links_) {
    const bool loose = loose_[i] >= 0;
    touched_at_[i] = int(touched_.size());
    touched_.push_back({.link = i, .node = loose ? -1 : int(nodes_.size())});
    if (!loose) nodes_.push_back({i, Transform<double>::identity()});
  }
  tree_.place(motive.model, motive.plan, nodes_);
  compliance_.fit(tree_);
  node_matrix_.resize(numbers_by_tree(tree_));
}

// Fills the table of sides, with forces in the axes of their links.
void OperationalSpace::gather_forces(const Motive& motive, const Rows& rows) {
  eliminated_.sides.begin(touched_.size());
  for (const RowSide& side : rows.sides) eliminated_.sides.count(touched_at_[side.link]);
  eliminated_.sides.end_count();
  for (int r = 0; r < rows.size(); ++r)
    for (int s = rows.first_side[r]; s < rows.first_side[r + 1]; ++s) {
      const RowSide& side = rows.sides[s];
      const Mat3<double>& R = motive.kin.X_WL[side.link].R;
      eliminated_.sides.put(touched_at_[side.link], r,
                            {transpose_times(R, side.force.n), transpose_times(R, side.force.f)});
    }
}

template <class Take>
void OperationalSpace::each_compliance(const Take& take) const {
  for (std::size_t j = 0; j < touched_.size(); ++j) {
    const Touched& b = touched_[j];
    if (b.node < 0) {
      take(int(j), int(j), loose_inverse_[loose_[b.link]].data(), std::size_t(6));
      continue;
    }
    // The touched links of a group are the nodes of one tree, in the same order.
    const NodeTree<double>::Tree& tree = tree_.trees()[tree_.vertices()[tree_.vertex_of(b.node)].tree];
    const std::size_t width = 6 * std::size_t(tree.nodes);
    const double* columns = node_matrix_.data() + tree.matrix + 6 * std::size_t(tree_.node_in_tree(b.node));
    const int group = group_[b.link];
    for (std::size_t i = j + 1; i-- > 0 && group_[touched_[i].link] == group;)
      take(int(i), int(j), columns + 6 * std::size_t(tree_.node_in_tree(touched_[i].node)) * width, width);
  }
}

std::span<const int> OperationalSpace::pose(const Motive& motive, const Rows& rows, Problem& problem) {
  check(motive.v.size() == v_free_.size() && motive.model.links().size() == rank_.size(),
        "the motive belongs to another model");
  find_free_velocity(motive);
  if (links_of_rows_.update(motive.model, rows)) place_nodes(motive);
  gather_forces(motive, rows);
  compound_paths<double>(motive.plan, tree_, aba_, compliance_);
  compliance_by_tree<double>(tree_, compliance_, node_matrix_);
  links_of_rows_.motions(motive, v_free_, motion_);
  eliminated_.assemble(
      rows, motion_, group_, int(group_.size()), [&](const auto& take) { each_compliance(take); }, problem);
  return eliminated_.blocks(problem);
}

void OperationalSpace::repose(const Motive& motive, std::span<const double> change, const Rows& rows,
                              Problem& problem) {
  for (std::size_t k = 0; k < vdot_.size(); ++k) vdot_[k] = motive.dt * change[k];
  solve<double>(motive.plan, aba_, solve_, vdot_, std::span<const Force<double>>());
  for (std::size_t k = 0; k < v_free_.size(); ++k) v_free_[k] += vdot_[k];
  links_of_rows_.motions(motive, v_free_, motion_);
  eliminated_.set_velocities(rows, motion_, problem);
}

void OperationalSpace::lift(const Motive& motive, const Rows& rows, std::span<const double> solution,
                            std::span<double> v, std::span<double> impulses) {
  check(solution.size() == std::size_t(rows.size()) && impulses.size() == solution.size(), "the solution has ",
        solution.size(), " numbers and ", impulses.size(), " impulses for ", rows.size(), " rows");
  check(v.size() == v_free_.size(), "v has ", v.size(), " numbers, the model needs ", v_free_.size());
  std::ranges::copy(solution, impulses.begin());
  for (const Touched& t : touched_) on_link_[t.link] = Force<double>::zero();
  for (int r = 0; r < rows.size(); ++r) add_row_impulse(rows, r, impulses[r], on_link_);
  for (const Touched& t : touched_) {
    Force<double>& F = on_link_[t.link];
    const Mat3<double>& R = motive.kin.X_WL[t.link].R;
    F = {transpose_times(R, F.n), transpose_times(R, F.f)};
  }
  std::ranges::fill(v, 0);
  solve<double>(motive.plan, aba_, solve_, v, std::span<const Force<double>>(on_link_));
  for (const Touched& t : touched_) on_link_[t.link] = Force<double>::zero();
  for (std::size_t k = 0; k < v.size(); ++k) v[k] += v_free_[k];
}

}  // namespace

std::unique_ptr<Formulation> make_os(const Model& model, const Plan<double>& plan) {
  return std::make_unique<OperationalSpace>(model, plan);
}

}  // namespace linchpin
