// Do all engines simulate the same mechanism? Whatever linchpin understands by a free joint, a ball, an offset frame or
// a tilted inertia, MuJoCo, DART, Bullet and Simbody must arrive at the same accelerations; DART and Simbody take our
// frames as they are, so they also witness the re-expression that MuJoCo and Bullet need.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "bench/peers.h"
#include "linchpin/base/compare_testing.h"
#include "linchpin/dynamics/compliance/compliance.h"
#include "linchpin/dynamics/tree/aba.h"
#include "linchpin/model/scenes.h"
#include "linchpin/model/state.h"
#include "linchpin/spatial/quaternion.h"

namespace linchpin {
namespace {

using Numbers = std::vector<double>;

struct Case {
  std::string name;
  std::function<ModelSpec()> spec;
  // Largest difference between any two engines, as a part of the largest acceleration. They differ by rounding times
  // the condition of the mass matrix, and that grows with the length of a chain: one ulp in the mass matrix of planar
  // rods moves accelerations by 1e-11 at 30 links, 5e-10 at 100. It is MuJoCo, by its mass matrix, that needs the more
  // (1e-10 at 100 links, 2e-8 at 1000); the articulated bodies of the others stay within 1e-12 of ours.
  double tolerance = 1e-11;
  std::size_t takers = 4;  // engines that must not decline
};
constexpr double tolerance_from_100_links = 1e-9;

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

ModelSpec scene_or_fail(const std::string& text) {
  Result<ModelSpec> spec = scene(text);
  check(spec.ok(), spec.ok() ? "" : spec.error().message);
  return std::move(spec).value();
}

// A random tree whose joints are of the five kinds that peers are driven with, and free only at the world. Its welds
// may carry bodies without mass.
ModelSpec common_tree(int seed, bool floating) {
  ModelSpec spec =
      scene_or_fail("@random_tree:bodies=20,seed=" + std::to_string(seed) + (floating ? ",floating=1" : ""));
  for (JointSpec& joint : spec.joints) {
    joint.dofs.clear();
    switch (joint.type) {
      case JointType::screw:
      case JointType::cylindrical:
        joint.type = JointType::revolute;
        break;
      case JointType::universal:
        joint.type = JointType::ball;
        break;
      case JointType::planar:
      case JointType::translational:
        joint.type = JointType::prismatic;
        break;
      case JointType::free:
        if (joint.parent != "world") joint.type = JointType::ball;
        break;
      default:
        break;
    }
  }
  return spec;
}

ModelSpec inner_free_joint() {
  ModelSpec spec = common_tree(1, false);
  spec.joints[3].type = JointType::free;
  check(spec.joints[3].parent != "world", "joint 3 was to be inside the tree");
  return spec;
}

ModelSpec armature() {
  ModelSpec spec = common_tree(2, true);
  for (JointSpec& joint : spec.joints)
    if (joint.type != JointType::free)
      joint.dofs.assign(static_cast<std::size_t>(velocity_count(joint.type)), {.armature = 0.3});
  return spec;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const char* text :
       {"@free_body", "@top", "@simple_pendulum", "@double_pendulum", "@double_pendulum:rods=1", "@cart_pole",
        "@pendulum:links=7", "@pendulum:links=30", "@chain:links=7", "@chain:links=30", "@heavy_light", "@planar_arm",
        "@humanoid24", "@humanoid24:floating=1", "@humanoid", "@quadruped", "@dual_arm"})
    all.push_back({text, [text] { return scene_or_fail(text); }});
  for (int seed = 1; seed <= 4; ++seed)
    for (const bool floating : {false, true})
      all.push_back({"common_tree " + std::to_string(seed) + (floating ? " floating" : ""),
                     [seed, floating] { return common_tree(seed, floating); }});
  for (const char* text : {"@pendulum:links=100", "@chain:links=100", "@chain:links=300"})
    all.push_back({text, [text] { return scene_or_fail(text); }, tolerance_from_100_links});
  all.push_back({"free joint inside the tree", inner_free_joint, 1e-11, 2});  // not MuJoCo, not Bullet
  all.push_back({"armature", armature, 1e-11, 1});                            // MuJoCo only
  return all;
}

struct Answer {
  std::string who;
  Numbers value;
};

void expect_same(const std::vector<Answer>& answers, double tolerance, const std::string& what) {
  for (const Answer& a : answers) {
    for (const double number : a.value) ASSERT_TRUE(std::isfinite(number)) << what << ": " << a.who;
    for (const Answer& b : answers)
      EXPECT_LE(largest_difference(a.value, b.value), tolerance * largest(a.value))
          << what << ": " << a.who << " and " << b.who;
  }
}

class Peers : public testing::TestWithParam<Case> {
 protected:
  Peers() : spec(GetParam().spec()), model(compile(spec).value()) {
    for (std::unique_ptr<Peer>& peer : available_peers()) {
      if (const auto error = peer->load(spec, model))
        declined += error->message + "\n";
      else
        peers.push_back(std::move(peer));
    }
    tau.resize(nv());
    for (std::size_t i = 0; i < nv(); ++i) tau[i] = 2 * std::sin(1.7 * static_cast<double>(i + 1));
  }
  void SetUp() override {
    if (available_peers().empty()) GTEST_SKIP() << "no peer is installed";
  }
  std::size_t nv() const { return static_cast<std::size_t>(model.nv()); }
  void set_state(int seed) {
    state = random_state(model, static_cast<std::uint64_t>(seed));
    for (const auto& peer : peers) peer->set_state(state.q, state.v, tau);
  }
  Numbers by_aba() const {
    const Plan<double> plan(model);
    AbaWorkspace<double> ws(plan);
    Numbers vdot(nv());
    aba<double>(plan, state.q, state.v, tau, {}, ws, vdot);
    return vdot;
  }

