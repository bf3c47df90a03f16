// The energy account of a step, against closed forms: one slider of 2 kg and one step of h from speed v. Its speed at
// the end is v+, and every force f does the work h f (v + v+) / 2, which closes the balance of kinetic energy exactly.
#include <cmath>

#include "linchpin/model/testing.h"
#include "linchpin/sim/certificate.h"
#include "linchpin/sim/time_stepping/account.h"
#include "linchpin/sim/time_stepping/testing.h"

namespace linchpin {
namespace {

constexpr double mass = 2, h = 0.01, exact = 1e-13;  // exact: some roundings of numbers of order one

ModelSpec slider(DofSpec dof = {}) {
  ModelSpec spec;
  spec.name = "slider";
  spec.gravity = {0, 0, 0};
  spec.bodies = {{.name = "slider", .inertia = {.mass = mass}, .geometry = {}}};
  spec.joints = {joint("rail", JointType::prismatic, "world", "slider")};
  spec.joints[0].axis = {1, 0, 0};
  spec.joints[0].dofs = {dof};
  return spec;
}
ModelSpec with_actuator(const ActuatorSpec& actuator) {
  ModelSpec spec = slider();
  spec.actuators = {actuator};
  return spec;
}

struct Stepped {
  StepReport report;
  double q = 0, v = 0, kinetic = 0;  // at the end; the change of kinetic energy
};
Stepped step_of(const ModelSpec& spec, double q, double v, const Inputs& inputs = {}) {
  const Model model = compiled(spec);
  Simulation simulation(model, {.stepper = Stepper::time_stepping, .dt = h});
  State state = make_state(model);
  state.q[0] = q;
  state.v[0] = v;
  const StepReport report = simulation.step(state, inputs);
  EXPECT_TRUE(report.ok()) << report.reason;
  return {report, state.q[0], state.v[0], 0.5 * mass * (state.v[0] * state.v[0] - v * v)};
}

// A spring with damper acts as at v_t = (1 - theta) v + theta v+ and at the elongation x + theta h v_t (joint_rows.h):
//     m (v+ - v) = -h (k (x + theta h v_t) + d v_t)
struct SpringDamper {
  double k, d, theta = weight();
  double weight() const {
    const double x = (h * h * k + h * d) / mass;
    return 0.5 + 0.5 * x / (1 + x);
  }
  double v_end(double x, double v) const {
    const double give = theta * h * h * k + h * d;
    return (mass * v - h * k * x - give * (1 - theta) * v) / (mass + theta * give);
  }
  double v_t(double v, double end) const { return (1 - theta) * v + theta * end; }
  double force(double x, double v, double end) const { return -k * (x + theta * h * v_t(v, end)) - d * v_t(v, end); }
};

TEST(Account, WorkOfJointForces) {
  const std::vector<double> tau{3};
  const Stepped s = step_of(slider(), 0, 0.5, {.tau = tau});
  EXPECT_NEAR(s.v, 0.5 + h * 3 / mass, exact);
  EXPECT_NEAR(s.report.work, h * 3 * (0.5 + s.v) / 2, exact);
  EXPECT_NEAR(s.report.work, s.kinetic, exact);
  EXPECT_EQ(s.report.dissipated, 0);
  EXPECT_EQ(s.report.contact_loss, 0);
}

// A force and a moment, in the axes of a body that is turned by a quarter: its x is the rail's y.
TEST(Account, WorkOfForcesFromOutside) {
  ModelSpec spec = slider();
  spec.joints[0].X_CM.R = transpose(rotation_z(std::acos(0.0)));
  const std::vector<double> f_ext{9, 9, 9, 9, 9, 9, 1, 2, 3, 4, 5, 6};  // those on the world are ignored
  const Stepped s = step_of(spec, 0, 0.5, {.f_ext = f_ext});
  EXPECT_NEAR(s.v, 0.5 + h * -5 / mass, exact) << "y of the body is -x of the rail";
  EXPECT_NEAR(s.report.work, h * -5 * (0.5 + s.v) / 2, exact);
  EXPECT_NEAR(s.report.work, s.kinetic, exact);
}

TEST(Account, DampersInJoints) {
  const SpringDamper damper{0, 30};
  const Stepped s = step_of(slider({.damping = 30}), 0, 2);
  EXPECT_NEAR(s.v, damper.v_end(0, 2), exact);
  EXPECT_NEAR(s.report.dissipated, h * 30 * damper.v_t(2, s.v) * (2 + s.v) / 2, exact);
  EXPECT_NEAR(-s.report.dissipated, s.kinetic, exact);
  EXPECT_EQ(s.report.work, 0);
}

// The potential energy of a spring is stored.
TEST(Account, SpringsInJoints) {
  const SpringDamper spring{400, 3};
  const Stepped s = step_of(slider({.damping = 3, .stiffness = 400, .rest = 0.1}), 0.3, 2);
  EXPECT_NEAR(s.v, spring.v_end(0.2, 2), exact);
  EXPECT_NEAR(s.q, 0.3 + h * spring.v_t(2, s.v), exact);
  EXPECT_NEAR(s.report.dissipated, h * 3 * spring.v_t(2, s.v) * (2 + s.v) / 2, exact);
  EXPECT_EQ(s.report.work, 0);
  EXPECT_EQ(s.report.contact_loss, 0);
}

// The same from body to body, by a row: its length is 1 + q, its rest length 0.8.
TEST(Account, SpringsBetweenBodies) {
  ModelSpec spec = slider();
  SpringSpec spring;
  spring.name = "spring";
  spring.a = {"world", translation(-1, 0, 0)};
  spring.b = {"slider", Transform<double>::identity()};
  spring.stiffness = 400;
  spring.damping = 3;
  spring.length = 0.8;
  spec.springs = {spring};
  const SpringDamper law{400, 3};
  const Stepped s = step_of(spec, 0.3, 2);
  EXPECT_NEAR(s.v, law.v_end(0.5, 2), exact);
  EXPECT_NEAR(s.q, 0.3 + h * (2 + s.v) / 2, exact) << "(4): no coordinate is stiff";
  EXPECT_NEAR(s.report.dissipated, h * 3 * law.v_t(2, s.v) * (2 + s.v) / 2, exact);
  EXPECT_EQ(s.report.work, 0);
  EXPECT_EQ(s.report.contact_loss, 0);
  EXPECT_EQ(s.report.problems, 1);
}

// gear u, clamped.
TEST(Account, ForceActuators) {
  for (const double u : {-10., 1., 10.}) {
    const std::vector<double> controls{u};
    const Stepped s = step_of(
        with_actuator(
            {.name = "motor", .joint = "rail", .type = ActuatorType::force, .gear = 2, .lower = -3, .upper = 5}),
        0, 0.5, {.controls = controls});
    const double f = u < 0 ? -3 : u > 5 ? 5 : 2;
    EXPECT_NEAR(s.v, 0.5 + h * f / mass, exact) << u;
    EXPECT_NEAR(s.report.work, h * f * (0.5 + s.v) / 2, exact) << u;
    EXPECT_NEAR(s.report.work, s.kinetic, exact) << u;
  }
}

// The law of a spring with damper about u, between h times its limits: an implicit force where it stays within them, a
// row where it does not. The work is that of z in both cases.
TEST(Account, ServosWithinAndAtTheirLimits) {
  const double k = 400, d = 3, q = 0.1, v = 0.5;
  for (const double limit : {unlimited, 1e3, 20.0})
    for (const double u : {-0.4, 0.6}) {
      const std::vector<double> controls{u};
      const Stepped s = step_of(with_actuator({.name = "motor",
                                               .joint = "rail",
                                               .type = ActuatorType::position,
                                               .stiffness = k,
                                               .damping = d,
                                               .lower = -limit,
                                               .upper = limit}),
                                q, v, {.controls = controls});
      const SpringDamper servo{k, d};
      const double free = servo.v_end(q - u, v), f = servo.force(q - u, v, free);
      const bool at_limit = std::abs(f) > limit;
      EXPECT_EQ(at_limit, limit == 20);
      const double expected = at_limit ? v + h * std::copysign(limit, f) / mass : free;
      EXPECT_NEAR(s.v, expected, 1e-10) << limit << " " << u;  // problems are solved to 1e-10
      EXPECT_NEAR(s.report.work, h * (at_limit ? std::copysign(limit, f) : f) * (v + s.v) / 2, 1e-9)
          << limit << " " << u;
      EXPECT_NEAR(s.report.work, s.kinetic, 1e-9);
      EXPECT_EQ(s.report.contact_loss, 0);
      EXPECT_EQ(s.report.dissipated, 0);
    }
}
// The same as a row within its limits, beside a second servo that is at its limit and makes rows of both.
TEST(Account, AServoAsARowWithinItsLimits) {
  for (const ActuatorType type : {ActuatorType::position, ActuatorType::velocity}) {
    ModelSpec spec = with_actuator(
        {.name = "motor", .joint = "rail", .type = type, .stiffness = 400, .damping = 30, .lower = -1e3, .upper = 1e3});
    if (type == ActuatorType::velocity) spec.actuators[0].stiffness = 0;
    spec.bodies.push_back({.name = "other", .inertia = {.mass = 1}, .geometry = {}});
    spec.joints.push_back(joint("other_rail", JointType::prismatic, "world", "other"));
    spec.actuators.push_back({.name = "weak",
                              .joint = "other_rail",
                              .type = ActuatorType::velocity,
                              .damping = 1e3,
                              .lower = -1,
                              .upper = 1,
                              .control = 5});
    const std::vector<double> controls{0.6, 5};
    const Stepped s = step_of(spec, 0.1, 0.5, {.controls = controls});
    // A velocity servo is a damper of the speed relative to u.
    const double expected = type == ActuatorType::position ? SpringDamper{400, 30}.v_end(0.1 - 0.6, 0.5)
                                                           : 0.6 + SpringDamper{0, 30}.v_end(0, 0.5 - 0.6);
    EXPECT_NEAR(s.v, expected, 1e-10) << int(type);
    EXPECT_EQ(s.report.problems, 1);
    const double other = 0.5 * h * h;  // 1 N on 1 kg for h: work h f v+ / 2
    EXPECT_NEAR(s.report.work, s.kinetic + other, 1e-9);
  }
}

// |z| <= h f against the motion; at rest it holds what it can.
TEST(Account, DryFriction) {
  for (const double v : {-2.0, 2.0}) {
    const Stepped slides = step_of(slider({.dry_friction = 6}), 0, v);
    EXPECT_NEAR(slides.v, v - std::copysign(h * 6 / mass, v), 1e-10);
    EXPECT_NEAR(slides.report.contact_loss, h * 6 * std::abs(v + slides.v) / 2, 1e-9);
    EXPECT_NEAR(slides.report.contact_loss, -slides.kinetic, 1e-9);
  }
  const Stepped stops = step_of(slider({.dry_friction = 6}), 0, 0.02);  // h f / m = 0.03
  EXPECT_NEAR(stops.v, 0, 1e-12);
  EXPECT_NEAR(stops.report.contact_loss, mass * 0.02 * 0.02 / 2, 1e-12);
  for (const double push : {5.9, 6.1}) {
    const std::vector<double> tau{push};
    const Stepped pushed = step_of(slider({.dry_friction = 6}), 0, 0, {.tau = tau});
    EXPECT_NEAR(pushed.v, push < 6 ? 0 : h * 0.1 / mass, 1e-12);
    EXPECT_NEAR(pushed.report.work, h * push * pushed.v / 2, 1e-12);
    EXPECT_NEAR(pushed.report.contact_loss, h * 6 * pushed.v / 2, 1e-12);
  }
}

// It stops at the limit and loses all it has by an impact, from above as from below: also where it meets the limit
// within the step. Away from it nothing happens. A limit that is approached slowly is a row.
TEST(Account, Limits) {
  for (const double side : {-1.0, 1.0}) {
    const Stepped stops = step_of(slider({.lower = -0.5, .upper = 0.5}), 0.5 * side, 3 * side);
    EXPECT_NEAR(stops.v, 0, 1e-12);
    EXPECT_NEAR(stops.report.impact_loss, mass * 9 / 2, 1e-9);
    EXPECT_EQ(stops.report.impacts, 1);
    const Stepped leaves = step_of(slider({.lower = -0.5, .upper = 0.5}), 0.5 * side, -3 * side);
    EXPECT_NEAR(leaves.v, -3 * side, 1e-12);
    EXPECT_NEAR(leaves.report.contact_loss, 0, 1e-12);
    EXPECT_EQ(leaves.report.impacts, 0);
    const Stepped meets = step_of(slider({.lower = -0.5, .upper = 0.5}), 0.49 * side, 3 * side);  // 1 cm in 10 ms
    EXPECT_NEAR(meets.v, 0, 1e-12);
    EXPECT_NEAR(meets.report.impact_loss, mass * 9 / 2, 1e-9);
    const Stepped slow = step_of(slider({.lower = -0.5, .upper = 0.5}), 0.5 * side, 0.009 * side);
    EXPECT_NEAR(slow.v, 0, 1e-12);
    EXPECT_NEAR(slow.report.contact_loss, mass * 0.009 * 0.009 / 2, 1e-12);
    EXPECT_EQ(slow.report.impacts, 0);
  }
}

// A prescribed motion: m (v+ - v) is the impulse of its drive, which does the work. The projection has nothing to add.
TEST(Account, DrivesDoWork) {
  ModelSpec spec = slider();
  spec.constraints = {prescribed("drive", "rail", {.polynomial = {0, 0, 3}})};  // 3 t^2: v = 6 t
  const Stepped s = step_of(spec, 0, 0);
  EXPECT_NEAR(s.v, 6 * h, 1e-9);
  EXPECT_NEAR(s.kinetic, mass * 36 * h * h / 2, 1e-9);
  EXPECT_NEAR(s.report.work, s.kinetic, 1e-9);
  EXPECT_NEAR(s.report.projected, 0, 1e-9);
  EXPECT_EQ(s.report.contact_loss, 0);
}

// ---- cones and sums of impulses -------------------------------------------------------------------------------------

// Impulses outside of their cone are reported by how much, the largest of all; those inside are not.
TEST(Account, ConeViolation) {
  const Model model = model_of("stack:boxes=1");
  StageTest stage(model);
  ASSERT_GE(stage.set.contacts.size(), 2u);
  StepRows rows;
  for (int i = 0; i < 2; ++i) {
    add_contact(stage.set.contacts[i], stage.placed.kin, Vec3<double>::zero(), rows.rows);
    rows.add_owner(RowOwner::Kind::contact, i);
  }
  RowVelocities u;
  u.fill(rows.rows, stage.placed.vel, stage.placed.vel);
  const double mu = rows.rows.blocks[0].mu;
  const auto violation = [&](const std::vector<double>& impulses) {
    StepReport report;
    energy_lost(stage.plan, rows, impulses, u, h, report);
    return report.cone_violation;
  };
  EXPECT_EQ(violation({1, 0, 0, 2, 0.5 * mu, -0.5 * mu}), 0);
  EXPECT_EQ(violation({0, 0, 0, 0, 0, 0}), 0);
  EXPECT_NEAR(violation({1, 0.6 * mu + 0.3, 0.8 * mu + 0.4, 1, 0, 0}), 0.5, 1e-15);
  EXPECT_NEAR(violation({1, 0, mu + 0.2, 1, 0, -mu - 0.7}), 0.7, 1e-15);
  EXPECT_NEAR(violation({1, mu + 0.9, 0, 1, 0, -mu - 0.7}), 0.9, 1e-15);
}

// A contact that moves between two impulses: the report has the mean point, where the moment of the sum is that of
// both, and the mean normal. Intervals in which it carries nothing do not count.
TEST(Account, AContactThatMovesIsReportedAtItsMean) {
  const Model model = model_of("stack:boxes=1");
  StageTest stage(model);
  std::vector<Contact> contacts(stage.set.contacts.begin(), stage.set.contacts.end());
  const Contact first = contacts[0];
  ContactSums sums;
  const auto add = [&](const Vec3<double>& point, const Vec3<double>& normal, double impulse) {
    contacts[0].point = point;
    contacts[0].normal = normal;
    StepRows rows;
    add_contact(contacts[0], stage.placed.kin, Vec3<double>::zero(), rows.rows);
    rows.add_owner(RowOwner::Kind::contact, 0);
    RowVelocities u;
    u.fill(rows.rows, stage.placed.vel, stage.placed.vel);
    sums.add(rows, contacts, std::vector<double>{impulse, 0, 0}, u);
  };
  const Vec3<double> n = first.normal, away{5, 6, 7}, p1 = first.point, p2 = p1 + Vec3<double>{0.4, 0, 0};
  add(away, n, 0);
  add(p1, n, 3);
  add(p2, n, 1);
  add(away, first.t1, 0);
  std::vector<ContactReport> out;
  sums.report(model, 0.1, out);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_LT(norm(out[0].point - (p1 + Vec3<double>{0.1, 0, 0})), 1e-15);
  EXPECT_LT(norm(cross(out[0].point, 0.1 * out[0].force) - (cross(p1, 3 * n) + cross(p2, 1 * n))), 1e-14);
  EXPECT_EQ(norm(out[0].normal - n), 0);
  const Vec3<double> tilted = 0.8 * n + 0.6 * first.t1;
  add(p2, tilted, 4);
  sums.report(model, 0.1, out);
  const Vec3<double> mean = 0.5 * n + 0.5 * tilted;
  EXPECT_LT(norm(out[0].normal - (1 / norm(mean)) * mean), 1e-15);
  EXPECT_LT(norm(0.1 * out[0].force - 4 * n - 4 * tilted), 1e-14);
  EXPECT_NEAR(out[0].normal_force, 80, 1e-12);
}

// Contacts are recognised by their keys: the impulses of two intervals add up, whatever the order of the rows, and a
// contact that the first interval did not have is appended.
TEST(Account, SumsOfContactsOverIntervals) {
  const Model model = model_of("stack:boxes=1");
  StageTest stage(model);
  ASSERT_EQ(stage.set.contacts.size(), 4u);
  const auto rows_of = [&](const std::vector<int>& contacts) {
    StepRows rows;
    for (const int i : contacts) {
      add_contact(stage.set.contacts[i], stage.placed.kin, Vec3<double>::zero(), rows.rows);
      rows.add_owner(RowOwner::Kind::contact, i);
    }
    return rows;
  };
  const auto add = [&](ContactSums& sums, const std::vector<int>& contacts, const std::vector<double>& impulses) {
    const StepRows rows = rows_of(contacts);
    RowVelocities u;
    u.fill(rows.rows, stage.placed.vel, stage.placed.vel);
    sums.add(rows, stage.set.contacts, impulses, u);
  };
  ContactSums sums;
  add(sums, {2, 0}, {0.1, 0.01, 0.02, 0.3, 0, 0});
  add(sums, {0, 3, 2}, {0.5, 0, 0, 0, 0, 0, 0.7, 0.03, 0});
  std::vector<ContactReport> out;
  sums.report(model, 0.1, out);
  ASSERT_EQ(out.size(), 3u);
  EXPECT_TRUE(std::ranges::is_sorted(out, {}, [](const ContactReport& c) { return std::pair(c.shape_a, c.shape_b); }));
  double normal = 0, friction = 0;
  int separating = 0;
  for (const ContactReport& c : out) {
    normal += c.normal_force;
    friction += c.friction;
    separating += c.state == ContactState::separating;
    EXPECT_NEAR(dot(c.force, c.normal), c.normal_force, 1e-12);
  }
  EXPECT_NEAR(normal, (0.1 + 0.3 + 0.5 + 0.7) / 0.1, 1e-12);
  EXPECT_NEAR(friction, std::hypot(0.04, 0.02) / 0.1, 1e-12);
  EXPECT_EQ(separating, 1) << "contact 3 has no force";
  EXPECT_NEAR(out[0].normal_force == 0 ? out[1].normal_force : out[0].normal_force, 8, 1e-12);
  sums.start({});
  sums.report(model, 0.1, out);
  EXPECT_TRUE(out.empty());
}

}  // namespace
}  // namespace linchpin
