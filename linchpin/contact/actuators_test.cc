#include "linchpin/contact/actuators.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "linchpin/model/scenes.h"

namespace linchpin {
namespace {

TEST(Actuators, FollowTheLawsOfTheSpec) {
  const Actuator motor{.type = ActuatorType::force, .gear = -3, .lower = -5, .upper = 4};
  EXPECT_EQ(actuator_force(motor, 1, 0, 7), -3);
  EXPECT_EQ(actuator_force(motor, 2, 0, 7), -5);
  EXPECT_EQ(actuator_force(motor, -2, 0, 7), 4);

  Actuator servo{.type = ActuatorType::position, .stiffness = 10, .damping = 2};
  EXPECT_EQ(actuator_force(servo, 1.5, 0.5, -0.25), 10 * (1.5 - 0.5) + 2 * 0.25);
  servo.upper = 3;
  EXPECT_EQ(actuator_force(servo, 1.5, 0.5, -0.25), 3);
  servo.lower = -1;
  EXPECT_EQ(actuator_force(servo, 0, 0.5, 1), -1);

  const Actuator drive{.type = ActuatorType::velocity, .damping = 2};
  EXPECT_EQ(actuator_force(drive, 3, 100, 1), 4) << "the position does not matter";
  const Actuator nothing{.type = ActuatorType::position, .lower = 1, .upper = 2};
  EXPECT_EQ(actuator_force(nothing, 5, 0, 0), 0);
  EXPECT_TRUE(std::isnan(actuator_force(motor, std::nan(""), 0, 0))) << "limits do not hide NaN";
  EXPECT_TRUE(std::isnan(actuator_force(servo, 0, std::nan(""), 0)));
}

// The law of an implicit step of length h differs from the continuous one by the way q + h w of that step, and by
// nothing else.
TEST(Actuators, ImplicitLawIsTheContinuousOneAtTheEndOfTheStep) {
  for (const ActuatorType type : {ActuatorType::position, ActuatorType::velocity}) {
    const Actuator servo{.type = type, .stiffness = type == ActuatorType::position ? 10. : 0., .damping = 2};
    const double u = 0.3, q = 0.5, w = -0.7;
    for (const double h : {1., 1e-3, 0.})
      EXPECT_NEAR(servo_force(servo, u, q, w, h), actuator_force(servo, u, q + h * w, w), 1e-14);
  }
}

TEST(Actuators, AddForcesAndPower) {
  ModelSpec spec = scene("@pendulum:links=2").value();
  const std::string first = spec.joints[0].name, second = spec.joints[1].name;
  spec.actuators = {{.name = "a", .joint = second, .gear = 2, .control = 3},
                    {.name = "b", .joint = first, .type = ActuatorType::velocity, .damping = 4, .control = 5},
                    {.name = "c", .joint = second, .type = ActuatorType::position, .stiffness = 6, .control = 7}};
  const Model model = compile(spec).value();
  const std::vector<double> q{0.1, 0.2}, v{-1, 2}, controls{1, 1, 1};
  std::vector<double> tau{100, 200};
  add_actuator_forces(model, q, v, {}, tau);
  EXPECT_DOUBLE_EQ(tau[0], 100 + 4 * (5 + 1));
  EXPECT_DOUBLE_EQ(tau[1], 200 + 2 * 3 + 6 * (7 - 0.2));
  EXPECT_DOUBLE_EQ(actuator_power(model, q, v, {}), -1 * (tau[0] - 100) + 2 * (tau[1] - 200));
  tau = {0, 0};
  add_actuator_forces(model, q, v, controls, tau);
  EXPECT_DOUBLE_EQ(tau[0], 4 * (1 + 1));
  EXPECT_DOUBLE_EQ(tau[1], 2 * 1 + 6 * (1 - 0.2));
}

}  // namespace
}  // namespace linchpin
