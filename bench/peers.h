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
// |         | forward_dynamics| inverse_dynamics      | mass_matrix_and_solve        | kinematics            |
// |---------|------------------------|-----------------------|------------------------------|-----------------------|
// | MuJoCo  | mj_forward, all beside| mj_kinematics,        | mj_kinematics, mj_comPos,    | mj_kinematics         |
// |         | smooth dynamics off| comPos, comVel, rne   | crb, factorM, solveM         |                       |
// | DART    | computeForwardDynamics| computeInverse-       | getMassMatrix, Eigen's LLT   | getWorldTransform     |
// |         |              | Dynamics              |                              | of every body         |
// | Bullet  | computeAccelerations-| not in Debian's build | not in Debian's build        | forwardKinematics     |
// |         | ArticulatedBody...|                       |                              |                       |
// | Simbody | realize(Acceleration)| realize(Velocity),    | realize(Position), calcM,    | realize(Position)     |
// |         |              | calcResidualForce...  | Eigen's LLT                  |                       |
//
// Forward dynamics is by composite bodies and a sparse factorisation in MuJoCo, by articulated bodies in the others.
//
// J M^-1 J' of frames in bodies (compliance.h) is nobody's single call. What is timed are the ways that each engine's
// public calls offer; some have two, of which now one is the faster and now the other:
//
// | MuJoCo  | half solves  | kinematics, comPos, crb, factorM; mj_jac of each frame; mj_solveM2, x = D^-1/2 L^-T J';  |
// |         |              | x' x. The way of its own dual solvers                                                    |
// | DART    | impulses     | a unit impulse for each column, updateBiasImpulse, updateVelocityChange, and the change  |
// |         |              | of velocity of each body. The way of its own contact solver                              |
// |         | inverse mass | J getInvMassMatrix J', Eigen's products; not where a weld carries joints: it is wrong    |
// |         | matrix       | there                                                                                    |
// | Bullet  | responses    | forward dynamics; for each row fillConstraintJacobian..., calcAccelerationDeltas...; the |
// |         |              | product J x. The way of its own contact solver                                           |
// | Simbody | operators    | realize(Position); for each column multiplyByFrameJacobianTranspose, multiplyByMInv,     |
// |         |              | multiplyByFrameJacobian                                                                  |
// |         | jacobian     | calcFrameJacobian, multiplyByMInv for each row, Eigen's product J x                      |
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "linchpin/base/result.h"
#include "linchpin/model/model.h"

namespace linchpin {

// A frame N fixed in a body of the model, not the world.
struct PeerFrame {
  int body = 0;
  Transform<double> X_BN = Transform<double>::identity();
};

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
  // Not timed. Where compliance() is asked for; after load().
  virtual void set_frames(std::span<const PeerFrame> frames) = 0;
  // How this engine can be asked for it; compliance() takes the place in this list.
  virtual std::vector<std::string> compliance_ways() const = 0;

  // Timed. False: this engine has no such call, nothing was done.
  virtual bool forward_dynamics() = 0;           // q, v, tau -> accelerations()
  virtual bool inverse_dynamics() = 0;           // q, v, set accelerations -> forces()
  virtual bool mass_matrix_and_solve() = 0;      // M(q), its factors, and x with M x = tau -> solution()
  virtual bool kinematics() = 0;                 // q -> poses()
  virtual void compliance(std::size_t way) = 0;  // q -> compliance_matrix()

  // Results of the operation done last, one number for each of linchpin's velocity coordinates. Not timed.
  virtual void accelerations(std::span<double> qdd) const = 0;
  virtual void forces(std::span<double> tau) const = 0;
  virtual void solution(std::span<double> x) const = 0;
  // X_WB of each of model.bodies(), the world first.
  virtual void poses(std::span<Transform<double>> X_WB) const = 0;
  // 6 m x 6 m for m frames, row by row; in each block (angular, linear) at the frame's origin in its axes.
  virtual void compliance_matrix(std::span<double> matrix) const = 0;
};

// Those that were installed when this was built, none of them loaded.
std::vector<std::unique_ptr<Peer>> available_peers();

// The names of those that were not.
std::vector<std::string> missing_peers();

}  // namespace linchpin