  ModelSpec spec;
  Model model;
  State state;
  Numbers tau;
  std::vector<std::unique_ptr<Peer>> peers;
  std::string declined;
};

TEST_P(Peers, accelerations_agree) {
  if (missing_peers().empty()) {
    EXPECT_EQ(peers.size(), GetParam().takers) << declined;
  }
  for (int seed = 1; seed <= 3; ++seed) {
    set_state(seed);
    std::vector<Answer> answers{{"linchpin", by_aba()}};
    for (const auto& peer : peers) {
      Numbers qdd(nv());
      ASSERT_TRUE(peer->forward_dynamics());
      ASSERT_TRUE(peer->forward_dynamics());  // again: nothing may have moved
      peer->accelerations(qdd);
      answers.push_back({peer->name(), qdd});
    }
    expect_same(answers, GetParam().tolerance, "accelerations");
  }
}

// Backward error, free of conditioning: the peers' forces for linchpin's accelerations are those that caused them.
TEST_P(Peers, forces_are_those_that_caused_the_accelerations) {
  set_state(4);
  const Numbers qdd = by_aba();
  const Numbers zero(nv(), 0);
  for (const auto& peer : peers) {
    Numbers force(nv()), bias(nv());
    peer->set_accelerations(zero);
    if (!peer->inverse_dynamics()) continue;
    peer->forces(bias);
    peer->set_accelerations(qdd);
    ASSERT_TRUE(peer->inverse_dynamics());
    peer->forces(force);
    const double scale = larger(largest(tau), largest(bias));
    EXPECT_LE(largest_difference(force, tau), 1e-11 * scale) << peer->name();
  }
}

// M (qdd(tau) - qdd(0)) = tau, whatever the velocity.
TEST_P(Peers, mass_matrices_agree) {
  set_state(5);
  const Numbers with = by_aba();
  std::vector<Answer> answers;
  for (const auto& peer : peers) {
    Numbers x(nv());
    if (!peer->mass_matrix_and_solve()) continue;
    peer->solution(x);
    answers.push_back({peer->name(), x});
  }
  Numbers response = with;
  std::fill(tau.begin(), tau.end(), 0);
  const Numbers without = by_aba();
  for (std::size_t i = 0; i < nv(); ++i) response[i] -= without[i];
  answers.push_back({"linchpin", response});
  // The difference of two accelerations has their rounding.
  const double scale = larger(1.0, largest(without) / largest(response));
  expect_same(answers, GetParam().tolerance * scale, "response to tau");
}

TEST_P(Peers, poses_agree) {
  set_state(6);
  std::vector<Answer> answers;
  for (const auto& peer : peers) {
    std::vector<Transform<double>> X_WB(model.bodies().size());
    ASSERT_TRUE(peer->kinematics());
    peer->poses(X_WB);
    Numbers all;
    for (const Transform<double>& X : X_WB)
      for (const Vec3<double>& v : {X.R.x, X.R.y, X.R.z, X.p}) all.insert(all.end(), {v.x, v.y, v.z});
    answers.push_back({peer->name(), all});
  }
  // Angles add up along the tree, each with its rounding.
  expect_same(answers, 1e-14 * (10 + model.nv()), "poses");
}

// Every way of every engine, in frames turned and moved against their bodies, two of them in one body.
TEST_P(Peers, compliances_agree) {
  set_state(7);
  const int bodies = static_cast<int>(model.bodies().size()) - 1;
  std::vector<PeerFrame> frames;
  std::vector<Node> nodes;
  for (const int body : {bodies, 1 + bodies / 2, 1, bodies}) {
    const double x = 0.1 * static_cast<double>(frames.size() + 1);
    const Transform<double> X_BN{to_rotation(normalized(Quaternion<double>{1, x, -2 * x, 0.3})), {x, 0.02, -0.1}};
    frames.push_back({body, X_BN});
    nodes.push_back({body, X_BN});
  }
  const std::size_t size = 36 * nodes.size() * nodes.size();
  const Plan<double> plan(model);
  const NodeTree<double> tree(model, plan, nodes);
  ArticulatedFactor<double> factors(plan);
  Compliance<double> compliance(tree);
  Answer ours{"linchpin", Numbers(size)};
  factor<double>(plan, state.q, factors);
  compound_paths<double>(plan, tree, factors, compliance);
  compliance_matrix<double>(tree, compliance, ours.value);
  std::vector<Answer> answers{ours};
  for (const auto& peer : peers) {
    peer->set_frames(frames);
    for (std::size_t way = 0; way < peer->compliance_ways().size(); ++way) {
      answers.push_back({peer->name() + " by " + peer->compliance_ways()[way], Numbers(size)});
      peer->compliance(way);
      peer->compliance(way);  // again: nothing may have moved
      peer->compliance_matrix(answers.back().value);
    }
  }
  expect_same(answers, GetParam().tolerance, "compliance");
}

INSTANTIATE_TEST_SUITE_P(Scenes, Peers, testing::ValuesIn(cases()), [](const auto& test) {
  std::string name = test.param.name;
  std::erase(name, '@');
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
});

// What is declined is declined by name.

std::string reasons(const ModelSpec& spec) {
  const Model model = compile(spec).value();
  std::string all;
  for (const auto& peer : available_peers()) {
    const auto error = peer->load(spec, model);
    all += error ? error->message + "\n" : peer->name() + " takes it\n";
  }
  return all;
}

TEST(PeersDecline, joint_types_they_are_not_driven_with) {
  if (available_peers().empty()) GTEST_SKIP() << "no peer is installed";
  for (const JointType type :
       {JointType::screw, JointType::cylindrical, JointType::universal, JointType::planar, JointType::translational}) {
    ModelSpec spec = scene_or_fail("@chain:links=3");
    spec.joints[1].type = type;
    const std::string text = reasons(spec);
    EXPECT_EQ(text.find("takes it"), std::string::npos) << text;
    EXPECT_NE(text.find("'" + spec.joints[1].name + "'"), std::string::npos) << text;
  }
}

TEST(PeersDecline, chains_that_would_take_too_long) {
  if (available_peers().empty()) GTEST_SKIP() << "no peer is installed";
  const std::string text = reasons(scene_or_fail("@chain:links=10000"));
  for (const char* who : {"MuJoCo takes it", "DART takes it", "Bullet takes it"})
    EXPECT_EQ(text.find(who), std::string::npos) << text;
}

}  // namespace
}  // namespace linchpin
