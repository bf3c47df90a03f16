// What a step with contact knows before it begins: the model, its options and the analyses that depend on them only.
// Internal to sim/.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "linchpin/contact/contact_set.h"
#include "linchpin/contact/formulation.h"
#include "linchpin/contact/joint_rows.h"
#include "linchpin/dynamics/tree/articulated_factor.h"
#include "linchpin/sim/simulation.h"

namespace linchpin {

// The mechanism with additional armature (joint_rows.h (4)), and the formulation of its problems. Where the armature is
// zero, the model and plan given are used, not copies.
class Variant {
 public:
  Variant(const Model& model, const Plan<double>& plan, const ContactOptions& options,
          std::span<const double> armature);
  Variant(const Variant&) = delete;  // it refers to itself
  Variant& operator=(const Variant&) = delete;

 private:
  std::optional<Model> own_model_;
  std::optional<Plan<double>> own_plan_;

 public:
  const Model& model;
  const Plan<double>& plan;
  const std::vector<double> armature;  // what was added
  AbaWorkspace<double> aba;
  std::vector<double> vdot, tau;  // workspace
  std::unique_ptr<Formulation> formulation;
};

// The trees of a model: each consists of the links that hang on the world by one joint.
struct Trees {
  explicit Trees(const Model& model);
  int count = 0;
  std::vector<int> of_link;  // -1 for the world
};

// A contact has no lever if its inverse effective mass W_nn (of its normal row) is
//     W_nn < least_mobility / mass of the model, with all armature, kg (kg m^2 as at a lever of 1 m)              (1)
// An example is a chain whose last link has folded back onto a hinge: the force passes through both hinges and hardly
// moves anything. No impulse of sensible size could keep such a contact on a curved path, and it would spoil the
// problem of all other contacts. So it gets no row and no landing. Its penetration is corrected (penetration.h), and
// reported.
inline constexpr double least_mobility = 1e-5;

struct StepPlan {
  StepPlan(const Model& model, const SimulationOptions& options);

  const Model& model;
  const Plan<double> plan;  // of the model
  const ContactOptions options;
  const double dt;               // s
  const bool is_position_level;  // of position_level and higher_order (position_level.h)
  const bool is_trapezoidal;     // springs, dampers and gyroscopic moments are implicit without exception
  const double gap_floor;        // m, of those
  const Trees trees;
  const ContactPlan contacts;
  const JointRowPlan joints;
  const ImplicitWeights weights;   // for steps of dt
  const double unresolved_energy;  // (2) of energy_balance.h, J
  double mass;                     // of (1), kg
  std::vector<int> damper_rows;    // is_trapezoidal: coordinates whose dampers need rows, (7) of joint_rows.h
  std::vector<double> armature;    // of springs, dampers and all servos, for steps of dt ((4) of joint_rows.h)
  std::vector<double> radius;      // per shape: half of its extent, m; infinite for unbounded shapes
  std::vector<double> thickness;   // per shape: half of its least extent, of its thinnest part; infinite for terrain, m

  // A gap up to this counts as touch, m.
  double touch_gap() const { return 10 * options.position_tolerance; }
  // The gap that a row (2) of contact_stepper.h closes over a step. Gaps that count as touch are not closed: where more
  // contacts hold a body than are needed, gaps of rounding cannot all be closed at once; they would decide which foot
  // of a box carries its weight, and change that in every step. Larger gaps are closed completely, not down to the
  // touch gap, otherwise all gaps would end up there.
  // At the position level all gaps are, down to the floor.
  double gap_to_close(double gap) const {
    if (is_position_level) return gap > gap_floor ? gap : gap_floor;
    return gap > touch_gap() ? gap : 0.0;
  }

  // theta and T / L of the sway rows of a spring, (6) of joint_rows.h; a stiffness of 0: it needs none. kin: at the
  // start of the interval.
  struct Sway {
    double theta = 0.5, stiffness = 0;
  };
  Sway sway_of(int spring, const Kinematics<double>& kin, double h) const;
  // The factor of (7) for an interval of length h; 0 where the coordinate needs no row.
  double damper_factor(int coordinate, double h) const;

  bool may_sleep() const { return options.sleep_after > 0; }
};

}  // namespace linchpin
