// How a mechanism gives way at some of its points: Lambda^-1 = J M^-1 J', without M, J or their product.
//
// A node is a frame fixed in a body. Forces f at all nodes cause accelerations a of all of them; a = J M^-1 J' f. The
// articulated factors carry a force inward through a joint as
//     P (1 - U D^-1 S'),  leaving s = S' P unresisted at that joint                                              (1)
// [001 (8), 000 s.10], so with the columns of P_i the unit forces of node i, carried as far as a common ancestor,
//     J_i M^-1 J_j' = sum over joints that both pass of s_i' D^-1 s_j                                            (2)
// That is O(n m^2). Where no other node's path joins, though, every joint is passed by one path only, and all of a
// path's joints up to there can be compounded to two 6 x 6 matrices:
//     Phi = product of the propagators (1),   Psi = sum of s' D^-1 s                                             (3)
// What is left is a tree of vertices, the nodes and the links where paths meet without one, less than 2 m of them, and
//     V_vv = Psi_v + Phi_v' V_pp Phi_v,   V_uv = V_up Phi_v    p the vertex before v, u any other one            (4)
// which is 001 Table 1 (24), (29), and 000's Omega, Upsilon, with a path in place of a joint: O(n + m^2). As an operator it
// needs no V at all: forces inward, F_v = f_v + sum over v's children of Phi F, then accelerations outward,
//     a_v = Psi_v F_v + Phi_v' a_p                                                                              (5)
// in O(m) once (3) is done.
//
// Six-vectors are (moment, force) and (angular, linear) at the node's origin in the node's axes. Accelerations are
// those that the forces add to what velocities, gravity and joint forces cause; impulses and changes of velocity are
// related in the same way. T as in aba.h; worlds of a pack lie side by side.
#pragma once

#include <span>
#include <vector>

#include "linchpin/dynamics/tree/aba.h"
#include "linchpin/dynamics/tree/articulated_factor.h"

namespace linchpin {

struct Node {
  int body = 0;  // 0 is the world, which never gives way
  Transform<double> X_BN = Transform<double>::identity();
};

// The same in a link, also one that carries no body (between the axes of one joint).
struct LinkNode {
  int link = 0;
  Transform<double> X_LN = Transform<double>::identity();
};

// The vertices of (4) for some nodes of a model.
template <class T>
class NodeTree {
 public:
  using Real = typename Plan<T>::Real;
  // Joints of one run, from slot `from` inward to slot `to`; with `head` on to the parent's last link. Ball and free
  // joints are runs of their own.
  struct Stretch {
    int run, from, to;
    bool head;
  };
  // A frame in a link. Where a node sits on the link, it is the node's: unit forces begin in its axes, and those that
  // come from other vertices end in them.
  struct Vertex {
    int parent = -1;          // vertex; -1 for the world
    int first = 0, last = 0;  // stretches between v and its parent, [first, last)
    bool is_node = false;     // else V is the link's own frame
    Transform<Real> X_LV;
    Real unit[6][8];  // its unit forces, by columns, seen from the link: [R, p x R; 0, R]; zero on the world
  };

  NodeTree() = default;  // of no nodes
  NodeTree(const Model& model, const Plan<T>& plan, std::span<const Node> nodes);
  NodeTree(const Model& model, const Plan<T>& plan, std::span<const LinkNode> nodes);
  // Other nodes, or another model's, in the same memory: where there was room enough once, nothing is allocated.
  void place(const Model& model, const Plan<T>& plan, std::span<const LinkNode> nodes);

  int nodes() const { return nodes_; }
  std::span<const Vertex> vertices() const { return vertices_; }  // parents first
  std::span<const Stretch> stretches() const { return stretches_; }
  int vertex_of(int node) const { return vertex_of_[node]; }

 private:
  int nodes_ = 0;
  std::vector<Vertex> vertices_;
  std::vector<Stretch> stretches_;
  std::vector<int> vertex_of_;
  std::vector<int> arrivals_, vertex_at_, first_on_, next_on_;  // scratch of place()
};

template <class T>
struct Matrix6 {
  T at[6][6];
};
template <>
struct Matrix6<double> {
  Double8 row[6];  // the last two lanes zero
};

// (3), and room for (4). Any content is fine before compound_paths().
template <class T>
struct Compliance {
  Compliance() = default;
  explicit Compliance(const NodeTree<T>& tree) { fit(tree); }
  // Makes room for another tree; allocates only where there was never as much.
  void fit(const NodeTree<T>& tree);
  AlignedArray<Matrix6<T>> Phi, Psi;            // per vertex, or more of them
  AlignedArray<Matrix6<T>> V;                   // per pair of vertices (u, v), u not after v, at [u + v (v + 1) / 2]
  enum class Rows : char { none, of_u, of_v };  // none: zero, or never asked for
  std::vector<Rows> rows;                       // per pair: whose rows V's are
  AlignedArray<T> force, motion;                // per vertex, six each
  std::vector<char> asked;                      // scratch of fit()
};

// (3), from factors of this q; or from what aba() left in its workspace, whose factors are the same up to rounding (those
// of limbs it puts where the others are).
template <class T>
void compound_paths(const Plan<T>& plan, const NodeTree<T>& tree, const ArticulatedFactor<T>& factors,
                    Compliance<T>& compliance);
template <class T>
void compound_paths(const Plan<T>& plan, const NodeTree<T>& tree, AbaWorkspace<T>& factors, Compliance<T>& compliance);

// J M^-1 J' by (4), 6 m rows and columns, row by row. After compound_paths(). Packs of worlds write whole cache lines if
// the matrix begins on one (AlignedArray): 7 % less time for 4 nodes, 15 % for 8.
template <class T>
void compliance_matrix(const NodeTree<T>& tree, Compliance<T>& compliance, std::span<typename Plan<T>::Real> matrix);

// a = J M^-1 J' f by (5), six numbers a node. After compound_paths().
template <class T>
void apply_compliance(const NodeTree<T>& tree, Compliance<T>& compliance, std::span<const typename Plan<T>::Real> f,
                      std::span<typename Plan<T>::Real> a);

}  // namespace linchpin
