// Constraint rows: everything that bounds a mechanism's motion over one step. Contacts, joint limits, dry friction,
// servos with limits, loops.
//
//     w = J v+ + offset + softness z,    M (v+ - v) = forces dt + J' z,    z, w by the law of the row's block       (1)
// z are impulses (N s or N m s), w velocities (m/s or rad/s). The blocks and their laws are those of
// solvers/problem/problem.h. A contact with friction is a cone of three rows: along its normal, which points from B to
// A, and along two tangents. The formulations (formulation.h) differ in which unknowns of (1) they eliminate before the
// solver sees the problem.
//
// J is not formed. A row acts on few links. Each of these is a side of the row: a force about the link's origin. J v is
// the sum of these forces times the links' motions, and J' z are the forces times z:
//     J v = sum F_side . (w, v of its link)                                                                        (2)
// A row on one coordinate (a limit) has sides too, opposite forces across the joint: formulations in maximal
// coordinates need them.
#pragma once

#include <vector>

#include "linchpin/solvers/problem/problem.h"
#include "linchpin/spatial/spatial.h"

namespace linchpin {

struct RowSide {
  int link;             // never the world
  Force<double> force;  // about the link's origin, in the world's axes
};

struct Rows {
  std::vector<Block> blocks;             // consecutive, covering all rows
  std::vector<double> offset, softness;  // by row; softness >= 0, on free and box rows only
  std::vector<double> lower, upper;      // by row: bounds of box rows, zero for other rows
  std::vector<int> coordinate;           // by row: the velocity coordinate that equals J v, or -1
  std::vector<int> first_side{0};        // of row r: sides [first_side[r], first_side[r + 1])
  std::vector<RowSide> sides;

  int size() const { return int(offset.size()); }
  void clear();

  // Begins a block of `size` rows. For each row call add_side() for its sides, then end_row().
  void begin_block(BlockKind kind, int size, double mu = 0);
  void add_side(int link, const Force<double>& force);  // ignored if the link is the world
  void end_row(double offset, double softness = 0, int coordinate = -1, double lower = 0, double upper = 0);
};

}  // namespace linchpin
