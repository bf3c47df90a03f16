// Assembly: moves a rough state onto the constraints of its mechanism.
//
// Positions are found by the Levenberg-Marquardt method on the holonomic rows g, each scaled by its compliance:
//     q <- q (+) -M^-1 J' (W + mu diag W)^-1 g,   W = J M^-1 J'                                                (1)
// Each step has the least kinetic energy, so light bodies move first. mu grows while a step does not reduce |g| and
// shrinks to zero (Newton's method) when it does. If the sum of squares has a minimum that is not zero, or a saddle (a
// linkage stretched out straight), the search restarts from a randomly perturbed state, perturbed more each time; the
// random numbers are always the same. Velocities follow by one projection (closed_chain.h (4)).
#pragma once

#include <vector>

#include "linchpin/dynamics/loops/closed_chain.h"
#include "linchpin/model/state.h"

namespace linchpin {

struct AssemblyOptions {
  double tolerance = 1e-12;  // on |g|, m or rad; a larger residual is accepted where rounding causes it
  int max_iterations = 200;  // of (1), per try
  int tries = 10;            // the first one starts from the given state
  std::vector<int> held;     // velocity coordinates whose q and v stay fixed; not of ball or free joints
};

enum class AssemblyStatus { closed, not_closed, velocities_contradict, not_finite };
std::string_view to_string(AssemblyStatus status);

struct AssemblyReport {
  AssemblyStatus status = AssemblyStatus::closed;
  int iterations = 0, tries = 1;
  double error = 0;        // largest |g|, m or rad; if not closed, that of the nearest state found
  double speed_error = 0;  // largest |gdot|
  std::string worst;       // the constraint with the largest error
  bool closed() const { return status == AssemblyStatus::closed; }
};

// Moves state.q and state.v onto all constraints of the model at state.time. On failure the state is unchanged.
AssemblyReport assemble(const Model& model, State& state, const AssemblyOptions& options = {});

}  // namespace linchpin
