// Contact properties of a surface, and their combination for a pair of surfaces.
//
// With the normal force N, friction is at most mu_static N while sticking and is mu_kinetic N while slipping. A
// directional material has other coefficients along one direction of its shape. With t1 the unit vector of that
// direction's component in the contact plane and t2 perpendicular to it, the friction force f obeys
//     (f.t1 / mu_along)^2 + (f.t2 / mu_across)^2 <= N^2                          (1)
// with the static coefficients while sticking and the kinetic ones while slipping.
//
// Restitution is a ratio in [0, 1]. By Poisson's law, the default, it is the impulse of decompression over that of
// compression; by Newton's law it is the speed of separation over that of approach. SimulationOptions::restitution
// chooses the law (docs/impact.md). For a single contact without coupling of normal and tangent both agree.
//
// Coefficients are properties of pairs rather than of materials. A rule estimates a pair's from its two materials':
//
//     rule              of a and b        default of
//     minimum           min(a, b)
//     maximum           max(a, b)         friction: MuJoCo; restitution: Box2D, Jolt
//     mean              (a + b)/2         both: PhysX
//     geometric_mean    sqrt(a b)         friction: Box2D, Jolt
//     product           a b               both: Bullet
//     harmonic_mean     2 a b/(a + b)     friction: Drake
// (ODE requires the user to set each contact.) With all rules but the product, a material paired with itself keeps its
// own value. linchpin's defaults: the geometric mean for friction, so that ice is slippery whatever stands on it, and
// the maximum for restitution, so that a bouncing ball bounces on ground for which none was given. For pairs with
// measured values there are overrides.
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
  Friction friction = {};  // in all directions, or perpendicular to the direction below
  double restitution = 0;  // 0 to 1, by the law above
  struct Directional {
    Vec3<double> direction;  // in the shape's frame, of any length; no effect where it is normal to the surface
    Friction along;
  };
  std::optional<Directional> directional = {};
};

// Contact properties of two surfaces A and B.
struct PairMaterial {
  Friction friction = {};
  double restitution = 0;
  enum class Side { a, b };
  struct Directional {
    Side side;  // the shape in whose frame `direction` is given
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
  // Replaces the rules for two materials, given by name in either order (directional->side is adapted). The first
  // override of a pair counts.
  struct Override {
    std::string a, b;
    PairMaterial material;
  };
  std::vector<Override> overrides = {};
};

// Symmetric in a and b, except for directional->side. When both are directional, the direction is that of the material
// with the larger ratio between its static coefficients (A if they are equal); `along` then combines that material's
// `along` with the other one's `friction`.
PairMaterial combine(const Material& a, const Material& b, const PairRules& rules = {});

// A description of the first invalid value; empty if there is none.
std::string fault_of(const Material& material);
std::string fault_of(const PairMaterial& material);
std::string fault_of(const PairRules& rules);

}  // namespace linchpin
