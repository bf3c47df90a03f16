// Contacts: points of shapes that touch, or may within a step, with all that their rows need.
//
// A contact's frame is (normal n, tangents t1, t2), n from B towards A. Its relative velocity is that of A's material
// point less B's, at the point midway between the surfaces; z is the impulse on A. Over a step of length h
//     normal:    n . u+ + max(gap, 0) / h >= 0                                                                    (1)
// position level while apart, velocity level in touch (design: no force reaches across a gap that stays open, no gap
// closes beyond zero). Tangents follow the cone's law. Where friction has a direction, coefficients mu along t1 and
// `across` mu along t2,
//     (z1 / mu)^2 + (z2 / (across mu))^2 <= z_n^2                                                                 (2)
// becomes the round cone when the second tangent's row is scaled by `across`: z2 = across z2', w2' = across w2, and
// friction is against the sliding as so scaled, which is where it takes most energy away.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "linchpin/contact/rows.h"
#include "linchpin/dynamics/tree/mechanics.h"
#include "linchpin/geometry/scene/collision_scene.h"

namespace linchpin {

struct Contact {
  ContactKey key;
  int link_a, link_b;
  Vec3<double> point, normal, t1, t2;  // W
  double gap;                          // m
  double mu, across;                   // static or kinetic, as it moves when found
  double restitution;
};

// The normal of the plane in which every joint moves, if there is one: all turn about it and slide across it. Contacts then
// have their first tangent in the plane, so that friction by directions, be it two, acts against the motion.
std::optional<Vec3<double>> motion_plane(const Model& model);

// Where it is known by from step to step.
inline std::array<std::uint32_t, 5> memory_key(const Contact& c) {
  return {c.key.shape_a, c.key.shape_b, c.key.piece_a, c.key.piece_b, c.key.feature};
}

// n . u, t1 . u, t2 . u of the relative velocity.
Vec3<double> relative_velocity(const Contact& c, const Kinematics<double>& kin, const Velocities& vel);

// What finding contacts needs of a model. Const.
struct ContactPlan {
  explicit ContactPlan(const Model& model);
  CollisionScene scene;
  bool any;                         // does any pair ever touch?
  std::vector<double> radius;       // per link: how far its shapes reach from its origin, m, but for the unbounded
  std::vector<char> unbounded;      // per link: has it any of those?
  std::vector<int> material;        // per shape: which of the distinct materials it has
  std::vector<PairMaterial> pairs;  // of two distinct materials i, j: [i * distinct + j]
  int distinct = 0;
  std::optional<Vec3<double>> plane;  // motion_plane()
};

struct ContactSet {
  explicit ContactSet(const ContactPlan& plan);
  std::vector<Contact> contacts;  // in rising order of keys but for the feature
  SceneWorkspace scene;
  SceneContacts found;
  std::vector<double> reach;  // per link
};

// Below this speed of sliding (m/s) friction is static.
inline constexpr double slip_speed = 1e-4;

// All contacts that a step of length h may close, where links are (kin) and how they move (vel).
void find_contacts(const Model& model, const ContactPlan& plan, const Kinematics<double>& kin, const Velocities& vel,
                   double h, ContactSet& set);
// The same once it is known how they move in the end (after): into `wider`, if a link gets farther in h than it was
// expected to. False if none does: then all contacts are in `set`.
bool find_more_contacts(const Model& model, const ContactPlan& plan, const Kinematics<double>& kin,
                        const Velocities& vel, const Velocities& after, double h, const ContactSet& set,
                        ContactSet& wider);

// A cone of three rows, or one row where there is no friction; with the normal row's offset.
void add_contact(const Contact& c, const Kinematics<double>& kin, double offset, Rows& rows);
// Only its normal row.
void add_normal(const Contact& c, const Kinematics<double>& kin, double offset, Rows& rows);

}  // namespace linchpin
