// The five formulations of 000 and that of 004: one motion, one set of rows (rows.h), six problems.
//
//     M (v+ - v) = forces dt + J' z,    w = J v+ + offset + softness z                                             (1)
// | method | bodies in | eliminated before the solver           | rows of the problem               | file       |
// |--------|-----------|----------------------------------------|-----------------------------------|------------|
// | nmc    | maximal   | nothing                                | 6 n + hinges + loops + contacts   | nmc.cc     |
// | nmc_os | maximal   | body velocities                        | hinges + loops + contacts         | nmc_os.cc  |
// | mc     | minimal   | hinges, by the coordinates             | N + loops + contacts              | mc.cc      |
// | rmc    | minimal   | velocities and loops, dense            | contacts                          | rmc.cc     |
// | os     | minimal   | velocities, by the compliance          | loops + contacts                  | os.cc      |
// | multipliers | maximal | velocities and hinges, in O(n)       | loops + contacts                  | multipliers.cc |
// All problems are conic (solvers/problem/problem.h); polyhedral friction is made of them afterwards, so that a contact counts
// three rows there and nf + 2 here [000 (10)-(16)].
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "linchpin/base/result.h"
#include "linchpin/contact/rows.h"
#include "linchpin/dynamics/tree/mechanics.h"

namespace linchpin {

enum class Method { os, rmc, mc, nmc_os, nmc, multipliers };
inline constexpr int method_count = 6;
std::string_view to_string(Method method);
std::optional<Method> method_from(std::string_view name);
// Is every body by itself there?
constexpr bool in_maximal_coordinates(Method method) {
  return method == Method::nmc_os || method == Method::nmc || method == Method::multipliers;
}
// Is the problem that of os, row by row? Then one's solution is the other's guess.
constexpr bool has_rows_in_place(Method method) { return method == Method::os || method == Method::multipliers; }

// Where the mechanism is and what moves it. The model's armature includes what an implicit step adds for springs and
// dampers (Model::with_more_armature), plan is the model's, kin and vel are at q and v.
struct Motive {
  const Model& model;
  const Plan<double>& plan;
  const Kinematics<double>& kin;
  const Velocities& vel;
  std::span<const double> q, v;
  std::span<const double> tau;    // on coordinates, all of them; with dt = 0 not looked at
  std::span<const double> f_ext;  // as in aba.h, empty for none
  double dt = 0;                  // s; 0 for an impact
};

// Plans and scratch of one method for one model.
class Formulation {
 public:
  virtual ~Formulation() = default;
  // The problem of one step. Its last blocks are those of `rows`, in their order, but for free ones that the method
  // eliminates or puts first.
  virtual void pose(const Motive& motive, const Rows& rows, Problem& problem) = 0;
  // From its solution to v+ (by velocity coordinate) and z of (1) (by row). After pose(), with the same arguments.
  virtual void lift(const Motive& motive, const Rows& rows, std::span<const double> solution, std::span<double> v,
                    std::span<double> impulses) = 0;
};

// For motives of this model and plan; it keeps no reference to either. An Error where the method cannot take the model:
// in maximal coordinates every body that moves by itself needs a mass and moments of inertia about all axes.
Result<std::unique_ptr<Formulation>> make_formulation(Method method, const Model& model, const Plan<double>& plan);

}  // namespace linchpin
