#include "linchpin/sim/event_driven/mode_guess.h"

#include <algorithm>
#include <cmath>

#include "linchpin/base/index.h"

namespace linchpin {
namespace {

// Of (1): forces and accelerations below this part of the largest are zero.
constexpr double seed_tolerance = 3e-9;
constexpr int most_rounds_of_cones = 100;
constexpr double settled = 1e-11;

}  // namespace

// The rows of (1), without those whose forces follow from others.
void ModeGuess::pose_cones(const Mode& mode, const ModeForces& f) {
  rows_.clear();
  problem_.blocks.clear();
  problem_.lower.clear();
  problem_.upper.clear();
  across_.assign(f.b.size(), 1.0);
  bool boxes = false;
  const auto add = [&](int row, BlockKind kind, int size, double mu = 0) {
    problem_.blocks.push_back({.kind = kind, .start = int(rows_.size()), .size = size, .mu = mu});
    for (int k = 0; k < size; ++k) rows_.push_back(row + k);
    boxes = boxes || kind == BlockKind::box;
  };
  for (std::size_t k = 0; k < f.rows.owner.size(); ++k)
    if (f.rows.owner[k].kind == RowOwner::Kind::loop)
      add(f.rows.rows.blocks[k].start, BlockKind::free, f.rows.rows.blocks[k].size);
  for (std::size_t i = 0; i < mode.contacts.size(); ++i) {
    const Contact& c = f.contacts[i];
    const bool cone = mode.contacts[i].incipient && c.mu > 0;
    add(f.contact_row[i], cone ? BlockKind::cone : BlockKind::nonnegative, cone ? 3 : 1, cone ? c.mu : 0);
    if (cone) across_[std::size_t(f.contact_row[i]) + 2] = c.across;
  }
  for (const int row : f.limit_row) add(row, BlockKind::nonnegative, 1);
  for (std::size_t i = 0; i < mode.dry.size(); ++i)
    if (mode.dry[i].incipient) add(f.dry_row[i], BlockKind::box, 1);
  const std::size_t n = rows_.size(), all = f.b.size();
  problem_.M.make_dense(int(n));
  problem_.q.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t row = std::size_t(rows_[i]);
    for (std::size_t j = 0; j < n; ++j)
      problem_.M.dense()[i * n + j] =
          across_[row] * f.W[row * all + std::size_t(rows_[j])] * across_[std::size_t(rows_[j])];
    if (!boxes) continue;
    problem_.lower.push_back(f.rows.rows.lower[row]);
    problem_.upper.push_back(f.rows.rows.upper[row]);
  }
}

// One round of (1): known_ has the friction of what slides already. Returns whether the cones were solved.
bool ModeGuess::solve_cones(const ModeForces& f) {
  const std::size_t n = rows_.size(), all = f.b.size();
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t row = std::size_t(rows_[i]);
    double q = f.b[row];
    for (std::size_t k = 0; k < all; ++k) q += f.W[row * all + k] * known_[k];
    problem_.q[i] = across_[row] * q;
  }
  x_.resize(n, 0.0);
  const SolveReport solved = solver_.solve(problem_, SolverId::automatic, {.tolerance = 1e-12, .warm_start = true}, x_);
  return solved.status == Status::solved || solved.residual.within(1e-8);
}

// (1). Fills z_.
bool ModeGuess::solve_by_cones(const Mode& mode, const ModeForces& f) {
  pose_cones(mode, f);
  const std::size_t all = f.b.size();
  known_.assign(all, 0.0);
  x_.assign(rows_.size(), 0.0);
  for (std::size_t i = 0; i < mode.dry.size(); ++i) {
    const std::size_t r = std::size_t(f.dry_row[i]);
    if (!mode.dry[i].incipient) known_[r] = -mode.dry[i].sign * f.rows.rows.upper[r];
  }
  bool solved = false;
  for (int round = 0; round < most_rounds_of_cones; ++round) {
    solved = solve_cones(f);
    if (!solved) return false;
    z_ = known_;
    for (std::size_t i = 0; i < rows_.size(); ++i) z_[std::size_t(rows_[i])] = across_[std::size_t(rows_[i])] * x_[i];
    double change = 0;
    for (std::size_t i = 0; i < mode.contacts.size(); ++i) {
      const Contact& c = f.contacts[i];
      if (mode.contacts[i].incipient || c.mu == 0) continue;
      const std::size_t r = std::size_t(f.contact_row[i]);
      const Vec3<double> load = friction_per_load(f.in_motion[i], sliding_direction(mode.contacts[i], c, f.u[i]));
      for (const auto& [row, force] :
           {std::pair(r + 1, z_[r] * dot(load, c.t1)), std::pair(r + 2, z_[r] * dot(load, c.t2))}) {
        change = std::max(change, std::abs(force - known_[row]) / (f.D[row] * f.scale));
        known_[row] = force;
      }
    }
    if (change < settled) break;
  }
  for (std::size_t r = 0; r < all; ++r)
    if (known_[r] != 0) z_[r] = known_[r];
  return solved;
}

void ModeGuess::adopt_solution(const ModeForces& f, Mode& mode) {
  w_ = f.b;
  for (std::size_t r = 0; r < w_.size(); ++r)
    for (std::size_t k = 0; k < w_.size(); ++k) w_[r] += f.W[r * w_.size() + k] * z_[k];
  const auto is_zero = [&](std::size_t r) { return !(z_[r] > seed_tolerance * f.D[r] * f.scale); };
  for (std::size_t i = 0; i < mode.contacts.size(); ++i) {
    ModeContact& m = mode.contacts[i];
    if (f.contact_row[i] < 0) continue;
    const std::size_t r = std::size_t(f.contact_row[i]);
    const Contact& c = f.contacts[i];
    m.hold = is_zero(r) ? Hold::open : m.incipient ? Hold::sticking : Hold::sliding;
    m.near = {m.hold == Hold::open ? 0 : z_[r], 0, 0};
    if (m.hold != Hold::sticking || c.mu == 0) continue;
    m.near = {z_[r], z_[r + 1], z_[r + 2]};
    const double slip = std::hypot(w_[r + 1], w_[r + 2]);
    if (!(slip * f.D[r] > seed_tolerance * f.scale)) continue;
    const Vec3<double> d = w_[r + 1] * c.t1 + w_[r + 2] * c.t2;
    m.hold = Hold::sliding;
    m.slide = (1 / norm(d)) * d;
  }
  for (std::size_t i = 0; i < mode.limits.size(); ++i)
    if (f.limit_row[i] >= 0) {
      mode.limits[i].closed = !is_zero(std::size_t(f.limit_row[i]));
      mode.limits[i].near = mode.limits[i].closed ? z_[std::size_t(f.limit_row[i])] : 0;
    }
  for (std::size_t i = 0; i < mode.dry.size(); ++i) {
    const std::size_t r = std::size_t(f.dry_row[i]);
    if (!mode.dry[i].incipient) continue;
    const bool slips = std::abs(w_[r]) * f.D[r] > seed_tolerance * f.scale;
    mode.dry[i].sign = !slips ? 0 : w_[r] > 0 ? 1 : -1;
  }
}

void ModeGuess::find(const ModeForces& f, Mode& mode) {
  if (solve_by_cones(mode, f)) adopt_solution(f, mode);
}

}  // namespace linchpin
