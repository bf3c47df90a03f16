#include "linchpin/black_box/multiplier_system.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "linchpin/base/check.h"
#include "linchpin/base/names.h"

namespace linchpin {

std::string_view to_string(MultiplierStatus status) {
  static constexpr EnumNames<MultiplierStatus::not_settled> names{"status",
                                                                  {"solved", "singular", "unsolved", "not settled"}};
  return names.of(status);
}

MultiplierState MultiplierSystem::make_state() const {
  MultiplierState state;
  state.q.resize(positions());
  state.v.assign(velocities(), 0.0);
  for (int b = 0; b < bodies(); ++b) spec_.bodies[b]->start(q(state, b));
  return state;
}
std::span<double> MultiplierSystem::q(MultiplierState& state, int body) const {
  const std::size_t b = std::size_t(body);
  return std::span(state.q).subspan(first_q_[b], first_q_[b + 1] - first_q_[b]);
}
std::span<double> MultiplierSystem::v(MultiplierState& state, int body) const {
  const std::size_t b = std::size_t(body);
  return std::span(state.v).subspan(first_v_[b], first_v_[b + 1] - first_v_[b]);
}
std::span<const double> MultiplierSystem::q(const MultiplierState& state, int body) const {
  const std::size_t b = std::size_t(body);
  return std::span(state.q).subspan(first_q_[b], first_q_[b + 1] - first_q_[b]);
}
std::span<const double> MultiplierSystem::v(const MultiplierState& state, int body) const {
  const std::size_t b = std::size_t(body);
  return std::span(state.v).subspan(first_v_[b], first_v_[b + 1] - first_v_[b]);
}

void MultiplierSystem::set_active(int constraint, bool active) {
  check(constraint >= 0 && constraint < constraints(), "constraint ", constraint, " of ", constraints());
  check(!is_primary(constraint), "constraint ", constraint, " is primary and cannot be switched on or off");
  places_[constraint].active = active;
}
void MultiplierSystem::set_solver(std::shared_ptr<AuxiliarySolver> solver) {
  check(solver != nullptr, "no solver");
  solver_ = std::move(solver);
}

void MultiplierSystem::evaluate_one(double t, std::span<const double> q, std::span<const double> v, int constraint) {
  const MultiplierSpec::Held& held = spec_.constraints[constraint];
  Place& place = places_[constraint];
  std::fill_n(blocks_.begin() + std::ptrdiff_t(place.numbers), place.number_count, 0.0);
  for (const std::span<double> rows : {place.out.c, place.out.speed, place.out.error, place.out.softness})
    std::ranges::fill(rows, 0.0);
  arena_.reset();
  views_.clear();
  for (const int body : held.bodies) {
    if (body == world_body) {
      views_.emplace_back(arena_);
      continue;
    }
    const std::size_t b = std::size_t(body);
    views_.emplace_back(*spec_.bodies[b], q.subspan(first_q_[b], first_q_[b + 1] - first_q_[b]),
                        v.subspan(first_v_[b], first_v_[b + 1] - first_v_[b]), arena_);
  }
  held.constraint->evaluate(t, views_, place.out);
}

void MultiplierSystem::evaluate_all(double t, std::span<const double> q, std::span<const double> v) {
  check(q.size() == std::size_t(positions()) && v.size() == std::size_t(velocities()), "a state of ", q.size(), " and ",
        v.size(), " numbers for ", positions(), " and ", velocities());
  for (int i = 0; i < constraints(); ++i)
    if (places_[i].active) evaluate_one(t, q, v, i);
}

const RowBlocks& MultiplierSystem::evaluate(const MultiplierState& state, int constraint) {
  evaluate_one(state.t, state.q, state.v, constraint);
  return places_[constraint].out;
}

double MultiplierSystem::row_times(int constraint, int row, std::span<const double> y) const {
  const std::vector<int>& on = spec_.constraints[constraint].bodies;
  const Place& place = places_[constraint];
  double sum = 0;
  for (std::size_t k = 0; k < on.size(); ++k) {
    if (on[k] == world_body) continue;
    const std::size_t first = first_v_[on[k]], size = first_v_[on[k] + 1] - first;
    const double* j = place.J[k].data() + std::size_t(row) * size;
    for (std::size_t n = 0; n < size; ++n) sum += j[n] * y[first + n];
  }
  return sum;
}

// Projection uses only rows that must hold: soft rows, rows with bounded forces and friction rows are left out.
bool MultiplierSystem::counts(const Place& place, int row, Level level) const {
  if (level != Level::settle_position && level != Level::settle_velocity) return true;
  if (softness_[place.first + std::size_t(row)] > 0 || place.law.kind == RowLaw::Kind::box) return false;
  if (place.law.kind == RowLaw::Kind::cone && row > 0) return false;
  return level == Level::settle_velocity || row < place.holonomic;
}

double MultiplierSystem::largest_error(Level level, std::span<const double> v) const {
  double largest = 0;
  for (int i = 0; i < constraints(); ++i) {
    const Place& place = places_[i];
    if (!place.active) continue;
    for (int row = 0; row < place.rows; ++row) {
      if (!counts(place, row, level)) continue;
      const std::size_t at = place.first + std::size_t(row);
      const double error = level == Level::settle_position ? error_[at] : row_times(i, row, v) - speed_[at];
      largest = std::max(largest, place.law.kind == RowLaw::Kind::equality ? std::abs(error) : -error);
      if (!std::isfinite(error)) return error * error;
    }
  }
  return largest;
}

// Copies masses and primary rows into the factors. A row that is not used at this level gets J = 0, so that l = 0.
void MultiplierSystem::load(std::span<const double> q, Level level) {
  for (int b = 0; b < bodies(); ++b) {
    const AnyBody& body = *spec_.bodies[b];
    const std::size_t n = std::size_t(body.dimension()), first = first_q_[b];
    const std::span<double> M = std::span(M_).first(n * n);
    body.mass(q.subspan(first, body.positions()), M);
    factors_->set_mass(b, M);
  }
  for (int i = 0; i < constraints(); ++i) {
    Place& place = places_[i];
    if (place.primary < 0) continue;
    const std::vector<int>& on = spec_.constraints[i].bodies;
    std::span<double> blocks[2];
    int count = 0;
    for (std::size_t k = 0; k < on.size(); ++k)
      if (on[k] != world_body) blocks[count++] = place.J[k];
    bool all = true;
    for (int row = 0; row < place.rows; ++row) all &= counts(place, row, level);
    const std::span<const double> softness = place.out.softness;
    if (all) {
      factors_->set_constraint(place.primary, blocks[0], blocks[1], softness);
      continue;
    }
    double* copy = left_out_.data();
    const std::span<double> soft = std::span(left_out_softness_).first(place.rows);
    for (int k = 0; k < count; ++k) {
      const std::size_t size = blocks[k].size() / std::size_t(place.rows);
      for (int row = 0; row < place.rows; ++row) {
        const bool taken = counts(place, row, level);
        soft[row] = taken ? 0 : 1;
        for (std::size_t n = 0; n < size; ++n)
          copy[std::size_t(row) * size + n] = taken ? blocks[k][std::size_t(row) * size + n] : 0;
      }
      blocks[k] = std::span(copy, blocks[k].size());
      copy += blocks[k].size();
    }
    factors_->set_constraint(place.primary, blocks[0], blocks[1], soft);
  }
}

void MultiplierSystem::gather_auxiliary(Level level) {
  const bool settling = level == Level::settle_position || level == Level::settle_velocity;
  auxiliary_->clear();
  auxiliary_blocks_.clear();
  for (int i = 0; i < constraints(); ++i) {
    Place& place = places_[i];
    place.first_auxiliary = -1;
    if (place.primary >= 0 || !place.active) continue;
    const std::vector<int>& on = spec_.constraints[i].bodies;
    AuxiliaryBlock block{auxiliary_->size(), 0, place.law};
    for (int row = 0; row < place.rows; ++row) {
      if (!counts(place, row, level)) continue;
      auxiliary_->begin_row(softness_[place.first + std::size_t(row)]);
      for (std::size_t k = 0; k < on.size(); ++k) {
        if (on[k] == world_body) continue;
        const std::size_t size = first_v_[on[k] + 1] - first_v_[on[k]];
        const std::size_t at = std::size_t(row) * size;
        auxiliary_->add(on[k], place.J[k].subspan(at, size),
                        place.own_directions && !settling ? std::span<const double>(place.K[k].subspan(at, size))
                                                          : std::span<const double>{});
      }
      ++block.rows;
    }
    if (block.rows == 0) continue;
    place.first_auxiliary = block.first;
    if (settling && block.law.kind == RowLaw::Kind::cone) block.law.kind = RowLaw::Kind::nonnegative;
    check(solver_->takes(block.law.kind), "constraint ", i,
          " is an inequality: the system needs a solver that takes it (set_solver)");
    auxiliary_blocks_.push_back(block);
  }
}

MultiplierStatus MultiplierSystem::solve_auxiliary(Level level, bool anew) {
  if (anew) {
    gather_auxiliary(level);
    auxiliary_matrix_ = {};
    if (auxiliary_->size() > 0) {
      auxiliary_matrix_ = auxiliary_->form(*factors_);
      if (!solver_->prepare(auxiliary_matrix_, auxiliary_->sizes(), auxiliary_->symmetric(), auxiliary_blocks_))
        return MultiplierStatus::unsolved;
    }
  }
  const std::size_t k = std::size_t(auxiliary_->size());
  if (k > 0) {
    b_.resize(k);
    mu_.assign(k, 0.0);
    auxiliary_->times(y_, b_);
    for (int i = 0; i < constraints(); ++i) {
      const Place& place = places_[i];
      if (place.first_auxiliary < 0) continue;
      std::size_t at = std::size_t(place.first_auxiliary);
      for (int row = 0; row < place.rows; ++row)
        if (counts(place, row, level)) b_[at++] -= r_[place.first + std::size_t(row)];
    }
    if (!solver_->solve(b_, mu_)) return MultiplierStatus::unsolved;
    auxiliary_->add_force(mu_, F_);
    factors_->solve(F_, r_primary_, y_, l_);
  }
  if (level == Level::settle_position || level == Level::settle_velocity) return MultiplierStatus::solved;
  for (const Place& place : places_)
    for (int row = 0; row < place.rows; ++row) {
      double& l = multipliers_[place.first + std::size_t(row)];
      if (place.primary >= 0)
        l = l_[forest_->first_row(place.primary) + row];
      else
        l = place.first_auxiliary >= 0 ? mu_[place.first_auxiliary + row] : 0;
    }
  return MultiplierStatus::solved;
}

void MultiplierSystem::gather_primary(Level level) {
  for (const Place& place : places_)
    for (int row = 0; place.primary >= 0 && row < place.rows; ++row)
      r_primary_[forest_->first_row(place.primary) + row] =
          counts(place, row, level) ? r_[place.first + std::size_t(row)] : 0;
}

MultiplierStatus MultiplierSystem::solve_anew(std::span<const double> q, Level level) {
  load(q, level);
  gather_primary(level);
  if (!factors_->factor_and_solve(F_, r_primary_, y_, l_)) return MultiplierStatus::singular;
  return solve_auxiliary(level, true);
}

MultiplierStatus MultiplierSystem::solve_again(Level level) {
  gather_primary(level);
  factors_->solve(F_, r_primary_, y_, l_);
  return solve_auxiliary(level, false);
}

int MultiplierSystem::failed() const { return factors_->failed(); }

std::span<const double> MultiplierSystem::multipliers(int constraint) const {
  const Place& place = places_[constraint];
  return std::span(multipliers_).subspan(place.first, place.rows);
}

MultiplierStatus MultiplierSystem::accelerations(const MultiplierState& state, std::span<const double> F,
                                                 std::span<double> vdot, const Baumgarte& baumgarte) {
  check((F.empty() || F.size() == F_.size()) && vdot.size() == F_.size(), "forces of ", F.size(),
        " and accelerations of ", vdot.size(), " numbers for ", F_.size());
  evaluate_all(state.t, state.q, state.v);
  for (int b = 0; b < bodies(); ++b) {
    const std::size_t first = first_v_[b];
    spec_.bodies[b]->force(q(state, b), v(state, b), spec_.gravity,
                           std::span(F_).subspan(first, first_v_[b + 1] - first));
  }
  for (std::size_t i = 0; i < F.size(); ++i) F_[i] += F[i];
  for (std::size_t i = 0; i < r_.size(); ++i) r_[i] = -c_[i] - baumgarte.beta * baumgarte.beta * error_[i];
  if (baumgarte.alpha != 0)
    for (int i = 0; i < constraints(); ++i) {
      const Place& place = places_[i];
      for (int row = 0; place.active && row < place.rows; ++row) {
        const std::size_t at = place.first + std::size_t(row);
        r_[at] -= 2 * baumgarte.alpha * (row_times(i, row, state.v) - speed_[at]);
      }
    }
  const MultiplierStatus status = solve_anew(state.q, Level::acceleration);
  if (status == MultiplierStatus::solved) std::ranges::copy(y_, vdot.begin());
  return status;
}

MultiplierStatus MultiplierSystem::velocities(double t, std::span<const double> q, std::span<const double> F,
                                              std::span<double> v, double gain) {
  check((F.empty() || F.size() == F_.size()) && v.size() == F_.size(), "drags of ", F.size(), " and velocities of ",
        v.size(), " numbers for ", F_.size());
  evaluate_all(t, q, zero_);
  if (F.empty())
    std::ranges::fill(F_, 0.0);
  else
    std::ranges::copy(F, F_.begin());
  for (std::size_t i = 0; i < r_.size(); ++i) r_[i] = speed_[i] - gain * error_[i];
  const MultiplierStatus status = solve_anew(q, Level::velocity);
  if (status == MultiplierStatus::solved) std::ranges::copy(y_, v.begin());
  return status;
}

MultiplierStatus MultiplierSystem::impulses(MultiplierState& state, std::span<const double> impulse,
                                            double restitution) {
  check(impulse.empty() || impulse.size() == F_.size(), "impulses of ", impulse.size(), " numbers for ", F_.size());
  evaluate_all(state.t, state.q, state.v);
  if (impulse.empty())
    std::ranges::fill(F_, 0.0);
  else
    std::ranges::copy(impulse, F_.begin());
  for (int i = 0; i < constraints(); ++i) {
    const Place& place = places_[i];
    for (int row = 0; place.active && row < place.rows; ++row) {
      const std::size_t at = place.first + std::size_t(row);
      const double off = row_times(i, row, state.v) - speed_[at];
      const bool bounces =
          place.law.kind == RowLaw::Kind::nonnegative || (place.law.kind == RowLaw::Kind::cone && row == 0);
      r_[at] = -off - (bounces ? restitution * std::min(off, 0.0) : 0);
    }
  }
  const MultiplierStatus status = solve_anew(state.q, Level::impulse);
  if (status == MultiplierStatus::solved)
    for (std::size_t i = 0; i < y_.size(); ++i) state.v[i] += y_[i];
  return status;
}

// Newton steps until errors are small. find_errors() sets r_ and returns the largest error; move() adds y_ to
// `numbers`.
template <class Errors, class Move>
MultiplierStatus MultiplierSystem::settle_level(Level level, std::span<const double> q, std::span<const double> numbers,
                                                const SettleOptions& options, bool have_factors,
                                                const Errors& find_errors, const Move& move) {
  double last = std::numeric_limits<double>::infinity();
  for (int step = 0;; ++step) {
    const double largest = find_errors();
    double size = 1;
    for (const double x : numbers) size = std::max(size, std::abs(x));
    if (largest <= options.tolerance * size) return MultiplierStatus::solved;
    if (step == options.steps || !std::isfinite(largest)) return MultiplierStatus::not_settled;
    std::ranges::fill(F_, 0.0);
    const bool again = have_factors && !(largest > 0.1 * last);
    const MultiplierStatus status = again ? solve_again(level) : solve_anew(q, level);
    if (status != MultiplierStatus::solved) return status;
    have_factors = settled_anew_ = true;
    last = largest;
    move();
  }
}

MultiplierStatus MultiplierSystem::settle_positions(MultiplierState& state, const SettleOptions& options) {
  settled_anew_ = false;
  return settle_level(
      Level::settle_position, state.q, state.q, options, false,
      [&] {
        evaluate_all(state.t, state.q, state.v);
        for (std::size_t i = 0; i < r_.size(); ++i) r_[i] = -error_[i];
        return largest_error(Level::settle_position, state.v);
      },
      [&] { advance(state.q, y_, 1); });
}

MultiplierStatus MultiplierSystem::settle_velocities(MultiplierState& state, const SettleOptions& options) {
  return settle_velocities(state, options, false);
}

MultiplierStatus MultiplierSystem::settle_velocities(MultiplierState& state, const SettleOptions& options,
                                                     bool have_factors) {
  evaluate_all(state.t, state.q, state.v);
  return settle_level(
      Level::settle_velocity, state.q, state.v, options, have_factors,
      [&] {
        for (int i = 0; i < constraints(); ++i) {
          const Place& place = places_[i];
          for (int row = 0; place.active && row < place.rows; ++row) {
            const std::size_t at = place.first + std::size_t(row);
            r_[at] = speed_[at] - row_times(i, row, state.v);
          }
        }
        return largest_error(Level::settle_velocity, state.v);
      },
      [&] {
        for (std::size_t i = 0; i < y_.size(); ++i) state.v[i] += y_[i];
      });
}

MultiplierStatus MultiplierSystem::settle(MultiplierState& state, const SettleOptions& options) {
  const MultiplierStatus status = settle_positions(state, options);
  if (status != MultiplierStatus::solved) return status;
  return settle_velocities(state, options, settled_anew_ && !differs_by_level_);
}

void MultiplierSystem::rate(std::span<const double> q, std::span<const double> v, std::span<double> qdot) const {
  for (std::size_t b = 0; b < spec_.bodies.size(); ++b) {
    const std::size_t count = first_q_[b + 1] - first_q_[b];
    spec_.bodies[b]->rate(q.subspan(first_q_[b], count), v.subspan(first_v_[b], first_v_[b + 1] - first_v_[b]),
                          qdot.subspan(first_q_[b], count));
  }
}
void MultiplierSystem::settle_manifold(std::span<double> q) const {
  for (std::size_t b = 0; b < spec_.bodies.size(); ++b)
    spec_.bodies[b]->settle(q.subspan(first_q_[b], first_q_[b + 1] - first_q_[b]));
}
void MultiplierSystem::advance(std::span<double> q, std::span<const double> v, double dt) const {
  for (std::size_t b = 0; b < spec_.bodies.size(); ++b)
    spec_.bodies[b]->advance(q.subspan(first_q_[b], first_q_[b + 1] - first_q_[b]),
                             v.subspan(first_v_[b], first_v_[b + 1] - first_v_[b]), dt);
}

double MultiplierSystem::kinetic_energy(const MultiplierState& state) {
  double twice = 0;
  for (int b = 0; b < bodies(); ++b) {
    const AnyBody& body = *spec_.bodies[b];
    const std::size_t n = std::size_t(body.dimension());
    body.mass(q(state, b), std::span(M_).first(n * n));
    const std::span<const double> own = v(state, b);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) twice += own[i] * M_[i * n + j] * own[j];
  }
  return 0.5 * twice;
}
double MultiplierSystem::potential_energy(const MultiplierState& state) const {
  double sum = 0;
  for (int b = 0; b < bodies(); ++b) sum += spec_.bodies[b]->potential_energy(q(state, b), spec_.gravity);
  return sum;
}
double MultiplierSystem::position_error(const MultiplierState& state) {
  evaluate_all(state.t, state.q, state.v);
  return largest_error(Level::settle_position, state.v);
}
double MultiplierSystem::velocity_error(const MultiplierState& state) {
  evaluate_all(state.t, state.q, state.v);
  return largest_error(Level::settle_velocity, state.v);
}

double MultiplierSystem::strain(const MultiplierState& state) {
  evaluate_all(state.t, state.q, state.v);
  double sum = 0;
  for (const Place& place : places_)
    for (int row = 0; place.active && row < place.rows; ++row) {
      const std::size_t at = place.first + std::size_t(row);
      if (softness_[at] > 0) sum += 0.5 * speed_[at] * speed_[at] / softness_[at];
    }
  return sum;
}

Vec3<double> MultiplierSystem::place(const MultiplierState& state, int body, const Vec3<double>& X) {
  arena_.reset();
  return BodyView(*spec_.bodies[body], q(state, body), v(state, body), arena_).point(X).at;
}
Vec3<double> MultiplierSystem::velocity(const MultiplierState& state, int body, const Vec3<double>& X) {
  arena_.reset();
  return BodyView(*spec_.bodies[body], q(state, body), v(state, body), arena_).point(X).rate;
}

}  // namespace linchpin
