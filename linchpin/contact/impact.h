// Impact: velocities change at fixed positions (dt = 0) [000 s.7]. Poses and solves all contacts at once.
//
// Works on the problem of any formulation (formulation.h): w = M z + q with M the problem's matrix, z the impulses of
// rows, w = J v+ + offset at the rows of contacts and limits. It is linear, so the impulses of the phases add up.
//
// Poisson's law: two phases with one matrix.
// Compression: solve (M, q) -> z_c, w_c = M z_c + q. The approach ends, without rebound [000 (54)].
// Decompression: each contact releases its own fraction of its normal impulse of compression,
//     e_N = restitution z_cN on normal rows, 0 on others                                       [000 (56)]    (1)
//     w = M z_d + (w_c + M e)                                                                  [000 (57)]    (2)
//     w_N >= 0 perp z_dN >= 0,   friction z_dT within mu (z_dN + e_N), against the sliding                   (3)
//     z = z_c + s (e + z_d),   s = 1                                                           [000 (58)]    (4)
// z_d is the further impulse that prevents any approach afterwards. Difference from 000: in (3) the released impulse
// carries friction, as a preload (friction.h (1)). In [000 (57)] it carries none, so contacts rebound without friction
// and energy grows in many impacts (docs/impact.md).
//
// Newton's law: beside the plastic problem, one with w_N + restitution min(approach_N, 0) in place of w_N:
//     z = z_plastic + s (z_newton - z_plastic),   s = 1                                                      (5)
// Newton's problem may have no solution: a body wedged by friction (a ball in a narrow groove) cannot separate,
// whatever the impulse. The impact is then plastic, s = 0. Poisson's problems always have a solution.
//
// Energy. Kinetic energy changes by the work of the rows, z (J v- + J v+) / 2. E does not count the work of drives,
// z J v+ of free rows (whose J v+ is the prescribed U, zero for loops):
//     E(s) = sum z (approach + after) / 2, free rows: z (approach - after) / 2,   after = w - offset         (6)
// Plastic solutions have E <= 0. With restitution E may be positive: contacts of different restitution, or friction
// with Newton's law. Then s is the largest number in [0, 1] with E(s) <= 0. All laws but that of restitution hold for
// every s, since (4) and (5) interpolate between two states that satisfy them (friction within its bound, no approach).
#pragma once

#include <span>
#include <vector>

#include "linchpin/contact/friction.h"
#include "linchpin/solvers/solver.h"

namespace linchpin {

// Poisson: restitution is the impulse of decompression over that of compression. Newton: the speed of separation over
// that of approach.
enum class Restitution { poisson, newton };

// The input of solve_impact().
struct Impact {
  const Problem& problem;  // at dt = 0; boxes have bounds 0, since a bounded force has no impulse
  // By block, in [0, 1]; read for cones (their normal) and nonnegative rows; 0 for contacts that are not in touch.
  std::span<const double> restitution;
  // By row: J v-, m/s or rad/s; 0 for free rows whose z are velocities (momentum equations).
  std::span<const double> approach;
  std::span<const double> offset = {};  // by row: w = J v+ + offset; empty means zeros
  std::span<const double> turn = {};    // by cone: angle of its first direction (polyhedral.h), rad; empty means zeros
};

struct ImpactOptions {
  Restitution restitution = Restitution::poisson;
  int directions = 0;  // of polyhedral friction (solvers/problem/polyhedral.h); 0: the exact cone
  SolverId solver = SolverId::automatic;
  double tolerance = 1e-10;  // relative residual of every problem; for decompression relative to the q of the impact
  // A problem that is not solved to the tolerance counts as solved, and as loose, up to this residual. 0: none does.
  double acceptable = 0;
};

struct ImpactReport {
  Status status = Status::solved;   // of all problems but Newton's; if decompression is not solved, z = z_c
  Status rebound = Status::solved;  // of Newton's problem; if not solved, the impact is plastic
  double residual = 0;              // relative, the largest of all solved problems (solvers/problem/residual.h)
  int problems = 0, iterations = 0;
  int fallbacks = 0;   // problems that the first solver of the chain did not solve
  int loose = 0;       // problems solved to `acceptable` but not to `tolerance`
  double release = 1;  // s
  double energy = 0;   // E(s), J: gain of kinetic energy without the work of drives; above 0 only by rounding
  bool ok() const { return status == Status::solved; }
};

// Workspace of solve_impact(); any content is fine before a call. No allocation at sizes that it had before.
struct ImpactWorkspace {
  std::vector<double> w;  // after solve_impact(): M z + q

  PolyhedralFriction polyhedral;
  PreloadedFriction preloaded;
  Problem posed, newton;
  ResidualWorkspace scales;
  std::vector<double> z_posed, work;
  std::vector<double> released, q_released, change, w_change;
};

// Solves the impact. Fills z, the impulse of each row of the problem.
ImpactReport solve_impact(const Impact& impact, const ImpactOptions& options, Solver& solver, ImpactWorkspace& ws,
                          std::span<double> z);

}  // namespace linchpin
