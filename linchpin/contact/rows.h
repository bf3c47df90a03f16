// Everything that bounds a mechanism's motion over one step, as rows: contacts, joint limits, dry friction, servos with
// limits, loops.
//
//     w = J v+ + offset + softness z,    M (v+ - v) = forces dt + J' z,    z, w by the law of the row's block       (1)
// z are impulses (N s or N m s), w velocities. The blocks are those of solvers/problem/problem.h; a contact with friction is a
// cone of three rows: along its normal, which points from B to A, and along two tangents. What each formulation
// (formulation.h) makes of (1) differs in which unknowns are eliminated before the solver sees the problem.
//
// J is not formed. A row touches few links: J v is a sum over its sides, each a force at a link's origin times the link's
// motion, and J' z are the forces of the sides times z:
//     J v = sum F_side . (w, v of its link)                                                                        (2)
// A row on one coordinate (a limit) has sides too, opposite forces across the joint, for those who know links only.
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
  std::vector<Block> blocks;             // one after the other over all rows
  std::vector<double> offset, softness;  // by row; softness >= 0, on free and box rows only
  std::vector<double> lower, upper;      // by row, of box rows; else zeros
  std::vector<int> coordinate;           // by row: the velocity coordinate that J v is, or -1
  std::vector<int> first_side{0};        // of row r: sides [first_side[r], first_side[r + 1])
  std::vector<RowSide> sides;

  int size() const { return int(offset.size()); }
  void clear();

  // A block of `size` rows, whose sides follow by add_side() and end_row(), row by row.
  void begin_block(BlockKind kind, int size, double mu = 0);
  void add_side(int link, const Force<double>& force);  // sides on the world are left out
  void end_row(double offset, double softness = 0, int coordinate = -1, double lower = 0, double upper = 0);
};

}  // namespace linchpin
