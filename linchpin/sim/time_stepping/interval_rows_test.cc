#include "linchpin/sim/time_stepping/interval_rows.h"

#include "linchpin/model/testing.h"
#include "linchpin/sim/time_stepping/jumps.h"
#include "linchpin/sim/time_stepping/testing.h"

namespace linchpin {
namespace {

// Sliders of 2 kg on rails along x, without gravity.
ModelSpec sliders(const std::vector<DofSpec>& dofs) {
  ModelSpec spec;
  spec.gravity = {0, 0, 0};
  for (std::size_t i = 0; i < dofs.size(); ++i) {
    const std::string name = "slider" + std::to_string(i);
    spec.bodies.push_back({.name = name, .inertia = {.mass = 2}, .geometry = {}});
    spec.joints.push_back(joint(name, JointType::prismatic, "world", name));
    spec.joints.back().axis = {1, 0, 0};
    spec.joints.back().dofs = {dofs[i]};
  }
  return spec;
}

// The rows of an interval of 10 ms from q and v.
struct Gathered {
  static constexpr double h = 0.01;
  Gathered(const ModelSpec& spec, const std::vector<double>& q, const std::vector<double>& v)
      : model(compiled(spec)), stage(model, {.dt = h}, start(model, q, v)), solved(model), middle(stage.plan) {
    solved.choice.limit_active.assign(stage.plan.joints.limits.size(), 0);
    solved.choice.no_lever.assign(stage.set.contacts.size(), 0);
    solved.choice.slip_ends.assign(stage.set.contacts.size(), 0);
    solved.choice.dry_slip_ends.assign(stage.plan.joints.frictional.size(), 0);
    solved.slip_end = h;
    Jumps(stage.plan).find(interval(), solved);
    gather();
  }
  static State start(const Model& m, const std::vector<double>& q, const std::vector<double>& v) {
    State s = make_state(m);
    s.q = q;
    s.v = v;
    return s;
  }
  Interval interval() { return stage.interval(h); }
  void gather() {
    middle.find(interval(), solved);
    middle.place_rows(interval(), solved);
    gather_rows(stage.plan, interval(), middle, solved);
    solved.rates.before.assign(solved.rows.rows.size(), 0.0);
    solved.rates.after = solved.impulses = solved.rates.before;
  }

