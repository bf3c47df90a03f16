// Points of contact as further handles of the assemblies [002 (16), (17)]: W = J M^-1 J' of chosen links comes out of
// the assembly alone.
//
// With forces f_c on handles, links anywhere in the assembly, (1) and (2) of divide_and_conquer.h become
//     F1 = I A1 - Phi F2 + p - sum over c of Q_c f_c                                                             (1)
//     A2 = Phi' A1 + Psi F2 + beta + sum over c of R_c f_c                                                       (2)
//     A_c = Q_c' A1 + R_c' F2 + beta_c + sum over d of C_cd f_d                                                  (3)
// The response of the handles to A1 and F2 is Q' and R', since the mechanism's inertia is symmetric. In a segment, Q_c
// are the unit forces of c, carried to the inner end; s_c = S' P is left at each joint, so that
//     R_c = sum over joints of s_out' D^-1 s_c,   C_cd = sum over joints that both pass of s_c' D^-1 s_d         (4)
// (compliance.h (2)). Where upper and lower are joined, the force between them and the acceleration of the link there
// are F_c f_c and A_c f_c, by (3) and (4) of divide_and_conquer.h with y = R_c of upper and g = Q_c of lower:
//     upper: F_c = -J R_c,              A_c = R_c + Psi_u F_c                                                    (5)
//     lower: F_c = Q_c - J Psi_u Q_c,   A_c = Psi_u F_c                                                          (6)
//     C_cd += R_c' F_d for c in upper,  Q_c' A_d for c and d in lower                                            (7)
//     Q_c <- Q_c (upper only) + Phi_u F_c,   R_c <- R_c (lower only) + Phi_l' A_c                                (8)
// With the whole mechanism on the world A1 and F2 are zero, and C is W. O(m log n) products of 6 x 6 matrices for the
// path of each handle up the tree, and O(1) for each pair at each node above both.
#pragma once

#include <span>
#include <vector>

#include "linchpin/dynamics/compliance/response_matrices.h"
#include "linchpin/dynamics/divide_conquer/divide_and_conquer.h"

namespace linchpin {

class AssemblyHandles {
 public:
  // Chooses links, each at most once.
  void place(const Plan<double>& plan, const AssemblyTree& tree, std::span<const int> links);

  // Fills W, whose links are the chosen ones, with the factors of divide_and_conquer() or assemble_factors().
  void find_response(const Plan<double>& plan, const AssemblyTree& tree, const AssemblyWorkspace& factors,
                     ForkJoin* threads, ResponseMatrices& W);

 private:
  // Handles are numbered by segment, so that those of a node are consecutive.
  struct Handle {
    int link, chosen;  // its index among the chosen links
    int segment;       // node
    int piece, at;     // where its path through the segment begins: a piece, and the slot for one-axis links
  };
  struct Input {
    const Plan<double>& plan;
    const AssemblyTree& tree;
    const AssemblyWorkspace& factors;
    ResponseMatrices& W;
  };
  struct Place {
    int segment = -1, piece = -1;
  };

  bool has_handles(int node) const { return first_[node] < last_[node]; }
  void pass_segment(const Input& in, int node);
  void pass_join(const Input& in, int node);
  void carry(const Input& in, int node, int handle);
  void add_to_W(const Input& in, int c, int d, const Matrix6<double>& C) const;

  std::vector<Handle> handles_;
  std::vector<int> place_;         // workspace of place(), by link: its slot or ball or free link
  std::vector<Place> at_;          // and its segment
  std::vector<int> first_, last_;  // by node: its handles
  std::size_t registers_ = 0;      // the most registers of s that a segment has
  // By handle.
  AlignedArray<Matrix6<double>> Q_, R_, F_, A_;
  std::vector<int> begin_;       // register where its path begins in the segment at hand
  AlignedArray<Double8> s_, y_;  // and register: s and D^-1 s
};

}  // namespace linchpin
