#include <cmath>
#include <memory>

#include <gtest/gtest.h>

#include "linchpin/geometry/scene/collision_scene.h"
#include "linchpin/geometry/shapes/height_grid.h"
#include "linchpin/model/model.h"

namespace linchpin {
namespace {

// A column on the world, a thigh that hangs from it by a hinge, a shank that hangs from the thigh, a shoe welded to the
// shank; and a floor. Each with a ball named after it.
ModelSpec leg() {
  ModelSpec spec;
  spec.name = "leg";
  spec.world_geometry = {{"floor", HalfSpace{}, translation(0, 0, -5)}, {"post", Sphere{0.5}}};
  const auto add = [&](const char* name, const char* parent, JointType type) {
    BodySpec body{.name = name, .inertia = {}, .geometry = {}};
    add_solid(body, Sphere{0.5}, 1, Transform<double>::identity(), name);
    spec.bodies.push_back(body);
    JointSpec joint;
    joint.name = name;
    joint.name += "_joint";
    joint.type = type;
    joint.parent = parent;
    joint.child = name;
    joint.axis = {0, 1, 0};
    joint.X_PF = translation(0, 0, -1);
    spec.joints.push_back(joint);
  };
  add("thigh", "world", JointType::revolute);
  add("shank", "thigh", JointType::planar);  // three links, of which two carry nothing
  add("shoe", "shank", JointType::weld);
  return spec;
}

std::string name_of(const Model& model, int shape) {
  const ShapeOnBody& at = model.shapes()[shape];
  return model.bodies()[at.body].geometry[at.geometry].name;
}
// The pairs that are tested when near, as text.
std::string wanted_pairs(const ModelSpec& spec) {
  const Model model = compile(spec).value();
  const CollisionScene scene(model.collision());
  std::string out;
  for (int a = 0; a < int(scene.shapes().size()); ++a)
    for (int b = a + 1; b < int(scene.shapes().size()); ++b) {
      if (!scene.wanted(a, b)) continue;
      if (!out.empty()) out += " ";
      out += name_of(model, a);
      out += "-";
      out += name_of(model, b);
    }
  return out;
}
std::string complaint(const ModelSpec& spec) {
  const Result<Model> model = compile(spec);
  return model ? "none" : model.error().message;
}
void expect_refused(const ModelSpec& spec, std::initializer_list<const char*> words) {
  const std::string text = complaint(spec);
  for (const char* word : words) EXPECT_NE(text.find(word), std::string::npos) << "'" << word << "' not in: " << text;
}

TEST(ResolveContacts, ConnectedBodiesDoNotTouchButTheWorldDoes) {
  EXPECT_EQ(wanted_pairs(leg()), "floor-thigh floor-shank floor-shoe post-thigh post-shank post-shoe");
}

TEST(ResolveContacts, LoopsConnectToo) {
  ModelSpec spec = leg();
  spec.bodies.push_back({.name = "other", .inertia = spec.bodies[0].inertia, .geometry = {{"other", Sphere{0.5}}}});
  JointSpec free;
  free.name = "free";
  free.type = JointType::free;
  free.child = "other";
  spec.joints.push_back(free);
  EXPECT_NE(wanted_pairs(spec).find("shank-other"), std::string::npos);
  LoopSpec ball;
  ball.type = LoopType::ball;
  ball.a = {"shoe", Transform<double>::identity()};
  ball.b = {"other", Transform<double>::identity()};
  spec.constraints = {{"knot", ball}};
  EXPECT_EQ(wanted_pairs(spec).find("shank-other"), std::string::npos);  // the shoe is welded to the shank
  EXPECT_NE(wanted_pairs(spec).find("thigh-other"), std::string::npos);
}

TEST(ResolveContacts, Exclusions) {
  ModelSpec spec = leg();
  spec.contact_exclusions = {{"world", "shank"}, {"shank", "shoe"}};
  EXPECT_EQ(wanted_pairs(spec), "floor-thigh post-thigh");
  spec.contact_exclusions = {{"world", "foot"}};
  expect_refused(spec, {"model 'leg'", "exclusion of contact between 'world' and 'foot'", "there is no body 'foot'"});
}

TEST(ResolveContacts, PairsByName) {
  ModelSpec spec = leg();
  spec.world_geometry[0].groups = spec.world_geometry[0].touches = 0;
  spec.contact_exclusions = {{"world", "thigh"}};
  EXPECT_EQ(wanted_pairs(spec), "post-shank post-shoe");
  spec.contact_pairs = {{"shank", "thigh", {}, {}}, {"floor", "shoe", 0.25, {}}};
  EXPECT_EQ(wanted_pairs(spec), "floor-shoe post-shank post-shoe thigh-shank");
  const Model model = compile(spec).value();
  EXPECT_EQ(CollisionScene(model.collision()).margin(0, 4), 0.25);
}

TEST(ResolveContacts, RefusesPairsThatMakeNoSense) {
  const auto with = [](ContactPairSpec pair) {
    ModelSpec spec = leg();
    spec.contact_pairs = {pair};
    return spec;
  };
  expect_refused(with({"floor", "foot", {}, {}}), {"contact pair of 'floor' and 'foot'", "no geometry 'foot'"});
  expect_refused(with({"", "shoe", {}, {}}), {"there is no geometry ''"});
  expect_refused(with({"shank", "shoe", {}, {}}), {"cannot move relative to each other", "welded together"});
  expect_refused(with({"shoe", "shoe", {}, {}}), {"the same shape"});
  expect_refused(with({"floor", "shoe", -1.0, {}}), {"margin is -1 m"});
  expect_refused(with({"floor", "shoe", std::nan(""), {}}), {"margin is nan m"});
  PairMaterial sticky;
  sticky.friction.mu_static = -1;
  expect_refused(with({"floor", "shoe", {}, sticky}), {"-1"});
  ModelSpec spec = leg();
  spec.contact_pairs = {{"floor", "shoe", {}, {}}, {"shoe", "floor", {}, {}}};
  expect_refused(spec, {"the pair is given twice"});
  spec = leg();
  spec.world_geometry[1].name = "floor";
  spec.contact_pairs = {{"floor", "shoe", {}, {}}};
  expect_refused(spec, {"several geometries are called 'floor'"});
}

TEST(ResolveContacts, RefusesPairRulesThatAreNone) {
  ModelSpec spec = leg();
  PairMaterial sticky;
  sticky.restitution = 2;
  spec.pair_rules.overrides = {{"rubber", "ice", sticky}};
  expect_refused(spec, {"model 'leg'", "pair rules", "2"});
}

TEST(ResolveContacts, RefusesMarginsAndMaterialsThatAreNone) {
  ModelSpec spec = leg();
  spec.bodies[0].geometry[0].margin = -0.5;
  expect_refused(spec, {"body 'thigh', geometry 'thigh'", "margin is -0.5 m"});
  spec = leg();
  spec.world_geometry[0].material.restitution = std::nan("");
  expect_refused(spec, {"world geometry 'floor'", "nan"});
}

TEST(ResolveContacts, TerrainStaysWhereItIs) {
  const std::vector<double> level(4, 0.0);
  const Shape ground = HeightField{std::make_shared<const HeightGrid>(make_height_grid(2, 2, 1, 1, level, -1).value())};
  ModelSpec spec = leg();
  spec.world_geometry.push_back({"ground", ground});
  EXPECT_TRUE(compile(spec).ok());
  spec.bodies[2].geometry.push_back({"carpet", ground});
  expect_refused(spec, {"body 'shoe', geometry 'carpet'", "height field", "cannot move", "convex pieces"});
  const std::vector<PlacedShape> parts{{Sphere{1}}, {ground}};
  spec.bodies[2].geometry.back().shape = Compound{std::make_shared<const std::vector<PlacedShape>>(parts)};
  expect_refused(spec, {"body 'shoe', geometry 'carpet'", "cannot move"});
}

// The pose of a shape on its link is that of its body times that of its geometry.
TEST(ResolveContacts, ShapesLieWhereTheirBodiesDo) {
  ModelSpec spec = leg();
  spec.bodies[2].geometry[0].X_BG = {rotation_x(0.3), {1, 2, 3}};
  const Model model = compile(spec).value();
  ASSERT_EQ(model.shapes().size(), 5u);
  const SceneShape& shoe = model.collision().shapes[4];
  const Body& body = model.bodies()[3];
  EXPECT_EQ(shoe.frame, body.link);
  const Transform<double> expected = body.X_LB * Transform<double>{rotation_x(0.3), {1, 2, 3}};
  EXPECT_NEAR(norm(shoe.X_FS.p - expected.p), 0, 1e-14);
  EXPECT_NEAR(norm(shoe.X_FS.R.y - expected.R.y), 0, 1e-14);
}

}  // namespace
}  // namespace linchpin
