// Explicit Runge-Kutta methods on the configuration manifold [Munthe-Kaas 1998; Hairer, Lubich and Wanner 2006, IV.8].
// Internal to sim/.
//
// Around the start q0 of a step the configuration is q = q0 (+) u, with u in R^nv. There
//     udot = dexp^-1(u) v,   vdot = FD(q0 (+) u, v)                                                            (1)
// is an ordinary differential equation in a vector space, and any Runge-Kutta method keeps its order:
//     u_i = h sum_j a_ij udot_j,   v_i = v0 + h sum_j a_ij vdot_j                                              (2)
// For angles and distances dexp^-1 is 1. For a quaternion, with the angular velocity w in the body's own axes,
// q = q0 exp(u) gives w = udot - u x udot / 2 + ... and therefore
//     udot = w + u x w / 2 + c(|u|) u x (u x w),   c(a) = (1 - (a/2) cot(a/2)) / a^2                           (3)
// [Iserles et al. 2000, eq. (B.11), which has w in the world's axes and so the other sign of the second term]. (3) is
// used in closed form, not as a series cut at the order of the method: it costs one tangent.
#pragma once

#include "linchpin/sim/steppers.h"

namespace linchpin {

// (3). Singular at |u| = 2 pi, a full turn within one step.
Vec3<double> inverse_dexp(const Vec3<double>& u, const Vec3<double>& w);

// Workspace: the stages of one step.
struct Stages {
  Stages(const Dynamics& dynamics, int count);
  double time = 0;                 // of the current stage
  std::vector<double> u, q, v;     // of the current stage
  std::vector<double> udot, vdot;  // of all stages, one after the other
  std::vector<double> reactions;   // of all stages, one after the other; empty without constraints
  std::vector<Power> power;        // of all stages
};

// (2): sets time, u, q and v of the stage with these weights a_ij; their sum is its time, as a part of h.
void place_stage(const Dynamics& dynamics, double time0, std::span<const double> q0, std::span<const double> v0,
                 double h, std::span<const double> weights, Stages& stages);
// udot of (1): equal to v except for rotations.
void velocity_in_algebra(const Dynamics& dynamics, std::span<const double> u, std::span<const double> v,
                         std::span<double> udot);
// (1): evaluates udot, vdot, reactions and power at the current u, q, v and stores them as stage i.
void evaluate_stage(Dynamics& dynamics, const Inputs& inputs, std::size_t i, Stages& stages);
// Evaluates the first stage, at the start of the step.
void evaluate_start(Dynamics& dynamics, double time0, std::span<const double> q0, std::span<const double> v0,
                    const Inputs& inputs, Stages& stages);

// Adds the work over a step of length h to the report, by the method's own quadrature.
void add_work(double h, std::span<const double> weights, const Stages& stages, StepReport& report);
// Adds to `reactions` the stages' constraint forces, weighted as in the method's own quadrature, times `share`: the
// part of dt that these stages are for.
void add_mean_reactions(double share, std::span<const double> weights, const Stages& stages,
                        std::span<double> reactions);

// An explicit Runge-Kutta method with s stages. Row i < s has the weights of the stages up to i: for stage i + 1, the
// last row for the end of the step.
using RungeKuttaTable = std::span<const std::span<const double>>;
// The methods of orders 1 (Euler), 2 (midpoint), 4 (the classical one) and 5 (Dormand and Prince without its substeps).
// Empty for other orders.
RungeKuttaTable explicit_method(int order);

// runge_kutta.cc
StepReport rk4(Dynamics& dynamics, const Departure& from, Stages& stages, Arrival& to);
inline constexpr int rk4_stages = 4;

// dormand_prince.cc
StepReport dormand_prince(Dynamics& dynamics, const Departure& from, Stages& stages, Arrival& to);
inline constexpr int dormand_prince_stages = 7;
RungeKuttaTable dormand_prince_table();  // of order 5

}  // namespace linchpin
