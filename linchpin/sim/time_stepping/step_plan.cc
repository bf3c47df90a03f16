#include "linchpin/sim/time_stepping/step_plan.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "linchpin/base/check.h"
#include "linchpin/geometry/shapes/bounds.h"

namespace linchpin {
namespace {

// Stiffness and damping that change a velocity by less than this part within an interval are left explicit.
constexpr double least_implicit = 1e-3;

std::optional<Model> with_armature(const Model& model, std::span<const double> armature) {
  if (std::ranges::all_of(armature, [](double a) { return a == 0; })) return std::nullopt;
  return model.with_more_armature(armature);
}

// Half of the least extent along the shape's own axes. Of terrain one side is solid, so nothing gets behind it.
double half_thickness(const Shape& shape) {
  if (std::holds_alternative<HalfSpace>(shape) || std::holds_alternative<HeightField>(shape))
    return std::numeric_limits<double>::infinity();
  if (const Compound* compound = std::get_if<Compound>(&shape)) {
    double least = std::numeric_limits<double>::infinity();
    for (const PlacedShape& part : *compound->parts) least = std::min(least, half_thickness(part.shape));
    return least;
  }
  const Aabb box = bounds(shape, Transform<double>::identity());
  const Vec3<double> size = box.upper - box.lower;
  return 0.5 * std::min({size.x, size.y, size.z});
}

// (2) of energy_balance.h.
double energy_of_ten_steps(const Model& model, double dt) {
  double mass = 0;
  for (const Body& body : model.bodies())
    if (body.link > 0) mass += body.inertia.mass;
  const double speed = 10 * norm(model.gravity()) * dt;
  return 0.5 * mass * speed * speed;
}

}  // namespace

Variant::Variant(const Model& m, const Plan<double>& p, const ContactOptions& options, std::span<const double> a)
    : own_model_(with_armature(m, a)),
      model(own_model_ ? *own_model_ : m),
      plan(own_model_ ? own_plan_.emplace(model) : p),
      armature(a.begin(), a.end()),
      aba(plan),
      vdot(m.nv()),
      tau(m.nv()) {
  Result<std::unique_ptr<Formulation>> made = make_formulation(options.method, model, plan, options.threads);
  check(bool(made), "method ", to_string(options.method), ": ", made ? "" : made.error().message);
  formulation = std::move(made).value();
}

Trees::Trees(const Model& model) : of_link(model.links().size(), -1) {
  for (std::size_t i = 1; i < model.links().size(); ++i) {
    const Link& link = model.links()[i];
    of_link[i] = link.parent == 0 ? count++ : of_link[link.parent];
  }
}

StepPlan::StepPlan(const Model& m, const SimulationOptions& o)
    : model(m),
      plan(m),
      options(o.contact),
      dt(o.dt),
      is_position_level(o.stepper == Stepper::position_level || o.stepper == Stepper::higher_order),
      is_trapezoidal(o.stepper == Stepper::trapezoidal),
      gap_floor(gap_floor_of(o, m)),
      trees(m),
      contacts(m),
      joints(m),
      weights(m, plan, o.dt, o.contact.numerical_damping, is_trapezoidal),
      unresolved_energy(energy_of_ten_steps(m, o.dt)),
      mass(m.total_mass()) {
  for (const DofSpec& dof : m.dofs()) mass += dof.armature;
  check(
      options.directions != 2 || contacts.plane,
      "two directions of friction are for models that move in one plane, and this one does not: take 4 or more, or 0");
  for (const SceneShape& shape : contacts.scene.shapes()) {
    const Aabb box = bounds(shape.shape, Transform<double>::identity());
    radius.push_back(0.5 * norm(box.upper - box.lower));
    thickness.push_back(half_thickness(shape.shape));
  }
  armature.resize(m.nv());
  implicit_factors(m, weights.coordinate, o.dt, true, armature);
  const std::vector<double> factors = armature;
  implicit_armature(m, armature, armature);
  if (!is_trapezoidal) return;
  for (int k = 0; k < m.nv(); ++k)
    if (factors[k] - armature[k] > least_implicit * weights.inertia[k]) damper_rows.push_back(k);
}

StepPlan::Sway StepPlan::sway_of(int spring, const Kinematics<double>& kin, double h) const {
  const Spring& s = model.springs()[spring];
  const double length = length_of(model, kin, s), tension = s.stiffness * (length - s.length);
  if (!(length > 0 && tension > 0)) return {};
  const double stiffness = tension / length, x = h * h * stiffness * mobility_of(model, s);
  if (!(x > least_implicit)) return {};
  return {implicit_weight(x, options.numerical_damping), stiffness};
}

double StepPlan::damper_factor(int k, double h) const {
  const double theta = weights.coordinate[k];
  const DofSpec& dof = model.dofs()[k];
  const double factor = theta * (theta * h * h * dof.stiffness + h * dof.damping) - armature[k];
  return factor > least_implicit * weights.inertia[k] ? factor : 0;
}

}  // namespace linchpin
