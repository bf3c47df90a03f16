// Contacts: points of shapes that touch or may touch within a step, with the data of their constraint rows.
//
// A contact's frame is (normal n, tangents t1, t2), n from B towards A. The relative velocity u is that of A's material
// point minus B's, at the point midway between the surfaces; z is the impulse on A. Over a step of length h
//     normal:    n . u+ + max(gap, 0) / h >= 0                                                                    (1)
// This is a position-level condition while the shapes are apart and a velocity-level one in touch. So no force acts
// across a gap that stays open, and no gap closes beyond zero. The tangents follow the law of the friction cone. With
// directional friction, coefficient mu along t1 and `across` mu along t2,
//     (z1 / mu)^2 + (z2 / (across mu))^2 <= z_n^2                                                                 (2)
// becomes a round cone if the row of t2 is scaled by `across`: z2 = across z2', w2' = across w2. Friction opposes the
// sliding velocity as so scaled, which is the direction of maximal dissipation.
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
  double mu, across;                   // static or kinetic, by the sliding speed when found; `across` of (2)
  double restitution;
};

// The normal of the plane of motion, if the model is planar: every joint turns about this normal and slides at a right
// angle to it. Contacts then have their first tangent in the plane, so that polyhedral friction is exact even with two
// directions.
std::optional<Vec3<double>> motion_plane(const Model& model);

// The key that identifies a contact across steps.
inline std::array<std::uint32_t, 5> memory_key(const Contact& c) {
  return {c.key.shape_a, c.key.shape_b, c.key.piece_a, c.key.piece_b, c.key.feature};
}

// The relative velocity u in the contact's frame: n . u, t1 . u, t2 . u.
Vec3<double> relative_velocity(const Contact& c, const Kinematics<double>& kin, const Velocities& vel);

// With more distinct materials, those of a pair are combined when a contact is found: 256 take 5 MB.
inline constexpr int most_materials_in_table = 256;

// Precomputed data of one model for find_contacts(). Const.
struct ContactPlan {
  explicit ContactPlan(const Model& model);
  CollisionScene scene;
  bool any;  // is there any pair of shapes that may touch?
  // Per link: a sphere that holds its bounded shapes, in the link's frame; the radius is 0 if there are none.
  std::vector<Vec3<double>> centre;
  std::vector<double> radius;               // m
  std::vector<double> radius_about_origin;  // of a sphere about the link's origin, m
  std::vector<char> unbounded;              // per link: has it an unbounded shape (a plane)?
  std::vector<char> turns;     // per link: false if rotation leaves its shapes in place (a sphere about `centre`)
  bool moving_planes = false;  // is any link but the world unbounded?
  std::vector<int> material;   // per shape: index of its material among the distinct ones
  // Of the distinct materials i and j: [i * distinct + j]. Empty above most_materials_in_table.
  std::vector<PairMaterial> pairs;
  int distinct = 0;
  std::optional<Vec3<double>> plane;  // motion_plane()

 private:
  void enclose_shapes(std::span<const SceneShape> shapes);
};

struct ContactSet {
  explicit ContactSet(const ContactPlan& plan);
  std::vector<Contact> contacts;  // sorted by key; points of one manifold (same key but for the feature) are not
  SceneWorkspace scene;
  SceneContacts found;
  // How far contacts were searched (collision_scene.h (2)): by the reach of each link, and by their relative motion.
  std::vector<double> reach;         // m
  std::vector<MovingSphere> motion;  // of the links of near pairs
  double time = 0, extra = 0;        // s, m
  SceneMotion scene_motion() const { return {motion, time, extra}; }
};

// Sliding speed (m/s) up to which the static coefficient of friction holds.
inline constexpr double slip_speed = 1e-4;

// Finds all contacts that may close within a step of length h, for links at kin with velocities vel. False, without
// contacts, if the reach of a link is not finite: its pose or velocity is not, or their products are out of range.
// Distances count by relative motion: links that move together do not approach each other.
bool find_contacts(const Model& model, const ContactPlan& plan, const Kinematics<double>& kin, const Velocities& vel,
                   double h, ContactSet& set);
// Finds the contacts of some pairs of `set` again where the links have moved to kin, with velocities vel: of those
// pairs of shapes set.found.pairs[i] for which followed[i] is not 0. A contact keeps its key while its features do.
void follow_contacts(const ContactPlan& plan, const ContactSet& set, std::span<const char> followed,
                     const Kinematics<double>& kin, const Velocities& vel, ContactSet& there);
// Whether a link that moves with the velocities `after` gets farther within h than `set` was searched for.
bool moves_beyond_reach(const ContactPlan& plan, const Kinematics<double>& kin, const Velocities& after, double h,
                        const ContactSet& set);
// Repeats the search with the velocities after the step (`after`). If links come nearer within h than `set` was
// searched for, fills `wider` and returns true. Otherwise returns false: `set` is complete.
bool find_more_contacts(const Model& model, const ContactPlan& plan, const Kinematics<double>& kin,
                        const Velocities& vel, const Velocities& after, double h, const ContactSet& set,
                        ContactSet& wider);

// Sets mu, across and the tangents of a contact of `set` to those of a contact at rest or of one that slides, whatever
// its speed.
void set_friction(const ContactPlan& plan, const ContactSet& set, bool slides, Contact& c);

// Adds a cone of three rows, or one row if mu is 0. offset: of the rows of n, t1 and t2 (before its scaling by
// `across`).
void add_contact(const Contact& c, const Kinematics<double>& kin, const Vec3<double>& offset, Rows& rows);
// Adds the normal row only.
void add_normal(const Contact& c, const Kinematics<double>& kin, double offset, Rows& rows);

}  // namespace linchpin
