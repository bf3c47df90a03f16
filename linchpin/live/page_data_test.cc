#include "linchpin/live/page_data.h"

#include <array>
#include <cmath>
#include <cstring>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "linchpin/geometry/shapes/height_grid.h"
#include "linchpin/geometry/shapes/hull.h"
#include "linchpin/geometry/shapes/mesh.h"
#include "linchpin/model/scenes.h"
#include "linchpin/model/signal_names.h"
#include "linchpin/model/testing.h"
#include "linchpin/spatial/quaternion.h"

namespace linchpin {
namespace {

using Json = nlohmann::json;

// Reads frames by docs/viewer_data.md, independently of page_data.cc.
struct Reader {
  const char* at;
  template <class Number>
  Number get() {
    Number number;
    std::memcpy(&number, at, sizeof number);
    at += sizeof number;
    return number;
  }
  Vec3<double> vector() {
    const float x = get<float>(), y = get<float>(), z = get<float>();
    return {x, y, z};
  }
};
struct PageContact {
  std::uint32_t a, b, state;
  float mu;
  Vec3<double> point, normal, force;
  float gap;
};
struct PageFrame {
  std::uint32_t mark, size, flags;
  double time, step;
  std::vector<std::array<float, 7>> poses;
  std::vector<float> signals;
  std::vector<PageContact> contacts;
};
PageFrame decoded(const char* bytes) {
  PageFrame frame;
  Reader in{bytes};
  frame.mark = in.get<std::uint32_t>();
  frame.size = in.get<std::uint32_t>();
  frame.time = in.get<double>();
  frame.step = in.get<double>();
  frame.poses.resize(in.get<std::uint32_t>());
  frame.signals.resize(in.get<std::uint32_t>());
  frame.contacts.resize(in.get<std::uint32_t>());
  frame.flags = in.get<std::uint32_t>();
  for (auto& pose : frame.poses)
    for (float& x : pose) x = in.get<float>();
  for (float& x : frame.signals) x = in.get<float>();
  for (PageContact& c : frame.contacts) {
    c.a = in.get<std::uint32_t>();
    c.b = in.get<std::uint32_t>();
    c.state = in.get<std::uint32_t>();
    c.mu = in.get<float>();
    c.point = in.vector();
    c.normal = in.vector();
    c.force = in.vector();
    c.gap = in.get<float>();
  }
  const std::ptrdiff_t used = in.at - bytes;
  EXPECT_LE(used, std::ptrdiff_t(frame.size));
  EXPECT_LT(std::ptrdiff_t(frame.size) - used, 8);
  EXPECT_EQ(frame.size % 8, 0u);
  for (; in.at < bytes + frame.size; ++in.at) EXPECT_EQ(*in.at, 0);
  return frame;
}
PageFrame decoded(std::span<const std::byte> bytes) {
  const PageFrame frame = decoded(reinterpret_cast<const char*>(bytes.data()));
  EXPECT_EQ(frame.size, bytes.size());
  return frame;
}

struct TestRun {
  explicit TestRun(const std::string& text, double dt = 1e-3)
      : model(compile(scene(text).value()).value()),
        options{.dt = dt},
        simulation(model, options),
        state(make_state(model)),
        monitor(model),
        take(model) {
    monitor.start(state);
  }
  const Snapshot& steps(int count) {
    for (int i = 0; i < count; ++i) {
      report = simulation.step(state);
      EXPECT_TRUE(report.ok()) << report.reason;
      monitor.add(state, report);
      ++step;
    }
    return take(step, state, simulation, report, monitor.certificate());
  }
  Model model;
  SimulationOptions options;
  Simulation simulation;
  State state;
  RunMonitor monitor;
  SnapshotTaker take;
  StepReport report;
  long long step = 0;
};

// A float keeps 24 bits.
constexpr double rounding = 1e-7;
void expect_near(const Vec3<double>& a, const Vec3<double>& b, double size) {
  for (const double d : {a.x - b.x, a.y - b.y, a.z - b.z}) EXPECT_NEAR(d, 0, rounding * size);
}

TEST(PageData, FramesHoldPosesSignalsAndContacts) {
  for (const char* text : {"@stack", "@swing", "@four_bar", "@workshop"}) {
    SCOPED_TRACE(text);
    TestRun run(text);
    const Snapshot& s = run.steps(30);
    FrameWriter write(run.model);
    const PageFrame frame = decoded(write(s));
    EXPECT_EQ(std::memcmp(&frame.mark, "LPF1", 4), 0);
    EXPECT_EQ(frame.time, s.state.time);
    EXPECT_EQ(frame.step, 30);
    EXPECT_EQ(frame.flags, 0u);

    const Plan<double> plan(run.model);
    Kinematics<double> kin(plan);
    kinematics<double>(plan, s.state.q, kin);
    ASSERT_EQ(frame.poses.size(), run.model.bodies().size());
    for (std::size_t i = 0; i < frame.poses.size(); ++i) {
      const Transform<double> X = body_pose(run.model, kin, int(i));
      const auto& p = frame.poses[i];
      expect_near({p[0], p[1], p[2]}, X.p, 1 + norm(X.p));
      const Mat3<double> R = to_rotation(Quaternion<double>{p[3], p[4], p[5], p[6]});
      for (const auto& [a, b] : {std::pair{R.x, X.R.x}, {R.y, X.R.y}, {R.z, X.R.z}}) expect_near(a, b, 4);
    }
    ASSERT_EQ(frame.contacts.size(), s.contacts.size());
    for (std::size_t i = 0; i < s.contacts.size(); ++i) {
      const ContactReport& c = s.contacts[i];
      const PageContact& p = frame.contacts[i];
      EXPECT_EQ(p.a, std::uint32_t(c.shape_a));
      EXPECT_EQ(p.b, std::uint32_t(c.shape_b));
      EXPECT_EQ(p.state, c.state == ContactState::separating ? 0u : c.state == ContactState::sticking ? 1u : 2u);
      EXPECT_EQ(p.mu, float(c.mu));
      EXPECT_EQ(p.gap, float(c.gap));
      expect_near(p.point, c.point, 1 + norm(c.point));
      expect_near(p.normal, c.normal, 1);
      expect_near(p.force, c.force, 1 + norm(c.force));
    }

    const Json scene = Json::parse(scene_json(run.model, run.options, text));
    ASSERT_EQ(frame.signals.size(), scene["signals"].size());
    const auto signal = [&](const std::string& name, const std::string& group) {
      for (std::size_t i = 0; i < frame.signals.size(); ++i)
        if (scene["signals"][i]["name"] == name && scene["signals"][i]["group"] == group) return frame.signals[i];
      ADD_FAILURE() << "no signal " << name;
      return 0.0f;
    };
    EXPECT_EQ(signal("kinetic energy", "energy"), float(s.energy.kinetic));
    EXPECT_EQ(signal("stored energy", "energy"), float(s.energy.total()));
    EXPECT_EQ(signal("energy defect", "certificate"), float(s.certificate.energy.defect()));
    EXPECT_EQ(signal("residual", "certificate"), float(s.report.residual));
    for (std::size_t i = 0; i < s.state.q.size(); ++i)
      EXPECT_EQ(signal(position_names(run.model)[i], "position"), float(s.state.q[i]));
    for (std::size_t i = 0; i < s.state.v.size(); ++i)
      EXPECT_EQ(signal(velocity_names(run.model)[i], "velocity"), float(s.state.v[i]));
    for (std::size_t i = 0; i < s.reactions.size(); ++i)
      EXPECT_EQ(signal(reaction_names(run.model)[i], "reaction"), float(s.reactions[i]));
  }
}

// Each of the signals that are not coordinates has its own number.
TEST(PageData, EverySignal) {
  TestRun run("@stack:boxes=1");
  Snapshot s = run.steps(1);
  s.energy = {1, 2, 4};
  s.certificate.energy = {.start = 100, .stored = 7, .work = 8, .dissipated = 16, .lost = 32, .projected = 64};
  s.report.residual = 128;
  s.report.penetration = 256;
  s.report.cone_violation = 512;
  s.report.loop_error = 1024;
  s.report.contacts = 2048;
  s.report.iterations = 4096;
  const std::pair<const char*, float> wanted[] = {
      {"kinetic energy", 1},   {"gravity's energy", 2}, {"springs' energy", 4},
      {"stored energy", 7},    {"work done", 8},        {"dissipated", 16},
      {"lost in contact", 32}, {"energy defect", -117},  // 7 - 100 - 8 + 16 + 32 - 64
      {"residual", 128},       {"penetration", 256},    {"friction beyond its cone", 512},
      {"loop error", 1024},    {"contacts", 2048},      {"iterations", 4096}};
  FrameWriter write(run.model);
  const PageFrame frame = decoded(write(s));
  const Json scene = Json::parse(scene_json(run.model, run.options, ""));
  for (std::size_t i = 0; i < std::size(wanted); ++i) {
    EXPECT_EQ(scene["signals"][i]["name"], wanted[i].first);
    EXPECT_EQ(frame.signals[i], wanted[i].second) << wanted[i].first;
  }
  EXPECT_EQ(scene["signals_left_out"], 0);
}

TEST(PageData, AFailedStepIsFlagged) {
  TestRun run("@stack");
  Snapshot s = run.steps(1);
  s.report.status = StepStatus::unsolved;
  FrameWriter write(run.model);
  EXPECT_EQ(decoded(write(s)).flags, 1u);
}

TEST(PageData, TheSceneTellsOfBodiesJointsAndShapes) {
  TestRun run("@stand");
  const Json scene = Json::parse(scene_json(run.model, run.options, "@stand"));
  EXPECT_EQ(scene["type"], "scene");
  EXPECT_EQ(scene["version"], 1);
  EXPECT_EQ(scene["source"], "@stand");
  EXPECT_EQ(scene["stepper"], "time_stepping");
  EXPECT_EQ(scene["method"], "os");
  EXPECT_EQ(scene["gravity"][2], run.model.gravity().z);
  ASSERT_EQ(scene["bodies"].size(), run.model.bodies().size());
  EXPECT_EQ(scene["bodies"][0]["parent"], -1);
  double mass = 0;
  for (std::size_t i = 1; i < scene["bodies"].size(); ++i) {
    EXPECT_LT(scene["bodies"][i]["parent"], int(i));
    mass += scene["bodies"][i]["mass"].get<double>();
  }
  EXPECT_NEAR(mass, run.model.total_mass(), 1e-12 * mass);
  ASSERT_EQ(scene["joints"].size(), run.model.joints().size());
  for (std::size_t i = 0; i < scene["joints"].size(); ++i) {
    const Json& joint = scene["joints"][i];
    EXPECT_EQ(joint["lower"].size(), std::size_t(run.model.joints()[i].nv));
    EXPECT_EQ(joint["place"].size(), 7u);
    if (joint["type"] == "free") {
      EXPECT_TRUE(joint["lower"][0].is_null());  // no limit is null
    }
  }
  EXPECT_GE(scene["shapes"].size(), run.model.shapes().size());
}

double volume_of(const Json& mesh) {
  const auto vertex = [&](std::size_t i) {
    const std::size_t k = 3 * mesh["triangles"][i].get<std::size_t>();
    return Vec3<double>{mesh["vertices"][k], mesh["vertices"][k + 1], mesh["vertices"][k + 2]};
  };
  double six = 0;
  for (std::size_t i = 0; i < mesh["triangles"].size(); i += 3)
    six += dot(vertex(i), cross(vertex(i + 1), vertex(i + 2)));
  return six / 6;
}

// One body with a shape of each kind. The hull and the mesh are cubes, whose volume the triangles must give.
TEST(PageData, EveryKindOfShape) {
  std::vector<Vec3<double>> corners;
  for (const double x : {0.0, 1.0})
    for (const double y : {0.0, 1.0})
      for (const double z : {0.0, 1.0}) corners.push_back({x, y, z});
  const auto hull = std::make_shared<const Hull>(convex_hull(corners).value());
  const std::vector<std::array<int, 3>> faces{{0, 1, 3}, {0, 3, 2}, {4, 6, 7}, {4, 7, 5}, {0, 4, 5}, {0, 5, 1},
                                              {2, 3, 7}, {2, 7, 6}, {0, 2, 6}, {0, 6, 4}, {1, 5, 7}, {1, 7, 3}};
  const auto mesh = std::make_shared<const TriangleMesh>(make_mesh(corners, faces).value());
  const auto grid = std::make_shared<const HeightGrid>(
      make_height_grid(3, 2, 1, 2, std::vector<double>{0, 1, 2, 3, 4, 5}, -1).value());
  const auto parts = std::make_shared<const std::vector<PlacedShape>>(
      std::vector<PlacedShape>{{Sphere{0.5}, translation(1, 0, 0)}, {Box{{1, 2, 3}}, translation(0, 1, 0)}});
  ModelSpec spec;
  BodySpec body{"body", {1, {0, 0, 0}, Sym3<double>::diagonal(1, 1, 1)}, {}};
  const auto add = [&](const Shape& shape, std::vector<GeometrySpec>& to) {
    GeometrySpec geometry;
    geometry.name = "shape_" + std::to_string(to.size());
    geometry.shape = shape;
    geometry.X_BG = translation(0, 0, 2);
    to.push_back(geometry);
  };
  for (const Shape& shape : {Shape(Sphere{0.1}), Shape(Capsule{0.1, 0.2}), Shape(Box{{1, 2, 3}}),
                             Shape(Cylinder{0.3, 0.4}), Shape(Ellipsoid{{1, 2, 3}}), Shape(Cone{0.5, 0.6}),
                             Shape(ConvexHull{hull}), Shape(Compound{parts}), Shape(ConvexHull{hull})})
    add(shape, body.geometry);
  for (const Shape& shape : {Shape(HalfSpace{}), Shape(Mesh{mesh}), Shape(HeightField{grid})})
    add(shape, spec.world_geometry);
  body.geometry[0].groups = body.geometry[0].touches = 0;
  body.geometry[1].groups = 0;  // it may still touch others
  spec.bodies.push_back(body);
  spec.joints.push_back(joint("joint", JointType::free, "world", "body"));
  const Model model = compile(spec).value();
  const Json scene = Json::parse(scene_json(model, {}, "test"));

  std::vector<std::string> kinds;
  for (const Json& shape : scene["shapes"]) kinds.push_back(shape["kind"]);
  EXPECT_EQ(kinds, (std::vector<std::string>{"half_space", "mesh", "mesh", "sphere", "capsule", "box", "cylinder",
                                             "ellipsoid", "cone", "mesh", "sphere", "box", "mesh"}));
  for (const Json& shape : scene["shapes"]) {
    const ShapeOnBody on = model.shapes()[shape["index"].get<std::size_t>()];
    EXPECT_EQ(shape["body"], on.body);
    EXPECT_EQ(shape["name"], model.bodies()[on.body].geometry[on.geometry].name);
  }
  const Json& s = scene["shapes"];
  EXPECT_EQ(s[3]["collides"], false);
  EXPECT_EQ(s[4]["collides"], true);
  EXPECT_EQ(s[4]["half_length"], 0.2);
  EXPECT_EQ(s[5]["half"], Json({1.0, 2.0, 3.0}));
  EXPECT_EQ(s[7]["radii"], Json({1.0, 2.0, 3.0}));
  EXPECT_EQ(s[3]["radius"], 0.1);
  EXPECT_EQ(s[4]["radius"], 0.1);
  EXPECT_EQ(s[6]["radius"], 0.3);
  EXPECT_EQ(s[8]["radius"], 0.5);
  EXPECT_EQ(s[8]["half_length"], 0.6);
  // the compound's parts, each in its place: 2 up by the shape, 1 aside by the part
  EXPECT_EQ(s[10]["index"], s[11]["index"]);
  EXPECT_EQ(s[10]["place"], Json({1.0, 0.0, 2.0, 1.0, 0.0, 0.0, 0.0}));
  EXPECT_EQ(s[11]["place"], Json({0.0, 1.0, 2.0, 1.0, 0.0, 0.0, 0.0}));
  // meshes: terrain, grid, hull; the hull once for both that have it
  ASSERT_EQ(scene["meshes"].size(), 3u);
  EXPECT_EQ(s[9]["mesh"], s[12]["mesh"]);
  EXPECT_NEAR(volume_of(scene["meshes"][s[1]["mesh"].get<std::size_t>()]), 1, 1e-12);
  EXPECT_NEAR(volume_of(scene["meshes"][s[9]["mesh"].get<std::size_t>()]), 1, 1e-12);
  const Json& ground = scene["meshes"][s[2]["mesh"].get<std::size_t>()];
  EXPECT_EQ(ground["vertices"].size(), 18u);
  EXPECT_EQ(ground["triangles"].size(), std::size_t(3 * grid->triangle_count()));
  for (int t = 0; t < grid->triangle_count(); ++t)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t v = 3 * ground["triangles"][std::size_t(3 * t) + k].get<std::size_t>();
      const Vec3<double> corner = grid->corners(t)[k];
      EXPECT_EQ(ground["vertices"][v], corner.x);
      EXPECT_EQ(ground["vertices"][v + 1], corner.y);
      EXPECT_EQ(ground["vertices"][v + 2], corner.z);
    }
}

TEST(PageData, LoopsAndSpringsHaveTwoEnds) {
  const Model model = compile(scene("@four_bar").value()).value();
  const Json scene = Json::parse(scene_json(model, {}, "@four_bar"));
  ASSERT_EQ(scene["loops"].size(), model.constraints().size());
  const Loop& loop = std::get<Loop>(model.constraints()[0].what);
  EXPECT_EQ(scene["loops"][0]["kind"], to_string(loop.type));
  EXPECT_EQ(scene["loops"][0]["a"], loop.a.body);
  EXPECT_EQ(scene["loops"][0]["at_b"][0], loop.b.X_BF.p.x);
  EXPECT_EQ(scene["loops"][0]["b"], loop.b.body);
  EXPECT_EQ(scene["loops"][0]["name"], model.constraints()[0].name);
}

// What the page shows of a body, a joint and a frame, on a model by hand: a sled with a mass at (1, 2, 3) and a hinge.
TEST(PageData, NumbersOfBodiesJointsAndFrames) {
  ModelSpec spec;
  spec.name = "sled and arm";
  spec.gravity = {1, 2, -9};
  spec.bodies.push_back({"sled", {2, {1, 2, 3}, Sym3<double>::diagonal(30, 30, 30)}, {}});
  spec.bodies.push_back({"arm", {1, {0, 0, 0}, Sym3<double>::diagonal(1, 1, 1)}, {}});
  spec.joints.push_back(joint("slide", JointType::prismatic, "world", "sled"));
  spec.joints.push_back(joint("hinge", JointType::revolute, "sled", "arm"));
  spec.joints[0].axis = {1, 0, 0};
  spec.joints[1].X_PF = translation(4, 5, 6);
  spec.joints[1].dofs = {DofSpec{.lower = -0.5, .upper = 0.25}};
  const Model model = compile(spec).value();
  const Json scene = Json::parse(scene_json(model, {.dt = 2e-3}, "by hand"));
  EXPECT_EQ(scene["name"], "sled and arm");
  EXPECT_EQ(scene["gravity"], Json({1.0, 2.0, -9.0}));
  EXPECT_EQ(scene["dt"], 2e-3);
  const Json& bodies = scene["bodies"];
  ASSERT_EQ(bodies.size(), 3u);
  EXPECT_EQ(bodies[0]["mass"], 0);
  EXPECT_EQ(bodies[0]["centre"], Json({0.0, 0.0, 0.0}));
  EXPECT_EQ(bodies[1]["name"], "sled");
  EXPECT_EQ(bodies[1]["parent"], 0);
  EXPECT_EQ(bodies[1]["mass"], 2);
  EXPECT_EQ(bodies[1]["centre"], Json({1.0, 2.0, 3.0}));
  EXPECT_EQ(bodies[2]["parent"], 1);
  const Json& joints = scene["joints"];
  ASSERT_EQ(joints.size(), 2u);
  EXPECT_EQ(joints[0]["axis"], Json({1.0, 0.0, 0.0}));
  EXPECT_TRUE(joints[0]["lower"][0].is_null() && joints[0]["upper"][0].is_null());
  EXPECT_EQ(joints[1]["parent"], 1);
  EXPECT_EQ(joints[1]["child"], 2);
  EXPECT_EQ(joints[1]["place"], Json({4.0, 5.0, 6.0, 1.0, 0.0, 0.0, 0.0}));
  EXPECT_EQ(joints[1]["lower"], Json({-0.5}));
  EXPECT_EQ(joints[1]["upper"], Json({0.25}));
}

TEST(PageData, TheSceneHasFrames) {
  for (const char* text : {"@humanoid", "@dual_arm"}) {
    const Model model = model_of(text);
    const Json scene = Json::parse(scene_json(model, {}, text));
    ASSERT_EQ(scene["frames"].size(), model.frames().size());
    for (std::size_t i = 0; i < model.frames().size(); ++i) {
      EXPECT_EQ(scene["frames"][i]["name"], model.frames()[i].name);
      EXPECT_EQ(scene["frames"][i]["body"], model.frames()[i].body);
      EXPECT_EQ(scene["frames"][i]["place"][2], model.frames()[i].X_BF.p.z);
    }
  }
}

TEST(PageData, CoordinatesOfGiantsAreLeftOutAndCounted) {
  const Model model = compile(scene("@chain:links=3000").value()).value();
  const Json scene = Json::parse(scene_json(model, {}, ""));
  EXPECT_EQ(scene["signals_left_out"], 6000);
  EXPECT_EQ(most_coordinate_signals, 5000);  // docs/viewer_data.md
  const Model largest = model_of("@chain:links=2500");
  EXPECT_EQ(Json::parse(scene_json(largest, {}, ""))["signals_left_out"], 0) << "5000 are not more than 5000";
  for (const Json& signal : scene["signals"]) EXPECT_NE(signal["group"], "position");
  Simulation simulation(model, {});
  SnapshotTaker take(model);
  FrameWriter write(model);
  EXPECT_EQ(decoded(write(take(0, make_state(model), simulation, {}, {}))).signals.size(), scene["signals"].size());
}

std::string decoded_base64(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned bits = 0, count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | unsigned(digits.find(c));
    if ((count += 6) < 8) continue;
    count -= 8;
    out += char(bits >> count & 255);
  }
  return out;
}

