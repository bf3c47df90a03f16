#include "linchpin/model/resolve_constraints.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "linchpin/model/spec_check.h"
#include "linchpin/spatial/message.h"
#include "linchpin/spatial/quaternion.h"

namespace linchpin {
namespace {

bool zero(const Vec3<double>& v) { return v.x == 0 && v.y == 0 && v.z == 0; }

bool is_zero(const TimeLaw& law) { return law.polynomial.empty() && law.amplitude == 0; }

std::string fault_of(const TimeLaw& law) {
  for (const double c : law.polynomial)
    if (!std::isfinite(c)) return message("a coefficient of its time law is ", c, "; it must be finite");
  for (const double x : {law.amplitude, law.frequency, law.phase})
    if (!std::isfinite(x)) return message("a sine parameter of its time law is ", x, "; it must be finite");
  return {};
}

// Resolves the names of one constraint or spring; keeps the first fault.
class Resolver {
 public:
  explicit Resolver(const Model& model) : model_(model) {}
  std::string fault;

  void refuse(const std::string& what) {
    if (fault.empty()) fault = what;
  }

  Attachment attachment(const FrameOnBody& frame, const char* which) {
    const int body = model_.find_body(frame.body);
    if (body < 0) {
      refuse(message("frame ", which, ": there is no body '", frame.body, "'"));
      return {};
    }
    if (const std::string wrong = linchpin::fault_of(frame.X_BF); !wrong.empty()) {
      refuse(message("frame ", which, ": ", wrong));
      return {};
    }
    return {body, {to_rotation(from_rotation(frame.X_BF.R)), frame.X_BF.p}};
  }

  // Both ends of a constraint or spring between two links.
  void ends(const FrameOnBody& a, const FrameOnBody& b, Attachment& to_a, Attachment& to_b) {
    to_a = attachment(a, "A");
    to_b = attachment(b, "B");
    if (!fault.empty()) return;
    const auto link = [&](const Attachment& end) { return model_.bodies()[end.body].link; };
    if (link(to_a) == link(to_b))
      refuse(message("bodies '", a.body, "' and '", b.body, "' cannot move relative to each other: ",
                     to_a.body == to_b.body ? "they are the same body" : "they are welded together"));
  }

  Constraint operator()(const LoopSpec& spec) {
    Loop loop{.type = spec.type, .a = {}, .b = {}, .pitch = spec.pitch, .displacement = spec.displacement};
    if (static_cast<int>(spec.type) < 0 || static_cast<int>(spec.type) >= loop_type_count) {
      refuse(message("unknown loop type ", static_cast<int>(spec.type)));
      return {};
    }
    ends(spec.a, spec.b, loop.a, loop.b);
    if (!std::isfinite(spec.pitch)) refuse(message("pitch is ", spec.pitch, " m/rad; it must be finite"));
    if (spec.pitch != 0 && spec.type != LoopType::screw)
      refuse(message("pitch is ", spec.pitch, " m/rad; a ", to_string(spec.type), " has none"));
    const LoopHold hold = hold_of(spec.type);
    for (std::size_t k = 0; k < 3; ++k) {
      if (const std::string wrong = fault_of(spec.displacement[k]); !wrong.empty()) refuse(wrong);
      if (!hold.along[k] && !is_zero(spec.displacement[k]))
        refuse(message("displacement along ", "xyz"[k], " is given; a ", to_string(spec.type),
                       " does not constrain that axis"));
    }
    return {{}, loop};
  }

  Constraint operator()(const RodSpec& spec) {
    Rod rod{.a = {}, .b = {}, .length = spec.length, .extension = spec.extension};
    ends(spec.a, spec.b, rod.a, rod.b);
    if (!(spec.length > 0 && std::isfinite(spec.length)))
      refuse(message("length is ", spec.length, " m; it must be positive and finite (use a ball loop for zero)"));
    if (const std::string wrong = fault_of(spec.extension); !wrong.empty()) refuse(wrong);
    return {{}, rod};
  }

  Constraint operator()(const RollingSpec& spec) {
    Rolling rolling{.a = {}, .b = {}, .half_axes = spec.half_axes, .sliding = spec.sliding};
    ends(spec.a, spec.b, rolling.a, rolling.b);
    const Vec3<double>& h = spec.half_axes;
    const int round = int(h.x > 0) + int(h.y > 0) + int(h.z > 0);
    if (!all_finite(h) || h.x < 0 || h.y < 0 || h.z < 0 || round < 2)
      refuse(message("half axes ", to_string(h), " m: all must be finite, none negative, at least two positive"));
    return {{}, rolling};
  }

