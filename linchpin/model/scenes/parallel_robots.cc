// Robots whose end effector is held by several chains at once.
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "linchpin/model/scenes/builders.h"

namespace linchpin::scenes {

// Six legs carry a plate: a universal joint on the ground, a piston, a ball under the plate. The tree has the free
// joint of the plate and each leg by itself; the balls close the loops.
ModelSpec stewart() {
  constexpr double base_radius = 0.5, plate_radius = 0.3, height = 0.6, spread = 12 * std::numbers::pi / 180;
  ModelSpec spec;
  BodySpec plate{.name = "plate", .inertia = {}, .geometry = {}};
  add_solid(plate, Cylinder{plate_radius, 0.02}, 10, translation(0, 0, 0.02), "plate");
  JointSpec flight = joint(JointType::free, "world", "plate", translation(0, 0, height));
  flight.name = "flight";
  spec.bodies.push_back(std::move(plate));
  spec.joints.push_back(std::move(flight));
  for (int k = 0; k < 6; ++k) {
    // In pairs, on the ground about 0, 120, 240 degrees and under the plate in between: the pairs differ at both ends.
    const auto on_circle = [](double radius, double angle) {
      return Vector{radius * std::cos(angle), radius * std::sin(angle), 0};
    };
    const double third = 2 * std::numbers::pi / 3, side = k % 2 == 0 ? -1 : 1;
    const Vector foot = on_circle(base_radius, third * (k / 2) + side * spread);
    const Vector head = on_circle(plate_radius, third * (k / 2) + side * (third / 2 - spread));
    const Vector leg = head + Vector{0, 0, height} - foot;
    const double length = norm(leg);
    const std::string number = std::to_string(k + 1), cylinder = "cylinder_" + number, piston = "piston_" + number;

    // z of both bodies is along the leg; the piston's frame is where the leg ends at zero.
    const PlacedShape barrel = capsule_between({0, 0, 0}, {0, 0, 0.6 * length}, 0.025),
                      stem = capsule_between({0, 0, -0.6 * length}, {0, 0, 0}, 0.012);
    BodySpec lower{.name = cylinder, .inertia = {}, .geometry = {}},
        upper{.name = piston, .inertia = {}, .geometry = {}};
    add_solid(lower, barrel.shape, 1.5, barrel.X_SP, cylinder);
    add_solid(upper, stem.shape, 0.8, stem.X_SP, piston);
    JointSpec fork = joint(JointType::universal, "world", cylinder, {frame_with_z(leg), foot}, {1, 0, 0});
    fork.name = "fork_" + number;
    fork.axis2 = {0, 1, 0};
    JointSpec stroke = joint(JointType::prismatic, cylinder, piston, translation(0, 0, length), {0, 0, 1});
    stroke.name = "stroke_" + number;
    stroke.dofs = {DofSpec{.lower = -0.25 * length, .upper = 0.3 * length}};
    spec.bodies.push_back(std::move(lower));
    spec.bodies.push_back(std::move(upper));
    spec.joints.push_back(std::move(fork));
    spec.joints.push_back(std::move(stroke));
    spec.constraints.push_back(
        loop("ball_" + number, LoopType::ball, point_on("plate", head), point_on(piston, {0, 0, 0})));
  }
  spec.frames = {{"tool", "plate", translation(0, 0, 0.04)}};
  return spec;
}

// Two fingers of two phalanges hang from a palm that a carriage lifts. They close with one degree of freedom: gears
// turn them towards each other by the same angle, and a cam in each curls the outer phalanx with the inner one.
ModelSpec gripper() {
  constexpr double half_palm = 0.04, inner = 0.06, outer = 0.045, radius = 0.009;
  ModelSpec spec;
  BodySpec palm{.name = "palm", .inertia = {}, .geometry = {}};
  add_solid(palm, Box{{0.06, 0.03, 0.02}}, 0.8, translation(0, 0, 0.02), "palm");
  JointSpec lift = joint(JointType::prismatic, "world", "palm", translation(0, 0, 0.3), {0, 0, 1});
  lift.name = "lift";
  lift.dofs = {DofSpec{.lower = -0.2, .upper = 0.3}};
  spec.bodies.push_back(std::move(palm));
  spec.joints.push_back(std::move(lift));
  const Vector down_inner{0, 0, -inner}, down_outer{0, 0, -outer};
  for (const int side : {1, -1}) {
    const std::string prefix = side > 0 ? "left_" : "right_";
    const Vector closing{0, double(side), 0};  // both fingers close with a positive angle; left is at +x
    const LimbLink finger[] = {
        {"inner",
         {side * half_palm, 0, 0},
         closing,
         -0.4,
         1.0,
         capsule_inertia(0.06, down_inner, radius),
         down_inner,
         radius},
        {"outer", down_inner, closing, -0.4, 1.4, capsule_inertia(0.03, down_outer, radius), down_outer, radius},
    };
    const std::string tip = add_limb(spec, prefix, "palm", finger);
    spec.frames.push_back({prefix + "tip", tip, {Mat3<double>::identity(), down_outer}});
    spec.constraints.push_back(gear(prefix + "cam", prefix + "outer_joint", prefix + "inner_joint", {0, 0.8, 0.35}));
  }
  spec.constraints.push_back(gear("wheels", "right_inner_joint", "left_inner_joint", {0, 1}));
  return spec;
}

}  // namespace linchpin::scenes
