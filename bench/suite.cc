#include "bench/suite.h"

namespace linchpin {

const std::vector<BenchSuite>& bench_suites() {
  static const std::vector<BenchSuite> suites = {
      {"dynamics", "forward and inverse dynamics, mass matrix and kinematics of chains and robots", bench_dynamics},
      {"solvers", "complementarity problems to a given residual: contact, friction, boxes, stacks and piles",
       bench_solvers},
      {"compliance", "J M^-1 J' of nodes of chains and robots, beside the dense way and the peers", bench_compliance},
      {"loops", "forward dynamics of closed chains, rows at once and loop by loop", bench_loops},
      {"multipliers", "Lagrange multipliers in linear time, beside aba, general sparse solvers and conjugate gradients",
       bench_multipliers},
      {"hybrid", "the engines of 002 behind one formulation; divide and conquer on several processors", bench_hybrid},
      {"geometry", "contacts of pairs of shapes, and the near pairs of 1000 moving boxes", bench_geometry},
      {"contact", "scenes with contact, friction and impact: what comes out, and us per step", bench_contact},
      {"steppers", "work and precision of every stepper on ten scenes, against event_driven as the referee",
       bench_steppers},
  };
  return suites;
}

}  // namespace linchpin
