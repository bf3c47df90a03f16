// Forward dynamics with prescribed accelerations: some components ("held rows") of some nodes, as contacts need.
//
//     M vdot = tau - bias(q, v) + J' lambda,   chosen components of the nodes' accelerations = target            (1)
// A node's six components are its angular acceleration and the acceleration of its origin, in its axes: the true ones,
// including w x (w x r) of the point, with gravity as a force and the world at rest. A point foot holds the three
// linear components, a gripped handle all six.
//
// Between the inward and the outward passes of aba.h all work is done on the tree of vertices of compliance.h. Along
// each path the unit forces P of its vertex leave s = S' P at a joint and continue as P (1 - U D^-1 S'). Beside Phi and
// Psi the path accumulates psi, the acceleration of its vertex while the parent vertex is at rest:
//     psi = sum over the path of s' D^-1 u + P' (1 - U D^-1 S')' c                                               (2)
//     a_v = psi_v + Phi_v' a_p                      the free motion, at vertices only                            (3)
//     W lambda = target - a,   W = the held rows of J M^-1 J', by (4) of compliance.h                            (4)
//     F_v = lambda_v + sum over v's children of Phi F,   u += s F_v at the joints of v's path                    (5)
// Then follows pass 3 of aba, once, with these u. This is 000 s.10 and 001 Table 1 with two differences: a path in
// place of a joint, and no second sweep over the joints, neither outward for the free motion nor inward for the
// reactions, since (2) and the s of (5) are by-products of Phi and Psi. A vertex without children carries its held rows
// only: three columns for up to three rows, else six. O(n + m^2), and rows^3 / 6 for (4).
//
// Rows may be redundant. (4) is eliminated in the order of links (nodes of one link in the given order), and a row
// whose pivot is below a share of its own diagonal is redundant: its lambda is zero. Rows that no joint can move (their
// diagonal is rounding only) and rows of nodes on the world get lambda = 0 as well. Accelerations are unique all the
// same, unless targets contradict each other; then the first rows are met. semidefinite.h, in contrast, takes the
// largest pivot first and gives the least reactions; here all worlds of a pack must take the same pivots.
//
// Paths along limbs that aba computes side by side (plan.h) are side by side here too, with the same bits
// (held_limbs.h).
//
// T as in aba.h; worlds of a pack lie side by side, and a lane has the bits of the scalar run of its type.
#pragma once

#include <array>
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

using VerticesOfLimbs = std::array<int, Limbs::most>;  // the vertex of each limb, -1 for none

// The held rows of one model, and the order of computation for them. Const once made.
template <class T>
struct HeldPlan {
  using Real = typename Plan<T>::Real;
  HeldPlan(const Model& model, const Plan<T>& plan, std::span<const HeldNode> nodes,
           LimbOrder order = LimbOrder::side_by_side);  // side by side only where possible

  int rows = 0;      // the size of target and lambda: rows node by node, those of a node in the order of its bits
  NodeTree<T> tree;  // of the nodes that hold a row and are not on the world

  struct Vertex {
    int columns = 6;                       // carried unit forces: 3 or 6
    Real unit[6][8] = {};                  // these unit forces, in the link's frame
    int first = 0, held = 0;               // its rows [first, first + held) in the order of elimination
    int column[6] = {}, given[6] = {};     // per held row: its column, its number among the caller's rows
    int component[6] = {};                 // per held row: 0..5
    Real angular[8] = {}, linear[8] = {};  // per column: 1 in the one of the two that it belongs to
    int mark = 0;                          // of its link; see Walk
    int limbs = -1, lane = 0;              // of the limb that its path begins in, if limbs are side by side
  };
  std::vector<Vertex> vertex;  // as tree.vertices()
  int active = 0;              // rows of (4)
  std::vector<int> silent;     // the caller's rows that are not among them

  // Products of (4), each after those it needs. `own` computes V_pv and V_vv, the others V_uv. If `direct`, both
  // vertices carry just their held rows in three columns, and the result is written into W at once.
  struct Product {
    int u, v, p;
    bool own, direct;
  };
  std::vector<Product> products;
  // The other blocks of W on and above its diagonal; `zero` where the paths share no joint.
  struct Block {
    int u, v;
    bool zero;
  };
  std::vector<Block> blocks;

  // A mark is a link whose axes the world's upward direction and the link's angular velocity are needed in; mark 0 is
  // the world. A walk goes over the joints [slot, end) of a run from one mark to the next.
  struct Walk {
    int run, slot, end, from, to;
    bool spin;  // compute w: the walk ends within the run, where aba() has overwritten it
  };
  std::vector<Walk> walks;
  int marks = 1;

