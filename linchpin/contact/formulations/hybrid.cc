// The hybrid formulation [002 s.2.3]: velocities are eliminated by any engine of forward dynamics (engine.h), which
// leaves the rows of loops, contacts and limits:
//
//     w = (W + softness) z + J v_free + offset,    v+ = v_free + M^-1 J' z                                      (1)
// W = J M^-1 J' is the Delassus matrix. J = Q J_links with the forces of the rows' sides on the chosen links in Q
// [000 (46)-(50)], so that
//     W = Q C Q',   C = J_links M^-1 J_links' by the engine                                                     (2)
// These are steps 1 to 3 of 002 s.2.3, and with dt = 0 an impact. Differences from 002: its unknowns are forces over
// dt, ours impulses; a contact is a cone of three rows, of which solvers/problem/polyhedral.h makes (11); rows are at
// velocity level.
#include <algorithm>

#include "linchpin/base/check.h"
#include "linchpin/contact/formulations/eliminated.h"
#include "linchpin/contact/formulations/formulations.h"
#include "linchpin/contact/formulations/touched_links.h"

namespace linchpin {
namespace {

class Hybrid final : public Formulation {
 public:
  Hybrid(const Model& model, std::unique_ptr<Engine> engine);
  std::span<const int> pose(const Motive& motive, const Rows& rows, Problem& problem) override;
  void repose(const Motive& motive, std::span<const double> change, const Rows& rows, Problem& problem) override;
  void lift(const Motive& motive, const Rows& rows, std::span<const double> solution, std::span<double> v,
            std::span<double> impulses) override;

 private:
  void choose_links(const Motive& motive);
  void gather_forces(const Motive& motive, const Rows& rows);
  void assemble(const Motive& motive, const Rows& rows, Problem& problem);

  std::unique_ptr<Engine> engine_;
  // Of the model. Two links are in one group if an impulse on one moves the other.
  std::vector<int> rank_;   // by link: its place when links are sorted by group
  std::vector<int> group_;  // by link: the first link of its group

  TouchedLinks links_of_rows_;
  // Valid while the touched links stay the same.
  bool has_chosen_ = false;
  std::vector<int> touched_;  // links, in the order of rank_
  std::vector<int> group_of_touched_;
  std::vector<int> touched_at_;  // by link: its index in touched_, or -1

