// Generated contact problems for tests and benchmarks: boxes, stacks, walls and piles of free bodies in contact.
//
// A ContactScene is a set of bodies with contacts; contact_problem() is its time step. For contact k between bodies A
// and B at point p, with normal n from B towards A and tangents t1, t2:
//     row of H for direction d in (n, t1, t2), acting on (angular, linear) velocities:
//         ((p - c_A) x d, d) of A,   -((p - c_B) x d, d) of B,   none of the world                                 (1)
//     w = M z + q,   M = H A^-1 H',   q = H (v + (0, g) dt)                                                        (2)
// so that z are impulses and w the contact velocities at the end of the step. The axes of inertia are the world's.
//
// Every number follows from the seed by +, -, *, / and sqrt, so that it is the same on every machine.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "linchpin/base/splitmix.h"
#include "linchpin/solvers/problem/problem.h"

namespace linchpin {

// Random numbers that are the same on every platform.
class Dice : public SplitMix {
 public:
  using SplitMix::SplitMix;
  double between(double low, double high);
  double near_zero(double range) { return between(-range, range); }
  int below(int n);  // 0 .. n-1; n must be far below 2^32
  bool chance(double probability) { return between(0, 1) < probability; }
};

struct SceneBody {
  double mass = 1;
  std::array<double, 3> inertia{1, 1, 1};  // moments about the world's axes
  std::array<double, 3> position{};        // of the centre of mass
  std::array<double, 6> velocity{};        // angular, linear; at the beginning of the step
  double radius = 0;                       // of a sphere
};

struct SceneContact {
  int a = 0, b = -1;  // bodies; -1 is the world
  std::array<double, 3> point{}, normal{0, 0, 1}, tangent1{1, 0, 0}, tangent2{0, 1, 0};
  double mu = 0;
};

struct ContactScene {
  std::vector<SceneBody> bodies;
  std::vector<SceneContact> contacts;
  double gravity = 9.81;  // along -z
  double dt = 0.01;
};

struct SceneOptions {
  double mu = 0.5;
  double mass_ratio = 1;    // above 1: densities differ, heaviest over lightest up to this
  bool degenerate = false;  // equal bodies, at rest, placed exactly: as many ties as possible
  double speed = 0.1;       // of the random velocities before the step; unused in degenerate scenes
};

// Unit boxes side by side on the ground, each on four corner contacts.
ContactScene separate_boxes_scene(int boxes, std::uint64_t seed, const SceneOptions& options = {});
// A stack of unit boxes, four contacts at each interface: beyond the first interface they are redundant.
ContactScene stack_of_boxes_scene(int boxes, std::uint64_t seed, const SceneOptions& options = {});
// Bricks of 1 x 0.5 x 0.25 in running bond: `bricks` on the ground and one fewer in each course above, four contacts
// for each pair of bricks, or brick and ground, that touch.
ContactScene wall_of_bricks_scene(int courses, int bricks, std::uint64_t seed, const SceneOptions& options = {});
// Spheres dropped one by one into a box, each rolling down until it rests on up to three spheres, walls or the floor,
// until there are `contacts` contacts, or at most two more. Degenerate: a pyramid of equal cannonballs, each on four,
// which also touch their neighbours; up to eight contacts more.
ContactScene pile_of_spheres_scene(int contacts, std::uint64_t seed, const SceneOptions& options = {});

// The time step of a scene, by (1) and (2).
Problem contact_problem(const ContactScene& scene, Matrix::Kind kind = Matrix::Kind::factored);

// The scene one step later, after impulses z: velocities by momentum, bodies moved by them, contact points moved with
// body A or, between spheres, recomputed. The set of contacts stays, as for a warm start.
ContactScene after_step(const ContactScene& scene, std::span<const double> z);

inline Problem separate_boxes(int boxes, std::uint64_t seed, const SceneOptions& options = {}) {
  return contact_problem(separate_boxes_scene(boxes, seed, options));
}
inline Problem stack_of_boxes(int boxes, std::uint64_t seed, const SceneOptions& options = {}) {
  return contact_problem(stack_of_boxes_scene(boxes, seed, options));
}
inline Problem wall_of_bricks(int courses, int bricks, std::uint64_t seed, const SceneOptions& options = {}) {
  return contact_problem(wall_of_bricks_scene(courses, bricks, seed, options));
}
inline Problem pile_of_spheres(int contacts, std::uint64_t seed, const SceneOptions& options = {}) {
  return contact_problem(pile_of_spheres_scene(contacts, seed, options));
}

// The same problem with its matrix stored in another way. Dense and block-sparse can be made from every kind, the
// latter with the problem's blocks; factored only from factored (a check).
Problem with_matrix(const Problem& problem, Matrix::Kind kind);

}  // namespace linchpin
