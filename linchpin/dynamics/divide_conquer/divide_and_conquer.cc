#include "linchpin/dynamics/divide_conquer/divide_and_conquer.h"

#include <algorithm>

#include "linchpin/base/check.h"
#include "linchpin/dynamics/divide_conquer/assembly_kernels.h"
#include "linchpin/dynamics/divide_conquer/assembly_sweep.h"

namespace linchpin {
namespace {

// The least number of links that is worth another thread: to hand work over and to wait for it takes about a
// microsecond. Velocities and forces take some 10 ns a link, articulated-body inertias 50.
constexpr int for_velocities = 200, for_inertias = 50, for_forces = 150;
constexpr int blocks_at_once = 24;

int count_of(const ForkJoin* threads) { return threads ? threads->threads() : 1; }

template <class Stages>
void run(ForkJoin* threads, const Stages& stages) {
  if (count_of(threads) > 1)
    threads->run(stages);
  else
    stages();
}

// One stage on all blocks of eight joints.
template <class Stage>
void each_block(const AssemblyInput& in, const Stage& stage) {
  const int blocks = int(in.plan.blocks.size());
  const auto range = [&](int first, int last) {
    for (int b = first; b < last; ++b) stage(b);
  };
  if (in.threads > 1 && blocks >= 2 * blocks_at_once)
    ForkJoin::each(blocks, AssemblySweep::share(blocks, in.threads, blocks_at_once), range);
  else
    range(0, blocks);
}

void assemble_all(const AssemblyInput& in, AssemblyWorkspace& ws) {
  each_block(in, [&](int block) { turn_joints(in, block, ws); });
  const AssemblySweep velocities(in.tree, for_velocities, in.threads);
  velocities.up([&](int node) { find_turn(in, node, ws); });
  for (const int root : in.tree.roots()) ws.node[root].w = Vec3<double>::zero();
  velocities.down([&](int node) { hand_out_velocity(in, node, ws); });
  each_block(in, [&](int block) { find_velocity_products(in, block, ws); });
  AssemblySweep(in.tree, for_inertias, in.threads).up([&](int node) { assemble(in, node, ws); });
}

void check_workspace(const Plan<double>& plan, const AssemblyTree& tree, const AssemblyWorkspace& ws) {
  check(ws.node.size() == tree.nodes().size() && ws.local.size() == plan.blocks.size(), "workspace of another model");
}

}  // namespace

AssemblyWorkspace::AssemblyWorkspace(const Plan<double>& plan, const AssemblyTree& tree)
    : aba(plan),
      local(plan.blocks.size()),
      wide_external(plan.wide_links.size()),
      s(plan.slots),
      wide_s(6 * plan.wide_links.size()),
      factors(plan.wide_links.size()),
      node(tree.nodes().size()),
      motion(tree.nodes().size()),
      zero(plan.nv) {
  std::fill(zero.begin(), zero.end(), 0.0);
}

AssemblySolveWorkspace::AssemblySolveWorkspace(const Plan<double>& plan, const AssemblyTree& tree)
    : u_over_D(plan.slots),
      wide_u(plan.wide_links.size()),
      external(plan.slots),
      wide_external(plan.wide_links.size()),
      motion(tree.nodes().size()) {}

void divide_and_conquer(const Plan<double>& plan, const AssemblyTree& tree, std::span<const double> q,
                        std::span<const double> v, std::span<const double> tau, std::span<const double> f_ext,
                        ForkJoin* threads, AssemblyWorkspace& ws, std::span<double> vdot) {
  check_workspace(plan, tree, ws);
  check_assembly_sizes(plan, q, v, tau, f_ext, vdot);
  if (!f_ext.empty()) gather_forces(plan, f_ext, ws);
  const AssemblyInput in{plan, tree, q.data(), v.data(), tau.data(), !f_ext.empty(), count_of(threads)};
  run(threads, [&] {
    assemble_all(in, ws);
    for (const int root : tree.roots()) ws.motion[root].A = {Vec3<double>::zero(), plan.upward};
    AssemblySweep(tree, for_inertias, in.threads).down([&](int node) {
      hand_out_acceleration(in, node, vdot.data(), ws);
    });
  });
}

void assemble_factors(const Plan<double>& plan, const AssemblyTree& tree, std::span<const double> q, ForkJoin* threads,
                      AssemblyWorkspace& ws) {
  check_workspace(plan, tree, ws);
  check(q.size() == std::size_t(plan.nq), "q has ", q.size(), " numbers, the model needs ", plan.nq);
  const AssemblyInput in{plan, tree, q.data(), ws.zero.data(), ws.zero.data(), false, count_of(threads)};
  run(threads, [&] { assemble_all(in, ws); });
}

void solve(const Plan<double>& plan, const AssemblyTree& tree, const AssemblyWorkspace& factors, ForkJoin* threads,
           AssemblySolveWorkspace& ws, std::span<double> x, std::span<const Force<double>> on_link) {
  check_workspace(plan, tree, factors);
  check(ws.motion.size() == tree.nodes().size() && ws.u_over_D.size() == std::size_t(plan.slots),
        "workspace of another model");
  const std::size_t links = plan.link_of_slot.size() + plan.link_of_wide.size() + 1;
  check(x.size() == std::size_t(plan.nv), "x has ", x.size(), " numbers, the model needs ", plan.nv);
  check(on_link.empty() || on_link.size() == links, "forces on ", on_link.size(), " links, the model has ", links);
  if (!on_link.empty()) {
    for (std::size_t slot = 0; slot < plan.link_of_slot.size(); ++slot)
      ws.external[slot] = on_link[plan.link_of_slot[slot]];
    for (std::size_t w = 0; w < plan.wide_links.size(); ++w) ws.wide_external[w] = on_link[plan.link_of_wide[w]];
  }
  const AssemblySolveInput in{plan, tree, factors, !on_link.empty(), x.data()};
  const AssemblySweep sweep(tree, for_forces, count_of(threads));
  run(threads, [&] {
    sweep.up([&](int node) { gather_bias(in, node, ws); });
    for (const int root : tree.roots()) ws.motion[root].A = Motion<double>::zero();
    sweep.down([&](int node) { hand_out_response(in, node, ws); });
  });
}

}  // namespace linchpin
