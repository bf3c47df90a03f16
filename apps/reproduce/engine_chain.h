// The chain of 002 figure 4, stepped by one engine of forward dynamics, for the reproductions of 002 figures 5 and 6.
//
// n rods of 1 m and 1 kg, hinged in a line, are released from rest, horizontal at 1 m above the line y = 0. The chain
// floats: its root is the first rod, whose far end is P; Q is the end of the last rod. Over a step from (q, v), as in
// the paper,
//     0 <= g / h + n . u+  perp  z_N,   friction against u+     at P, or at P and Q                      [002 (4)]
//     q+ = q (+) h v+                                                                                    [002 (3)]
// A contact has its rows whether or not it touches, so that all steps of a run pose problems of one size. Nothing is
// found by collision detection, and Simulation is not used, since it takes aba() for free motion with every method.
#pragma once

#include <memory>
#include <vector>

#include "linchpin/contact/formulation.h"
#include "linchpin/contact/formulations/engine.h"
#include "linchpin/model/state.h"
#include "linchpin/solvers/problem/polyhedral.h"
#include "linchpin/solvers/solver.h"

namespace linchpin {

inline constexpr double engine_chain_dt = 1e-3;  // s, as in the paper
inline constexpr int engine_chain_steps = 2000;  // 2 s
inline constexpr double engine_chain_mu = 0.5;   // the paper does not say; 0 would make the LCP smaller

Model engine_chain_model(int rods);

// The engines of the paper, and linchpin's own O(n) engine, whose W costs O(n + m^2); that of hybrid_aba costs O(n m).
enum { chain_dense, chain_dca, chain_aba, chain_os };  // indices of chain_methods
inline constexpr Method chain_methods[] = {Method::hybrid_dense, Method::hybrid_dca, Method::hybrid_aba, Method::os};
inline constexpr const char* chain_names[] = {"mass matrix, O(n^3)", "divide and conquer", "articulated body", "os"};
inline constexpr int chain_engines = 4, engines_of_002 = 3;  // the latter without os
std::unique_ptr<Engine> make_chain_engine(Method method, const Model& model, const Plan<double>& plan);

class EngineChain {
 public:
  // contacts: 0, 1 (P) or 2 (P and Q). Without contacts a step is the engine's free motion and nothing else.
  EngineChain(const Model& model, Method method, int contacts);

  void start();  // from the initial state of the model; also forgets residuals
  void start(const State& state);
  void step();

  // The parts of a step, in this order. lift() makes v+ of the solution, move() takes the step.
  void place();
  void pose();
  void solve();
  void lift();
  void move();

  const State& state() const { return state_; }
  const Problem& conic() const { return conic_; }            // three rows a contact, of the last pose()
  const Problem& lcp() const { return lcp_; }                // (13): four rows a contact, of the last solve()
  std::span<const double> impulses() const { return z_; }    // by row of conic()
  double worst_residual() const { return worst_residual_; }  // of all LCPs since start()

 private:
  Motive motive() const;
  void add_contact(int body, const Vec3<double>& point_B);

  const Model& model_;
  const Plan<double> plan_;
  const int contacts_;
  std::unique_ptr<Engine> engine_;            // without contacts
  std::unique_ptr<Formulation> formulation_;  // with contacts

  State state_;
  double worst_residual_ = 0;
  Kinematics<double> kin_;
  Velocities vel_;
  Rows rows_;
  Problem conic_, lcp_;
  PolyhedralFriction friction_;
  Solver solver_;
  std::vector<double> tau_, v_next_, step_, z_, z_lcp_, impulses_;
};

// Processor time of this thread for a run, s.
struct ChainTiming {
  double median = 0;  // of the runs
  double least = 0;   // for each twenty steps the least time of all runs, summed: other programs disturb it least
};
// The chains take turns: each round runs every one of them once, from its initial state.
std::vector<ChainTiming> time_runs(std::span<EngineChain> chains, int steps, int rounds);

}  // namespace linchpin
