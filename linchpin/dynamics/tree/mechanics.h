// Quantities of the whole mechanism, for one world: velocities, accelerations, Jacobians, momentum, energy.
//
// All from the poses of kinematics.h and from the joint axes in the world. Axis k = (s_k, t_k) is what velocity
// coordinate k = 1 alone makes of its own link i, seen from the parent: angular velocity, and velocity of i's origin.
// For link i with parent p, r = origin of i - origin of p, and sums over the coordinates of i's joint:
//     w_i = w_p + sum s_k v_k,   v_i = v_p + w_p x r + sum t_k v_k                                             (1)
//     alpha_i = alpha_p + w_p x sum s_k v_k + sum s_k vdot_k                                                   (2)
//     a_i = a_p + alpha_p x r + w_p x (w_p x r + 2 sum t_k v_k) + sum t_k vdot_k                               (3)
// for every kind of joint alike. Of a point x fixed in some link, the Jacobian has, for each coordinate k on the way to
// the base, the column (and zero for all others)
//     J_k = (s_k, t_k + s_k x (x - origin of i))                                                               (4)
// and axes turn as what carries them: s_k with its link, sdot_k = w_i x s_k (about its own hinge axis turning makes no
// difference), t_k with the parent, tdot_k = w_p x t_k, so that
//     Jdot_k = (sdot_k, tdot_k + sdot_k x (x - origin of i) + s_k x (xdot - v_i))                              (5)
// Everything is in the world's axes, and everything is O(n); nothing allocates but constructors.
#pragma once

#include <span>
#include <vector>

#include "linchpin/dynamics/tree/kinematics.h"

namespace linchpin {

// Velocities of every link, about its origin in the world's axes, and the axes that make them. Any content is fine
// before a call that fills it.
struct Velocities {
  explicit Velocities(const Model& model);
  std::vector<Motion<double>> axis;  // per velocity coordinate: angular, and linear at its own link's origin
  std::vector<Motion<double>> link;  // per link: angular velocity, velocity of its origin
};

// Fills the axes only: all that point_jacobian() reads.
void joint_axes(const Model& model, const Kinematics<double>& kin, Velocities& out);
// Fills axes and links.
void velocities(const Model& model, const Kinematics<double>& kin, std::span<const double> v, Velocities& out);
// The links' alone, where the axes are known: as they would move from here with another v.
void link_velocities(const Model& model, const Kinematics<double>& kin, std::span<const Motion<double>> axis,
                     std::span<const double> v, std::span<Motion<double>> out);

// Classical accelerations of every link: angular, and of its origin. They are the true ones: gravity is a force here,
// and the world does not accelerate.
void accelerations(const Model& model, const Kinematics<double>& kin, const Velocities& vel, std::span<const double> v,
                   std::span<const double> vdot, std::span<Motion<double>> link);

Transform<double> body_pose(const Model& model, const Kinematics<double>& kin, int body);
Transform<double> frame_pose(const Model& model, const Kinematics<double>& kin, int frame);

// Of a point fixed in a body, given in the body's axes: angular velocity, and velocity of the point.
Motion<double> point_velocity(const Model& model, const Kinematics<double>& kin, const Velocities& vel, int body,
                              const Vec3<double>& point_B);
// The same for accelerations, from those of accelerations().
Motion<double> point_acceleration(const Model& model, const Kinematics<double>& kin, const Velocities& vel,
                                  std::span<const Motion<double>> link_acceleration, int body,
                                  const Vec3<double>& point_B);

// J with (w, xdot) = J v for such a point: 6 x nv, row after row. Reads the axes of vel only.
void point_jacobian(const Model& model, const Kinematics<double>& kin, const Velocities& vel, int body,
                    const Vec3<double>& point_B, std::span<double> J);
// Its rate of change along the motion: (alpha, xddot) = J vdot + Jdot v, with the point's classical acceleration.
void point_jacobian_rate(const Model& model, const Kinematics<double>& kin, const Velocities& vel, int body,
                         const Vec3<double>& point_B, std::span<double> Jdot);

struct CentreOfMass {
  double mass;
  Vec3<double> position, velocity;
};
// Of a model without any mass: NaN.
CentreOfMass centre_of_mass(const Model& model, const Kinematics<double>& kin, const Velocities& vel);
// Angular momentum about the world's origin, and linear momentum. Rotor momentum (armature) is not in it: it has no
// direction in space.
Force<double> momentum(const Model& model, const Kinematics<double>& kin, const Velocities& vel);

struct Energy {
  double kinetic;  // rotors included: armature v^2 / 2
  double gravity;  // zero at the world's origin
  double springs;  // stiffness (q - rest)^2 / 2; for a ball stiffness angle^2 / 2, the angle at most pi;
                   // and those from body to body (springs.h)
  double total() const { return kinetic + gravity + springs; }
};
Energy energy(const Model& model, const Kinematics<double>& kin, const Velocities& vel, std::span<const double> q,
              std::span<const double> v);

// The forces that joints make by themselves: springs and damping. Adds to tau.
//     one axis: -stiffness (q - rest) - damping v      ball: -stiffness log q - damping v      free: -damping v
// A ball's spring turns over at half a turn, where the shortest way back changes sides.
void add_passive_forces(const Model& model, std::span<const double> q, std::span<const double> v,
                        std::span<double> tau);
// Power of damping alone (never positive).
double damping_power(const Model& model, std::span<const double> v);

}  // namespace linchpin
