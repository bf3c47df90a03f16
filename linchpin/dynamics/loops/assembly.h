// Puts a mechanism together: from a rough state to one that satisfies its constraints.
//
// Positions by Levenberg's and Marquardt's method on the rows g that have any, each in units of its own give:
//     q <- q (+) -M^-1 J' (Lambda + mu diag Lambda)^-1 g                                                       (1)
// Steps are those of least kinetic energy, so that what is light moves first. mu grows while a step does not bring the
// rows nearer, and shrinks to nothing, Newton's method, when it does. Where the rows' sum of squares has a lowest point
// that is not zero (or a saddle: a linkage stretched out straight), it begins anew from a state that has been shaken, more
// each time, by the same random numbers always. Velocities then follow by one projection (closed_chain.h (4)).
#pragma once

#include <vector>

#include "linchpin/dynamics/loops/closed_chain.h"
#include "linchpin/model/state.h"

namespace linchpin {

struct AssemblyOptions {
  double tolerance = 1e-12;  // on |g|, m or rad; rounding may leave more in large mechanisms, which is accepted
  int max_iterations = 200;  // of (1), per try
  int tries = 10;            // the first from the state as it is
  std::vector<int> held;     // velocity coordinates, of joints that have coordinates proper, whose q and v are to stay
};

enum class AssemblyStatus { closed, not_closed, velocities_contradict, not_finite };
std::string_view to_string(AssemblyStatus status);

struct AssemblyReport {
  AssemblyStatus status = AssemblyStatus::closed;
  int iterations = 0, tries = 1;
  double error = 0;        // largest |g|, m or rad; of the nearest state found when not closed
  double speed_error = 0;  // largest |gdot|
  std::string worst;       // the constraint where that is
  bool closed() const { return status == AssemblyStatus::closed; }
};

// state.q and state.v, at state.time, onto all constraints of the model. When it fails the state is as before.
AssemblyReport assemble(const Model& model, State& state, const AssemblyOptions& options = {});

}  // namespace linchpin
