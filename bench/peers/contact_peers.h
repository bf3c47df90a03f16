// Other engines on our scenes with contact (../contact_scene.h), those that are installed.
//
// | engine  | way                 | what is called                                                                    |
// |---------|---------------------|-----------------------------------------------------------------------------------|
// | MuJoCo  | Newton              | mj_step as it comes: soft contacts, pyramids of friction                          |
// |         | cones, noslip       | elliptic cones, five iterations of noslip                                         |
// |         | CG                  | its solver for many contacts                                                      |
// | Bullet  | 10 sweeps           | stepSimulation as it comes, with two directions of friction: rigid bodies where   |
// |         |                     | all fly free, else a multibody                                                    |
// | DART    | Dantzig, PGS        | World::step with its own collision detector, half-spaces as large boxes           |
// | ODE     | exact, quick        | dWorldStep, or dWorldQuickStep with 20 iterations; joints are constraints there   |
// | Simbody | PLUS, PGS           | SemiExplicitEulerTimeStepper with unilateral contacts for every pair that may     |
// |         |                     | touch: spheres, and corners of boxes on planes                                    |
//
// Restitution: MuJoCo has none, and gets a spring and a damper of one contact instead that are as stiff as its step
// allows; Bullet bounces rightly only with a contact processing threshold of 0 and without split impulses. Springs and
// servos of joints are explicit forces before each step, the same in all.
#pragma once

#include <string>
#include <vector>

#include "bench/contact_scene.h"
#include "bench/peers/drivers.h"

namespace linchpin {

// One for each way, with nothing loaded; and the names of those that were not installed.
ContactEngines available_contact_peers();
std::vector<std::string> missing_contact_peers();

// ---- for the drivers ----

struct PeerShape {
  int node;   // -1: the world
  int index;  // of model.shapes()
  Shape shape;
  Transform<double> X_BG;
};
// -stiffness (q - rest) - damping v on a node with one coordinate.
struct PeerSpring {
  std::size_t node;
  double stiffness, rest, damping;
};

// A force on a node's centre of mass, world's axes.
struct PeerPush {
  std::size_t node;
  Vec3<double> force;
};

// A scene as the drivers want it.
struct PeerScene {
  std::vector<PeerNode> nodes;
  std::vector<Transform<double>> X_WB;  // by node, at the start
  std::vector<Motion<double>> V_WB;     // the same: angular, and linear of the body's origin; world's axes
  std::vector<double> q, v;             // by node: of those with one coordinate
  std::vector<PeerShape> shapes;        // that may touch others
  std::vector<PeerSpring> springs;
  std::optional<PeerPush> push;
  double mu = 0, restitution = 0;  // of all
  Vec3<double> gravity{0, 0, 0};
  std::shared_ptr<const CollisionScene> collision;

  // Which node is this body of the model, not the world?
  std::size_t node_of_body(int body) const;
  bool wanted(const PeerShape& a, const PeerShape& b) const;
  // Whether any two that move may touch.
  bool among_bodies() const;
  // Nothing but bodies that fly free.
  bool all_free() const;
};

// An Error names what no driver takes: shapes but spheres, boxes, capsules and the world's half-spaces, other joints
// than drivers.h has, surfaces that differ, loops, armature, and the like.
Result<PeerScene> peer_scene(const ModelSpec& spec, const Model& model);

ContactEngines make_mujoco_contact();
ContactEngines make_bullet_contact();
ContactEngines make_dart_contact();
ContactEngines make_ode_contact();
ContactEngines make_simbody_contact();

}  // namespace linchpin
