// The complementarity problem that every solver of this room solves.
//
//     w = M z + q,     with each block of (z, w) obeying its law:
//
//     free          w = 0                                              (any z: a bilateral constraint)
//     nonnegative   z >= 0,  w >= 0,  z w = 0                          (a limit, a frictionless contact)
//     box           l <= z <= u,  w >= 0 where z = l, w <= 0 where z = u, else w = 0     (a bounded force)
//     cone(mu)      a contact with Coulomb friction; z = (normal, tangent 1, tangent 2), in this order:
//                   |z_T| <= mu z_N, and with w~ = w + (mu |w_T|, 0, 0):  w~ in the dual cone, z . w~ = 0   [De Saxce]
//
// The cone's law is Coulomb's law, not its convex relaxation: sliding (w_T != 0) means z_T = -mu z_N w_T / |w_T| and
// w_N = 0; the relaxation would let a sliding contact lift off. For contacts z are impulses and w velocities.
//
// An LCP is one nonnegative block; a mixed LCP has free and nonnegative blocks. The polyhedral friction of 000, eq.
// (10) to (16), is made from cones by polyhedral.h.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "linchpin/algebra/matrix.h"
#include "linchpin/base/result.h"

namespace linchpin {

enum class BlockKind { free, nonnegative, box, cone };
std::string_view to_string(BlockKind kind);

struct Block {
  BlockKind kind = BlockKind::nonnegative;
  int start = 0, size = 1;  // rows; a cone has three
  double mu = 0;            // cone
};

struct Problem {
  Matrix M;
  std::vector<double> q;
  std::vector<Block> blocks;         // contiguous, covering all rows
  std::vector<double> lower, upper;  // bounds of box rows, indexed by row; empty if there is no box

  int size() const { return int(q.size()); }
};

// Why a problem is invalid (sizes, gaps between blocks, NaN, a negative mu, l > u), naming the row; nothing if it is
// valid.
std::optional<Error> find_fault(const Problem& problem);

// An LCP: one nonnegative block.
Problem linear_complementarity(Matrix M, std::vector<double> q);

}  // namespace linchpin
