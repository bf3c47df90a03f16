#include "linchpin/model/spec_check.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "linchpin/algebra/symmetric_eigen.h"
#include "linchpin/spatial/message.h"

namespace linchpin {
namespace {

bool is_direction(const Vec3<double>& v) { return all_finite(v) && (v.x != 0 || v.y != 0 || v.z != 0); }

std::string fault_of(const DofSpec& dof) {
  const struct {
    const char* name;
    double value;
  } amounts[] = {{"armature", dof.armature},
                 {"damping", dof.damping},
                 {"stiffness", dof.stiffness},
                 {"dry_friction", dof.dry_friction}};
  for (const auto& [name, value] : amounts)
    if (!(value >= 0 && std::isfinite(value)))
      return message(name, " is ", value, "; it must be finite and at least 0");
  if (!std::isfinite(dof.rest)) return message("rest is ", dof.rest, "; it must be finite");
  if (!(dof.lower <= dof.upper)) return message("lower limit ", dof.lower, " is not at most upper limit ", dof.upper);
  if (!(dof.effort_limit >= 0)) return message("effort_limit is ", dof.effort_limit, "; it must be at least 0");
  if (!(dof.velocity_limit >= 0)) return message("velocity_limit is ", dof.velocity_limit, "; it must be at least 0");
  return {};
}

// The eigenvalues, in increasing order.
std::array<double, 3> principal_moments(const Sym3<double>& I) {
  double A[9] = {I.xx, I.xy, I.xz, I.xy, I.yy, I.yz, I.xz, I.yz, I.zz}, V[9];
  jacobi_eigenvectors(3, A, V);
  std::array<double, 3> p{A[0], A[4], A[8]};
  std::sort(p.begin(), p.end());
  return p;
}

std::string fault_of_axes(const JointSpec& joint) {
  if (!is_direction(joint.axis)) return message("axis ", to_string(joint.axis), " is not a direction");
  if (joint.type == JointType::universal) {
    if (!is_direction(joint.axis2)) return message("axis2 ", to_string(joint.axis2), " is not a direction");
    const double sine = norm(cross(frame_with_z(joint.axis).z, frame_with_z(joint.axis2).z));
    if (sine < 1e-6)
      return message("axis ", to_string(joint.axis), " and axis2 ", to_string(joint.axis2), " are parallel");
  }
  if (!std::isfinite(joint.pitch)) return message("pitch is ", joint.pitch, " m/rad; it must be finite");
  return {};
}

std::string fault_of_start(const JointSpec& joint) {
  const std::size_t nq = std::size_t(position_count(joint.type)), nv = std::size_t(velocity_count(joint.type));
  const auto fault_of_list = [&](const char* name, const std::vector<double>& x, std::size_t n) -> std::string {
    if (!x.empty() && x.size() != n)
      return message(name, " has ", x.size(), " numbers; a ", to_string(joint.type), " joint needs ", n, " or none");
    for (std::size_t i = 0; i < x.size(); ++i)
      if (!std::isfinite(x[i])) return message(name, " number ", i, " is ", x[i], "; it must be finite");
    return {};
  };
  if (std::string fault = fault_of_list("start_q", joint.start_q, nq); !fault.empty()) return fault;
  if (std::string fault = fault_of_list("start_v", joint.start_v, nv); !fault.empty()) return fault;
  if (nq > nv && !joint.start_q.empty()) {
    double square = 0;
    for (std::size_t i = 0; i < 4; ++i) square += joint.start_q[i] * joint.start_q[i];
    if (!(square > 0)) return message("start_q begins with a quaternion of length ", std::sqrt(square));
  }
  return {};
}

std::string fault_of_rest(const DofSpec& dof, JointType type) {
  if (dof.rest == 0) return {};
  return message("rest is ", dof.rest, "; a ", to_string(type), " joint can only rest at zero rotation");
}

std::string fault_of_ball(const std::vector<DofSpec>& dofs) {
  for (const DofSpec& dof : dofs) {
    const DofSpec& first = dofs.front();
    if (std::string fault = fault_of_rest(dof, JointType::ball); !fault.empty()) return fault;
    if (dof.armature != first.armature || dof.stiffness != first.stiffness)
      return message("a ball joint's armature and stiffness must be the same in all three coordinates, not ",
                     first.armature, " and ", dof.armature, " or ", first.stiffness, " and ", dof.stiffness);
    if (dof.upper != first.upper || !(dof.upper > 0) || (dof.lower != -unlimited && dof.lower != -dof.upper))
      return message("limits ", dof.lower, " to ", dof.upper,
                     " of a ball joint; upper bounds the rotation angle: it must be above 0 and the same in all three "
                     "coordinates, and lower must be -upper or left out");
  }
  return {};
}

std::string fault_of_free(const std::vector<DofSpec>& dofs) {
  for (const DofSpec& dof : dofs) {
    if (std::string fault = fault_of_rest(dof, JointType::free); !fault.empty()) return fault;
    if (dof.armature != 0 || dof.stiffness != 0)
      return message("a free joint takes no armature (", dof.armature, ") and no spring (", dof.stiffness, ")");
  }
  for (std::size_t i = 0; i < std::min<std::size_t>(3, dofs.size()); ++i)
    if (dofs[i].lower != -unlimited || dofs[i].upper != unlimited)
      return message("coordinate ", i, " of a free joint is a rotation and takes no limits (", dofs[i].lower, ", ",
                     dofs[i].upper, ")");
  return {};
}

}  // namespace

std::string fault_of(const InertiaSpec& inertia) {
  if (!std::isfinite(inertia.mass)) return message("mass is ", inertia.mass, " kg; it must be finite");
  if (inertia.mass < 0) return message("mass is ", inertia.mass, " kg; it must be at least 0");
  if (!all_finite(inertia.centre)) return message("centre of mass ", to_string(inertia.centre), " is not finite");
  const Sym3<double>& I = inertia.moments;
  for (const double x : {I.xx, I.yy, I.zz, I.xy, I.xz, I.yz})
    if (!std::isfinite(x)) return message("a moment of inertia is ", x, " kg m^2; it must be finite");
  const std::array<double, 3> p = principal_moments(I);
  const double slack = 1e-6 * p[2];  // files may be written with six digits
  if (p[0] < -std::max(slack, 0.0) || p[2] < 0)
    return message("principal moments ", p[0], ", ", p[1], ", ", p[2], " kg m^2: ", p[0], " < 0");
  if (p[0] + p[1] < p[2] - slack)
    return message("principal moments ", p[0], ", ", p[1], ", ", p[2], " kg m^2 break the triangle inequality: ", p[0],
                   " + ", p[1], " = ", p[0] + p[1], " < ", p[2]);
  return {};
}

std::string fault_of(const GeometrySpec& geometry) {
  if (std::string fault = fault_of(geometry.shape); !fault.empty()) return fault;
  if (std::string fault = fault_of(geometry.X_BG); !fault.empty()) return fault;
  if (std::string fault = fault_of(geometry.material); !fault.empty()) return fault;
  if (!(geometry.margin >= 0 && std::isfinite(geometry.margin)))
    return message("margin is ", geometry.margin, " m; it must be finite and at least 0");
  return {};
}

std::string fault_of(const JointSpec& joint) {
  if (static_cast<int>(joint.type) < 0 || static_cast<int>(joint.type) >= joint_type_count)
    return message("unknown joint type ", static_cast<int>(joint.type));
  if (std::string fault = fault_of(joint.X_PF); !fault.empty()) return "frame X_PF: " + fault;
  if (std::string fault = fault_of(joint.X_CM); !fault.empty()) return "frame X_CM: " + fault;
  if (std::string fault = fault_of_axes(joint); !fault.empty()) return fault;
  const std::size_t nv = std::size_t(velocity_count(joint.type));
  if (!joint.dofs.empty() && joint.dofs.size() != nv)
    return message("has ", joint.dofs.size(), " dofs entries; a ", to_string(joint.type), " joint needs ", nv,
                   " or none");
  for (std::size_t i = 0; i < joint.dofs.size(); ++i)
    if (std::string fault = fault_of(joint.dofs[i]); !fault.empty()) return message("coordinate ", i, ": ", fault);
  if (std::string fault = fault_of_start(joint); !fault.empty()) return fault;
  if (joint.type == JointType::ball) return fault_of_ball(joint.dofs);
  if (joint.type == JointType::free) return fault_of_free(joint.dofs);
  return {};
}

std::string fault_of(const ActuatorSpec& actuator) {
  if (!std::isfinite(actuator.gear)) return message("gear is ", actuator.gear, "; it must be finite");
  if (!std::isfinite(actuator.control)) return message("control is ", actuator.control, "; it must be finite");
  const auto bad = [](double x) { return !(x >= 0 && std::isfinite(x)); };
  if (bad(actuator.stiffness))
    return message("stiffness is ", actuator.stiffness, "; it must be finite and at least 0");
  if (bad(actuator.damping)) return message("damping is ", actuator.damping, "; it must be finite and at least 0");
  if (!(actuator.lower <= actuator.upper))
    return message("force limits ", actuator.lower, " to ", actuator.upper, ": lower is above upper");
  return {};
}

}  // namespace linchpin
