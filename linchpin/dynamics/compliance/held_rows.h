// Forward dynamics with some rows of some nodes held: just what contacts need.
//
//     M vdot = tau - bias(q, v) + J' lambda,   chosen components of the nodes' accelerations = target            (1)
// A node's six components are its angular acceleration and the acceleration of its origin, in its axes: the true ones,
// with w x (w x r) of the point, and gravity is a force, the world at rest. A foot on a point holds the three linear
// ones, a gripped handle all six.
//
// Between the inward and the outward passes of aba.h everything takes place on the tree of vertices of compliance.h.
// On each path's way inward unit forces P of its vertex leave s = S' P at a joint and go on as P (1 - U D^-1 S'). With
// them goes, beside Phi and Psi, what the path's vertex accelerates by itself while the vertex before rests:
//     psi = sum over the path of s' D^-1 u + P' (1 - U D^-1 S')' c                                               (2)
//     a_v = psi_v + Phi_v' a_p                      the free motion, at vertices alone                           (3)
//     Lambda lambda = target - a,   Lambda = the rows of J M^-1 J', by (4) of compliance.h                       (4)
//     F_v = lambda_v + sum over v's children of Phi F,   u += s F_v at the joints of v's path                    (5)
// and pass 3 of aba, once, with these u. That is 000 s.10 and 001 Table 1 with two differences: a path in place of a
// joint, and no second sweep over the joints, neither outward for the free motion nor inward for the reactions, since
// (2) and the s that (5) wants are by-products of Phi and Psi. A vertex on which no other hangs carries its held rows
// only, three columns for up to three of them and six otherwise. O(n + m^2), and rows^3 / 6 for (4).
//
// Rows may say a thing twice. (4) is eliminated in the order of links (nodes of one link: in the order given), and a
// row whose pivot is below a share of its own diagonal is held already: its lambda is zero. Nor does a row count that
// no joint can move (its diagonal is rounding), or one of a node on the world. Accelerations are unique all the same,
// unless targets contradict each other: then the rows that come first are met. semidefinite.h, in contrast, takes the
// largest pivot first and gives the least reactions; here every world of a pack has to go the same way.
//
// Paths along limbs that aba takes side by side (plan.h) are carried side by side too, with the same bits (held_limbs.h).
//
// T as in aba.h; worlds of a pack lie side by side, and a lane has the bits of the scalar run of its type.
#pragma once

#include <span>
#include <vector>

#include "linchpin/dynamics/compliance/compliance.h"
#include "linchpin/dynamics/tree/aba.h"

namespace linchpin {

// Bit k is component k of (angular x y z, linear x y z).
inline constexpr unsigned angular_rows = 0b000111, linear_rows = 0b111000, all_rows = 0b111111;

struct HeldNode {
  Node node;
  unsigned rows = linear_rows;
};

// What is held, of one model. Const once made.
template <class T>
struct HeldPlan {
  using Real = typename Plan<T>::Real;
  HeldPlan(const Model& model, const Plan<T>& plan, std::span<const HeldNode> nodes,
           LimbOrder order = LimbOrder::side_by_side);  // where possible

  int rows = 0;  // of all nodes, node after node, each node's in the order of its bits: numbers of target and lambda
  NodeTree<T> tree;  // of the nodes that are not on the world and hold a row

  struct Vertex {
    int columns = 6;                    // carried: 3 or 6
    Real unit[6][8] = {};               // those unit forces, seen from the link
    int first = 0, held = 0;            // its rows in the order of elimination
    int column[6] = {}, given[6] = {};  // of each: which of the columns it is, which of the caller's rows
    int component[6] = {};
    Real angular[8] = {}, linear[8] = {};  // per column: one for the kind it is of
    int mark = 0;                          // where the link's turning is known
    int limbs = -1, lane = 0;              // where its path begins in a limb that is taken side by side with others
  };
  std::vector<Vertex> vertex;  // as tree.vertices()
  int active = 0;              // rows to be eliminated
  std::vector<int> silent;     // the caller's rows that are not among them

  // Products of (4), each after those it needs. `own` makes V_pv and V_vv, the others V_uv. Where both ends carry three
  // columns, their held rows, the result goes into Lambda at once.
  struct Product {
    int u, v, p;
    bool own, direct;
  };
  std::vector<Product> products;
  // The other blocks of Lambda above its diagonal and on it; `zero` where no joint is shared.
  struct Block {
    int u, v;
    bool zero;
  };
  std::vector<Block> blocks;