TEST(PageData, ABlobIsASceneAndItsFrames) {
  TestRun run("@swing");
  PageRecording recording(run.model, run.options, "@swing");
  for (int i = 0; i < 5; ++i) recording.add(run.steps(10));
  const std::string blob = recording.blob(run.monitor.certificate());
  EXPECT_EQ(blob.substr(0, 4), "LPR1");
  std::uint32_t length = 0;
  std::memcpy(&length, blob.data() + 4, 4);
  EXPECT_EQ(length % 8, 0u);
  const Json scene = Json::parse(blob.substr(8, length));
  EXPECT_EQ(scene["frames_count"], 5);
  EXPECT_EQ(scene["certificate"]["passed"], true);
  EXPECT_EQ(scene["certificate"]["steps"], 50);
  EXPECT_EQ(scene["certificate"]["verdict"], "passed");
  EXPECT_EQ(scene["certificate"]["energy"]["tolerance"], CertificateLimits{}.energy);
  std::size_t at = 8 + length;
  for (int i = 1; i <= 5; ++i) {
    ASSERT_LT(at, blob.size());
    const PageFrame frame = decoded(blob.data() + at);
    EXPECT_EQ(frame.step, 10 * i);
    at += frame.size;
  }
  EXPECT_EQ(at, blob.size());

  const std::string page = "<html><body>x<!--linchpin-recording-->y</body></html>";
  const std::string whole = page_with_recording(page, blob);
  const std::string open = "<script type=\"application/octet-stream\" id=\"linchpin-recording\">";
  const std::size_t begin = whole.find(open), end = whole.find("</script>", begin);
  ASSERT_NE(begin, std::string::npos);
  EXPECT_EQ(decoded_base64(whole.substr(begin + open.size(), end - begin - open.size())), blob);
  EXPECT_EQ(whole.substr(0, begin), "<html><body>x");
  EXPECT_EQ(whole.substr(end), "</script>y</body></html>");
  EXPECT_THROW(page_with_recording("<html></html>", blob), CheckFailed);
  for (const std::size_t cut : {1u, 2u, 3u}) {  // all three paddings of base64
    const std::string some = page_with_recording(page, blob.substr(0, blob.size() - cut));
    const std::size_t to = some.find("</script>", begin);
    EXPECT_EQ(decoded_base64(some.substr(begin + open.size(), to - begin - open.size())),
              blob.substr(0, blob.size() - cut));
  }
}

}  // namespace
}  // namespace linchpin
