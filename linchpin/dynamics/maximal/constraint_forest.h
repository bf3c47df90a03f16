// Linear-time Lagrange multipliers [004] for bodies of any dimension, with constraints between pairs of bodies and no
// loops.
//
//     M y = F + J' l,      J y + E l = r                                                                         (1)
// M is block-diagonal (a symmetric positive definite matrix for each body), a constraint's rows of J have blocks for
// its two bodies only, E >= 0 is diagonal: softness, mostly zero. The meaning of y, F and r depends on the law [004
// s.3]:
//     f = m a    y accelerations, F forces, r = -c of 004 (2)
//     f = m v    y velocities, F dragging forces, r the prescribed velocity of the rows
//     impulses   y changes of velocity, F impulses, r minus the velocity to be cancelled
//
// With constraints and bodies as nodes of a graph, the matrix of (1) has the pattern of a tree [004 s.6]. Eliminating
// children before parents causes no fill-in [004 s.7]. A constraint has one child body b, which "hangs on" it, and one
// parent body p, so the two kinds of step of 004 become one. From the tips inward
//     W = D_b^-1 J_b',   S = J_b W + E,   Z = S^-1 J_p,     l0 = S^-1 (r - W' f_b)                                (2)
//     D_p += J_p' Z,     f_p += J_p' l0              beginning with D = M, f = F                                 (3)
// and outward
//     l = l0 - Z y_p,    y_b = D_b^-1 f_b + W l                                                                  (4)
// (W is a factor here, not the compliance J M^-1 J'.)
// D is the articulated-body inertia, found without the motion subspaces of the joints. A constraint on one body alone
// (the world is no body) has no p; it is the root of its tree, and a tree has one root. A second such constraint, or
// one that closes a loop, would have a zero pivot or cause fill-in: these are auxiliary (auxiliary_rows.h).
//
// Blocks are stored row by row, each row padded to stride() doubles so that it fills a register. A run of bodies of one
// shape is one loop of fixed size. In factor() the right-hand side is in the last lane.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "linchpin/base/aligned.h"
#include "linchpin/base/result.h"

namespace linchpin {

// Rows between two bodies a and b, or on a alone: b = -1.
struct ForestConstraint {
  int a = 0, b = -1;
  int rows = 0;
  // If each row holds one component of a's y: bit k for component k, rows in this order, J_a these rows of the
  // identity. W is then a part of D^-1, which saves a third of the work. 0: general rows.
  unsigned held = 0;
};

// The trees of bodies, the order of elimination, and the memory layout.
class ConstraintForest {
 public:
  // An Error names a constraint that closes a loop, is the second one on a single body in its tree, has more rows than
  // its child body has dimensions, or refers to no body. `called`: the numbers of the constraints in the message, if
  // not their indices.
  static Result<ConstraintForest> make(std::span<const int> body_sizes, std::span<const ForestConstraint> constraints,
                                       std::span<const int> called = {});

  int bodies() const { return int(body_.size()); }
  int constraints() const { return int(constraint_.size()); }
  int size(int body) const { return nodes_[body_[body]].size; }
  int rows(int constraint) const { return constraint_[constraint].rows; }
  // The offset of a body in vectors over all bodies (y, F), and of a constraint in vectors over all rows (l, r).
  int first(int body) const { return nodes_[body_[body]].y; }
  int first_row(int constraint) const { return constraint_[constraint].first_row; }
  int total_size() const { return total_size_; }
  int total_rows() const { return total_rows_; }

  // A body with the constraint that it hangs on, in the order of elimination: children before parents.
  struct Node {
    int body = 0, constraint = -1;  // -1: a root that hangs on nothing
    int parent = -1;                // node
    int tree = 0;
    int size = 0, rows = 0, parent_size = 0;
    int y = 0, l = 0;                  // offsets in y and F, and in l and r
    int parent_y = 0;                  // y of the parent
    std::size_t M = 0, D = 0;          // blocks of `size` rows: mass, D^-1
    std::size_t Jb = 0, W = 0;         // the same: J_b', W; unused if rows are held
    std::size_t Jp = 0, S = 0, Z = 0;  // blocks of `rows` rows: J_p, S^-1, Z
    std::size_t pending = 0;           // block of `size` rows: the sum of the children's J_p' Z; shared between nodes
    std::size_t parent_pending = 0;    // `pending` of the parent
    unsigned held = 0;                 // of ForestConstraint, if a is the child and there is a kernel for it
    bool flipped = false;              // the constraint's b is the child, its a the parent
    bool leaf = true;                  // it has no children
    bool first = false;                // it is its parent's first child in the order of elimination
  };
  std::span<const Node> nodes() const { return nodes_; }
  int node_of_body(int body) const { return body_[body]; }
  int node_of_constraint(int constraint) const { return constraint_[constraint].node; }
  int trees() const { return trees_; }
  // Doubles from row to row of any block: enough for the largest body and one more.
  int stride() const { return stride_; }
  // Nodes [first, end) of one shape.
  struct Run {
    int first = 0, end = 0;
  };
  std::span<const Run> runs() const { return runs_; }
  std::size_t numbers() const { return numbers_; }
  std::size_t pending_numbers() const { return pending_; }

