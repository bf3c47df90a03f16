// Models as JSON, as far as a short run.
#include <cmath>

#include <gtest/gtest.h>

#include "linchpin/dynamics/loops/assembly.h"
#include "linchpin/io/spec_json.h"
#include "linchpin/model/scenes.h"
#include "linchpin/sim/certificate.h"
#include "linchpin/sim/simulation.h"
#include "tests/fuzz/fuzz.h"

namespace linchpin {
namespace {

bool all_finite(const std::vector<double>& x) {
  for (const double number : x)
    if (!std::isfinite(number)) return false;
  return true;
}

// A few steps. A run that passes has finite numbers only.
void run(const Model& model) {
  State state = make_state(model);
  const AssemblyOptions quick{.max_iterations = 20, .tries = 2, .held = {}};
  if (!model.constraints().empty() && !assemble(model, state, quick).closed()) return;
  Simulation simulation(model, {});
  RunMonitor monitor(model);
  monitor.start(state);
  for (int i = 0; i < 3; ++i) {
    const StepReport report = simulation.step(state);
    monitor.add(state, report);
    promise(all_finite(state.q) && all_finite(state.v), "a state with NaN or infinity after a step");
    if (!report.ok()) break;
  }
  const Certificate& c = monitor.certificate();
  if (!c.passed()) return;
  promise(std::isfinite(c.residual) && std::isfinite(c.penetration) && std::isfinite(c.loop_error) &&
              std::isfinite(c.energy.stored),
          "a certificate that passed has NaN or infinity");
}

bool read_model(const std::string& text) {
  const Result<ModelSpec> spec = spec_from_json(text);
  if (!spec) {
    promise(!spec.error().message.empty(), "an error without a message");
    return false;
  }
  const std::string written = spec_to_json(spec.value());
  const Result<ModelSpec> again = spec_from_json(written);
  promise(again.ok(), "a model that was read cannot be read after writing");
  promise(spec_to_json(again.value()) == written, "a model that was read is another one after writing");
  const Result<Model> model = compile(spec.value());
  if (!model) return false;
  run(model.value());
  return true;
}

TEST(Fuzz, ModelJson) {
  FuzzTarget target{.name = "model JSON", .seeds = {}, .words = {}, .inputs = 2000, .read = read_model};
  for (const char* name : {"@pendulum:links=3", "@planar_walker", "@top", "@random_tree:bodies=6", "@four_bar",
                           "@slider_crank", "@governor", "@rolling_disc", "@gripper", "@slope", "@bounce", "@cradle",
                           "@stack:boxes=2", "@grip", "@cart_pole"}) {
    const Result<ModelSpec> spec = scene(name);
    ASSERT_TRUE(spec.ok()) << name << ": " << spec.error().message;
    target.seeds.push_back(spec_to_json(spec.value()));
  }
  target.words = {"revolute", "prismatic", "screw",   "cylindrical", "universal", "planar",     "translational",
                  "ball",     "free",      "weld",    "box",         "sphere",    "capsule",    "cylinder",
                  "cone",     "ellipsoid", "mesh",    "hull",        "compound",  "half_space", "height_field",
                  "loop",     "rod",       "rolling", "coupling",    "velocity",  "true",       "false",
                  "null",     "world",     "name",    "kind"};
  fuzz(target);
}

}  // namespace
}  // namespace linchpin
