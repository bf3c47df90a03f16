// Engines with contact on the same scene, in the same process: each is given a ModelSpec, stepped, and looked at.
//
// What an engine did is judged from outside, by where its bodies are: speeds are differences of places, and penetration
// is measured by linchpin's own shapes (SceneJudge), for linchpin's poses as for all others.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "linchpin/base/result.h"
#include "linchpin/geometry/scene/collision_scene.h"
#include "linchpin/model/model.h"

namespace linchpin {

class ContactEngine {
 public:
  virtual ~ContactEngine() = default;
  virtual std::string name() const = 0;
  virtual std::string version() const = 0;
  // Which of its solvers or settings, in a few words.
  virtual std::string way() const = 0;

  // Takes the scene over in its starting state, in place of the one before. An Error says in few words what this engine
  // cannot do; the engine is then empty. The spec and the model must outlive it.
  virtual std::optional<Error> load(const ModelSpec& spec, const Model& model, double dt) = 0;
  // From now on, until it says otherwise or another scene is loaded: a force on the centre of mass of a body of the
  // model. N, world's axes.
  virtual void push(int body, const Vec3<double>& force) = 0;
  // Timed: from one state to the next, forces of springs and servos and finding contacts included. An Error ends the
  // run.
  virtual std::optional<Error> step() = 0;
  // By body of the model, the world first.
  virtual void poses(std::span<Transform<double>> X_WB) = 0;
  // Points with contact in the last step, as the engine counts them.
  virtual int contacts() const = 0;
  // Of the last step's problems, relative, from those that tell.
  virtual std::optional<double> residual() const { return {}; }
  // Contacts of the last step whose sliding no finite force is consistent with [Painleve 1895], from those that tell.
  virtual std::optional<int> paradoxes() const { return {}; }
};

using ContactEngines = std::vector<std::unique_ptr<ContactEngine>>;

// linchpin as it comes, and "cold": without the memory of the step before. contact_linchpin.cc
ContactEngines linchpin_contact_engines();

// Measures on poses. The model must outlive it.
class SceneJudge {
 public:
  explicit SceneJudge(const Model& model);
  // m: how deep shapes that may touch overlap at worst, by poses of the bodies; not less than 0.
  double penetration(std::span<const Transform<double>> X_WB);
  // J: kinetic, by how bodies have moved in dt, and of height, in the middle of that. Springs are not counted.
  double energy(std::span<const Transform<double>> before, std::span<const Transform<double>> after, double dt) const;

 private:
  const Model& model_;
  CollisionScene scene_;
  SceneWorkspace ws_;
  SceneContacts contacts_;
  std::vector<Transform<double>> X_WL_;
};

}  // namespace linchpin
