#include "apps/constraint_text.h"

#include <fmt/format.h>

#include "linchpin/dynamics/loops/closed_chain.h"

namespace linchpin {
namespace {

std::string coordinate_name(const Model& model, const Coupling::Term& term) {
  for (const Joint& joint : model.joints())
    if (term.v >= joint.v && term.v < joint.v + joint.nv)
      return joint.nv == 1 ? joint.name : fmt::format("{}.{}", joint.name, term.v - joint.v);
  return "?";
}

}  // namespace

std::string kind_of(const Constraint& constraint) {
  struct {
    std::string operator()(const Loop& loop) const { return std::string(to_string(loop.type)); }
    std::string operator()(const Rod& rod) const { return fmt::format("rod {:.4g} m", rod.length); }
    std::string operator()(const Rolling& rolling) const { return rolling.sliding ? "touching" : "rolling"; }
    std::string operator()(const VelocityCondition&) const { return "velocity"; }
    std::string operator()(const Coupling& coupling) const {
      return coupling.terms.size() == 1 ? "prescribed" : "coupling";
    }
  } name;
  return std::visit(name, constraint.what) + (is_driven(constraint) ? ", driven" : "");
}

std::string ends_of(const Model& model, const Constraint& constraint) {
  return std::visit(
      [&](const auto& what) {
        if constexpr (requires { what.a; }) {
          return fmt::format("{} to {}", model.bodies()[what.a.body].name, model.bodies()[what.b.body].name);
        } else {
          std::string text;
          for (const Coupling::Term& term : what.terms)
            text += (text.empty() ? "" : ", ") + coordinate_name(model, term);
          return text;
        }
      },
      constraint.what);
}

Mobility mobility_at(const Model& model, const State& state) {
  if (model.constraints().empty()) return {0, 0, model.nv()};
  const Plan<double> plan(model);
  ClosedChain chain(model, plan, model.constraints());
  std::vector<double> v = state.v;
  const ConstraintReport report = project_velocity(state.q, v, state.time, chain);
  return {report.rows, report.rank, model.nv() - report.rank};
}

}  // namespace linchpin
