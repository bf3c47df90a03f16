#include "linchpin/dynamics/aba.h"

#include <gtest/gtest.h>
#include <cstdio>
#include <cmath>

#include "linchpin/dynamics/augmented.h"
#include "linchpin/model/scenes.h"
#include "linchpin/model/state.h"

using namespace linchpin;

TEST(Aba, agrees_with_witness) {
  for (const char* text : {"@pendulum:links=7", "@chain:links=30","@humanoid", "@dual_arm", "@random_tree:bodies=30,seed=1", "@random_tree:bodies=30,seed=2","@random_tree:bodies=30,seed=3", "@forest", "@top", "@free_body"}) {
    const Result<ModelSpec> spec = scene(text);
    ASSERT_TRUE(spec.ok()) << spec.error().message;
    const Result<Model> compiled = compile(spec.value());
    ASSERT_TRUE(compiled.ok()) << compiled.error().message;
    const Model& model = compiled.value();
    const State state = random_state(model, 5);
    std::vector<double> tau(model.nv()), vdot(model.nv());
    for (int i = 0; i < model.nv(); ++i) tau[i] = std::sin(i + 1.0);
    const AugmentedTree<double> tree(model, state.q, state.v);
    const std::vector<double> x = tree.by_articulated(tau, Pivot::plain);
    const std::vector<double> lu = tree.by_sparse_lu(tau);
    const Plan<double> plan(model);
    AbaWorkspace<double> ws(plan);
    aba<double>(plan, state.q, state.v, tau, {}, ws, vdot);
    double worst = 0, scale = 0, w2 = 0;
    for (int i = 0; i < model.nv(); ++i) worst = std::max(worst, std::abs(vdot[i] - x[i])), scale = std::max(scale, std::abs(x[i])), w2 = std::max(w2, std::abs(lu[i]-x[i]));
    printf("%s nv %d runs %zu: diff %g lu %g of %g\n", text, model.nv(), model.runs().size(), worst, w2, scale);
  }
}