  // Where vertices are, the world's upward and the link's angular velocity are wanted in the link's axes: joints
  // [slot, end) of a run, from one mark to the next. Mark 0 is the world.
  struct Walk {
    int run, slot, end, from, to;
    bool spin;  // ends within the run, where aba's w is no longer there
  };
  std::vector<Walk> walks;
  int marks = 1;

  // What a joint could at most do to its vertex, per 1 / D: turn^2, and (turn arm)^2 + slide^2.
  struct Lever {
    Real angular, linear;
  };
  std::vector<Lever> lever, wide_lever;  // per slot, and per ball or free link

  // Limbs side by side (plan.h), if on each of them at most one node is held, by three rows at most: a path's way along
  // its limb is then a lane's. Otherwise one by one.
  LimbOrder limb_order = LimbOrder::side_by_side;
  struct LimbNodes {
    bool any = false;
    int vertex[Limbs::most], mark[Limbs::most];  // -1 where nothing is held; the parents' marks
    Limbs::V unit[6][3] = {};
    Mat3<Limbs::V> R_LV{};
    Vec3<Limbs::V> p_LV{};
    struct Position {
      bool node = false;                                 // of one of them
      Limbs::V here{}, lever_angular{}, lever_linear{};  // 1 for those whose node is here
    };
    std::vector<Position> position;
  };
  std::vector<LimbNodes> limb_nodes;  // as Plan::limbs
};

template <class T>
struct Columns {
  T at[6];
};
template <>
struct Columns<double> {
  Double8 row;
};

// What limbs side by side have of (2) when they arrive at their parents.
struct LimbPaths {
  Force<Limbs::V> P[3];
  Limbs::V psi[3], Psi[3][3], lever[2];  // Psi: the upper half
  Vec3<Limbs::V> drift;                  // of the nodes
  Limbs::V F[3];                         // their reactions
};
struct LimbColumns {
  Limbs::V at[3];
};

// Scratch of held_dynamics(); any content is fine before a call.
template <class T>
struct HeldWorkspace {
  HeldWorkspace(const Plan<T>& plan, const HeldPlan<T>& held);
  AbaWorkspace<T> aba;
  AlignedArray<Matrix6<T>> Phi, Psi;   // per vertex
  AlignedArray<Matrix6<T>> V;          // per pair of vertices u, v, at [u + v (v + 1) / 2]: rows of u, columns of v
  AlignedArray<Columns<T>> psi, a;     // per vertex
  AlignedArray<Columns<T>> s, wide_s;  // per one-axis link; six per ball or free link
  AlignedArray<InertiaFactors<T>> factors;  // per ball or free link, of free ones
  AlignedArray<T> lever;                    // per vertex: sums of levers over D, angular and linear
  AlignedArray<Columns<T>> bound;           // per vertex: diagonals of V up to this are rounding
  AlignedArray<Vec3<T>> up, w;              // per mark
  using Wide = typename Lanes<T>::Wide;
  AlignedArray<Wide> A;                // Lambda, row by row, of one world several columns side by side
  AlignedArray<Wide> b, l;             // one more row each: right-hand side, L's column
  AlignedArray<Wide> noise, least;     // and what a pivot must exceed
  AlignedArray<T> D_inverse, x;        // per row: zero where it does not count; lambda
  AlignedArray<T> force;               // per vertex, six each
  AlignedArray<LimbPaths> limb_paths;  // as Plan::limbs
  AlignedArray<LimbColumns> limb_s;    // per position of limbs
};

// Fills vdot, lambda (N or N m along the components, from the world onto the node) and each world's rank, the number of
// rows that counted. target: one number per row; empty for zero. f_ext as in aba().
template <class T>
void held_dynamics(const Plan<T>& plan, const HeldPlan<T>& held, std::span<const typename Plan<T>::Real> q,
                   std::span<const typename Plan<T>::Real> v, std::span<const typename Plan<T>::Real> tau,
                   std::span<const typename Plan<T>::Real> f_ext, std::span<const typename Plan<T>::Real> target,
                   HeldWorkspace<T>& ws, std::span<typename Plan<T>::Real> vdot,
                   std::span<typename Plan<T>::Real> lambda, std::span<int> rank);

}  // namespace linchpin