  Constraint operator()(const VelocitySpec& spec) {
    VelocityCondition row{.a = {}, .b = {}, .angular = spec.angular, .linear = spec.linear, .speed = spec.speed};
    ends(spec.a, spec.b, row.a, row.b);
    if (!all_finite(spec.angular) || !all_finite(spec.linear) || (zero(spec.angular) && zero(spec.linear)))
      refuse(message("angular ", to_string(spec.angular), " and linear ", to_string(spec.linear),
                     " do not define a direction"));
    if (const std::string wrong = fault_of(spec.speed); !wrong.empty()) refuse(wrong);
    return {{}, row};
  }

  Constraint operator()(const CouplingSpec& spec) {
    Coupling coupling{.terms = {}, .value = spec.value};
    if (spec.terms.empty()) refuse("has no terms");
    for (const CouplingSpec::Term& term : spec.terms) {
      const int j = model_.find_joint(term.joint);
      if (j < 0) {
        refuse(message("there is no joint '", term.joint, "'"));
        break;
      }
      const Joint& joint = model_.joints()[j];
      if (joint.type == JointType::ball || joint.type == JointType::free)
        refuse(message("joint '", term.joint, "' is ", to_string(joint.type),
                       "; its position has no coordinates to couple"));
      else if (term.coordinate < 0 || term.coordinate >= joint.nv)
        refuse(message("joint '", term.joint, "' (", to_string(joint.type), ") has ", joint.nv,
                       " coordinates; there is no coordinate ", term.coordinate));
      if (!std::ranges::all_of(term.polynomial, [](double c) { return std::isfinite(c); }))
        refuse(message("the polynomial of joint '", term.joint, "' is not finite"));
      if (!fault.empty()) break;
      const int v = joint.v + term.coordinate;
      const auto link = std::ranges::find_if(model_.links(), [&](const Link& l) { return l.nv == 1 && l.v == v; });
      coupling.terms.push_back({int(link - model_.links().begin()), joint.q + term.coordinate, v, term.polynomial});
    }
    const auto moves = [](const CouplingSpec::Term& term) {
      for (std::size_t k = 1; k < term.polynomial.size(); ++k)
        if (term.polynomial[k] != 0) return true;
      return false;
    };
    if (!std::ranges::any_of(spec.terms, moves)) refuse("none of its polynomials depends on a coordinate");
    if (const std::string wrong = fault_of(spec.value); !wrong.empty()) refuse(wrong);
    return {{}, coupling};
  }

 private:
  const Model& model_;
};

}  // namespace

int row_count(const Constraint& constraint) {
  if (const auto* loop = std::get_if<Loop>(&constraint.what)) return row_count(loop->type);
  if (const auto* rolling = std::get_if<Rolling>(&constraint.what)) return rolling->sliding ? 1 : 3;
  return 1;
}

Result<Constraint> resolve(const ConstraintSpec& spec, const Model& model) {
  Resolver resolver(model);
  Constraint constraint = std::visit(resolver, spec.what);
  constraint.name = spec.name;
  if (!resolver.fault.empty()) return Error{message("constraint '", spec.name, "': ", resolver.fault)};
  return constraint;
}

Result<Spring> resolve(const SpringSpec& spec, const Model& model) {
  Resolver resolver(model);
  Spring spring{
      .name = spec.name, .a = {}, .b = {}, .stiffness = spec.stiffness, .damping = spec.damping, .length = spec.length};
  resolver.ends(spec.a, spec.b, spring.a, spring.b);
  const struct {
    const char* name;
    double value;
  } amounts[] = {{"stiffness", spec.stiffness}, {"damping", spec.damping}, {"length", spec.length}};
  for (const auto& [name, value] : amounts)
    if (!(value >= 0 && std::isfinite(value)))
      resolver.refuse(message(name, " is ", value, "; it must be finite and at least 0"));
  if (!resolver.fault.empty()) return Error{message("spring '", spec.name, "': ", resolver.fault)};
  return spring;
}

}  // namespace linchpin
