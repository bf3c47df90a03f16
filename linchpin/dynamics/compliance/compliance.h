// The compliance W = J M^-1 J' of a mechanism at some of its frames, without forming M, J or their product.
//
// A node is a frame fixed in a body. Forces f at all nodes cause accelerations a = W f of all nodes. In terms of the
// articulated-body factors, a force P is carried inward through a joint as
//     P (1 - U D^-1 S'),  leaving s = S' P at that joint                                                         (1)
// [001 (8), 000 s.10]. With the columns of P_i the unit forces of node i, carried to a common ancestor,
//     W_ij = J_i M^-1 J_j' = sum over joints that both paths pass of s_i' D^-1 s_j                               (2)
// That is O(n m^2). Before the paths of two nodes join, each joint is passed by one path only, so the joints of a path
// up to there are compounded into two 6 x 6 matrices:
//     Phi = product of the propagators (1),   Psi = sum of s' D^-1 s                                             (3)
// There remains a tree of less than 2 m vertices, the nodes and the links where paths join, and
//     V_vv = Psi_v + Phi_v' V_pp Phi_v,   V_uv = V_up Phi_v    p the parent of v, u any other vertex             (4)
// which is 001 Table 1 (24), (29), and 000's Omega, Upsilon, with a path in place of a joint: O(n + m^2). If paths meet
// only in the world, they belong to different trees of vertices, and V_uv = 0. Only pairs within a tree are stored and
// computed, so that many small mechanisms in one model cost O(n + sum of m_tree^2). The product W f needs no V: forces
// inward, F_v = f_v + sum over v's children of Phi F, then accelerations outward,
//     a_v = Psi_v F_v + Phi_v' a_p                                                                              (5)
// in O(m) after (3).
//
// Six-vectors are (moment, force) and (angular, linear) at the node's origin in the node's axes. Accelerations are
// those that the forces add to the ones caused by velocities, gravity and joint forces; W relates impulses to changes
// of velocity in the same way. T as in aba.h; worlds of a pack lie side by side.
#pragma once

#include <span>
#include <vector>

#include "linchpin/dynamics/tree/aba.h"
#include "linchpin/dynamics/tree/articulated_factor.h"
#include "linchpin/spatial/matrix6.h"

namespace linchpin {

struct Node {
  int body = 0;  // 0 is the world, whose compliance is zero
  Transform<double> X_BN = Transform<double>::identity();
};

// A frame fixed in a link, which may carry no body (a link between the axes of one joint).
struct LinkNode {
  int link = 0;
  Transform<double> X_LN = Transform<double>::identity();
};

// The vertices of (4) for some nodes of a model.
template <class T>
class NodeTree {
 public:
  using Real = typename Plan<T>::Real;
  // Joints of one run, from slot `from` inward to slot `to`; if `head`, on to the last link of the parent run. Ball and
  // free joints are runs of their own.
  struct Stretch {
    int run, from, to;
    bool head;
  };
  // A frame V in a link: that of the link's first node, if it has one, else the link's own. Its unit forces start in
  // these axes, and forces that arrive from other vertices are expressed in them.
  struct Vertex {
    int parent = -1;          // vertex; -1 for the world
    int tree = 0, rank = 0;   // its tree, and the number of vertices of that tree before it
    std::size_t pairs = 0;    // where the pairs (u, v) of its tree begin, u <= v; see pair()
    int first = 0, last = 0;  // stretches between v and its parent, [first, last)
    bool is_node = false;     // if not, V is the link's own frame
    Transform<Real> X_LV;
    Real unit[6][8];  // its unit forces as columns, in the link's frame: [R, p x R; 0, R]; zero on the world
  };

  NodeTree() = default;  // without nodes
  NodeTree(const Model& model, const Plan<T>& plan, std::span<const Node> nodes);
  NodeTree(const Model& model, const Plan<T>& plan, std::span<const LinkNode> nodes);
  // Replaces the nodes (or the model). Allocates only if more memory is needed than ever before.
  void place(const Model& model, const Plan<T>& plan, std::span<const LinkNode> nodes);