  // The most that a joint can contribute to its vertex's diagonal of W, times D: turn^2, and (turn arm)^2 + slide^2.
  struct Lever {
    Real angular, linear;
  };
  std::vector<Lever> lever, wide_lever;  // per slot, and per ball or free link

  // Limbs are side by side (plan.h) if each has at most one node with at most three held rows: the part of a path along
  // its limb is then one lane. Otherwise they are computed one by one.
  LimbOrder limb_order = LimbOrder::side_by_side;
  struct LimbNodes {
    bool any = false;
    int vertex[Limbs::most], mark[Limbs::most];  // per lane: vertex, -1 for none; mark of the limb's parent
    Limbs::V unit[6][3] = {};
    Mat3<Limbs::V> R_LV{};
    Vec3<Limbs::V> p_LV{};
    struct Position {
      bool node = false;                                 // some limb has its node here
      Limbs::V here{}, lever_angular{}, lever_linear{};  // here: 1 in the lanes of these limbs
    };
    std::vector<Position> position;
  };
  std::vector<LimbNodes> limb_nodes;  // as Plan::limbs

 private:  // the constructor's steps
  std::vector<int> assign_rows(const Model& model, std::span<const HeldNode> nodes);
  void assign_columns(int vertex, unsigned held_rows, int first_row, bool has_children);
  std::vector<int> plan_walks(const Model& model, const Plan<T>& plan, const std::vector<int>& node_link);
  void find_levers(const Model& model, const Plan<T>& plan);
  void put_on_limbs(const Plan<T>& plan, const std::vector<int>& mark_of_run,
                    const std::vector<VerticesOfLimbs>& on_limbs);
  void put_in_lane(const Plan<T>& plan, int vertex, int lane, LimbNodes& out) const;
};

template <class T>
struct Columns {
  T at[6];
};
template <>
struct Columns<double> {
  Double8 row;
};

// Results of (2) along limbs side by side, at their parents.
struct LimbPaths {
  Force<Limbs::V> P[3];
  Limbs::V psi[3], Psi[3][3], lever[2];  // Psi: the upper half
  Vec3<Limbs::V> drift;                  // velocity-product accelerations of the nodes
  Limbs::V F[3];                         // reactions of the nodes
};
struct LimbColumns {
  Limbs::V at[3];
};

// Workspace of held_dynamics(); any content is fine before a call.
template <class T>
struct HeldWorkspace {
  HeldWorkspace(const Plan<T>& plan, const HeldPlan<T>& held);
  AbaWorkspace<T> aba;
  AlignedArray<Matrix6<T>> Phi, Psi;        // per vertex
  AlignedArray<Matrix6<T>> V;               // per pair of vertices, at vertex_pair(u, v): rows of u, columns of v
  AlignedArray<Columns<T>> psi, a;          // per vertex
  AlignedArray<Columns<T>> s, wide_s;       // per one-axis link; six per ball or free link
  AlignedArray<InertiaFactors<T>> factors;  // per ball or free link; set for free ones
  AlignedArray<T> lever;                    // per vertex: sums of levers over D, angular and linear
  AlignedArray<Columns<T>> bound;           // per vertex: diagonal entries of V up to this are rounding
  AlignedArray<Vec3<T>> up, w;              // per mark
  using Wide = typename Lanes<T>::Wide;
  AlignedArray<Wide> A;                // W row by row; for one world several columns per register
  AlignedArray<Wide> b, l;             // laid out as a row: right-hand side, a column of L
  AlignedArray<Wide> noise, least;     // laid out as a row: thresholds of the pivots
  AlignedArray<T> D_inverse, x;        // per row: 1 / pivot, zero for a redundant row; lambda
  AlignedArray<T> force;               // per vertex, six each
  AlignedArray<LimbPaths> limb_paths;  // as Plan::limbs
  AlignedArray<LimbColumns> limb_s;    // per position of limbs
};

// Fills vdot, lambda (N or N m along the components, of the world on the node) and each world's rank, the number of
// rows that are not redundant. target: one number per row; empty for zero. f_ext as in aba().
template <class T>
void held_dynamics(const Plan<T>& plan, const HeldPlan<T>& held, std::span<const typename Plan<T>::Real> q,
                   std::span<const typename Plan<T>::Real> v, std::span<const typename Plan<T>::Real> tau,
                   std::span<const typename Plan<T>::Real> f_ext, std::span<const typename Plan<T>::Real> target,
                   HeldWorkspace<T>& ws, std::span<typename Plan<T>::Real> vdot,
                   std::span<typename Plan<T>::Real> lambda, std::span<int> rank);

}  // namespace linchpin
