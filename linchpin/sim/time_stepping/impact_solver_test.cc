#include "linchpin/sim/time_stepping/impact_solver.h"

#include "linchpin/sim/contact_testing.h"
#include "linchpin/sim/time_stepping/account.h"
#include "linchpin/sim/time_stepping/testing.h"

namespace linchpin {
namespace {

// A ball that touches the floor at speed u leaves it with e u; the energy lost is m u^2 (1 - e^2) / 2, and the
// contact's impulse m u (1 + e).
TEST(ImpactSolver, ReflectsABallAndAccountsForItsEnergy) {
  const double speed = 2;
  for (const double e : {0.25, 0.5, 1.0})
    for (const Method method : all_methods()) {
      const Model model = model_of("bounce:height=0,restitution=" + std::to_string(e));
      const double mass = model.bodies()[1].inertia.mass;
      State state = make_state(model);
      state.v[5] = -speed;
      StageTest stage(model, {.contact = {.method = method}}, state);
      ImpactSolver solver(stage.plan, 1e-6, 0.01);
      ProblemWorkspace ws;
      Solved solved(model);
      const ImpactReport report = solver.solve(stage.interval(0), stage.plain, ws, solved);
      ASSERT_TRUE(report.ok()) << to_string(method);
      EXPECT_NEAR(solved.v[5], e * speed, 1e-10) << to_string(method);
      const RowVelocities& u = solved.rates;
      StepReport step;
      EXPECT_NEAR(energy_lost(stage.plan, solved.rows, solved.impulses, u, 0, step),
                  mass * speed * speed * (1 - e * e) / 2, 1e-9)
          << to_string(method);
      ContactSums sums;
      sums.add(solved.rows, stage.set.contacts, solved.impulses, u);
      std::vector<ContactReport> contacts;
      sums.report(model, 0.01, contacts);
      ASSERT_EQ(contacts.size(), 1u);
      EXPECT_NEAR(contacts[0].normal_force, mass * speed * (1 + e) / 0.01, 1e-7) << to_string(method);
    }
}

// A ball bounces with e = 1 while a slider on another rail meets an end of its range: restitution belongs to contacts,
// limits have none. The slider stops, whatever the formulation and the law of restitution.
TEST(ImpactSolver, LimitsDoNotBounce) {
  ModelSpec spec = scene("bounce:height=0,restitution=1").value();
  spec.bodies.push_back({.name = "slider", .inertia = {.mass = 2, .moments = {1, 1, 1, 0, 0, 0}}, .geometry = {}});
  spec.joints.push_back({.name = "rail", .type = JointType::prismatic, .child = "slider"});
  spec.joints.back().axis = {1, 0, 0};
  spec.joints.back().dofs = {DofSpec{.lower = -1, .upper = 0.5}};
  const Model model = compiled(spec);
  for (const Restitution law : {Restitution::poisson, Restitution::newton})
    for (const Method method : all_methods())
      for (const bool upper : {false, true}) {
        State state = make_state(model);
        state.v[5] = -2;
        state.q[7] = upper ? 0.5 : -1;
        state.v[6] = upper ? 3 : -3;
        StageTest stage(model, {.contact = {.method = method, .restitution = law}}, state);
        ImpactSolver solver(stage.plan, 1e-6, 0.01);
        ProblemWorkspace ws;
        Solved solved(model);
        ASSERT_TRUE(solver.solve(stage.interval(0), stage.plain, ws, solved).ok()) << to_string(method);
        EXPECT_NEAR(solved.v[5], 2, 1e-9) << to_string(method);
        EXPECT_NEAR(solved.v[6], 0, 1e-9) << to_string(method) << " " << upper;
      }
}

}  // namespace
}  // namespace linchpin