  int nodes() const { return nodes_; }
  std::span<const Vertex> vertices() const { return vertices_; }  // parents first
  std::span<const Stretch> stretches() const { return stretches_; }
  int vertex_of(int node) const { return vertex_of_[node]; }

  // A tree of vertices, with m nodes.
  struct Tree {
    int first = 0, last = 0;  // its vertices: members()[first .. last), ascending
    int nodes = 0;            // m
    int first_node = 0;       // see nodes_of()
    std::size_t matrix = 0;   // start of its matrix in compliance_by_tree(), in numbers of one world
  };
  std::span<const Tree> trees() const { return trees_; }
  std::span<const int> members() const { return members_; }
  std::span<const int> nodes_of(const Tree& tree) const {  // ascending
    return std::span(nodes_by_tree_).subspan(tree.first_node, tree.nodes);
  }
  int node_in_tree(int node) const { return node_in_tree_[node]; }  // its index in nodes_of()
  // The index of a pair of vertices of one tree, u <= v, in arrays over all pairs within trees.
  std::size_t pair(int u, int v) const { return vertices_[v].pairs + std::size_t(vertices_[u].rank); }
  std::size_t pairs() const { return pairs_; }

 private:
  void find_trees();

  int nodes_ = 0;
  std::vector<Vertex> vertices_;
  std::vector<Stretch> stretches_;
  std::vector<int> vertex_of_;
  std::vector<Tree> trees_;
  std::vector<int> members_, nodes_by_tree_, node_in_tree_;
  std::size_t pairs_ = 0;
  std::vector<int> arrivals_, vertex_at_, first_on_, next_on_;  // workspace of place()
};

// The index of a pair of vertices (u, v), u <= v, in arrays over all pairs.
constexpr std::size_t vertex_pair(int u, int v) { return std::size_t(u) + std::size_t(v) * std::size_t(v + 1) / 2; }

// Phi and Psi of (3), and memory for (4). Any content is fine before compound_paths().
template <class T>
struct Compliance {
  Compliance() = default;
  explicit Compliance(const NodeTree<T>& tree) { fit(tree); }
  // Resizes for another tree; allocates only if more memory is needed than ever before.
  void fit(const NodeTree<T>& tree);
  AlignedArray<Matrix6<T>> Phi, Psi;            // per vertex; may be longer
  AlignedArray<Matrix6<T>> V;                   // per pair of vertices of one tree; may be longer
  enum class Rows : char { none, of_u, of_v };  // none: zero, or never needed
  std::vector<Rows> rows;                       // per pair: the vertex that V's rows belong to
  AlignedArray<T> force, motion;                // per vertex, six each
  std::vector<char> asked;                      // workspace of fit()
};

// Fills (3) from the factors at this q, or from the workspace that aba() filled, whose factors are the same up to
// rounding (the factors of limbs are first copied to their slots).
template <class T>
void compound_paths(const Plan<T>& plan, const NodeTree<T>& tree, const ArticulatedFactor<T>& factors,
                    Compliance<T>& compliance);
template <class T>
void compound_paths(const Plan<T>& plan, const NodeTree<T>& tree, AbaWorkspace<T>& factors, Compliance<T>& compliance);

// Fills the matrix W by (4), 6 m rows and columns, row by row. After compound_paths(). Packs of worlds write whole
// cache lines if the matrix begins on one (AlignedArray): 7 % less time for 4 nodes, 15 % for 8.
template <class T>
void compliance_matrix(const NodeTree<T>& tree, Compliance<T>& compliance, std::span<typename Plan<T>::Real> matrix);

// The same without the blocks that are zero because their nodes are in different trees: one square matrix for each of
// tree.trees(), with 6 m rows, one after another. numbers_by_tree() is their size for one world.
template <class T>
std::size_t numbers_by_tree(const NodeTree<T>& tree);
template <class T>
void compliance_by_tree(const NodeTree<T>& tree, Compliance<T>& compliance, std::span<typename Plan<T>::Real> matrices);

// a = W f by (5), six numbers per node. After compound_paths().
template <class T>
void apply_compliance(const NodeTree<T>& tree, Compliance<T>& compliance, std::span<const typename Plan<T>::Real> f,
                      std::span<typename Plan<T>::Real> a);

}  // namespace linchpin
