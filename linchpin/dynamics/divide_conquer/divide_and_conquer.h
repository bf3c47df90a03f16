// Forward dynamics by divide and conquer: the accelerations of a mechanism in O(log n) on O(n) processors.
//
// The mechanism is divided into assemblies (assembly_tree.h). An assembly has an inner end, the link that its first
// joint is on, and may have an outer end, its last link: the handles of 002. With the acceleration A1 of the inner end
// and the force F2 on the outer end given, it responds with the force that it takes at its inner end and the
// acceleration of the outer one:
//     F1 = I A1 - Phi F2 + p                                                                                    (1)
//     A2 = Phi' A1 + Psi F2 + beta                                                                              (2)
// I is the articulated-body inertia of the assembly; Phi, Psi and beta are those of a path in compliance.h (3) and
// held_rows.h (2), with psi for beta. For one segment they come from the passes of aba.h and unit_forces.h.
//
// `upper` and `lower` meet at one link: the outer end of upper is the inner end of lower, so its acceleration A and the
// force F on it satisfy
//     A = y + Psi F,   F = g - I A          y = Phi_u' A1 + beta_u,   g = Phi_l F2 - p_l                        (3)
// with Psi of upper and I of lower. The solution is
//     F = g - J (y + Psi g),   J = (I^-1 + Psi)^-1 = G (1 + G' Psi G)^-1 G',   I = G G'                         (4)
// which exists for every positive semidefinite I and Psi. The joined assembly has
//     I = I_u + Phi_u J Phi_u',   Phi = Phi_u V,   Psi = Psi_l + Phi_l' Psi_u V,   V = Phi_l - J Psi_u Phi_l   (5)
//     p = p_u - Phi_u F0,   beta = beta_l + Phi_l' (beta_u + Psi_u F0),   F0 = F for A1 = 0, F2 = 0             (6)
// Assembly goes from the segments to the whole mechanism, which hangs on the world; its acceleration there is known
// (minus gravity). Disassembly goes back with (3) and (4), and ends with pass 3 of aba.h in each segment, where the
// force on the outer end adds s' F2 to the u of the joints.
//
// Velocities are found in the same way, since angular velocities are an affine function of that of the inner end:
//     w2 = R' w1 + w                                                                                            (7)
// so that no stage walks along the whole mechanism.
//
// Differences from 002 (16), (17) and Featherstone 1999. These give the accelerations of both ends as functions of the
// forces on both, A1 = zeta11 F1 + ..., so that joining subtracts inverse inertias: with mass ratios of 1e6 six digits
// are lost in each of them, and bodies without mass have none. In (1) and (2) inertias add. The unknown accelerations
// of joints are eliminated with the segment below them, as in aba(), so that two assemblies meet in a link and not in
// a joint: what the orthogonal complements of Mukherjee and Anderson do for joints is the projection (3) of aba.h.
// Segments of several links are the efficient variant of Critchley, Anderson and Binani (DCAe, [11] of 002).
//
// The same bits for any number of threads: what is computed for a node does not depend on when or where.
#pragma once

#include <span>

#include "linchpin/dynamics/divide_conquer/assembly_tree.h"
#include "linchpin/dynamics/tree/aba.h"
#include "linchpin/spatial/matrix6.h"

namespace linchpin {

// The factors of one node: I, Phi and Psi of (1) and (2), R and w of (7). Rows of Phi are components of the force at
// the inner end, columns unit forces on the outer one. Six-vectors in registers are angular over linear. Phi, Psi and
// turn are those of open nodes.
struct Assembly {
  ArticulatedInertia<double> I;
  Matrix6<double> Phi, Psi;
  Matrix6<double> J;   // of a join
  Vec3<Double4> turn;  // (7): lanes 0 to 2 are the rows of R, lane 3 is w
  Vec3<double> w;      // of the inner end
};

// What depends on forces and velocities: p and beta of (1) and (2), beta for open nodes only; then A1 and F2.
struct AssemblyMotion {
  Force<double> p;
  Double8 beta;
  Motion<double> A;
  Force<double> F;
};

// Workspace of divide_and_conquer(), and the factors that solve() uses; any content is fine before a call.
struct AssemblyWorkspace {
  AssemblyWorkspace(const Plan<double>& plan, const AssemblyTree& tree);
  AbaWorkspace<double> aba;
  AlignedArray<Local<Double8>> local;            // per block of joints
  AlignedArray<Force<double>> wide_external;     // per ball or free link, if there are external forces
  AlignedArray<Double8> s, wide_s;               // S' P of the outer end's unit forces: per joint; six per ball or free
  AlignedArray<InertiaFactors<double>> factors;  // per ball or free link; set for free ones
  AlignedArray<Assembly> node;
  AlignedArray<AssemblyMotion> motion;  // per node
  AlignedArray<double> zero;            // joint forces and velocities of a mechanism at rest
};

// Threads to share the work with. One of its own for each Simulation; it is not itself to be shared by threads.
class ForkJoin;

// Fills vdot. f_ext as in aba(). threads: null for none but the caller's own.
void divide_and_conquer(const Plan<double>& plan, const AssemblyTree& tree, std::span<const double> q,
                        std::span<const double> v, std::span<const double> tau, std::span<const double> f_ext,
                        ForkJoin* threads, AssemblyWorkspace& ws, std::span<double> vdot);

// The assembly alone, at rest and without forces: for the functions below.
void assemble_factors(const Plan<double>& plan, const AssemblyTree& tree, std::span<const double> q, ForkJoin* threads,
                      AssemblyWorkspace& ws);

// Workspace of solve(); any content is fine before a call.
struct AssemblySolveWorkspace {
  AssemblySolveWorkspace(const Plan<double>& plan, const AssemblyTree& tree);
  AlignedArray<double> u_over_D;       // per slot
  AlignedArray<Force<double>> wide_u;  // per ball or free link
  AlignedArray<Force<double>> external, wide_external;
  AlignedArray<AssemblyMotion> motion;  // per node
};

// x <- M^-1 (x + J' F), with one force per link about its origin in its axes, the world included, or none: by (3), (4)
// and (6) with the factors of either function above.
void solve(const Plan<double>& plan, const AssemblyTree& tree, const AssemblyWorkspace& factors, ForkJoin* threads,
           AssemblySolveWorkspace& ws, std::span<double> x, std::span<const Force<double>> on_link);

}  // namespace linchpin
