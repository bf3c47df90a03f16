// What a surface is made of, as far as contact cares, and what two of them make together.
//
// Friction with the normal force N is bounded by mu_static N while sticking and is mu_kinetic N while slipping. A
// directional material has other coefficients along one direction of its shape: with t1 that direction's unit part in
// the plane of contact and t2 across, the friction force f obeys, sticking (and slipping, with the kinetic ones),
//     (f.t1 / mu_along)^2 + (f.t2 / mu_across)^2 <= N^2                          (1)
// Coefficients belong to pairs, not to materials; a rule guesses a pair's from its two materials':
//
//     rule              of a and b        who does so by default
//     minimum           min(a, b)
//     maximum           max(a, b)         friction: MuJoCo; restitution: Box2D, Jolt
//     mean              (a + b)/2         both: PhysX
//     geometric_mean    sqrt(a b)         friction: Box2D, Jolt
//     product           a b               both: Bullet
//     harmonic_mean     2 a b/(a + b)     friction: Drake
// (ODE asks the user for each contact.) All but the product give a material against itself its own value. Ours are: for
// friction the geometric mean, by which ice is slippery whatever stands on it and rubber helps; for restitution the
// maximum, by which a ball that bounces does so from any ground that says nothing about it. Where a pair was measured,
// an override says so.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "linchpin/spatial/vec.h"

namespace linchpin {

struct Friction {
  double mu_static = 0.5;
  double mu_kinetic = 0.5;  // at most mu_static
};

struct Material {
  std::string name;        // for overrides; may be empty
  Friction friction = {};  // in all directions, or across the direction below
  double restitution = 0;  // Newton's: speed of parting over speed of approach, 0 to 1
  struct Directional {
    Vec3<double> direction;  // in the shape's frame, of any length; where it stands on the surface, it has no say
    Friction along;
  };
  std::optional<Directional> directional = {};
};

// The same for two surfaces A and B.
struct PairMaterial {
  Friction friction = {};
  double restitution = 0;
  enum class Side { a, b };
  struct Directional {
    Side side;  // whose frame the direction is in
    Vec3<double> direction;
    Friction along;
  };
  std::optional<Directional> directional = {};
};

enum class PairRule { minimum, maximum, mean, geometric_mean, product, harmonic_mean };
double apply(PairRule rule, double a, double b);

struct PairRules {
  PairRule friction = PairRule::geometric_mean;
  PairRule restitution = PairRule::maximum;
  // Of two materials by name, in either order (`directional`'s side follows), whatever the rules say; the first counts.
  struct Override {
    std::string a, b;
    PairMaterial material;
  };
  std::vector<Override> overrides = {};
};

// Symmetric but for who is A. When both are directional, the one whose coefficients differ more gives the direction (of
// equals A), and the other one counts with its coefficients across.
PairMaterial combine(const Material& a, const Material& b, const PairRules& rules = {});

// What is wrong, in words that name the number; empty when nothing is.
std::string fault_of(const Material& material);
std::string fault_of(const PairMaterial& material);
std::string fault_of(const PairRules& rules);

}  // namespace linchpin
