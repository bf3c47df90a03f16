// Other engines on the same mechanism, in the same process, so that times can be compared as ratios and accelerations
// digit by digit.
//
// A Peer is given a ModelSpec and then spoken to in linchpin's coordinates (spec.h's table); how each engine orders and
// measures its own is the driver's business. Every operation below starts from q and v alone: what an engine has cached
// about the current state is thrown away first, and that is part of what is timed, as it is for linchpin. Only the
// translation of coordinates, set_state() and set_accelerations(), stands outside.
//
// Contact, limits, dry friction, springs and dampers take no part: tau is the whole generalised force beside gravity.
//
// What is called:
//
// |         | forward_dynamics       | inverse_dynamics      | mass_matrix_and_solve        | kinematics            |
// |---------|------------------------|-----------------------|------------------------------|-----------------------|
// | MuJoCo  | mj_forward, all beside | mj_kinematics,        | mj_kinematics, mj_comPos,    | mj_kinematics         |
// |         | smooth dynamics off    | comPos, comVel, rne   | crb, factorM, solveM         |                       |
// | DART    | computeForwardDynamics | computeInverse-       | getMassMatrix, Eigen's LLT   | getWorldTransform     |
// |         |                        | Dynamics              |                              | of every body         |
// | Bullet  | computeAccelerations-  | not in Debian's build | not in Debian's build        | forwardKinematics     |
// |         | ArticulatedBody...     |                       |                              |                       |
// | Simbody | realize(Acceleration)  | realize(Velocity),    | realize(Position), calcM,    | realize(Position)     |
// |         |                        | calcResidualForce...  | Eigen's LLT                  |                       |
//
// Forward dynamics is by composite bodies and a sparse factorisation in MuJoCo, by articulated bodies in the others.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "linchpin/base/result.h"
#include "linchpin/model/model.h"

namespace linchpin {

class Peer {
 public:
  virtual ~Peer() = default;
  virtual std::string name() const = 0;
  virtual std::string version() const = 0;

  // Takes the mechanism over; `model` is its compiled form and gives the places of the coordinates. An Error says why
  // this engine cannot hold this mechanism; the peer is then empty, and another load() may follow.
  virtual std::optional<Error> load(const ModelSpec& spec, const Model& model) = 0;

  // Not timed. Accelerations are what inverse_dynamics() starts from; they are set after the state.
  virtual void set_state(std::span<const double> q, std::span<const double> v, std::span<const double> tau) = 0;
  virtual void set_accelerations(std::span<const double> qdd) = 0;

  // Timed. False: this engine has no such call, nothing was done.
  virtual bool forward_dynamics() = 0;       // q, v, tau -> accelerations()
  virtual bool inverse_dynamics() = 0;       // q, v, set accelerations -> forces()
  virtual bool mass_matrix_and_solve() = 0;  // M(q), its factors, and x with M x = tau -> solution()
  virtual bool kinematics() = 0;             // q -> poses()

  // Results of the operation done last, one number for each of linchpin's velocity coordinates. Not timed.
  virtual void accelerations(std::span<double> qdd) const = 0;
  virtual void forces(std::span<double> tau) const = 0;
  virtual void solution(std::span<double> x) const = 0;
  // X_WB of each of model.bodies(), the world first.
  virtual void poses(std::span<Transform<double>> X_WB) const = 0;
};

// Those that were installed when this was built, none of them loaded.
std::vector<std::unique_ptr<Peer>> available_peers();

// The names of those that were not.
std::vector<std::string> missing_peers();

}  // namespace linchpin
