// Forward dynamics of a tree with bilateral constraints, and projections onto the constraints.
//
// With the rows g of constraint_rows.h and the reactions lambda,
//     M vdot = tau - bias(q, v) + J' lambda,   J vdot + bias_g = 0                                             (1)
// The reactions cancel the part of the free motion that violates the rows [000 s.6; 001 (17)]:
//     W lambda = -(J vdot_free + bias_g),   W = J M^-1 J'                                                      (2)
//     vdot = vdot_free + M^-1 J' lambda                                                                        (3)
// vdot_free comes from aba.h, W from the compliance of the links that rows act on (compliance.h), (3) from the same
// factors: O(n + m^2), and O(rows^3) for (2). For many rows the recursion of loop_recursion.h finds the same motion
// loop by loop.
//
// Rows may be redundant, always or in special positions. W is then singular; of all reactions that satisfy (2) the ones
// of least length are returned, in the units of semidefinite.h. Accelerations are unique all the same. If rows
// contradict each other, no motion satisfies them, and `unmet` is the largest violation left.
//
// Steppers drift off the constraints by their own error. Two projections bring them back, both along the shortest way
// in the metric of the mass matrix:
//     v <- v - M^-1 J' W^+ (J v + drift)             kinetic energy never grows where drift is zero            (4)
//     q <- q (+) -M^-1 J' W^+ g, repeated                                                                      (5)
// (5) changes no velocities, and ignores nonholonomic rows, which have no g.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "linchpin/algebra/semidefinite.h"
#include "linchpin/dynamics/divide_conquer/assembly_handles.h"
#include "linchpin/dynamics/divide_conquer/fork_join.h"
#include "linchpin/dynamics/loops/constraint_rows.h"
#include "linchpin/dynamics/loops/loop_recursion.h"
#include "linchpin/dynamics/tree/aba.h"
#include "linchpin/dynamics/tree/articulated_factor.h"

namespace linchpin {

// How the rows are eliminated. `automatic` uses the recursion for more than most_rows_for_compliance rows;
// docs/loops.md has the measurements. divide_and_conquer is `compliance` with divide_and_conquer.h in place of aba()
// and the compliance of paths: a loop is a joint between two handles of the assembled mechanism [002 s.3.3].
enum class LoopElimination { automatic, compliance, recursion, divide_and_conquer };
inline constexpr int most_rows_for_compliance = 24;

// Fills `unmet` and `worst` from the residuals of the rows. A residual that is not finite counts as the largest.
void find_unmet(std::span<const double> left, ConstraintReport& report);

// Precomputed data and workspace of all functions below, for some or all constraints of a model.
struct ClosedChain {
  // The model and the plan must outlive it; the constraints are copied.
  // threads: how many share the work of divide_and_conquer, at least 1.
  ClosedChain(const Model& model, const Plan<double>& plan, std::span<const Constraint> constraints,
              LoopElimination elimination = LoopElimination::automatic, int threads = 1);
  ClosedChain(const Model&&, const Plan<double>&, std::span<const Constraint>,
              LoopElimination = LoopElimination::automatic, int = 1) = delete;
  ClosedChain(const Model&, const Plan<double>&&, std::span<const Constraint>,
              LoopElimination = LoopElimination::automatic, int = 1) = delete;
  ClosedChain(const ClosedChain&) = delete;  // its parts hold references to it
  ClosedChain& operator=(const ClosedChain&) = delete;

  const Model& model;
  const Plan<double>& plan;
  ConstraintPlan constraints;

  // Workspace; rows and reactions are results of the last call.
  ConstraintRows rows;
  std::vector<double> reactions;  // lambda of (2), N or N m: on frame B of a pair, on the coordinates of a coupling

  Kinematics<double> kin;
  Velocities vel;
  std::vector<Motion<double>> link_acceleration;
  std::vector<double> g, x, f, zero;
  std::vector<double> give;  // per row: its diagonal entry of W; zero if the row is left out or cannot move

  // Workspace of LoopElimination::compliance, in part that of divide_and_conquer too.
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
    // Per row: its diagonal entry of W if its links had the same compliance in all directions. This is the scale of
    // rounding errors in rows with little or no compliance (a planar linkage, across its plane).
    std::vector<double> row_size;
    SemidefiniteSolver solver;
  };
  std::optional<ByCompliance> by_compliance;
  // Workspace of LoopElimination::divide_and_conquer, beside by_compliance.
  struct ByAssembly {
    ByAssembly(const Model& model, const Plan<double>& plan, const ConstraintPlan& constraints, int threads);
    AssemblyTree tree;
    AssemblyWorkspace assembly;
    AssemblySolveWorkspace solve;
    AssemblyHandles handles;
    ResponseMatrices response;          // one matrix for all nodes
    std::unique_ptr<ForkJoin> threads;  // null for one
    std::vector<Force<double>> on_link;
  };
  std::optional<ByAssembly> by_assembly;
  // Workspace of LoopElimination::recursion.
  std::optional<LoopRecursion> by_recursion;
};

// Fills vdot of (1). f_ext as in aba.h, empty for none. `unmet` is computed only if the rank is less than the rows.
ConstraintReport constrained_dynamics(std::span<const double> q, std::span<const double> v, std::span<const double> tau,
                                      std::span<const double> f_ext, double time, ClosedChain& chain,
                                      std::span<double> vdot);

// (4)
ConstraintReport project_velocity(std::span<const double> q, std::span<double> v, double time, ClosedChain& chain);

// (5), until |g| is at most `tolerance` or no longer shrinks. For small errors; for large ones use assembly.h.
ConstraintReport project_position(std::span<double> q, double time, double tolerance, ClosedChain& chain);

// Kinematics and rows at q and v; the functions above call this first.
void place_chain(std::span<const double> q, std::span<const double> v, double time, ClosedChain& chain);

// chain.x <- -M^-1 J' (W + damping diag W)^+ b, after place_chain(). Without damping this is the motion of least
// kinetic energy with J x = -b. With holonomic_only nonholonomic rows are left out. Returns the rank.
int least_motion(std::span<const double> q, std::span<const double> b, bool holonomic_only, double damping,
                 ClosedChain& chain);

// The rest is for LoopElimination::compliance and divide_and_conquer only. W of (2), rows x rows, into
// by_compliance->row_matrix, together with the factors for respond(). After place_chain().
void row_compliance(std::span<const double> q, ClosedChain& chain);
// x <- M^-1 J' lambda
void respond(std::span<const double> q, std::span<const double> lambda, ClosedChain& chain, std::span<double> x);

}  // namespace linchpin
