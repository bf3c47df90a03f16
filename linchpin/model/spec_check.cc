#include "linchpin/model/spec_check.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>

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

}  // namespace

std::string fault_of(const InertiaSpec& inertia) {
  if (!std::isfinite(inertia.mass)) return message("mass is ", inertia.mass, " kg; it must be finite");
  if (inertia.mass < 0) return message("mass is ", inertia.mass, " kg; it must be at least 0");
  if (!all_finite(inertia.centre)) return message("centre of mass ", to_string(inertia.centre), " is not finite");
  const Sym3<double>& I = inertia.moments;
  for (const double x : {I.xx, I.yy, I.zz, I.xy, I.xz, I.yz})
    if (!std::isfinite(x)) return message("a moment of inertia is ", x, " kg m^2; it must be finite");
  Eigen::Matrix3d matrix;
  matrix << I.xx, I.xy, I.xz, I.xy, I.yy, I.yz, I.xz, I.yz, I.zz;
  const Eigen::Vector3d p = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(matrix).eigenvalues();  // rising
  const double slack = 1e-6 * p[2];  // files are written with six digits
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
  if (!is_direction(joint.axis)) return message("axis ", to_string(joint.axis), " is no direction");
  if (joint.type == JointType::universal) {
    if (!is_direction(joint.axis2)) return message("axis2 ", to_string(joint.axis2), " is no direction");
    const double sine = norm(cross(frame_with_z(joint.axis).z, frame_with_z(joint.axis2).z));
    if (sine < 1e-6)
      return message("axis ", to_string(joint.axis), " and axis2 ", to_string(joint.axis2), " are parallel");
  }
  if (!std::isfinite(joint.pitch)) return message("pitch is ", joint.pitch, " m/rad; it must be finite");
  const std::size_t nv = static_cast<std::size_t>(velocity_count(joint.type));
  if (!joint.dofs.empty() && joint.dofs.size() != nv)
    return message("has ", joint.dofs.size(), " dofs entries; a ", to_string(joint.type), " joint needs ", nv,
                   " or none");
  for (std::size_t i = 0; i < joint.dofs.size(); ++i)
    if (std::string fault = fault_of(joint.dofs[i]); !fault.empty()) return message("coordinate ", i, ": ", fault);
  const std::size_t nq = static_cast<std::size_t>(position_count(joint.type));
  const auto fault_of_start = [&](const char* name, const std::vector<double>& x, std::size_t n) -> std::string {
    if (!x.empty() && x.size() != n)
      return message(name, " has ", x.size(), " numbers; a ", to_string(joint.type), " joint needs ", n, " or none");
    for (std::size_t i = 0; i < x.size(); ++i)
      if (!std::isfinite(x[i])) return message(name, " number ", i, " is ", x[i], "; it must be finite");
    return {};
  };
  if (std::string fault = fault_of_start("start_q", joint.start_q, nq); !fault.empty()) return fault;
  if (std::string fault = fault_of_start("start_v", joint.start_v, nv); !fault.empty()) return fault;
  if (nq > nv && !joint.start_q.empty()) {
    double square = 0;
    for (std::size_t i = 0; i < 4; ++i) square += joint.start_q[i] * joint.start_q[i];
    if (!(square > 0)) return message("start_q begins with a quaternion of length ", std::sqrt(square));
  }
  for (const DofSpec& dof : joint.dofs) {
    if ((joint.type == JointType::free || joint.type == JointType::ball) && dof.rest != 0)
      return message("rest is ", dof.rest, "; a ", to_string(joint.type),
                     " joint has no rest position but zero rotation");
    if (joint.type == JointType::free && (dof.armature != 0 || dof.stiffness != 0))
      return message("a free joint takes no armature (", dof.armature, ") and no spring (", dof.stiffness, ")");
    const DofSpec& first = joint.dofs.front();
    if (joint.type == JointType::ball && (dof.armature != first.armature || dof.stiffness != first.stiffness))
      return message("a ball joint's armature and stiffness must be the same in all three coordinates, not ",
                     first.armature, " and ", dof.armature, " or ", first.stiffness, " and ", dof.stiffness);
    if (joint.type == JointType::ball &&
        (dof.upper != first.upper || !(dof.upper > 0) || (dof.lower != -unlimited && dof.lower != -dof.upper)))
      return message("limits ", dof.lower, " to ", dof.upper,
                     " of a ball joint; upper is the angle that it may turn by, above 0 and the same in all three "
                     "coordinates, and lower is -upper or none");
  }
  for (std::size_t i = 0; i < std::min<std::size_t>(3, joint.dofs.size()); ++i)
    if (joint.type == JointType::free && (joint.dofs[i].lower != -unlimited || joint.dofs[i].upper != unlimited))
      return message("coordinate ", i, " of a free joint is a rotation, and takes no limits (", joint.dofs[i].lower,
                     ", ", joint.dofs[i].upper, ")");
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
    return message("force limits ", actuator.lower, " to ", actuator.upper, " leave no force");
  return {};
}

}  // namespace linchpin
