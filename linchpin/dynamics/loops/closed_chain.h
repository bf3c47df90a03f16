// The motion of a tree whose constraints hold: forward dynamics, and the way back onto the constraints.
//
// With the rows g of constraint_rows.h and the reactions lambda,
//     M vdot = tau - bias(q, v) + J' lambda,   J vdot + bias_g = 0                                             (1)
// so the mechanism moves as if free, and the reactions undo what the rows do not allow [000 s.6; 001 (17)]:
//     Lambda lambda = -(J vdot_free + bias_g),   Lambda = J M^-1 J'                                            (2)
//     vdot = vdot_free + M^-1 J' lambda                                                                        (3)
// vdot_free by the articulated body, Lambda by the compliance of the links that rows touch (compliance.h), (3) by the
// same factors: O(n + m^2) and O(rows^3) for (2). Where there are many rows the recursion of loop_recursion.h finds the
// same motion loop by loop.
//
// Constraints may say a thing twice, and in special positions some say what others said: Lambda is singular then, and
// of the reactions that (2) leaves open these are the least, measured as semidefinite.h says; accelerations are unique
// all the same. Where rows contradict each other there is no motion, and `unmet` says by how much.
//
// Steppers leave the constraints by their own error. Two projections bring them back, both by the shortest way as the
// mass matrix measures it:
//     v <- v - M^-1 J' Lambda^+ (J v + drift)        kinetic energy never grows where drift is zero            (4)
//     q <- q (+) -M^-1 J' Lambda^+ g, repeated                                                                 (5)
// (5) leaves velocities alone, and nonholonomic rows, which have no g.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "linchpin/algebra/semidefinite.h"
#include "linchpin/dynamics/loops/constraint_rows.h"
#include "linchpin/dynamics/loops/loop_recursion.h"
#include "linchpin/dynamics/tree/aba.h"
#include "linchpin/dynamics/tree/articulated_factor.h"

namespace linchpin {

// How the rows are eliminated; automatic takes the recursion where there are more than this many rows (docs/loops.md).
enum class LoopElimination { automatic, compliance, recursion };
inline constexpr int most_rows_for_compliance = 24;

// Fills `unmet` and `worst` from what rows are left with; a number that is not finite counts as the largest.
void find_unmet(std::span<const double> left, ConstraintReport& report);

// Plan and scratch of everything here, for some constraints of a model, in most cases all of them.
struct ClosedChain {
  ClosedChain(const Model& model, const Plan<double>& plan, std::span<const Constraint> constraints,
              LoopElimination elimination = LoopElimination::automatic);
  ClosedChain(const ClosedChain&) = delete;  // parts of it know where it is
  ClosedChain& operator=(const ClosedChain&) = delete;

  const Model& model;
  const Plan<double>& plan;
  ConstraintPlan constraints;

  // Scratch; rows and reactions are those of the last call.
  ConstraintRows rows;
  std::vector<double> reactions;  // lambda of (2), N or N m: on B's side of pairs, on the coordinates of couplings

  Kinematics<double> kin;
  Velocities vel;
  std::vector<Motion<double>> link_acceleration;
  std::vector<double> g, x, f, zero;
  std::vector<double> give;  // per row: its diagonal of Lambda, zero where it is left out or cannot move

  // By the compliance.
  struct ByCompliance {
    ByCompliance(const Model& model, const Plan<double>& plan, const ConstraintPlan& constraints);
    NodeTree<double> tree;
    AbaWorkspace<double> aba;
    ArticulatedFactor<double> factors;
    SolveWorkspace<double> solve;
    Compliance<double> compliance;
    std::vector<double> node_matrix;
    std::vector<std::array<double, 6>> side_force;
    std::vector<double> response, row_matrix;
    // What each row's forces would meet if its links gave way alike in all directions: the measure of rounding in rows
    // that hardly give way, or not at all (a planar linkage, across its plane).
    std::vector<double> row_size;
    SemidefiniteSolver solver;
  };
  std::optional<ByCompliance> by_compliance;
  // Or loop by loop.
  std::optional<LoopRecursion> by_recursion;
};

// vdot of (1). f_ext as in aba.h, empty for none. `unmet` is looked at where the rank is less than the rows.
ConstraintReport constrained_dynamics(std::span<const double> q, std::span<const double> v, std::span<const double> tau,
                                      std::span<const double> f_ext, double time, ClosedChain& chain,
                                      std::span<double> vdot);

// (4)
ConstraintReport project_velocity(std::span<const double> q, std::span<double> v, double time, ClosedChain& chain);

// (5), until |g| is at most `tolerance` or does not shrink any more. For small errors; from afar see assembly.h.
ConstraintReport project_position(std::span<double> q, double time, double tolerance, ClosedChain& chain);

// Kinematics and rows at q and v: what the functions above begin with.
void place_chain(std::span<const double> q, std::span<const double> v, double time, ClosedChain& chain);

// chain.x <- -M^-1 J' (Lambda + damping diag Lambda)^+ b, where the chain has been placed: without damping the motion of
// least kinetic energy with J x = -b. With holonomic_only the other rows are left out. Returns the rank.
int least_motion(std::span<const double> q, std::span<const double> b, bool holonomic_only, double damping,
                 ClosedChain& chain);

// The rest is for chains by compliance. Lambda of the rows at a q where the chain has been placed: the matrix of (2),
// rows x rows, with the factors of respond().
void row_compliance(std::span<const double> q, ClosedChain& chain);
// x <- M^-1 J' lambda
void respond(std::span<const double> q, std::span<const double> lambda, ClosedChain& chain, std::span<double> x);

}  // namespace linchpin
