#include "bench/stepper_scenes.h"

#include <cmath>
#include <numbers>
#include <utility>

#include "linchpin/base/larger.h"
#include "linchpin/model/scenes.h"

namespace linchpin {
namespace {

Material rough(double mu, double restitution = 0) { return {.friction = {mu, mu}, .restitution = restitution}; }

ModelSpec floor_of(const Material& material) {
  ModelSpec spec;
  spec.world_geometry.push_back({.name = "floor", .shape = HalfSpace{}, .material = material});
  return spec;
}

void add_free(ModelSpec& spec, double mass, const Sym3<double>& moments, std::vector<GeometrySpec> shapes) {
  spec.bodies.push_back({.name = "body", .inertia = {mass, {0, 0, 0}, moments}, .geometry = std::move(shapes)});
  JointSpec joint;
  joint.name = "free";
  joint.type = JointType::free;
  joint.child = "body";
  spec.joints.push_back(joint);
}

StepperScene free_flight() {
  ModelSpec spec = scene("@quadruped").value();
  for (JointSpec& joint : spec.joints)
    for (DofSpec& dof : joint.dofs) dof = {.armature = dof.armature};  // no limits
  const Model model = compile(spec).value();
  const State start = random_state(model, 3, 0.8, 2);
  return {"free flight", "@quadruped without limits, from a random state", spec, start.q, start.v, 0.256, 4e-3, true};
}

StepperScene spinning_body() {
  ModelSpec spec;
  spec.gravity = {0, 0, 0};
  add_free(spec, 1, Sym3<double>::diagonal(0.05, 0.1, 0.12), {});
  return {"spinning body",
          "at 30 rad/s about no principal axis",
          spec,
          {1, 0, 0, 0, 0, 0, 0},
          {3, 30, 3, 0, 0, 0},
          0.256,
          4e-3,
          true};
}

StepperScene sliding() {
  return {"sliding", "@slope:angle=35: a box slides down", scene("@slope:angle=35").value(), {}, {}, 0.512, 8e-3};
}

StepperScene turning_slip() {
  ModelSpec spec = floor_of(rough(0.3));
  std::vector<GeometrySpec> feet;
  for (int i = 0; i < 3; ++i) {
    const double a = 2 * std::numbers::pi * i / 3 + 0.2;
    feet.push_back({.name = "foot" + std::to_string(i), .shape = Sphere{0.05}, .material = rough(0.3)});
    feet.back().X_BG.p = {0.4 * std::cos(a), 0.4 * std::sin(a), -0.2};
  }
  add_free(spec, 2, Sym3<double>::diagonal(0.1, 0.12, 0.2), feet);
  return {"turning slip",
          "a plate on three feet slides and turns",
          spec,
          {1, 0, 0, 0, 0, 0, 0.25},
          {0, 0, 4, 1, 0.5, 0},
          0.256,
          4e-3};
}

StepperScene rolling() {
  ModelSpec spec = floor_of(rough(0.9));
  add_free(spec, 1, Sym3<double>::diagonal(0.01, 0.012, 0.006),
           {{.name = "egg", .shape = Ellipsoid{{0.1, 0.12, 0.2}}, .material = rough(0.9)}});
  return {"rolling", "an ellipsoid rolls on a floor", spec, {1, 0, 0, 0, 0, 0, 0.2}, {0.8, 1, 0, 0.2, -0.16, 0}, 0.4,
          8e-3};
}

StepperScene impact() {
  return {"impact", "@falling_chain: three rods land on one end", scene("@falling_chain").value(), {}, {}, 0.512, 4e-3};
}

StepperScene stack() {
  return {"stack", "@stack:boxes=4 at rest", scene("@stack:boxes=4").value(), {}, {}, 0.256, 8e-3};
}

StepperScene humanoid() {
  const ModelSpec spec = scene("@stand").value();
  const Model model = compile(spec).value();
  std::vector<double> v = make_state(model).v;
  v[4] = 0.1;  // the pelvis is pushed sideways, m/s
  return {"humanoid", "@stand, its pelvis pushed at 0.1 m/s", spec, {}, v, 0.064, 4e-3};
}

StepperScene slider() {
  return {"loose slider",
          "@loose_slider: a slider crank with clearance",
          scene("@loose_slider").value(),
          {},
          {},
          0.016,
          2e-4};
}

StepperScene dry_friction() {
  ModelSpec spec;
  spec.gravity = {0, 0, 0};
  spec.bodies = {{.name = "mass", .inertia = {.mass = 1}, .geometry = {}}};
  JointSpec rail;
  rail.name = "rail";
  rail.type = JointType::prismatic;
  rail.child = "mass";
  rail.dofs = {DofSpec{.stiffness = 100, .dry_friction = 3}};
  spec.joints = {rail};
  return {"dry friction", "a mass on a spring with dry friction turns back twice", spec, {0.5}, {0}, 0.8, 8e-3};
}

}  // namespace

std::vector<StepperScene> stepper_scenes() {
  return {free_flight(), spinning_body(), sliding(),  turning_slip(), rolling(),
          impact(),      stack(),         humanoid(), slider(),       dry_friction()};
}

double error_of(const Model& model, const State& state, const State& truth) {
  std::vector<double> step(state.v.size());
  difference(model, state.q, truth.q, step);
  double most = 0;
  for (const double x : step) most = larger(most, std::abs(x));
  return most;
}

}  // namespace linchpin