  // Workspace.
  std::vector<double> v_free_, change_;
  EliminatedProblem eliminated_;
  std::vector<Motion<double>> motion_;
  std::vector<Force<double>> on_link_;
};

Hybrid::Hybrid(const Model& model, std::unique_ptr<Engine> engine)
    : engine_(std::move(engine)),
      links_of_rows_(model),
      v_free_(model.nv()),
      change_(model.nv()),
      motion_(model.links().size(), Motion<double>::zero()),
      on_link_(model.links().size(), Force<double>::zero()) {
  const std::span<const Link> links = model.links();
  const std::size_t n = links.size();
  group_.assign(n, 0);
  touched_at_.assign(n, -1);
  for (std::size_t i = 1; i < n; ++i) {
    const bool begins = links[i].parent == 0 || links[i].kind == LinkKind::free;  // a free joint transmits no force
    group_[i] = begins ? int(i) : group_[links[i].parent];
  }
  std::vector<int> by_rank(n);
  for (std::size_t i = 0; i < n; ++i) by_rank[i] = int(i);
  std::ranges::stable_sort(by_rank, {}, [&](int i) { return group_[i]; });
  rank_.resize(n);
  for (std::size_t k = 0; k < n; ++k) rank_[by_rank[k]] = int(k);
}

void Hybrid::choose_links(const Motive& motive) {
  has_chosen_ = true;
  for (const int i : touched_) touched_at_[i] = -1;
  touched_.assign(links_of_rows_.links().begin(), links_of_rows_.links().end());
  std::ranges::sort(touched_, {}, [&](int i) { return rank_[i]; });
  group_of_touched_.clear();
  for (std::size_t k = 0; k < touched_.size(); ++k) {
    touched_at_[touched_[k]] = int(k);
    group_of_touched_.push_back(group_[touched_[k]]);
  }
  engine_->choose(motive, touched_, group_of_touched_);
}

// Fills the table of sides, with forces in the axes of their links.
void Hybrid::gather_forces(const Motive& motive, const Rows& rows) {
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

void Hybrid::assemble(const Motive& motive, const Rows& rows, Problem& problem) {
  const std::span<const LinkResponse> response = engine_->response(motive);
  const auto each_compliance = [&](const auto& take) {
    for (std::size_t j = 0; j < touched_.size(); ++j) {
      const LinkResponse& b = response[j];
      const double* columns = b.W + 6 * std::size_t(b.place);
      for (std::size_t i = j + 1; i-- > 0 && group_of_touched_[i] == group_of_touched_[j];)
        take(int(i), int(j), columns + 6 * std::size_t(response[i].place) * b.width, b.width);
    }
  };
  eliminated_.assemble(rows, motion_, group_, int(group_.size()), each_compliance, problem, engine_->without_joints());
}

std::span<const int> Hybrid::pose(const Motive& motive, const Rows& rows, Problem& problem) {
  check(motive.v.size() == v_free_.size() && motive.model.links().size() == rank_.size(),
        "the motive belongs to another model");
  engine_->free_velocity(motive, v_free_);
  if (links_of_rows_.update(motive.model, rows) || !has_chosen_) choose_links(motive);
  gather_forces(motive, rows);
  links_of_rows_.motions(motive, v_free_, motion_);
  assemble(motive, rows, problem);
  if (engine_->refine(motive, eliminated_.least_share())) assemble(motive, rows, problem);
  return eliminated_.blocks(problem);
}

void Hybrid::repose(const Motive& motive, std::span<const double> change, const Rows& rows, Problem& problem) {
  for (std::size_t k = 0; k < change_.size(); ++k) change_[k] = motive.dt * change[k];
  engine_->lift(motive, {}, change_);
  for (std::size_t k = 0; k < v_free_.size(); ++k) v_free_[k] += change_[k];
  links_of_rows_.motions(motive, v_free_, motion_);
  eliminated_.set_velocities(rows, motion_, problem);
}

void Hybrid::lift(const Motive& motive, const Rows& rows, std::span<const double> solution, std::span<double> v,
                  std::span<double> impulses) {
  check(solution.size() == std::size_t(rows.size()) && impulses.size() == solution.size(), "the solution has ",
        solution.size(), " numbers and ", impulses.size(), " impulses for ", rows.size(), " rows");
  check(v.size() == v_free_.size(), "v has ", v.size(), " numbers, the model needs ", v_free_.size());
  std::ranges::copy(solution, impulses.begin());
  if (touched_.empty()) {
    std::ranges::copy(v_free_, v.begin());
    return;
  }
  for (const int i : touched_) on_link_[i] = Force<double>::zero();
  for (int r = 0; r < rows.size(); ++r) add_row_impulse(rows, r, impulses[r], on_link_);
  for (const int i : touched_) {
    Force<double>& F = on_link_[i];
    const Mat3<double>& R = motive.kin.X_WL[i].R;
    F = {transpose_times(R, F.n), transpose_times(R, F.f)};
  }
  std::ranges::fill(v, 0);
  engine_->lift(motive, on_link_, v);
  for (const int i : touched_) on_link_[i] = Force<double>::zero();
  for (std::size_t k = 0; k < v.size(); ++k) v[k] += v_free_[k];
}

}  // namespace

std::unique_ptr<Formulation> make_hybrid(const Model& model, std::unique_ptr<Engine> engine) {
  return std::make_unique<Hybrid>(model, std::move(engine));
}

}  // namespace linchpin
