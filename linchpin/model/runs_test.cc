// Runs: chains of links of one kind, contiguous in memory.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "linchpin/model/compile_testing.h"
#include "linchpin/model/pose_testing.h"

namespace linchpin {
namespace {

using namespace compile_testing;

// Every link is in one run, runs are in order, and they have the properties that model.h states.
void expect_sound_runs(const Model& model, const std::string& text) {
  const auto links = model.links();
  const auto runs = model.runs();
  std::vector<int> children(links.size(), 0);
  for (std::size_t i = 1; i < links.size(); ++i) ++children[links[i].parent];
  int next = 0;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const Run& run = runs[r];
    ASSERT_EQ(run.first, next) << text;
    ASSERT_LT(run.first, run.end) << text;
    for (int i = run.first; i < run.end; ++i) {
      const Link& link = links[i];
      EXPECT_EQ(link.run, int(r)) << text;
      EXPECT_EQ(link.kind, run.kind) << text;
      if (i > run.first) {
        EXPECT_EQ(link.parent, i - 1) << text;
        EXPECT_EQ(children[i - 1], 1) << text << ": a branch within a run";
        EXPECT_TRUE(link.split) << text;
        EXPECT_EQ(link.phi, 0) << text;
        EXPECT_EQ(link.t, 0) << text;
      }
      if (link.split) {
        const Transform<double> X = screw_z(link.phi, link.t) * screw_x(link.alpha, link.a);
        EXPECT_LE(distance(X.R, link.X_PF.R), 1e-15) << text;
        EXPECT_LE(distance(X.p, link.X_PF.p), 1e-14) << text;
      }
    }
    if (r > 0) {
      const int parent_link = links[run.first].parent;
      EXPECT_EQ(run.parent, links[parent_link].run) << text;
      EXPECT_EQ(runs[run.parent].end - 1, parent_link) << text << ": hangs on the middle of a run";
    }
    next = run.end;
  }
  EXPECT_EQ(next, int(links.size())) << text;
}

TEST(Runs, AreSoundInEveryScene) {
  for (const std::string& text : some_scenes()) expect_sound_runs(compiled(scene_spec(text)), text);
}

ModelSpec serial(const std::vector<JointType>& types) {
  ModelSpec spec;
  std::string before = "world";
  for (std::size_t i = 0; i < types.size(); ++i) {
    spec.bodies.push_back(solid(numbered("b", i)));
    JointSpec joint = hinge(numbered("j", i), before, spec.bodies.back().name);
    joint.type = types[i];
    joint.axis = i % 2 ? Vec3<double>{0, 1, 0.3} : Vec3<double>{0.2, 0, 1};
    joint.pitch = 0.1;
    spec.joints.push_back(joint);
    before = spec.bodies.back().name;
  }
  return spec;
}
std::vector<int> run_lengths(const Model& model) {
  std::vector<int> lengths;
  for (const Run& run : model.runs().subspan(1)) lengths.push_back(run.end - run.first);
  return lengths;
}

TEST(Runs, ASerialRevoluteChainIsOne) {
  const ModelSpec spec = serial(std::vector<JointType>(20, JointType::revolute));
  EXPECT_EQ(run_lengths(compiled(spec)), (std::vector<int>{20}));
}

TEST(Runs, BreakWhereTheKindChanges) {
  using enum JointType;
  EXPECT_EQ(run_lengths(compiled(serial({revolute, revolute, prismatic, screw, revolute}))),
            (std::vector<int>{2, 2, 1}));
  EXPECT_EQ(run_lengths(compiled(serial({universal, revolute, ball, ball, revolute}))), (std::vector<int>{3, 1, 1, 1}));
  EXPECT_EQ(run_lengths(compiled(serial({free, revolute, weld, revolute}))), (std::vector<int>{1, 2}));
  // A screw without pitch is a hinge.
  ModelSpec flat = serial({revolute, screw, revolute});
  flat.joints[1].pitch = 0;
  EXPECT_EQ(run_lengths(compiled(flat)), (std::vector<int>{3}));
  // A hinge with armature is axial.
  ModelSpec geared = serial({revolute, revolute, prismatic});
  geared.joints[1].dofs = {{.armature = 0.1}};
  EXPECT_EQ(run_lengths(compiled(geared)), (std::vector<int>{1, 2}));
}

TEST(Runs, BreakAtBranches) {
  ModelSpec spec = serial(std::vector<JointType>(5, JointType::revolute));
  spec.bodies.push_back(solid("twig"));
  spec.joints.push_back(hinge("fork", "b2", "twig"));  // b2 is the third link
  const Model model = compiled(spec);
  EXPECT_EQ(run_lengths(model), (std::vector<int>{3, 2, 1}));
  EXPECT_EQ(model.runs()[2].parent, 1);
  EXPECT_EQ(model.runs()[3].parent, 1);
  // Two trees on the world are a branch, too.
  spec.joints.back().parent = "world";
  EXPECT_EQ(run_lengths(compiled(spec)), (std::vector<int>{5, 1}));
}

// Just off parallel the common normal is far away. Such a link leaves the run, and all bodies are where they belong.
TEST(Runs, BreakAtNearlyParallelAxesWithTheSamePoses) {
  for (double angle = 1e-17; angle < 1; angle *= 3) {
    ModelSpec spec = serial(std::vector<JointType>(3, JointType::revolute));
    for (JointSpec& joint : spec.joints) joint.axis = {0, 0, 1};
    spec.joints[1].X_PF = {rotation_x(angle), {1, 2, 3}};
    const Model model = compiled(spec);
    const std::vector<int> lengths = run_lengths(model);
    const bool together = lengths == std::vector<int>{3}, apart = lengths == std::vector<int>{1, 2};
    EXPECT_TRUE(angle < 5e-16 || angle > 0.5    ? together
                : angle > 1e-14 && angle < 0.05 ? apart
                                                : together || apart)
        << "angle " << angle << ": " << lengths.size() << " runs";
    expect_sound_runs(model, "angle " + std::to_string(angle));
    EXPECT_LE(pose_error(spec, model, {0.7, -1.1, 2.3}), 3e-14) << angle;
  }
}

// Axes that are parallel in the spec stay in one run, although the body frames are rotated at random.
TEST(Runs, ParallelAxesInTurnedFramesStayTogether) {
  RandomSpatial random(6);
  const Vec3<double> axis_W = random.direction();
  ModelSpec spec = serial(std::vector<JointType>(300, JointType::revolute));
  Mat3<double> R_W = Mat3<double>::identity();
  for (JointSpec& joint : spec.joints) {
    joint.X_PF = random.pose();
    joint.X_CM = random.pose();
    R_W = R_W * joint.X_PF.R;
    joint.axis = transpose_times(R_W, axis_W);
    R_W = R_W * transpose(joint.X_CM.R);
  }
  EXPECT_EQ(run_lengths(compiled(spec)), (std::vector<int>{300}));
}

}  // namespace
}  // namespace linchpin
