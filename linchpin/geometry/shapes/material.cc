#include "linchpin/geometry/shapes/material.h"

#include <algorithm>
#include <cmath>

#include "linchpin/spatial/message.h"

namespace linchpin {
namespace {

Friction apply(PairRule rule, const Friction& a, const Friction& b) {
  return {apply(rule, a.mu_static, b.mu_static), apply(rule, a.mu_kinetic, b.mu_kinetic)};
}

// The ratio of the static coefficients along and across, at least 1; 0 for a material without a direction.
double contrast(const Material& m) {
  if (!m.directional) return 0;
  const auto [low, high] = std::minmax(m.directional->along.mu_static, m.friction.mu_static);
  if (low == high) return 1;
  return high / low;
}

PairMaterial::Side other(PairMaterial::Side side) {
  return side == PairMaterial::Side::a ? PairMaterial::Side::b : PairMaterial::Side::a;
}

std::string fault_of(const Friction& friction, const char* where) {
  const std::pair<const char*, double> coefficients[] = {{"mu_static", friction.mu_static},
                                                         {"mu_kinetic", friction.mu_kinetic}};
  for (const auto& [name, mu] : coefficients)
    if (!(mu >= 0 && std::isfinite(mu))) return message(name, where, " is ", mu, "; it must be finite and at least 0");
  if (friction.mu_kinetic > friction.mu_static)
    return message("mu_kinetic", where, " is ", friction.mu_kinetic, "; it must be at most mu_static, ",
                   friction.mu_static);
  return {};
}

// M is Material or PairMaterial.
template <class M>
std::string fault_in(const M& m) {
  if (std::string fault = fault_of(m.friction, ""); !fault.empty()) return fault;
  if (!(m.restitution >= 0 && m.restitution <= 1))
    return message("restitution is ", m.restitution, "; it must be between 0 and 1");
  if (!m.directional) return {};
  const Vec3<double>& d = m.directional->direction;
  if (!all_finite(d) || (d.x == 0 && d.y == 0 && d.z == 0))
    return message("direction of friction ", to_string(d), " is not a direction");
  return fault_of(m.directional->along, " along the direction");
}

}  // namespace

double apply(PairRule rule, double a, double b) {
  switch (rule) {
    case PairRule::minimum:
      return std::min(a, b);
    case PairRule::maximum:
      return std::max(a, b);
    case PairRule::mean:
      return (a + b) / 2;
    case PairRule::geometric_mean:
      return std::sqrt(a * b);
    case PairRule::product:
      return a * b;
    case PairRule::harmonic_mean:
      return a + b > 0 ? 2 * a * b / (a + b) : 0;
  }
  return 0;
}

PairMaterial combine(const Material& a, const Material& b, const PairRules& rules) {
  for (const PairRules::Override& o : rules.overrides) {
    if (o.a == a.name && o.b == b.name) return o.material;
    if (o.a == b.name && o.b == a.name) {
      PairMaterial swapped = o.material;
      if (swapped.directional) swapped.directional->side = other(swapped.directional->side);
      return swapped;
    }
  }
  PairMaterial pair;
  pair.friction = apply(rules.friction, a.friction, b.friction);
  pair.restitution = apply(rules.restitution, a.restitution, b.restitution);
  if (!a.directional && !b.directional) return pair;
  const bool from_a = contrast(a) >= contrast(b);
  const Material &giver = from_a ? a : b, &taker = from_a ? b : a;
  pair.directional = {from_a ? PairMaterial::Side::a : PairMaterial::Side::b, giver.directional->direction,
                      apply(rules.friction, giver.directional->along, taker.friction)};
  return pair;
}

std::string fault_of(const Material& material) { return fault_in(material); }
std::string fault_of(const PairMaterial& material) { return fault_in(material); }

std::string fault_of(const PairRules& rules) {
  for (std::size_t i = 0; i < rules.overrides.size(); ++i) {
    const PairRules::Override& o = rules.overrides[i];
    if (o.a.empty() || o.b.empty()) return message("override ", i, " must name two materials");
    if (std::string fault = fault_of(o.material); !fault.empty())
      return message("override ", i, " of ", o.a, " and ", o.b, ": ", fault);
    for (std::size_t j = 0; j < i; ++j) {
      const PairRules::Override& p = rules.overrides[j];
      if ((o.a == p.a && o.b == p.b) || (o.a == p.b && o.b == p.a))
        return message("overrides ", j, " and ", i, " are both for ", o.a, " and ", o.b);
    }
  }
  return {};
}

}  // namespace linchpin
