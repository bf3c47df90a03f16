#include "linchpin/dynamics/divide_conquer/divide_and_conquer.h"

#include <chrono>
#include <cstdio>

#include "linchpin/dynamics/divide_conquer/fork_join.h"
#include "linchpin/dynamics/tree/testing.h"

namespace linchpin {
namespace {

TEST(DivideAndConquer, EqualsAba) {
  for (const std::string& name : test_scenes())
    for (const int longest : {1, 2, 8}) {
      const Model model = model_of(name);
      const Plan<double> plan(model);
      const AssemblyTree tree(model, plan, longest);
      AssemblyWorkspace ws(plan, tree);
      const Worlds worlds(model, 1);
      std::vector<double> vdot(worlds.v[0].size());
      divide_and_conquer(plan, tree, worlds.q[0], worlds.v[0], worlds.x[0], worlds.f_ext[0], nullptr, ws, vdot);
      const std::vector<double> expected =
          run_aba<double>(model, worlds.q[0], worlds.v[0], worlds.x[0], worlds.f_ext[0]);
      std::printf("%s %d: %g of %g\n", name.c_str(), longest, largest_difference(vdot, expected), largest(expected));
    }
}

TEST(DivideAndConquer, Speed) {
  for (const int n : {7, 30, 100, 1000, 10000}) {
    const Model model = model_of("@chain:links=" + std::to_string(n));
    const Plan<double> plan(model);
    const Worlds worlds(model, 1);
    std::vector<double> vdot(worlds.v[0].size());
    AbaWorkspace<double> aba_ws(plan);
    const auto time = [&](const char* what, const auto& f) {
      double best = 1e9;
      for (int k = 0; k < 20; ++k) {
        const int times = std::max(1, 20000 / n);
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < times; ++i) f();
        best = std::min(best, std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / times / n);
      }
      std::printf("%d %s: %g ns per link\n", n, what, best);
    };
    time("aba", [&] { aba<double>(plan, worlds.q[0], worlds.v[0], worlds.x[0], {}, aba_ws, vdot); });
    const std::vector<double> expected = vdot;
    for (const int longest : {1, 2, 4, 8, 16, 32}) {
      const AssemblyTree tree(model, plan, longest);
      AssemblyWorkspace ws(plan, tree);
      ForkJoin two(2);
      time(("dca " + std::to_string(longest)).c_str(), [&] { divide_and_conquer(plan, tree, worlds.q[0], worlds.v[0], worlds.x[0], {}, nullptr, ws, vdot); });
      std::printf("   error %g of %g depth %d\n", largest_difference(vdot, expected), largest(expected), tree.depth());
      time(("dca two threads " + std::to_string(longest)).c_str(), [&] { divide_and_conquer(plan, tree, worlds.q[0], worlds.v[0], worlds.x[0], {}, &two, ws, vdot); });
    }
  }
}

}  // namespace
}  // namespace linchpin