  // Off-diagonal blocks of the factors: as many as the matrix of (1) has, since there is no fill-in [004 s.7.1].
  int off_diagonal_blocks() const;

 private:
  class Builder;
  struct ConstraintPlace {
    int node = -1, rows = 0, first_row = 0;
  };
  std::vector<Node> nodes_;
  std::vector<int> body_;  // node
  std::vector<ConstraintPlace> constraint_;
  std::vector<Run> runs_;
  int total_size_ = 0, total_rows_ = 0, trees_ = 0, stride_ = 0;
  std::size_t numbers_ = 0, pending_ = 0;
};

struct ForestWork;  // forest_kernels.h

// The matrix of (1) and its factors.
class ForestFactors {
 public:
  explicit ForestFactors(const ConstraintForest& forest);  // must outlive them
  explicit ForestFactors(const ConstraintForest&&) = delete;

  // Blocks of (1), row by row, without padding; they keep their values until set again. J_a is not read for held rows.
  void set_mass(int body, std::span<const double> M);
  void set_constraint(int constraint, std::span<const double> J_a, std::span<const double> J_b,
                      std::span<const double> softness = {});

  // The same, in place: blocks of a node, rows stride() apart, zero beyond their ends.
  double* block(std::size_t at) { return numbers_.data() + at; }
  std::span<double> softness() { return softness_; }  // by row, of all constraints

  // (2), (3). False if a pivot is not positive: failed() is then the body that has no mass in some direction, or whose
  // constraint has linearly dependent rows.
  bool factor();
  // The same with (4), cheaper than factor() and solve(). With keep = false the factors are not kept, and previous ones
  // are destroyed: faster for a single right-hand side, since it writes less memory.
  bool factor_and_solve(std::span<const double> F, std::span<const double> r, std::span<double> y, std::span<double> l,
                        bool keep = true);
  int failed() const { return failed_; }

  // After either (with keep), for any number of right-hand sides. An empty r is zero.
  void solve(std::span<const double> F, std::span<const double> r, std::span<double> y, std::span<double> l);
  // The residuals of (1): F + J' l - M y and r - J y - E l.
  void residual(std::span<const double> F, std::span<const double> r, std::span<const double> y,
                std::span<const double> l, std::span<double> of_F, std::span<double> of_r) const;
  // One step of iterative refinement: solves for the residuals and adds the result. If masses differ by a factor of a
  // million it recovers the digits lost in two inversions.
  void refine(std::span<const double> F, std::span<const double> r, std::span<double> y, std::span<double> l);
  // Eight at a time, side by side: number i of column k at [8 i + k]. y holds F at first.
  void solve8(std::span<double> y, std::span<const double> r, std::span<double> l);
  // The same for forces on some bodies only, r = 0 elsewhere. on_way: all nodes from these bodies inward, in order; y,
  // r and l are read and written at these nodes only.
  void solve8(std::span<double> y, std::span<const double> r, std::span<double> l, std::span<const int> on_way);
  // refine() eight at a time, r = 0; tree: all nodes of some trees, in order. Overwrites F.
  void refine8(std::span<double> F, std::span<double> y, std::span<double> l, std::span<const int> tree);
  void make_room8();  // allocates the workspace of refine8()

 private:
  ForestWork work();
  template <class F>
  void inward(const F& f) const;
  template <class F>
  void outward(const F& f) const;
  bool factor_with(const double* F, const double* r, bool keep);
  template <class T>
  void subtract(const ConstraintForest::Node& node, std::span<const double> r, std::span<const double> y,
                std::span<const double> l, std::span<double> of_F, std::span<double> of_r) const;
  void check_sizes(std::span<const double> F, std::span<const double> r, std::span<const double> y,
                   std::span<const double> l, int columns) const;

  const ConstraintForest* forest_;
  AlignedArray<double> numbers_, pending_;
  std::vector<double> softness_, zero_;
  AlignedArray<double> f_, scratch_;
  std::vector<double> rest_F_, rest_r_, more_y_, more_l_, rest_r8_, more_l8_;
  int failed_ = -1;
};

}  // namespace linchpin
