#include "linchpin/contact/formulation.h"

#include "linchpin/contact/formulation_testing.h"
#include "linchpin/dynamics/maximal/maximal_bodies.h"

namespace linchpin {
namespace {

TEST(Formulation, NamesAreFoundAgain) {
  for (const Method method : all_methods) EXPECT_EQ(method_from(to_string(method)), method);
  EXPECT_EQ(method_from("lcp"), std::nullopt);
}

TEST(Formulation, EveryMethodSolvesEveryOthersProblemWithCones) {
  for (int seed = 1; seed <= 16; ++seed) expect_agreement(*random_situation(seed), 0, "seed " + std::to_string(seed));
}

TEST(Formulation, EveryMethodSolvesEveryOthersProblemWithPolyhedra) {
  for (int seed = 17; seed <= 24; ++seed) {
    const int directions = 4 + 2 * (seed % 7);
    expect_agreement(*random_situation(seed), directions,
                     "seed " + std::to_string(seed) + ", " + std::to_string(directions) + " directions");
  }
}

// The matrices and offsets of all engines (engine.h) are the same but for rounding [002 (11), (13)].
void expect_identical_problems(const Situation& s, const std::string& what) {
  Problem expected;
  formulation_of(Method::os, s)->pose(s.motive(), s.rows, expected);
  const auto written_out = [](const Problem& p) {
    std::vector<double> M(std::size_t(p.size()) * std::size_t(p.size()));
    p.M.to_dense(M.data(), p.size());
    return M;
  };
  const std::vector<double> M = written_out(expected);
  for (const Method method : methods_on_engines) {
    if (in_maximal_coordinates(method) && MaximalBodies::find_fault(s.model)) continue;
    Problem problem;
    formulation_of(method, s)->pose(s.motive(), s.rows, problem);
    ASSERT_EQ(problem.size(), expected.size()) << what << ", " << to_string(method);
    EXPECT_LE(largest_difference(written_out(problem), M), 1e-10 * largest(M)) << what << ", " << to_string(method);
    EXPECT_LE(largest_difference(problem.q, expected.q), 1e-9 * larger(1.0, largest(expected.q)))
        << what << ", " << to_string(method);
  }
}

TEST(Formulation, EnginesPoseTheIdenticalProblem) {
  for (int seed = 1; seed <= 32; ++seed)
    expect_identical_problems(*random_situation(seed), "seed " + std::to_string(seed));
  for (const char* scene : {"@humanoid", "@quadruped", "@dual_arm", "@linkage_biped", "@chain:links=60", "@forest"})
    for (const double dt : {0.0, 1e-3}) {
      Situation s(model_of(scene), 3, dt);
      const int links = int(s.model.links().size()) - 1;
      Stream random{5};
      for (int c = 0; c < 20; ++c) {  // several on one body: the last six links
        const int link = links - c % std::min(6, links);
        s.add_contact(link, c % 5 == 4 && link > 1 ? 1 : 0, s.kin.X_WL[link].p + 0.1 * random.direction(),
                      random.direction(), 0.5, 0);
      }
      if (!s.model.constraints().empty()) s.add_constraints(0, 1);
      expect_identical_problems(s, scene);
    }
}

void add_loose_body(ModelSpec& spec, int k, const std::string& parent) {
  BodySpec body{.name = "loose_" + std::to_string(k), .inertia = {}, .geometry = {}};
  add_solid(body, Box{{0.1, 0.2, 0.3}}, 1 + 0.1 * k, translation(0.01 * k, 0, 0.2), body.name);
  JointSpec joint;
  joint.name = joint.child = body.name;
  joint.parent = parent;
  joint.type = JointType::free;
  spec.joints.push_back(joint);
  spec.bodies.push_back(std::move(body));
}

// Several trees, some of them loose bodies, in contact with each other and the ground.
TEST(Formulation, SeveralTreesAndLooseBodies) {
  for (int seed = 1; seed <= 6; ++seed) {
    ModelSpec spec = scene("@random_tree:bodies=6,seed=" + std::to_string(seed)).value();
    for (int k = 0; k < 4; ++k)  // the last one is the child of another body, by a free joint
      add_loose_body(spec, k, k == 3 ? "loose_2" : "world");
    Situation s(compile(spec).value(), 5, seed % 2 == 0 ? 0 : 0.01);
    add_random_rows(s, std::uint64_t(seed), 8);
    expect_agreement(s, 0, "seed " + std::to_string(seed));
  }
}

// Without rows all methods are forward dynamics.
TEST(Formulation, WithoutRowsMotionIsFree) {
  for (const std::string scene : {"@humanoid", "@random_tree:bodies=20,seed=4", "@dual_arm"}) {
    Situation s(model_of(scene), 3, 0.01);
    AbaWorkspace<double> ws(s.plan);
    std::vector<double> expected(s.state.v.size());
    aba<double>(s.plan, s.state.q, s.state.v, s.tau, s.f_ext, ws, expected);
    for (std::size_t k = 0; k < expected.size(); ++k) expected[k] = s.state.v[k] + s.dt * expected[k];
    for (const Method method : all_methods) {
      const PosedAnswer a = answer_of(method, s, 0);
      EXPECT_LE(largest_difference(a.v, expected), 1e-9 * largest(expected)) << scene << ", " << to_string(method);
    }
  }
}

// Posing again with other joint forces is posing with them, for every method, also after another problem.
TEST(Formulation, PosesAgainWithOtherForces) {
  for (int seed = 1; seed <= 12; ++seed) {
    const std::unique_ptr<Situation> s = random_situation(seed);
    if (s->dt == 0) continue;  // an impact has no forces
    const std::vector<double> change = random_numbers(int(s->tau.size()), std::uint64_t(seed) + 100);
    std::vector<double> tau = s->tau;
    for (std::size_t k = 0; k < tau.size(); ++k) tau[k] += change[k];
    const auto motive = [&](std::span<const double> forces) {
      return Motive{s->model, s->plan, s->kin, s->vel, s->state.q, s->state.v, forces, s->f_ext, s->dt};
    };
    for (const Method method : all_methods) {
      Problem direct, again;
      const auto fresh = make_formulation(method, s->model, s->plan).value();
      fresh->pose(motive(tau), s->rows, direct);
      const auto reused = make_formulation(method, s->model, s->plan).value();
      reused->pose(motive(s->tau), s->rows, again);
      reused->repose(motive(tau), change, s->rows, again);
      ASSERT_EQ(again.q.size(), direct.q.size());
      EXPECT_LE(largest_difference(again.q, direct.q), 1e-10 * larger(1.0, largest(direct.q)))
          << seed << ", " << to_string(method);
      std::vector<double> z(direct.q.size(), 0.0), v(tau.size()), v_again(tau.size()), impulses(s->rows.size());
      fresh->lift(motive(tau), s->rows, z, v, impulses);
      reused->lift(motive(tau), s->rows, z, v_again, impulses);
      EXPECT_LE(largest_difference(v_again, v), 1e-10 * larger(1.0, largest(v))) << seed << ", " << to_string(method);
    }
  }
}

// A solution of another problem, here one number short, is refused by every method.
TEST(Formulation, LiftsNoSolutionOfAnotherProblem) {
  const std::unique_ptr<Situation> s = random_situation(1);
  ASSERT_GT(s->rows.size(), 0);
  for (const Method method : all_methods) {
    Problem problem;
    const auto formulation = make_formulation(method, s->model, s->plan).value();
    formulation->pose(s->motive(), s->rows, problem);
    std::vector<double> z(problem.q.size() - 1), v(s->state.v.size()), impulses(s->rows.size());
    EXPECT_THROW(formulation->lift(s->motive(), s->rows, z, v, impulses), CheckFailed) << to_string(method);
  }
}

// Velocity products may be those of other velocities, for every method.
TEST(Formulation, TakesVelocityProductsAtOtherVelocities) {
  for (const std::string scene : {"@humanoid", "@random_tree:bodies=20,seed=4", "@dual_arm"}) {
    Situation s(model_of(scene), 3, 0.01);
    s.v_products = random_numbers(s.state.v.size(), 5, 2);
    AbaWorkspace<double> ws(s.plan);
    std::vector<double> expected(s.state.v.size());
    aba<double>(s.plan, s.state.q, s.v_products, s.tau, s.f_ext, ws, expected);
    for (std::size_t k = 0; k < expected.size(); ++k) expected[k] = s.state.v[k] + s.dt * expected[k];
    for (const Method method : all_methods) {
      const PosedAnswer a = answer_of(method, s, 0);
      EXPECT_LE(largest_difference(a.v, expected), 1e-9 * largest(expected)) << scene << ", " << to_string(method);
    }
  }
}

// Loops with prescribed velocities: the rows have the prescribed velocity after the step.
TEST(Formulation, FreeRowsMeetTheirOffsets) {
  for (int seed = 1; seed <= 6; ++seed) {
    Situation s(model_of("@random_tree:bodies=10,seed=" + std::to_string(seed)), 3, 0.01);
    Stream random{std::uint64_t(seed)};
    for (int k = 0; k < 4; ++k) {
      s.rows.begin_block(BlockKind::free, 1);
      s.rows.add_side(1 + random.below(int(s.model.links().size()) - 1), {random.direction(), random.direction()});
      s.rows.end_row(random.between(-1, 1));
    }
    for (const Method method : all_methods) {
      const PosedAnswer a = answer_of(method, s, 0);
      Velocities after(s.model);
      velocities(s.model, s.kin, a.v, after);
      for (std::size_t r = 0; r < 4; ++r) {
        const RowSide& side = s.rows.sides[r];
        EXPECT_NEAR(dot(side.force, after.link[side.link]), -s.rows.offset[r], 1e-9)
            << seed << ", " << to_string(method);
      }
    }
  }
}

// A pile of loose bodies beside a mechanism: many rows, few of which are coupled. Without free rows the reduced minimal
// coordinates pose the same problem with a dense matrix.
TEST(Formulation, APileIsSparse) {
  for (const std::string text : {"@random_tree:bodies=6,seed=3", "@pendulum:links=4"}) {
    ModelSpec spec = scene(text).value();
    for (int k = 0; k < 40; ++k) add_loose_body(spec, k, "world");
    Situation s(compile(spec).value(), 5, 0.01);
    add_random_rows(s, 2, 60);
    s.add_coordinate_row(BlockKind::box, 1, 1, 0.4, 0.5, -0.2, 0.3);
    for (int c = 0; c < 3; ++c) s.add_contact(2, 0, s.kin.X_WL[2].p + Vec3<double>{0.1, 0, 0.1 * c}, {0, 0, 1}, 0.5, 0);
    Problem sparse, dense;
    formulation_of(Method::os, s)->pose(s.motive(), s.rows, sparse);
    formulation_of(Method::rmc, s)->pose(s.motive(), s.rows, dense);
    EXPECT_FALSE(find_fault(sparse).has_value());
    ASSERT_EQ(sparse.M.kind(), Matrix::Kind::block_sparse);
    ASSERT_EQ(sparse.size(), dense.size());
    EXPECT_LE(largest_difference(sparse.q, dense.q), 1e-10);
    std::vector<double> written_out(dense.M.dense().size());
    sparse.M.to_dense(written_out.data(), sparse.size());
    EXPECT_LE(largest_difference(written_out, dense.M.dense()), 1e-10 * largest(dense.M.dense()));
    int still = 0;  // rows that no motion changes: normal to the pendulum's plane
    for (int i = 0; i < sparse.size(); ++i) {
      const std::size_t n = std::size_t(sparse.size()), r = std::size_t(i);
      const bool moves = dense.M.dense()[r * n + r] != 0;
      still += !moves;
      for (std::size_t j = 0; j < n; ++j) {
        ASSERT_EQ(written_out[r * n + j], written_out[j * n + r]) << text << ", rows " << r << " and " << j;
        ASSERT_TRUE(moves || written_out[r * n + j] == 0) << text << ", rows " << r << " and " << j;
      }
    }
    EXPECT_GT(still, 0) << text;
    Solver solver;
    std::vector<double> z(sparse.q.size());
    EXPECT_EQ(solver.solve(sparse, SolverId::automatic, {.tolerance = 1e-10}, z).status, Status::solved);
  }
}

// The block pattern is computed again if rows act on other links, even if the rows are the same otherwise.
TEST(Formulation, APileAfterAnother) {
  ModelSpec spec = scene("@pendulum:links=4").value();
  for (int k = 0; k < 40; ++k) add_loose_body(spec, k, "world");
  const Model model = compile(spec).value();
  const auto contacts = [&](int apart) {  // the same number, in chains of bodies: each with the one after the next ...
    auto s = std::make_unique<Situation>(model, 5, 0.01);
    const int last = int(model.links().size()) - 1;
    for (int k = 0; k < 30; ++k) s->add_contact(last - k, last - k - apart, s->kin.X_WL[last - k].p, {0, 0, 1}, 0.5, 0);
    return s;
  };
  const std::unique_ptr<Situation> next = contacts(1), second = contacts(2);
  const std::unique_ptr<Formulation> kept = formulation_of(Method::os, *next);
  Problem problem, fresh;
  for (const Situation* s : {next.get(), next.get(), second.get(), next.get(), second.get(), second.get()}) {
    kept->pose(s->motive(), s->rows, problem);
    formulation_of(Method::os, *s)->pose(s->motive(), s->rows, fresh);
    ASSERT_EQ(problem.M.kind(), Matrix::Kind::block_sparse);
    EXPECT_EQ(problem.M.blocks().column, fresh.M.blocks().column);
    EXPECT_EQ(problem.M.blocks().values, fresh.M.blocks().values);
    EXPECT_EQ(problem.q, fresh.q);
  }
}

// The touched links may change from step to step and back: the solution depends on the current step only.
TEST(Formulation, WhatWentBeforeLeavesNoTrace) {
  const Model model = model_of("@random_tree:bodies=14,seed=8,floating=1");
  std::vector<std::unique_ptr<Situation>> steps;
  for (int k = 0; k < 4; ++k) {
    steps.push_back(std::make_unique<Situation>(model, 3, k == 1 ? 0 : 0.01));
    add_random_rows(*steps.back(), std::uint64_t(1 + k), k);
  }
  for (const Method method : all_methods) {
    const std::unique_ptr<Formulation> kept = formulation_of(method, *steps[0]);
    Problem problem;
    for (const std::size_t k : {3, 0, 1, 3, 2, 2, 0, 3}) {
      const Situation& s = *steps[k];
      const PosedAnswer fresh = answer_of(method, s, 0);
      kept->pose(s.motive(), s.rows, problem);
      ASSERT_EQ(problem.q, fresh.problem.q) << to_string(method) << ", step " << k;
      ASSERT_EQ(problem.M.dense(), fresh.problem.M.dense()) << to_string(method) << ", step " << k;
      ASSERT_EQ(problem.M.blocks().values, fresh.problem.M.blocks().values) << to_string(method) << ", step " << k;
      ASSERT_EQ(problem.lower, fresh.problem.lower);
      std::vector<double> v(s.state.v.size()), impulses(s.rows.size());
      kept->lift(s.motive(), s.rows, fresh.solution, v, impulses);
      ASSERT_EQ(v, fresh.v) << to_string(method) << ", step " << k;
      ASSERT_EQ(impulses, fresh.impulses) << to_string(method) << ", step " << k;
    }
  }
}

// Contacts of the model's last links with the ground.
Situation& with_contacts(Situation& s, int contacts) {
  Stream random{1};
  for (int c = 0; c < contacts; ++c) {
    const int link = int(s.model.links().size()) - 1 - c % 2;
    s.add_contact(link, 0, s.kin.X_WL[link].p + 0.1 * random.direction(), {0, 0, 1}, 0.5, 0);
  }
  return s;
}
int size_of(Method method, const Situation& s, int directions) {
  Problem problem;
  formulation_of(method, s)->pose(s.motive(), s.rows, problem);
  return polyhedral(problem, directions).problem.size();
}

// In a planar mechanism no motion changes one of each contact's tangent rows.
TEST(Formulation, PlanarAndOverconstrainedMechanisms) {
  for (const std::string scene : {"@pendulum:links=5", "@linkage_biped", "@bricard:section=0.1"})
    for (const int directions : {0, 4, 6, 8})
      for (const double dt : {0.0, 1e-4}) {
        Situation s(model_of(scene), 1, dt);
        if (!s.model.constraints().empty())
          s.move_to(make_state(s.model).q);  // assembled: the loop rows are redundant there
        with_contacts(s, 4);
        s.add_constraints(0, 1);
        expect_agreement(s, directions, scene + ", " + std::to_string(directions) + " directions");
      }
}

// The tip of a planar chain is held by three rows, one of them across the plane. In a plane that is not that of two
// axes, the row across has a diagonal of rounding errors, which is no motion: the tip stops, and the row has no impulse
// that moves anything. The same with the chain's first link held again, so that rows depend on each other.
TEST(Formulation, FreeRowsAcrossATiltedPlane) {
  ModelSpec spec = scene("@pendulum:links=5").value();
  const Mat3<double> R = to_rotation(exp_rotation(Vec3<double>{0.3, -1.1, 0.7}));
  spec.joints[0].X_PF.R = R * spec.joints[0].X_PF.R;
  const Model model = compile(spec).value();
  for (const double dt : {0.0, 1e-3})
    for (const bool repeated : {false, true}) {
      Situation s(model, 1, dt);
      const int tip = int(model.links().size()) - 1;
      const Vec3<double> at{0.1, 0.2, 0.3};
      const auto hold = [&](int link) {
        s.rows.begin_block(BlockKind::free, 3);
        for (const Vec3<double>& axis : {R.x, R.y, R.z}) {
          s.rows.add_side(link, {cross(at, axis), axis});
          s.rows.end_row(0);
        }
      };
      hold(tip);
      if (repeated) hold(tip);
      const Vec3<double> ground = s.kin.X_WL[tip - 2].p;
      s.add_contact(tip - 2, 0, ground, R * Vec3<double>{0, 0, 1}, 0.5, 0);
      for (const Method method : all_methods) {
        const PosedAnswer a = answer_of(method, s, 0);
        Velocities after(model);
        velocities(model, s.kin, a.v, after);
        const Motion<double>& m = after.link[tip];
        EXPECT_LE(norm(m.v + cross(m.w, at)), 1e-9) << to_string(method);  // speeds are some m/s
        EXPECT_LE(largest(a.impulses), 1e4) << to_string(method);
      }
      expect_agreement(s, 0, repeated ? "held twice" : "held");
    }
}

// A free row that leans out of the plane by a small angle: its diagonal is the square of that, relative to its size.
// Reduced minimal coordinates take it for a row that says nothing below 1e-10 (rank.h), so 1e-7 rad leaves the motion
// alone, where an impulse of 1e7 times the chain's momentum would stop the tip. With 1e-3 rad it stops.
TEST(Formulation, ARowThatSaysNothingHasNoImpulse) {
  for (const double lean : {1e-7, 1e-3}) {
    Situation s(model_of("@pendulum:links=5"), 1, 0);
    const int tip = int(s.model.links().size()) - 1;
    const Vec3<double> axis{lean, 1, 0};  // the hinges are along y
    s.rows.begin_block(BlockKind::free, 1);
    s.rows.add_side(tip, {Vec3<double>::zero(), axis});
    s.rows.end_row(0);
    const PosedAnswer a = answer_of(Method::rmc, s, 0);
    Velocities after(s.model);
    velocities(s.model, s.kin, a.v, after);
    const double before = s.vel.link[tip].v.x;
    EXPECT_GT(std::abs(before), 0.1);
    EXPECT_NEAR(after.link[tip].v.x, lean == 1e-7 ? before : 0, 1e-9);  // 1e-3 rad lose 6 digits
    if (lean == 1e-7) EXPECT_EQ(a.impulses[0], 0);
  }
}

// Rows that motion changes little or not at all: in maximal coordinates they are small differences of the responses
// without hinges. In the last two cases loops determine all rows.
TEST(Formulation, RowsThatHardlyMove) {
  for (const int seed : {103, 250, 394, 2495, 595, 1143})
    expect_agreement(*random_situation(seed), 0, "seed " + std::to_string(seed));
}

TEST(Formulation, HeavyBodiesOnLightOnes) {
  for (const char* ratio : {"1e2", "1e4", "1e6"}) {
    Situation s(model_of(std::string("@heavy_light:ratio=") + ratio), 1, 1e-3);
    with_contacts(s, 3);
    const PosedAnswer os = answer_of(Method::os, s, 0);
    PosedAnswer multipliers = answer_of(Method::multipliers, s, 0);
    ResidualWorkspace ws;
    EXPECT_LE(residual(multipliers.problem, os.solution, ws).relative, agreement) << ratio;
    EXPECT_LE(residual(os.problem, multipliers.solution, ws).relative, agreement) << ratio;
    EXPECT_LE(largest_difference(velocity_by(s, multipliers, os.solution), os.v), agreement * largest(os.v)) << ratio;
  }
}

TEST(Formulation, SizesOfTheDualArm) {  // [000 table 1]
  Situation s(model_of("@dual_arm"), 1, 0);
  with_contacts(s, 4);
  EXPECT_EQ(size_of(Method::nmc, s, 4), 310);
  EXPECT_EQ(size_of(Method::mc, s, 4), 50);
  EXPECT_EQ(size_of(Method::rmc, s, 4), 24);
  EXPECT_EQ(size_of(Method::os, s, 4), 24);
  EXPECT_EQ(size_of(Method::multipliers, s, 4), 24);
  EXPECT_EQ(size_of(Method::nmc_os, s, 4), 154);
}

TEST(Formulation, SizesOfThePendulums) {  // [000 table 2]
  const int links[] = {3, 6, 12, 15, 24, 30}, nmc_os[] = {39, 54, 84, 99, 144, 174},
            nmc[] = {57, 90, 156, 189, 288, 354};
  for (std::size_t k = 0; k < 6; ++k) {
    Situation s(model_of("@pendulum:links=" + std::to_string(links[k])), 1, 0);
    with_contacts(s, 4);
    EXPECT_EQ(size_of(Method::os, s, 4), 24);
    EXPECT_EQ(size_of(Method::nmc_os, s, 4), nmc_os[k]);
    EXPECT_EQ(size_of(Method::nmc, s, 4), nmc[k]);
  }
}

// Methods that do not eliminate the loops have their rows in addition.
TEST(Formulation, SizesWithLoops) {
  Situation s(model_of("@four_bar"), 1, 0);
  const ConstraintPlan constraints(s.model, s.model.constraints());
  const int loops = constraints.rows(), nv = s.model.nv();
  ASSERT_GT(loops, 0);
  s.add_constraints(0, 1);
  with_contacts(s, 2);
  const int contacts = 2 * (6 + 2);
  EXPECT_EQ(size_of(Method::os, s, 6), loops + contacts);
  EXPECT_EQ(size_of(Method::rmc, s, 6), contacts);
  EXPECT_EQ(size_of(Method::mc, s, 6), nv + loops + contacts);
}

TEST(Formulation, ABodyWithoutInertiaIsNamed) {
  const Model model = model_of("@simple_pendulum");  // a point mass
  const Plan<double> plan(model);
  for (const Method method : {Method::nmc, Method::nmc_os, Method::multipliers}) {
    const auto made = make_formulation(method, model, plan);
    ASSERT_FALSE(made.ok());
    EXPECT_NE(made.error().message.find("'link_1'"), std::string::npos) << made.error().message;
    EXPECT_NE(made.error().message.find("no moment of inertia"), std::string::npos) << made.error().message;
  }
  for (const Method method : {Method::os, Method::rmc, Method::mc})
    EXPECT_TRUE(make_formulation(method, model, plan).ok());
}

}  // namespace
}  // namespace linchpin
