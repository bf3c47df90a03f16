// Linear-time Lagrange multipliers [004]: bodies of any dimension, held together in pairs, no pair twice in a loop.
//
//     M y = F + J' l,      J y + E l = r                                                                         (1)
// M is block-diagonal (a symmetric positive definite matrix for each body), a constraint's rows of J have blocks for its
// two bodies only, E >= 0 is diagonal: softness, mostly zero. What y, F and r are is the law's business [004 s.3]:
//     f = m a    y accelerations, F forces, r = -c of 004 (2)
//     f = m v    y velocities, F what drags, r the speed of what the constraint asks for
//     impulses   y changes of velocity, F impulses, r minus the velocity to be taken away
//
// With constraints and bodies as nodes of a graph the matrix of (1) has a tree's pattern [004 s.6]. Eliminating children
// before parents there is no fill-in [004 s.7]. A constraint has one child, the body b that hangs on it, and one parent p,
// so 004's two kinds of step become one. From the tips inward
//     W = D_b^-1 J_b',   S = J_b W + E,   Z = S^-1 J_p,     l0 = S^-1 (r - W' f_b)                                (2)
//     D_p += J_p' Z,     f_p += J_p' l0              beginning with D = M, f = F                                 (3)
// and outward
//     l = l0 - Z y_p,    y_b = D_b^-1 f_b + W l                                                                  (4)
// D is what the articulated-body recursion knows as the articulated inertia, got without knowing any joint's freedom.
// A constraint on one body alone (the world is no body) has no p: it is its tree's root, of which a tree has one. A second
// one, or one that closes a loop, has pivot zero or fills in: those are auxiliary (auxiliary.h).
//
// Numbers live row by row, each row padded to stride() doubles, so that a row is a register; a run of bodies of one shape
// is one loop of fixed size. In factor() the right-hand side rides in the last lane.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "linchpin/base/aligned.h"
#include "linchpin/base/result.h"

namespace linchpin {

// Rows between two bodies, or on one: b = -1.
struct ForestConstraint {
  int a = 0, b = -1;
  int rows = 0;
  // Where each row is about one of a's own numbers, which ones: bit k for number k, rows in their order, J_a = their rows
  // of the identity. W is then a part of D^-1, which saves a third of the work. 0: any rows.
  unsigned held = 0;
};

// A Plan: who hangs on whom, in which order, and where the numbers are.
class ConstraintForest {
 public:
  // An Error that names the constraint which closes a loop, is the second on one body alone in its tree, has more rows
  // than the body that hangs on it has freedoms, or names no body.
  // `called`: how constraints are called there, if not by their place.
  static Result<ConstraintForest> make(std::span<const int> body_sizes, std::span<const ForestConstraint> constraints,
                                       std::span<const int> called = {});

  int bodies() const { return int(body_.size()); }
  int constraints() const { return int(constraint_.size()); }
  int size(int body) const { return nodes_[body_[body]].size; }
  int rows(int constraint) const { return constraint_[constraint].rows; }
  // Where a body's numbers begin in vectors over all bodies (y, F), and a constraint's in those over all rows (l, r).
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
    int y = 0, l = 0;                  // first numbers of y and F, of l and r
    int parent_y = 0;                  // of the parent, so that nobody has to look there
    std::size_t M = 0, D = 0;          // blocks of `size` rows: Mass, D^-1
    std::size_t Jb = 0, W = 0;         // the same: J_b', W; none where rows are held
    std::size_t Jp = 0, S = 0, Z = 0;  // blocks of `rows` rows: J_p, S^-1, Z
    std::size_t pending = 0;           // block of `size` rows, lent: what is added to Mass by what hangs on it
    std::size_t parent_pending = 0;    //   the parent's
    unsigned held = 0;                 // of ForestConstraint, where a is the child and a kernel knows them
    bool flipped = false;              // the constraint's b is the child, its a the parent
    bool leaf = true;                  // nothing hangs on it
    bool first = false;                // of those that hang on its parent, in the order of elimination
  };
  std::span<const Node> nodes() const { return nodes_; }
  int node_of_body(int body) const { return body_[body]; }
  int node_of_constraint(int constraint) const { return constraint_[constraint].node; }
  int trees() const { return trees_; }
  // Doubles from row to row of any block: room for the largest body and one more.
  int stride() const { return stride_; }
  // Nodes [first, end) of one shape.
  struct Run {
    int first = 0, end = 0;
  };
  std::span<const Run> runs() const { return runs_; }
  std::size_t numbers() const { return numbers_; }
  std::size_t pending_numbers() const { return pending_; }

  // Blocks that the factors hold off the diagonal, of the matrix of (1) by nodes: as many as it has itself, since nothing
  // fills in [004 s.7.1].
  int off_diagonal_blocks() const;

 private:
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

// The numbers of (1) and its factors.
class ForestFactors {
 public:
  explicit ForestFactors(const ConstraintForest& forest);

  // The numbers of (1) stay until they are set again. Row by row, without padding; of held rows J_a is not looked at.
  void set_mass(int body, std::span<const double> M);
  void set_constraint(int constraint, std::span<const double> J_a, std::span<const double> J_b,
                      std::span<const double> softness = {});

  // The same, in place: blocks of a node, rows stride() apart, zero beyond their ends.
  double* block(std::size_t at) { return numbers_.data() + at; }
  const double* block(std::size_t at) const { return numbers_.data() + at; }
  std::span<double> softness() { return softness_; }  // by row, of all constraints

  // (2), (3). False where a pivot is not positive: failed() is the body that has no mass in some direction, or whose
  // constraint has rows that depend on each other.
  bool factor();
  // The same with (4) in one go, cheaper than factor() and solve(). With keep = false factors are not written, and those
  // from before are spoiled: for one right-hand side, where memory is what takes time.
  bool factor_and_solve(std::span<const double> F, std::span<const double> r, std::span<double> y, std::span<double> l,
                        bool keep = true);
  int failed() const { return failed_; }

  // After either (with keep), for any number of right-hand sides. r may be empty: zero.
  void solve(std::span<const double> F, std::span<const double> r, std::span<double> y, std::span<double> l);
  // What an answer leaves of (1): F + J' l - M y and r - J y - E l.
  void residual(std::span<const double> F, std::span<const double> r, std::span<const double> y,
                std::span<const double> l, std::span<double> of_F, std::span<double> of_r) const;
  // One step of iterative refinement: solves for that and adds. Where masses are a million apart it gets back the digits
  // that two inversions have cost.
  void refine(std::span<const double> F, std::span<const double> r, std::span<double> y, std::span<double> l);
  // Eight at a time, side by side: number i of column k at [8 i + k]. y holds F at first.
  void solve8(std::span<double> y, std::span<const double> r, std::span<double> l);
  // The same for forces on some bodies only, r = 0 elsewhere. on_way: all nodes from those inward, in order; y, r and l are
  // looked at and changed there only.
  void solve8(std::span<double> y, std::span<const double> r, std::span<double> l, std::span<const int> on_way);
  // refine() eight at a time, r = 0; tree: all nodes of some trees, in order. Spoils F.
  void refine8(std::span<double> F, std::span<double> y, std::span<double> l, std::span<const int> tree);
  void make_room8();  // what the first refine8() would allocate

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
