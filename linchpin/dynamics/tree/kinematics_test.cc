#include "linchpin/dynamics/tree/kinematics.h"

#include "linchpin/base/compare_testing.h"
#include "linchpin/dynamics/tree/testing.h"
#include "linchpin/spatial/quaternion.h"

namespace linchpin {
namespace {

// Rodrigues' formula.
Transform<double> turn(Vec3<double> axis, double angle) {
  axis = (1 / norm(axis)) * axis;
  const double c = std::cos(angle), s = std::sin(angle);
  const auto column = [&](const Vec3<double>& e) {
    return c * e + s * cross(axis, e) + ((1 - c) * dot(axis, e)) * axis;
  };
  return {{column({1, 0, 0}), column({0, 1, 0}), column({0, 0, 1})}, {0, 0, 0}};
}
Transform<double> slide(const Vec3<double>& axis, double distance) {
  return {Mat3<double>::identity(), (distance / norm(axis)) * axis};
}

// The pose of M in F straight from the table in spec.h.
Transform<double> joint_pose(const JointSpec& joint, const double* q) {
  const Mat3<double> A = frame_with_z(joint.axis);
  switch (joint.type) {
    case JointType::weld:
      return Transform<double>::identity();
    case JointType::revolute:
      return turn(joint.axis, q[0]);
    case JointType::prismatic:
      return slide(joint.axis, q[0]);
    case JointType::screw:
      return turn(joint.axis, q[0]) * slide(joint.axis, joint.pitch * q[0]);
    case JointType::cylindrical:
      return turn(joint.axis, q[0]) * slide(joint.axis, q[1]);
    case JointType::universal:
      return turn(joint.axis, q[0]) * turn(joint.axis2, q[1]);
    case JointType::planar:
      return slide(A.x, q[0]) * slide(A.y, q[1]) * turn(joint.axis, q[2]);
    case JointType::translational:
      return translation(q[0], q[1], q[2]);
    case JointType::ball:
      return {to_rotation(Quaternion<double>{q[0], q[1], q[2], q[3]}), {0, 0, 0}};
    case JointType::free:
      return {to_rotation(Quaternion<double>{q[0], q[1], q[2], q[3]}), {q[4], q[5], q[6]}};
  }
  return Transform<double>::identity();
}

double distance(const Transform<double>& X, const Transform<double>& Y) {
  return largest({norm(X.p - Y.p), norm(X.R.x - Y.R.x), norm(X.R.y - Y.R.y), norm(X.R.z - Y.R.z)});
}

// Bodies are where the spec says, independent of the model's internal links, axes and runs.
TEST(Kinematics, BodiesAreWhereTheSpecSays) {
  std::vector<std::string> names = test_scenes();
  names.push_back("@chain:links=1000");
  for (const std::string& name : names) {
    const Model model = model_of(name);
    const State state = random_state(model, 3);
    const Plan<double> plan(model);
    Kinematics<double> kin(plan);
    poison(kin.X_WL, kin.block);
    kinematics<double>(plan, state.q, kin);
    std::vector<Transform<double>> X_WB(model.bodies().size(), Transform<double>::identity());
    for (std::size_t b = 1; b < model.bodies().size(); ++b) {
      const Body& body = model.bodies()[b];
      const Joint& joint = model.joints()[body.joint];
      X_WB[b] = X_WB[joint.parent] * joint.spec.X_PF * joint_pose(joint.spec, state.q.data() + joint.q) *
                inverse(joint.spec.X_CM);
      EXPECT_LE(distance(kin.X_WL[body.link] * body.X_LB, X_WB[b]), 2e-15 * double(b + 10) * 10)
          << name << ": " << body.name;  // roundings add up along the way
    }
  }
}

template <class T>
void expect_kinematics_of_lanes_equal_alone() {
  using Real = typename Plan<T>::Real;
  for (const std::string& name : test_scenes()) {
    const Model model = model_of(name);
    const Worlds worlds(model, Lanes<T>::worlds);
    const Plan<T> plan(model);
    const Plan<Real> plan_alone(model);
    Kinematics<T> together(plan);
    Kinematics<Real> alone(plan_alone);
    kinematics<T>(plan, interleave<Real>(worlds.q), together);
    for (int w = 0; w < Lanes<T>::worlds; ++w) {
      kinematics<Real>(plan_alone, as_reals<Real>(worlds.q[w]), alone);
      for (std::size_t i = 0; i < alone.X_WL.size(); ++i) {
        EXPECT_TRUE(same_bits(together.X_WL[i].p.x[w], alone.X_WL[i].p.x)) << name << " link " << i;
        EXPECT_TRUE(same_bits(together.X_WL[i].R.y.z[w], alone.X_WL[i].R.y.z)) << name << " link " << i;
      }
    }
  }
}
TEST(Kinematics, LaneOfEightDoublesHasTheBitsOfADouble) { expect_kinematics_of_lanes_equal_alone<Double8>(); }
TEST(Kinematics, LaneOfFourDoublesHasTheBitsOfADouble) { expect_kinematics_of_lanes_equal_alone<Double4>(); }
TEST(Kinematics, LaneOfSixteenFloatsHasTheBitsOfAFloat) { expect_kinematics_of_lanes_equal_alone<Float16>(); }

}  // namespace
}  // namespace linchpin
