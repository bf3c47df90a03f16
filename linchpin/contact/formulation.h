// The formulations of 000, 002 and 004. All pose the same step with the same rows (rows.h),
//     M (v+ - v) = forces dt + J' z,    w = J v+ + offset + softness z                                             (1)
// as a complementarity problem. They differ in the unknowns that they eliminate first, and give the same motion:
// | method       | coordinates | eliminated before the solver   | rows of the problem             | formulations/   |
// |--------------|-------------|--------------------------------|---------------------------------|-----------------|
// | nmc          | maximal     | nothing                        | 6 n + hinges + loops + contacts | nmc.cc          |
// | nmc_os       | maximal     | body velocities                | hinges + loops + contacts       | nmc_os.cc       |
// | mc           | minimal     | hinges, by the coordinates     | N + loops + contacts            | mc.cc           |
// | rmc          | minimal     | velocities and loops, dense    | contacts                        | rmc.cc          |
// | os           | minimal     | velocities, by the compliance  | loops + contacts                | os.cc           |
// | hybrid_dense | minimal     | velocities, by the mass matrix | loops + contacts                | hybrid_dense.cc |
// | hybrid_aba   | minimal     | velocities, in two sweeps      | loops + contacts                | hybrid_aba.cc   |
// | hybrid_dca   | minimal     | velocities, divide and conquer | loops + contacts                | hybrid_dca.cc   |
// | multipliers  | maximal     | velocities and hinges, in O(n) | loops + contacts                | multipliers.cc  |
// The last five pose the identical problem, whose matrix is the Delassus matrix W = J M^-1 J' plus the softness on its
// diagonal: one formulation (hybrid.cc) on five engines of forward dynamics (engine.h).
// All problems are conic (solvers/problem/problem.h): a contact has three rows. 000 and 002 have nf + 2 rows for each
// [000 (10)-(16); 002 (11)]: polyhedral friction, which solvers/problem/polyhedral.h makes of the conic problem.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "linchpin/base/result.h"
#include "linchpin/contact/rows.h"
#include "linchpin/dynamics/tree/mechanics.h"

namespace linchpin {

enum class Method { os, rmc, mc, nmc_os, nmc, multipliers, hybrid_dense, hybrid_aba, hybrid_dca };
inline constexpr int method_count = 9;
std::string_view to_string(Method method);
std::optional<Method> method_from(std::string_view name);
// True if the unknowns are the velocities of single bodies and joints are constraints between them.
constexpr bool in_maximal_coordinates(Method method) {
  return method == Method::nmc_os || method == Method::nmc || method == Method::multipliers;
}
// True if motion without rows is left to the formulation too: in maximal coordinates hinges are still to be solved for,
// and two of the hybrid engines are not aba().
constexpr bool moves_freely_by_itself(Method method) {
  return in_maximal_coordinates(method) || method == Method::hybrid_dense || method == Method::hybrid_dca;
}
// True if the rows of the problem are those of `os` in the same order, so that a solution of one warm-starts the other.
constexpr bool has_rows_in_place(Method method) {
  return method == Method::os || method == Method::multipliers || method == Method::hybrid_dense ||
         method == Method::hybrid_aba || method == Method::hybrid_dca;
}

// The state of the mechanism and the forces on it. The model's armature includes the terms that an implicit step adds
// for springs and dampers (Model::with_more_armature). plan belongs to the model; kin and vel are evaluated at q and v.
struct Motive {
  const Model& model;
  const Plan<double>& plan;
  const Kinematics<double>& kin;
  const Velocities& vel;
  std::span<const double> q, v;
  std::span<const double> tau;    // joint forces, by velocity coordinate; not read if dt = 0
  std::span<const double> f_ext;  // as in aba.h, empty for none
  double dt = 0;                  // s; 0 for an impact
  // The velocities that velocity products (Coriolis, centrifugal and gyroscopic forces) are evaluated at; empty for v.
  std::span<const double> v_products = {};

  std::span<const double> products() const { return v_products.empty() ? v : v_products; }
};

// Precomputed data and workspace of one formulation for one model.
class Formulation {
 public:
  virtual ~Formulation() = default;
  // Poses the problem of one step. Returns where the blocks of `rows` are in it: for each its block of the problem, or
  // -1 if the method has eliminated it. Valid until the next call.
  virtual std::span<const int> pose(const Motive& motive, const Rows& rows, Problem& problem) = 0;
  // Poses the problem again with other joint forces: motive and rows are those of the last pose(), but tau has changed
  // by `change`. The matrix of the problem stays.
  virtual void repose(const Motive& motive, [[maybe_unused]] std::span<const double> change, const Rows& rows,
                      Problem& problem) {
    pose(motive, rows, problem);
  }
  // Computes v+ (by velocity coordinate) and z of (1) (by row) from the solution of the problem. Call after pose(),
  // with the same arguments.
  virtual void lift(const Motive& motive, const Rows& rows, std::span<const double> solution, std::span<double> v,
                    std::span<double> impulses) = 0;
};

// A formulation for motives of this model and plan; it keeps no reference to either. Error if the method cannot handle
// the model: in maximal coordinates every moving body needs a mass and moments of inertia about all axes. threads: how
// many share the work of hybrid_dca, at least 1; they change no bit. Other methods use one.
Result<std::unique_ptr<Formulation>> make_formulation(Method method, const Model& model, const Plan<double>& plan,
                                                      int threads = 1);

}  // namespace linchpin