  Model model;
  StageTest stage;
  Solved solved;
  Midpoint middle;
};

// A slider 1 cm from an end of its range may move by its mean velocity just as far: v+ = 2 gap / h - v. One
// that jumps, v+ = gap / h. At the end itself it may not move on, and its speed limit holds everywhere.
TEST(IntervalRows, LimitsAreReachedExactly) {
  const double h = Gathered::h;
  for (const bool jumps : {false, true}) {
    Gathered g(sliders({DofSpec{.upper = 0.5}, DofSpec{.lower = -0.5}, DofSpec{.upper = 0.5},
                        DofSpec{.upper = 0.5, .velocity_limit = 1.25}}),
               {0.49, -0.49, 0.5, 0.49}, {0.9, -0.7, 0.2, 0.6});
    ASSERT_EQ(g.stage.plan.joints.limits.size(), 5u);
    g.solved.tree_jumps.assign(4, jumps);
    g.gather();
    const Rows& rows = g.solved.rows.rows;
    ASSERT_EQ(rows.size(), 4) << "the last one has no lower end";
    const double expected[] = {jumps ? 0.01 / h : 0.02 / h - 0.9, jumps ? 0.01 / h : 0.02 / h - 0.7, 0};
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(g.solved.rows.owner[i].kind, RowOwner::Kind::limit);
      EXPECT_EQ(g.solved.rows.owner[i].index, int(i));
      EXPECT_NEAR(std::abs(rows.offset[i]), expected[i], 1e-13) << i;
      EXPECT_EQ(rows.blocks[i].kind, i == 1 ? BlockKind::nonnegative : BlockKind::box) << i;
    }
    EXPECT_EQ(g.solved.rows.owner[3].index, 4);
    EXPECT_NEAR(std::abs(rows.offset[3]), jumps ? 1 : 1.25, 1e-13);
  }
}

// Limits have rows within 1 mm, and twice as far as the speed goes within the interval. Idle ones have none unless they
// are called for.
TEST(IntervalRows, LimitsThatAreNear) {
  for (const double part : {0.99, 1.01})
    for (const double v : {0.0, 0.3, -0.3}) {
      const double gap = part * (2 * Gathered::h * std::abs(v) + 1e-3);
      Gathered g(sliders({DofSpec{.upper = 0.5}}), {0.5 - gap}, {v});
      EXPECT_EQ(is_near(g.stage.plan.joints.limits[0], g.interval()), part < 1);
      EXPECT_EQ(g.solved.rows.rows.size(), part < 1 ? 1 : 0) << v;
      g.stage.idle.limits[0] = 1;
      g.gather();
      EXPECT_EQ(g.solved.rows.rows.size(), 0);
      g.solved.choice.limit_active[0] = 1;
      g.gather();
      EXPECT_EQ(g.solved.rows.rows.size(), 1);
    }
}

// A limit without a row that the mean velocity passes, or a speed limit that is exceeded, is marked once.
TEST(IntervalRows, LimitsThatAreViolated) {
  Gathered g(sliders({DofSpec{.upper = 0.5}, DofSpec{.velocity_limit = 2}}), {0.4, 0}, {0, 0});
  const auto marked = [&](double mean, double end) {
    RowChoice choice;
    choice.limit_active.assign(3, 0);
    const std::vector<double> v{0, end}, v_mean{mean, 0};
    const bool found = mark_violated_limits(g.stage.plan, g.interval(), v, v_mean, 0.9, choice);
    EXPECT_EQ(found, choice.limit_active != std::vector<char>(3, 0));
    EXPECT_FALSE(mark_violated_limits(g.stage.plan, g.interval(), v, v_mean, 0.9, choice));
    return choice.limit_active;
  };
  EXPECT_EQ(marked(9.9, 1.79), (std::vector<char>{0, 0, 0}));  // 0.1 m in 10 ms; 0.9 of 2 m/s
  EXPECT_EQ(marked(10.1, 1.79), (std::vector<char>{1, 0, 0}));
  EXPECT_EQ(marked(9.9, 1.81), (std::vector<char>{0, 0, 1}));
  EXPECT_EQ(marked(9.9, -1.81), (std::vector<char>{0, 1, 0}));
}

// Dry friction of 3 N has h times that; against the mean velocity where it slides, against the end's where it does not,
// or where sliding ends.
TEST(IntervalRows, DryFriction) {
  for (const double v : {0.5, 0.99e-4}) {
    Gathered g(sliders({DofSpec{.dry_friction = 3}}), {0}, {v});
    const Rows& rows = g.solved.rows.rows;
    ASSERT_EQ(rows.size(), 1);
    EXPECT_EQ(rows.offset[0], v > 1e-4 ? v : 0);
    EXPECT_NEAR(rows.upper[0], 0.03, 1e-17);
    if (v < 1e-4) continue;
    // It stops after 2/3 of the interval, if its velocity ends at -v / 2.
    g.solved.rates.before[0] = v;
    g.solved.rates.after[0] = 0.1 * v;
    EXPECT_FALSE(mark_ended_slip(g.stage.plan, g.interval(), g.middle, g.solved));
    g.solved.rates.after[0] = -0.5 * v;
    EXPECT_TRUE(mark_ended_slip(g.stage.plan, g.interval(), g.middle, g.solved));
    EXPECT_EQ(g.solved.choice.dry_slip_ends[0], 1);
    EXPECT_NEAR(g.solved.slip_end, Gathered::h * 2 / 3, 1e-16);
    g.gather();
    EXPECT_EQ(rows.offset[0], 0);
    EXPECT_FALSE(mark_ended_slip(g.stage.plan, g.interval(), g.middle, g.solved)) << "it is marked";
    // At its bound and along the sliding at the start, it opposes sliding back.
    g.solved.rates.before[0] = v;
    for (const double z : {-0.03, 0.029, 0.03}) {
      g.solved.impulses[0] = z;
      EXPECT_EQ(slips_back(g.stage.plan, g.solved), z == 0.03) << z;
    }
  }
}

// The same for a ball that slides on the floor at (0.3, 0.4) m/s.
TEST(IntervalRows, FrictionOfContacts) {
  ModelSpec spec = sliders({});
  spec.world_geometry.push_back({.name = "floor", .shape = HalfSpace{}});
  spec.bodies.push_back({.name = "ball",
                         .inertia = {1, {0, 0, 0}, Sym3<double>::diagonal(0.004, 0.004, 0.004)},
                         .geometry = {{.name = "ball", .shape = Sphere{0.1}}}});
  spec.joints.push_back(joint("free", JointType::free, "world", "ball"));
  Gathered g(spec, {1, 0, 0, 0, 0, 0, 0.1}, {0, 0, 0, 0.3, 0.4, 0});
  const StepRows& rows = g.solved.rows;
  ASSERT_EQ(rows.rows.size(), 3);
  const Contact& c = g.stage.set.contacts[0];
  const Vec3<double> u = relative_velocity(c, g.stage.placed.kin, g.stage.placed.vel);
  EXPECT_NEAR(std::hypot(u.y, u.z), 0.5, 1e-15);
  EXPECT_NEAR(rows.rows.offset[0], 0, 1e-15);
  EXPECT_NEAR(rows.rows.offset[1], u.y, 1e-15) << "(3): against the mean";
  EXPECT_NEAR(rows.rows.offset[2], u.z, 1e-15);
  const auto ends = [&](double along, double across, double load) {
    Solved s = g.solved;
    s.rates.before = {0, u.y, u.z};
    s.rates.after = {0, along * u.y - across * u.z, along * u.z + across * u.y};
    s.impulses = {load, 0, 0};
    const bool found = mark_ended_slip(g.stage.plan, g.interval(), g.middle, s);
    EXPECT_EQ(found, s.choice.slip_ends[0] == 1);
    if (found) EXPECT_NEAR(s.slip_end, Gathered::h / (1 - along), 1e-16);
    return found;
  };
  EXPECT_FALSE(ends(0.1, -2, 1)) << "it turns";
  EXPECT_TRUE(ends(-0.5, 0, 1));
  EXPECT_TRUE(ends(-0.25, 3, 1));
  EXPECT_FALSE(ends(-0.5, 0, 0)) << "without load there is no friction";
  g.solved.choice.slip_ends[0] = 1;
  g.gather();
  EXPECT_NEAR(rows.rows.offset[1], 0, 1e-15) << "(4): against the end";
  EXPECT_NEAR(rows.rows.offset[2], 0, 1e-15);
  g.solved.rates.before = {0, u.y, u.z};
  const double mu = rows.rows.blocks[0].mu;
  for (const double share : {-1.0, 0.9, 1.0}) {
    g.solved.impulses = {2, share * mu * 2 * u.y / 0.5, share * mu * 2 * u.z / 0.5};
    EXPECT_EQ(slips_back(g.stage.plan, g.solved), share == 1) << share;
  }
  g.solved.choice.no_lever[0] = 1;
  g.gather();
  EXPECT_EQ(rows.rows.size(), 0);
}

// The servo's force at q + theta h v_theta: 100 (u - q - theta h v_theta) - 4 v_theta, which must be within -3 and 5 N.
TEST(IntervalRows, ServosWithinTheirLimits) {
  ModelSpec spec = sliders({DofSpec{}});
  spec.actuators = {{.name = "servo",
                     .joint = "slider0",
                     .type = ActuatorType::position,
                     .stiffness = 100,
                     .damping = 4,
                     .lower = -3,
                     .upper = 5}};
  const double h = Gathered::h, q = 0.2, v = 0.5, end = 0.1;
  Gathered g(spec, {q}, {v});
  const double x = (h * h * 100 + h * 4) / 2, theta = 0.5 + x / (2 * (1 + x)), v_theta = (1 - theta) * v + theta * end;
  for (const double force : {-3.01, -2.99, 4.99, 5.01}) {
    const std::vector<double> controls{(force + 4 * v_theta) / 100 + q + theta * h * v_theta}, v_end{end};
    g.stage.inputs.controls = controls;
    EXPECT_EQ(within_servo_limits(g.stage.plan, g.interval(), v_end), std::abs(force - 1) < 4) << force;
    g.solved.choice.servos_as_rows = true;
    g.gather();
    ASSERT_EQ(g.solved.rows.rows.size(), 1);
    EXPECT_EQ(g.solved.rows.owner[0].kind, RowOwner::Kind::servo);
    // w = 0 at v+ = end for this force.
    EXPECT_NEAR(end + g.solved.rows.rows.softness[0] * h * force + g.solved.rows.rows.offset[0], 0, 1e-13);
    g.solved.choice.servos_as_rows = false;
    g.gather();
    EXPECT_EQ(g.solved.rows.rows.size(), 0);
  }
}

}  // namespace
}  // namespace linchpin
