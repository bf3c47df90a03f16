// pose(), lift() and solve_impact() do not allocate at sizes that they had before. Allocations are counted by an
// operator new of the whole test program.
#include "linchpin/base/allocation_testing.h"
#include "linchpin/contact/impact_testing.h"
#include "linchpin/contact/testing.h"

namespace linchpin {
namespace {

// After a first call with as many rows on as many links, whichever these links are.
TEST(NoAllocation, ByAnyEngine) {
  for (const Method method : {Method::os, Method::multipliers, Method::hybrid_dense, Method::hybrid_aba,
                              Method::hybrid_dca})
    for (const std::string scene : {"@humanoid", "@forest", "@forest:trees=60", "@random_tree:bodies=20,seed=2"}) {
      const Model model = model_of(scene);
      Situation a(model, 1, 0.01), b(model, 1, 0), c(model, 1, 0.01);
      add_random_rows(a, 1, scene == "@forest:trees=60" ? 80 : 8);  // forest: sparse matrices
      add_random_rows(b, 2, 6);
      add_random_rows(c, 3, 7);
      auto made = make_formulation(method, model, a.plan);
      if (!made) continue;  // maximal coordinates do not take the links of @forest
      Formulation& formulation = *made.value();
      Problem problem;
      std::vector<double> v(a.state.v.size()), solution, impulses;
      long before = 0;
      for (int round = 0; round < 3; ++round) {
        if (round == 1) before = allocations;
        for (const Situation* s : {&a, &b, &c, &a}) {
          solution.assign(s->rows.size(), 0.1);
          impulses.resize(solution.size());
          formulation.pose(s->motive(), s->rows, problem);
          formulation.lift(s->motive(), s->rows, solution, v, impulses);
        }
      }
      EXPECT_TRUE(problem.M.kind() == Matrix::Kind::block_sparse || scene != "@forest:trees=60");
      EXPECT_EQ(allocations - before, 0) << scene << ", " << to_string(method);
    }
}

// The same contacts at other speeds, then fewer contacts, with each kind of matrix.
TEST(NoAllocation, Impact) {
  for (const Restitution law : {Restitution::poisson, Restitution::newton})
    for (const int directions : {0, 6})
      for (const Matrix::Kind kind : {Matrix::Kind::dense, Matrix::Kind::block_sparse, Matrix::Kind::factored}) {
        Collision c{stack_of_boxes_scene(3, 1, {.mu = 0.3, .speed = 1}), {}};
        c.scene.gravity = c.scene.dt = 0;
        c.restitution.assign(c.scene.contacts.size(), 0.5);
        Collision faster = c;
        for (SceneBody& b : faster.scene.bodies)
          for (double& v : b.velocity) v *= 1.7;
        Collision fewer{stack_of_boxes_scene(2, 1, {.mu = 0.3, .speed = 1}), {}};
        fewer.scene.gravity = fewer.scene.dt = 0;
        fewer.restitution.assign(fewer.scene.contacts.size(), 0.7);
        Solver solver;
        ImpactWorkspace ws;
        const ImpactOptions options{.restitution = law, .directions = directions};
        bool first = true;
        for (const Collision* x : {&c, &faster, &fewer, &c}) {
          const Problem p = x->problem(kind);
          std::vector<double> z(p.q.size());
          const Impact impact{.problem = p, .restitution = x->restitution, .approach = p.q};
          const long before = allocations;
          const ImpactReport report = solve_impact(impact, options, solver, ws, z);
          const long after = allocations;
          EXPECT_TRUE(report.ok());
          EXPECT_EQ(report.problems, 2);
          EXPECT_TRUE(first || after == before)
              << after - before << " allocations, directions " << directions << " kind " << int(kind);
          first = false;
        }
      }
}

}  // namespace
}  // namespace linchpin
