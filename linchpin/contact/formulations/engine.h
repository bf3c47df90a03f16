// Forward dynamics as contact sees it: "the acceleration of any point is a linear function of the forces at any
// points" [002 s.2.3]. With forces F on chosen links,
//     v+ = v_free + M^-1 J' F,    motion of the chosen links = J v_free + W F,    W = J M^-1 J'                   (1)
// An engine computes the parts of (1). hybrid.cc makes the complementarity problem of them [002 (11), (13)], so that
// all engines pose the identical problem. They differ in the algorithm:
//
// | engine       | algorithm                                              | m links in one tree | file            |
// |--------------|--------------------------------------------------------|---------------------|-----------------|
// | os           | compliance of paths [000 s.6; 001]                     | O(n + m^2)          | os.cc           |
// | hybrid_dense | mass matrix [002 s.3.1]                                | O(n^3 + n^2 m)      | hybrid_dense.cc |
// | hybrid_aba   | forces carried through both sweeps [002 s.3.2, (15)]   | O(n m)              | hybrid_aba.cc   |
// | hybrid_dca   | divide and conquer with handles [002 s.3.3, (16)-(17)] | O(n + m^2 log n)    | hybrid_dca.cc   |
// | multipliers  | constraint forest, maximal coordinates [004]           | O(n m)              | multipliers.cc  |
#pragma once

#include <memory>
#include <span>

#include "linchpin/contact/formulation.h"
#include "linchpin/dynamics/compliance/response_matrices.h"
#include "linchpin/dynamics/maximal/body_inverse.h"

namespace linchpin {

// Six-vectors of links are about their origins in their axes, angular over linear.
class Engine {
 public:
  virtual ~Engine() = default;

  // Fills v_free: v + dt M^-1 (tau - bias(q, v_products, f_ext)), or v if dt = 0. What else is asked for belongs to
  // this motive.
  virtual void free_velocity(const Motive& motive, std::span<double> v_free) = 0;
  // The links whose responses are asked for from now on, and for each its group: links that joints with forces connect.
  // Links of a group are consecutive and ascending. W is zero between groups and not asked for.
  virtual void choose(const Motive& motive, std::span<const int> links, std::span<const int> group) = 0;
  // One for each chosen link, valid until the next call.
  virtual std::span<const LinkResponse> response(const Motive& motive) = 0;
  // x <- M^-1 (x + J' F), with one force per link of the model, zero on links that are not chosen; or none.
  virtual void lift(const Motive& motive, std::span<const Force<double>> on_link, std::span<double> x) = 0;

  // For engines whose W is a difference of larger numbers. By chosen link, the compliance that it is a difference from
  // (EliminatedProblem::assemble()); and a more accurate W, where a row moves least_share of that: false if there is
  // none.
  virtual std::span<const Matrix36> without_joints() const { return {}; }
  virtual bool refine(const Motive&, [[maybe_unused]] double least_share) { return false; }
};

std::unique_ptr<Engine> make_compliance_engine(const Model& model, const Plan<double>& plan);
std::unique_ptr<Engine> make_dense_engine(const Model& model, const Plan<double>& plan);
std::unique_ptr<Engine> make_aba_engine(const Model& model, const Plan<double>& plan);
std::unique_ptr<Engine> make_dca_engine(const Model& model, const Plan<double>& plan, int threads);
// Only for models in which MaximalBodies::find_fault() finds no fault.
std::unique_ptr<Engine> make_multiplier_engine(const Model& model);

}  // namespace linchpin
