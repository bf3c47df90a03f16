// Quantities of the whole mechanism, for one world: velocities, accelerations, Jacobians, momentum, energy.
//
// All are computed from the poses of kinematics.h and the joint axes in the world. Axis k = (s_k, t_k) is the velocity
// of link i relative to its parent for v_k = 1, where k is a coordinate of i's joint: angular velocity, and velocity of
// i's origin. For link i with parent p, r = origin of i - origin of p, and sums over the coordinates of i's joint:
//     w_i = w_p + sum s_k v_k,   v_i = v_p + w_p x r + sum t_k v_k                                             (1)
//     alpha_i = alpha_p + w_p x sum s_k v_k + sum s_k vdot_k                                                   (2)
//     a_i = a_p + alpha_p x r + w_p x (w_p x r + 2 sum t_k v_k) + sum t_k vdot_k                               (3)
// for every kind of joint. The Jacobian of a point x fixed in some link has, for each coordinate k on the path to the
// base, the column (and zero for all others)
//     J_k = (s_k, t_k + s_k x (x - origin of i))                                                               (4)
// s_k rotates with its link, sdot_k = w_i x s_k (rotation about s_k itself makes no difference), and t_k with the
// parent, tdot_k = w_p x t_k, so that
//     Jdot_k = (sdot_k, tdot_k + sdot_k x (x - origin of i) + s_k x (xdot - v_i))                              (5)
// All vectors are in the world's axes, all functions are O(n), and only constructors allocate.
#pragma once

#include <span>
#include <vector>

#include "linchpin/dynamics/tree/kinematics.h"

namespace linchpin {

// Velocities of every link, about its origin in the world's axes, and the joint axes. Any content is fine before a call
// that fills it.
struct Velocities {
  explicit Velocities(const Model& model);
  std::vector<Motion<double>> axis;  // per velocity coordinate: angular, and linear at its own link's origin
  std::vector<Motion<double>> link;  // per link: angular velocity, velocity of its origin
};

// Fills the axes only, which point_jacobian() needs.
void joint_axes(const Model& model, const Kinematics<double>& kin, Velocities& out);
// Fills axes and links.
void velocities(const Model& model, const Kinematics<double>& kin, std::span<const double> v, Velocities& out);
// Fills the links' velocities for another v, from known axes.
void link_velocities(const Model& model, const Kinematics<double>& kin, std::span<const Motion<double>> axis,
                     std::span<const double> v, std::span<Motion<double>> out);

// Classical accelerations of every link: angular, and of its origin. The world does not accelerate here; gravity is a
// force.
void accelerations(const Model& model, const Kinematics<double>& kin, const Velocities& vel, std::span<const double> v,
                   std::span<const double> vdot, std::span<Motion<double>> link);

Transform<double> body_pose(const Model& model, const Kinematics<double>& kin, int body);
Transform<double> frame_pose(const Model& model, const Kinematics<double>& kin, int frame);

// Of a point fixed in a body, given in the body's axes: the body's angular velocity and the point's velocity.
Motion<double> point_velocity(const Model& model, const Kinematics<double>& kin, const Velocities& vel, int body,
                              const Vec3<double>& point_B);
// The same for accelerations, from those of accelerations().
Motion<double> point_acceleration(const Model& model, const Kinematics<double>& kin, const Velocities& vel,
                                  std::span<const Motion<double>> link_acceleration, int body,
                                  const Vec3<double>& point_B);

// J with (w, xdot) = J v for such a point: 6 x nv, row by row. Reads the axes of vel only.
void point_jacobian(const Model& model, const Kinematics<double>& kin, const Velocities& vel, int body,
                    const Vec3<double>& point_B, std::span<double> J);
// Its time derivative: (alpha, xddot) = J vdot + Jdot v, with the point's classical acceleration.
void point_jacobian_rate(const Model& model, const Kinematics<double>& kin, const Velocities& vel, int body,
                         const Vec3<double>& point_B, std::span<double> Jdot);

struct CentreOfMass {
  double mass;
  Vec3<double> position, velocity;
};
// NaN for a model without mass.
CentreOfMass centre_of_mass(const Model& model, const Kinematics<double>& kin, const Velocities& vel);
// Angular momentum about the world's origin, and linear momentum. Rotor momentum (armature) is not included, since it
// has no direction in space.
Force<double> momentum(const Model& model, const Kinematics<double>& kin, const Velocities& vel);

struct Energy {
  double kinetic;  // rotors included: armature v^2 / 2
  double gravity;  // zero at the world's origin
  double springs;  // stiffness (q - rest)^2 / 2; for a ball stiffness angle^2 / 2, the angle at most pi;
                   // and springs between bodies (springs.h)
  double total() const { return kinetic + gravity + springs; }
};
Energy energy(const Model& model, const Kinematics<double>& kin, const Velocities& vel, std::span<const double> q,
              std::span<const double> v);

// Adds the joints' spring and damping forces to tau.
//     one axis: -stiffness (q - rest) - damping v      ball: -stiffness log q - damping v      free: -damping v
// A ball's spring force is discontinuous at half a turn, where the shortest rotation back changes sides.
void add_passive_forces(const Model& model, std::span<const double> q, std::span<const double> v,
                        std::span<double> tau);
// Power of damping alone (never positive).
double damping_power(const Model& model, std::span<const double> v);

}  // namespace linchpin
