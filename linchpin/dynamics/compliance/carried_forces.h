// The compliance W = J M^-1 J' of links by carrying unit forces on them through both sweeps of aba() [002 s.3.2].
//
// With the articulated-body factors U / D and 1 / D of aba.h, and P the columns of unit forces of all nodes beyond a
// joint, as they arrive there, the inward sweep leaves at each joint
//     s = S' P,   and passes on  P <- P - U D^-1 s                                                               (1)
// and the outward sweep makes the acceleration A of every link a linear function of all forces,
//     vdot = D^-1 (s - U' A),   A <- X A + S vdot                                                                (2)
// which are (15a) and (15b) of 002, with the sign of forces as in aba.h. W_ij is A of node i in the columns of node j.
// O(n m): each joint is passed by the columns of the nodes beyond it, and outward by those of all earlier ones
// (compliance.h is O(n + m^2), since it compounds the joints of a path).
//
// Only blocks with j before i are computed, since W is symmetric.
#pragma once

#include <span>
#include <vector>

#include "linchpin/dynamics/compliance/compliance.h"
#include "linchpin/dynamics/compliance/response_matrices.h"

namespace linchpin {

class CarriedForces {
 public:
  // For other nodes: at most one for each link, at its origin in its axes.
  void place(const Plan<double>& plan, const NodeTree<double>& tree);

  // Fills W, whose links are the nodes, from the workspace that aba() or aba_inward() filled.
  void find_response(const Plan<double>& plan, const NodeTree<double>& tree, AbaWorkspace<double>& factors,
                     ResponseMatrices& W);

 private:
  // Columns are numbered by nodes in depth-first order, so that those beyond a vertex are consecutive.
  struct Range {
    int root;                // the first column of the tree
    int first, last;         // of the nodes at the vertex and beyond; a node's own column is the first
    int node;                // or -1
    std::size_t s, numbers;  // where s of its joints begins; numbers per column
    std::size_t A;           // where A of the columns [root, last) begins
  };
  void number_columns(const NodeTree<double>& tree);

  void inward(const Plan<double>& plan, const NodeTree<double>& tree, const AbaWorkspace<double>& factors);
  void outward(const Plan<double>& plan, const NodeTree<double>& tree, const AbaWorkspace<double>& factors);

  std::vector<Range> range_;  // by vertex
  std::vector<int> node_of_column_;
  std::vector<int> beyond_, next_;   // workspace of number_columns()
  AlignedArray<Force<Double8>> P_;   // by column
  AlignedArray<Motion<Double8>> A_;  // by vertex and column
  AlignedArray<Double8> s_;          // by vertex, column and joint
};

}  // namespace linchpin
