// Builds a MultiplierSystem from a spec: which constraints are primary, and the memory layout.
#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "linchpin/base/check.h"
#include "linchpin/black_box/multiplier_system.h"
#include "linchpin/dynamics/maximal/constraint_fault.h"

namespace linchpin {
namespace {

// Union-find over bodies and the world.
class Trees {
 public:
  explicit Trees(int bodies) : up_(std::size_t(bodies) + 1) { std::iota(up_.begin(), up_.end(), std::size_t(0)); }
  // Joins two trees. False if they are the same already.
  bool join(int a, int b) {
    const std::size_t x = find(a + 1), y = find(b + 1);
    up_[x] = y;
    return x != y;
  }

 private:
  std::size_t find(std::size_t i) {
    while (up_[i] != i) i = up_[i] = up_[up_[i]];
    return i;
  }
  std::vector<std::size_t> up_;
};

// The bodies of a constraint without the world; {a, b} or {a, world}.
struct Pair {
  int a = world_body, b = world_body, count = 0;
};
Pair pair_of(const MultiplierSpec::Held& held) {
  Pair pair;
  for (const int body : held.bodies) {
    if (body == world_body) continue;
    if (pair.count == 0) pair.a = body;
    if (pair.count == 1) pair.b = body;
    ++pair.count;
  }
  return pair;
}

}  // namespace

int MultiplierSpec::add(std::shared_ptr<const AnyBody> body) {
  bodies.push_back(std::move(body));
  return int(bodies.size()) - 1;
}
int MultiplierSpec::add(std::shared_ptr<const AnyConstraint> constraint, std::vector<int> on, Role role) {
  constraints.push_back({std::move(constraint), std::move(on), role});
  return int(constraints.size()) - 1;
}

MultiplierSystem::MultiplierSystem(MultiplierSpec spec) : spec_(std::move(spec)) {}
MultiplierSystem::MultiplierSystem(MultiplierSystem&&) noexcept = default;
MultiplierSystem& MultiplierSystem::operator=(MultiplierSystem&&) noexcept = default;
MultiplierSystem::~MultiplierSystem() = default;

Result<MultiplierSystem> MultiplierSystem::make(MultiplierSpec spec) {
  const int bodies = int(spec.bodies.size());
  std::vector<int> sizes;
  for (int b = 0; b < bodies; ++b) {
    if (!spec.bodies[b]) return Error{"body " + std::to_string(b) + " is none"};
    sizes.push_back(spec.bodies[b]->dimension());
  }
  for (int i = 0; i < int(spec.constraints.size()); ++i) {
    const MultiplierSpec::Held& held = spec.constraints[i];
    if (!held.constraint) return constraint_fault(i, "is none");
    for (const int body : held.bodies)
      if (body < world_body || body >= bodies)
        return constraint_fault(i, "is on body ", body, "; there are ", bodies, ", from 0 (", world_body,
                                ": the world)");
    if (pair_of(held).count == 0) return constraint_fault(i, "is on no body");
    if (held.constraint->rows() < 1) return constraint_fault(i, "has ", held.constraint->rows(), " rows");
  }

  // Primary constraints: those that must be, and of the others those that can be.
  const auto can_be = [&](int i) -> std::string {
    const MultiplierSpec::Held& held = spec.constraints[i];
    const Pair pair = pair_of(held);
    if (pair.count > 2) return "is on " + std::to_string(pair.count) + " bodies: it is auxiliary";
    if (held.constraint->law().kind != RowLaw::Kind::equality) return "is an inequality: it is auxiliary";
    if (held.constraint->own_directions()) return "has forces along directions of its own: it is auxiliary";
    return {};
  };
  Trees trees(bodies);
  std::vector<bool> primary(spec.constraints.size(), false);
  for (const Role role : {Role::primary, Role::either})
    for (int i = 0; i < int(spec.constraints.size()); ++i) {
      const MultiplierSpec::Held& held = spec.constraints[i];
      if (held.role != role) continue;
      const std::string reason = can_be(i);
      const Pair pair = pair_of(held);
      if (role == Role::primary) {
        if (!reason.empty()) return constraint_fault(i, reason);
        trees.join(pair.a, pair.b);
        primary[i] = true;
      } else if (reason.empty() && pair.a != pair.b) {
        const int room = std::min(sizes[pair.a], pair.b == world_body ? sizes[pair.a] : sizes[pair.b]);
        primary[i] = held.constraint->rows() <= room && trees.join(pair.a, pair.b);
      }
    }

  std::vector<ForestConstraint> of_forest;
  std::vector<int> number;
  for (int i = 0; i < int(spec.constraints.size()); ++i) {
    if (!primary[i]) continue;
    const MultiplierSpec::Held& held = spec.constraints[i];
    const Pair pair = pair_of(held);
    of_forest.push_back({pair.a, pair.b, held.constraint->rows()});
    number.push_back(i);
  }
  Result<ConstraintForest> forest = ConstraintForest::make(sizes, of_forest, number);
  if (!forest) return forest.error();

  MultiplierSystem system(std::move(spec));
  system.forest_ = std::make_unique<ConstraintForest>(std::move(forest).value());
  system.factors_ = std::make_unique<ForestFactors>(*system.forest_);
  system.auxiliary_ = std::make_unique<AuxiliaryRows>(*system.forest_);
  system.solver_ = std::make_shared<EqualitySolver>();
  system.places_.resize(system.spec_.constraints.size());
  for (std::size_t i = 0; i < number.size(); ++i) system.places_[number[i]].primary = int(i);
  system.lay_out();
  return system;
}

void MultiplierSystem::lay_out() {
  first_q_ = first_v_ = {0};
  std::size_t widest = 0;
  for (const std::shared_ptr<const AnyBody>& body : spec_.bodies) {
    first_q_.push_back(first_q_.back() + std::size_t(body->positions()));
    first_v_.push_back(first_v_.back() + std::size_t(body->dimension()));
    widest = std::max(widest, std::size_t(body->dimension()));
  }
  std::size_t rows = 0, numbers = 0, most_bodies = 0, most_block = 0, most_rows = 0;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const MultiplierSpec::Held& held = spec_.constraints[i];
    Place& place = places_[i];
    place.rows = held.constraint->rows();
    place.holonomic = held.constraint->holonomic_rows();
    place.law = held.constraint->law();
    place.own_directions = held.constraint->own_directions();
    check(place.law.kind != RowLaw::Kind::cone || place.rows == 3, "a cone of ", place.rows, " rows; it has 3");
    if (place.holonomic < place.rows) differs_by_level_ = true;
    place.first = rows;
    rows += std::size_t(place.rows);
    most_rows = std::max(most_rows, std::size_t(place.rows));
    place.numbers = numbers;
    for (const int body : held.bodies) {
      const std::size_t size = body == world_body ? 0 : std::size_t(spec_.bodies[body]->dimension());
      numbers += std::size_t(place.rows) * size * (place.own_directions ? 2 : 1);
      most_block = std::max(most_block, std::size_t(place.rows) * size);
    }
    place.number_count = numbers - place.numbers;
    most_bodies = std::max(most_bodies, held.bodies.size());
  }
  blocks_.assign(numbers, 0.0);
  for (std::vector<double>* over_rows : {&c_, &speed_, &error_, &softness_, &r_, &multipliers_})
    over_rows->assign(rows, 0.0);
  for (std::size_t i = 0; i < places_.size(); ++i) {
    Place& place = places_[i];
    std::size_t at = place.numbers;
    for (std::vector<std::span<double>>* of : {&place.J, &place.K})
      for (const int body : spec_.constraints[i].bodies) {
        const std::size_t size = body == world_body ? 0 : std::size_t(spec_.bodies[body]->dimension());
        const std::size_t count = of == &place.K && !place.own_directions ? 0 : std::size_t(place.rows) * size;
        of->push_back(std::span(blocks_).subspan(at, count));
        at += count;
      }
    const auto part = [&](std::vector<double>& all) { return std::span(all).subspan(place.first, place.rows); };
    place.out.c = part(c_);
    place.out.speed = part(speed_);
    place.out.error = part(error_);
    place.out.softness = part(softness_);
    place.out.J_ = place.J;
    place.out.K_ = place.K;
  }
  const std::size_t size = std::size_t(velocities());
  F_.assign(size, 0.0);
  y_.assign(size, 0.0);
  zero_.assign(size, 0.0);
  l_.assign(forest_->total_rows(), 0.0);
  r_primary_.assign(l_.size(), 0.0);
  M_.assign(widest * widest, 0.0);
  left_out_.assign(2 * most_block, 0.0);
  left_out_softness_.assign(most_rows, 0.0);
  views_.reserve(most_bodies);
}

}  // namespace linchpin
