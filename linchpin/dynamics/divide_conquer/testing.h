// Shared by the tests of this room: models, and one call from beginning to end.
#pragma once

#include "linchpin/dynamics/divide_conquer/divide_and_conquer.h"
#include "linchpin/dynamics/divide_conquer/fork_join.h"
#include "linchpin/dynamics/tree/testing.h"

namespace linchpin {

inline void add_link(ModelSpec& spec, const std::string& name, const std::string& parent, double x, double z) {
  BodySpec body{.name = name, .inertia = {}, .geometry = {}};
  body.inertia.mass = 1;
  body.inertia.centre = {0, 0, -0.5};
  body.inertia.moments = Sym3<double>::diagonal(0.1, 0.1, 0.02);
  spec.bodies.push_back(std::move(body));
  JointSpec joint;
  joint.name = joint.child = name;
  joint.parent = parent;
  joint.type = JointType::revolute;
  joint.axis = spec.joints.size() % 2 == 0 ? Vec3<double>{0, 1, 0} : Vec3<double>{1, 0, 0};
  joint.X_PF.p = {x, 0, z};
  spec.joints.push_back(std::move(joint));
}

inline void add_arm(ModelSpec& spec, int arm, int length, const std::string& base) {
  for (int k = 0; k < length; ++k) {
    const std::string name = "arm_" + std::to_string(arm) + "_" + std::to_string(k);
    add_link(spec, name, k == 0 ? base : "arm_" + std::to_string(arm) + "_" + std::to_string(k - 1), 0.1 * arm,
             k == 0 ? -0.1 : -1);
  }
}

// A chain of `arms` links, on each of which hangs a chain of `length` links.
inline Model comb_of(int arms, int length) {
  ModelSpec spec;
  spec.name = "comb";
  for (int a = 0; a < arms; ++a)
    add_link(spec, "back_" + std::to_string(a), a == 0 ? "world" : "back_" + std::to_string(a - 1), 0, a == 0 ? 0 : -1);
  for (int a = 0; a < arms; ++a) add_arm(spec, a, length, "back_" + std::to_string(a));
  return compile(spec).value();
}

// All chains on one link.
inline Model star_of(int arms, int length) {
  ModelSpec spec;
  spec.name = "star";
  add_link(spec, "hub", "world", 0, 0);
  for (int a = 0; a < arms; ++a) add_arm(spec, a, length, "hub");
  return compile(spec).value();
}

inline std::vector<std::string> assembly_scenes() {
  std::vector<std::string> scenes = test_scenes();
  for (int seed = 11; seed <= 20; ++seed)
    scenes.push_back("@random_tree:bodies=60,floating=1,seed=" + std::to_string(seed));
  for (const char* name : {"@chain:links=100", "@bricard:section=0.1", "@workshop", "@falling_chain:links=64",
                           "@pendulum:links=64"}) scenes.push_back(name);
  return scenes;
}

inline void poison_workspace(AssemblyWorkspace& ws) {
  poison_workspace(ws.aba);
  poison(ws.local, ws.wide_external, ws.s, ws.wide_s, ws.factors, ws.node, ws.motion);
}
inline void poison_workspace(AssemblySolveWorkspace& ws) {
  poison(ws.u_over_D, ws.wide_u, ws.external, ws.wide_external, ws.motion);
}

// A workspace with NaN in it, and the accelerations.
struct AssembledRun {
  AssembledRun(const Model& model, int longest, int threads = 1)
      : plan(model), tree(model, plan, longest), ws(plan, tree), vdot(model.nv()) {
    if (threads > 1) team = std::make_unique<ForkJoin>(threads);
    poison_workspace(ws);
  }
  const std::vector<double>& operator()(const std::vector<double>& q, const std::vector<double>& v,
                                        const std::vector<double>& tau, const std::vector<double>& f_ext = {}) {
    divide_and_conquer(plan, tree, q, v, tau, f_ext, team.get(), ws, vdot);
    return vdot;
  }
  Plan<double> plan;
  AssemblyTree tree;
  AssemblyWorkspace ws;
  std::unique_ptr<ForkJoin> team;
  std::vector<double> vdot;
};

}  // namespace linchpin
