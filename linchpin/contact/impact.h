// Impact: velocities jump, nothing moves [000 s.7]. Poses and solves what happens at dt = 0 at all contacts at once.
//
// Works on the problem of any formulation (formulation.h): w = M z + q with z impulses of rows, w = J v+ + offset at
// the rows of contacts and limits. All of it is linear, so that phases add up: z = sum of the phases' impulses.
//
// Poisson, in two phases with one matrix.
// Compression: solve (M, q) -> z_c, w_c = M z_c + q: what was approaching stops, without rebound [000 (54)].
// Decompression: of the normal impulses stored, each contact's own fraction is released,
//     e_N = restitution z_cN on normal rows, 0 on others                                       [000 (56)]    (1)
//     w = M z_d + (w_c + M e)                                                                  [000 (57)]    (2)
//     w_N >= 0 perp z_dN >= 0,   friction z_dT within mu (z_dN + e_N), against the sliding                   (3)
//     z = z_c + s (e + z_d),   s = 1                                                           [000 (58)]    (4)
// z_d is what it takes besides, so that nothing approaches afterwards. Where we differ: by (3) the released impulse
// carries friction as any other, a preload (friction.h (1)). [000 (57)] has none there, which lets contacts rebound
// without friction: energy then grows in many impacts (docs/impact.md).
//
// Newton: one problem for velocities, w_N + restitution min(approach_N, 0) in place of w_N, beside the plastic one:
//     z = z_plastic + s (z_newton - z_plastic),   s = 1                                                      (5)
// It may have no solution: what friction wedges in (a ball in a narrow groove) cannot part again however hard it is
// pushed. The impact is then plastic, s = 0. Poisson's problems always have one.
//
// Energy. Kinetic energy changes by the work of the rows, z (J v- + J v+) / 2; less what drives do, z J v+ of free rows
// (whose J v+ is the prescribed U, zero for loops):
//     E(s) = sum z (approach + after) / 2, free rows: z (approach - after) / 2,   after = w - offset         (6)
// Plastic solutions have E <= 0. Laws of restitution may not: contacts of different restitution, or friction with
// Newton's, may gain. Then s is the largest number in [0, 1] with E(s) <= 0: all laws but that of restitution hold for
// every s, as (4) and (5) mix two states that obey them (friction is within its bound, nothing approaches).
#pragma once

#include <span>
#include <vector>

#include "linchpin/contact/friction.h"
#include "linchpin/solvers/solver.h"

namespace linchpin {

// What restitution is a ratio of: the impulse of release over that of compression, or the speed of parting over that of
// approach.
enum class Restitution { poisson, newton };

// By row and by block of the problem.
struct Impact {
  const Problem& problem;               // at dt = 0; boxes: bounded forces have no impulse, so with bounds 0
  std::span<const double> restitution;  // by block, in [0, 1]; of cones (their normal) and nonnegative rows only, and
                                        // of those only where there is touch
  std::span<const double> approach;     // by row: J v-. Free rows that are no constraint (momentum, whose z are
                                        // velocities): 0
  std::span<const double> offset = {};  // by row: w = J v+ + offset; empty for zeros
  std::span<const double> turn = {};  // by cone: of its first direction (solvers/problem/polyhedral.h); empty for zeros
};

struct ImpactOptions {
  Restitution restitution = Restitution::poisson;
  int directions = 0;  // of friction (solvers/problem/polyhedral.h); 0: the cone itself
  SolverId solver = SolverId::automatic;
  double tolerance = 1e-10;  // relative, of every problem; of decompression relative to the q of the whole impact
};

struct ImpactReport {
  Status status = Status::solved;   // of the problems that must have a solution: all but Newton's. If decompression is
                                    // not solved, z is that of compression
  Status rebound = Status::solved;  // of Newton's: if not solved, the impact is plastic
  double residual = 0;              // relative, the largest of all solved problems (solvers/problem/residual.h)
  int problems = 0, iterations = 0;
  int fallbacks = 0;   // problems that the first solver of the chain did not solve
  double release = 1;  // s
  double energy = 0;   // E(s), J: what kinetic energy gained, but for the work of drives; above 0 by rounding only
  bool ok() const { return status == Status::solved; }
};

// Scratch; any content is fine before a call. Allocates nothing at sizes that it had before.
struct ImpactWorkspace {
  std::vector<double> w;  // after solve_impact(): M z + q

  PolyhedralFriction polyhedral;
  PreloadedFriction preloaded;
  Problem posed, newton;
  ResidualWorkspace scales;
  std::vector<double> z_posed, work;
  std::vector<double> released, q_released, change, w_change;
};

// Fills z, one number per row of the problem.
ImpactReport solve_impact(const Impact& impact, const ImpactOptions& options, Solver& solver, ImpactWorkspace& ws,
                          std::span<double> z);

}  // namespace linchpin
