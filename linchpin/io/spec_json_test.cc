#include "linchpin/io/spec_json.h"

#include <bit>
#include <cstdint>

#include <gtest/gtest.h>

#include "linchpin/geometry/shapes/height_grid.h"
#include "linchpin/geometry/shapes/hull.h"
#include "linchpin/geometry/shapes/mesh.h"
#include "linchpin/io/testing.h"
#include "linchpin/model/scenes.h"
#include "linchpin/model/state.h"
#include "linchpin/sim/simulation.h"

namespace linchpin {
namespace {

std::string error_of(const std::string& text) {
  const Result<ModelSpec> spec = spec_from_json(text);
  return spec ? "" : spec.error().message;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (std::bit_cast<std::uint64_t>(a[i]) != std::bit_cast<std::uint64_t>(b[i])) return false;
  return true;
}

// A scene written to JSON and read back moves bit for bit as before: a field lost in the text would show in some scene.
// Every field of the spec has the same bits.
TEST(SpecJson, EveryScene) {
  for (const SceneInfo& info : scene_catalogue()) {
    SCOPED_TRACE(info.name);
    const Result<ModelSpec> spec = scene(info.name);
    ASSERT_TRUE(spec) << spec.error().message;
    const std::string text = spec_to_json(spec.value());
    const Result<ModelSpec> again = spec_from_json(text);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(spec_to_json(again.value()), text);
    EXPECT_EQ(spec_fields::difference(spec.value(), again.value()), "");

    const Result<Model> model = compile(spec.value()), other = compile(again.value());
    ASSERT_TRUE(model && other);
    Simulation simulation(model.value(), {}), second(other.value(), {});
    State state = make_state(model.value()), mirror = make_state(other.value());
    for (int i = 0; i < 5; ++i) {
      simulation.step(state);
      second.step(mirror);
    }
    EXPECT_TRUE(same_bits(state.q, mirror.q));
    EXPECT_TRUE(same_bits(state.v, mirror.v));
  }
}

// All fields that no scene uses, each with a distinct value that is not the default.
ModelSpec everything() {
  ModelSpec spec;
  spec.name = "all \"kinds\" of things\n";
  spec.gravity = {0.1, -0.0, -1.0 / 3};
  BodySpec body;
  body.name = "b\xc3\xb6rper";
  body.inertia = {2.0 / 3, {1e-300, 5e-324, 0.3}, {0.1, 0.2, 0.25, 0.01, 0.02, 0.03}};
  const std::vector<Vec3<double>> corners = {
      {0, 0, 0}, {1.0 / 3, 0, 0}, {0, 0.7, 0.1}, {0.1, 0.2, 0.9}, {0.4, 0.5, 0.6}};
  const std::vector<std::array<int, 3>> triangles = {{0, 2, 1}, {0, 1, 3}};
  const std::vector<double> heights = {0.1, 0.2, 1.0 / 3, 0.4, 0.5, 0.6};
  const Shape hull = ConvexHull{std::make_shared<const Hull>(convex_hull(corners).value())};
  const auto parts = std::make_shared<const std::vector<PlacedShape>>(
      std::vector<PlacedShape>{{Sphere{0.1}, translation(1, 2, 3)}, {hull, {rotation_x(0.3), {0, 0, 1}}}});
  Material material{"rubber", {0.9, 0.8}, 0.25, Material::Directional{{1, 2, 3}, {0.4, 0.3}}};
  for (const Shape& shape : std::initializer_list<Shape>{
           Sphere{0.1}, Capsule{0.1, 0.2}, Box{{0.1, 0.2, 0.3}}, Cylinder{0.2, 0.1}, Ellipsoid{{0.3, 0.2, 0.1}},
           Cone{0.5, 0.4}, HalfSpace{}, hull,
           Mesh{std::make_shared<const TriangleMesh>(make_mesh(corners, triangles).value())},
           HeightField{std::make_shared<const HeightGrid>(make_height_grid(3, 2, 0.5, 0.25, heights, -1).value())},
           Compound{parts}})
    body.geometry.push_back({"shape", shape, {rotation_y(0.7), {0.1, 0.2, 0.3}}, material, 0.01, 6, 5});
  BodySpec other;
  other.name = "other";
  spec.bodies = {body, other};
  JointSpec joint;
  joint.name = "j";
  joint.type = JointType::universal;
  joint.parent = "other";
  joint.child = body.name;
  joint.X_PF = {rotation_z(1), {1, 2, 3}};
  joint.X_CM = translation(0, 0, 0.1);
  joint.axis = {1, 0, 0.5};
  joint.axis2 = {0, 1, 0.25};
  joint.pitch = 0.125;
  joint.dofs = {{0.1, 0.2, 0.3, 0.4, 0.5, -1, 1, 10, 20}, {}};
  joint.start_q = {0.1, 0.2};
  joint.start_v = {-0.3, 0.4};
  JointSpec weld;
  weld.name = "weld";
  weld.type = JointType::weld;
  weld.child = "other";
  spec.joints = {joint, weld};
  spec.world_geometry = {{"ground", HalfSpace{}}};
  spec.frames = {{"tip", body.name, translation(0.5, 0, 0)}};
  const FrameOnBody a{"other", translation(1, 0, 0)}, b{body.name, {rotation_x(1), {0, 1, 0}}};
  const TimeLaw law{{1, 0.5, 1.0 / 7}, 0.1, 2, 0.3};
  spec.constraints = {{"loop", LoopSpec{LoopType::screw, a, b, 0.2, {law, {}, law}}},
                      {"rod", RodSpec{a, b, 0.7, law}},
                      {"rolling", RollingSpec{a, b, {0.1, 0.2, 0}, true}},
                      {"velocity", VelocitySpec{a, b, {1, 2, 3}, {4, 5, 6}, law}},
                      {"coupling", CouplingSpec{{{"j", 1, {0, 0.5, 0.25}}}, law}}};
  spec.springs = {{"spring", a, b, 100, 2, 0.5}};
  const PairMaterial pair{{0.7, 0.6}, 0.1, PairMaterial::Directional{PairMaterial::Side::b, {0, 1, 0}, {0.2, 0.1}}};
  spec.contact_pairs = {{"ground", "shape", 0.02, pair}, {"ground", "shape", {}, {}}};
  spec.contact_exclusions = {{"world", body.name}};
  spec.pair_rules = {PairRule::product, PairRule::minimum, {{"ice", "rubber", pair}}};
  spec.actuators = {{"motor", "j", 1, ActuatorType::position, 2, 30, 4, -5, 7, 0.6}};
  return spec;
}

// No field of everything() has the value that it has without being read: else a field that is missing from the tables
// of spec_json.cc would be read back the same.
template <class T>
std::string default_field(const T& value);
template <class T>
std::string default_in(const std::vector<T>& list) {
  for (const T& element : list)
    if (const std::string found = default_field(element); !found.empty()) return found;
  return "";
}
template <class T>
std::string default_field(const T& value) {
  const T plain{};
  const auto have = spec_fields::fields_of(value), without = spec_fields::fields_of(plain);
  std::string found;
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    ((spec_fields::difference(std::get<i>(have), std::get<i>(without)).empty() ? void(found += " " + std::to_string(i))
                                                                               : void()),
     ...);
  }
  (std::make_index_sequence<std::tuple_size_v<decltype(have)>>());
  return found;
}

TEST(SpecJson, EverythingHasNoDefaults) {
  const ModelSpec spec = everything();
  EXPECT_EQ(default_field(spec), "");
  EXPECT_EQ(default_field(spec.bodies[0]), "");
  EXPECT_EQ(default_field(spec.bodies[0].inertia), "");
  EXPECT_EQ(default_field(spec.bodies[0].geometry[1]), "");  // [0] has the shape of the default, a sphere, too
  EXPECT_EQ(default_field(spec.bodies[0].geometry[0].material), "");
  EXPECT_EQ(default_field(spec.bodies[0].geometry[0].material.friction), "");
  EXPECT_EQ(default_field(*spec.bodies[0].geometry[0].material.directional), "");
  EXPECT_EQ(default_field(spec.joints[0]), "");
  EXPECT_EQ(default_field(spec.joints[0].dofs[0]), "");
  EXPECT_EQ(default_in(spec.frames), "");
  EXPECT_EQ(default_in(spec.constraints), "");
  EXPECT_EQ(default_field(std::get<LoopSpec>(spec.constraints[0].what)), "");
  EXPECT_EQ(default_field(std::get<LoopSpec>(spec.constraints[0].what).a), "");
  EXPECT_EQ(default_field(std::get<RodSpec>(spec.constraints[1].what)), "");
  EXPECT_EQ(default_field(std::get<RodSpec>(spec.constraints[1].what).extension), "");
  EXPECT_EQ(default_field(std::get<RollingSpec>(spec.constraints[2].what)), "");
  EXPECT_EQ(default_field(std::get<VelocitySpec>(spec.constraints[3].what)), "");
  EXPECT_EQ(default_field(std::get<CouplingSpec>(spec.constraints[4].what)), "");
  EXPECT_EQ(default_in(std::get<CouplingSpec>(spec.constraints[4].what).terms), "");
  EXPECT_EQ(default_in(spec.springs), "");
  EXPECT_EQ(default_field(spec.contact_pairs[0]), "");
  EXPECT_EQ(default_field(*spec.contact_pairs[0].material), "");
  EXPECT_EQ(default_field(*spec.contact_pairs[0].material->directional), "");
  EXPECT_EQ(default_in(spec.contact_exclusions), "");
  EXPECT_EQ(default_field(spec.pair_rules), "");
  EXPECT_EQ(default_in(spec.pair_rules.overrides), "");
  EXPECT_EQ(default_in(spec.actuators), "");
}

// A spec with all kinds of elements is read back the same, field by field.
TEST(SpecJson, EveryKindOfField) {
  const ModelSpec original = everything();
  const std::string text = spec_to_json(original);
  const Result<ModelSpec> again = spec_from_json(text);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(spec_to_json(again.value()), text);
  const ModelSpec& spec = again.value();
  EXPECT_EQ(spec_fields::difference(original, spec), "");
  EXPECT_EQ(spec.name, original.name);
  EXPECT_TRUE(std::signbit(spec.gravity.y));
  EXPECT_EQ(spec.gravity.z, -1.0 / 3);
  EXPECT_EQ(spec.bodies[0].inertia.centre.y, 5e-324);
  EXPECT_EQ(spec.joints[0].dofs[1].velocity_limit, unlimited);
  EXPECT_EQ(spec.joints[0].X_PF.R.x.y, rotation_z(1).x.y);
  EXPECT_EQ(spec.contact_pairs[0].material->directional->side, PairMaterial::Side::b);
  EXPECT_FALSE(spec.contact_pairs[1].margin);
  EXPECT_EQ(spec.bodies[0].geometry[0].touches, 5u);
  const Hull& hull = *std::get<ConvexHull>(spec.bodies[0].geometry[7].shape).hull;
  const Hull& before = *std::get<ConvexHull>(original.bodies[0].geometry[7].shape).hull;
  ASSERT_EQ(hull.faces.size(), before.faces.size());
  for (std::size_t i = 0; i < hull.faces.size(); ++i) EXPECT_EQ(hull.faces[i].offset, before.faces[i].offset);
  EXPECT_EQ(hull.about, before.about);
  EXPECT_EQ(hull.radius, before.radius);
}

// A model written by hand may leave out all fields with default values.
TEST(SpecJson, FewLinesDo) {
  const Result<ModelSpec> spec = spec_from_json(R"({"format": "linchpin model", "version": 1,
    "bodies": [{"name": "bob", "inertia": {"mass": 1, "centre": [0, 0, -1]}}],
    "joints": [{"name": "pivot", "child": "bob", "axis": [0, 1, 0]}]})");
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec.value().gravity.z, -9.81);
  const Result<Model> model = compile(spec.value());
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(model.value().nv(), 1);
}

TEST(SpecJson, FaultsNameTheElement) {
  const auto with = [](const std::string& fields) {
    return error_of("{\"format\": \"linchpin model\", \"version\": 1, " + fields + "}");
  };
  EXPECT_EQ(with(R"("bodies": [{}, {"inertia": {"mass": -1}}])"),
            "bodies[1].inertia: mass is -1 kg; it must be at least 0");
  EXPECT_EQ(with(R"("bodies": [{"geometry": [{"shape": {"kind": "sphere", "radius": "wide"}}]}])"),
            "bodies[0].geometry[0].shape.radius: \"wide\" is not a number");
  EXPECT_EQ(with(R"("bodies": [{"geometry": [{"shape": {"kind": "sphere", "radius": -2}}]}])"),
            "bodies[0].geometry[0].shape: sphere radius is -2 m; it must be positive and finite");
  EXPECT_EQ(with(R"("gravity": [0, 1])"), "gravity: has 2 elements, not 3");
  EXPECT_EQ(with(R"("gravity": [0, 1, null])"), "gravity[2]: null is not a number");
  EXPECT_EQ(with(R"("gravity": [0, 1, "nan"])"), "gravity[2]: \"nan\" is not a number");
  const std::string ten = "0123456789";  // of a long text, the first 37 characters with its quotation mark
  EXPECT_EQ(with("\"gravity\": [0, 1, \"" + ten + ten + ten + ten + ten + "\"]"),
            "gravity[2]: \"" + ten + ten + ten + "012345... is not a number");
  EXPECT_EQ(with(R"("joints": [{"type": "hinge"}])").substr(0, 63),
            "joints[0].type: there is no 'hinge'; there are: weld, revolute,");
  EXPECT_EQ(with(R"("joints": [{"nam": "x"}])").substr(0, 47), "joints[0]: there is no field 'nam'; there are: ");
  EXPECT_EQ(with(R"("constraints": [{"kind": "chain"}])"),
            "constraints[0]: there is no kind 'chain'; there are: loop, rod, rolling, velocity, coupling");
  EXPECT_EQ(with(R"("actuators": [{"coordinate": 1.5}])").substr(0, 44),
            "actuators[0].coordinate: 1.5 is not a whole ");
  EXPECT_EQ(with(R"("actuators": [{"coordinate": 99999999999}])").substr(0, 37),
            "actuators[0].coordinate: 99999999999 ");
  EXPECT_EQ(with(R"("joints": 5)"), "joints: 5 is not a list");
  const std::string hull = R"("world_geometry": [{"shape": {"kind": "convex_hull", )"
                           R"("vertices": [[0,0,0],[1,0,0],[0,1,0],[0,0,1]], "faces": )";
  EXPECT_EQ(with(hull + "[[0,2,1],[0,1,3],[0,3,2],[1,2,3]]}}]"), "");
  EXPECT_EQ(with(hull + "[[0,2,1],[0,1,3],[0,3,2]]}}]"),
            "world_geometry[0].shape: the 3 faces do not form one closed surface");
  EXPECT_EQ(with(hull + "[[0,2,1],[0,1,3],[0,3,2],[1,2,4]]}}]"),
            "world_geometry[0].shape: face 3 has corner 4; the vertices are 0 to 3");
  EXPECT_EQ(with(hull + "[[0,1,2],[0,3,1],[0,2,3],[1,3,2]]}}]").substr(0, 45),
            "world_geometry[0].shape: face 0 is not convex");  // inside out
  EXPECT_EQ(error_of("{}"), "this is not a linchpin model: \"format\" is not \"linchpin model\"");
  EXPECT_EQ(error_of(R"({"format": "linchpin model", "version": 2})"),
            "the format has version 2; this linchpin reads version 1");
  EXPECT_EQ(error_of("{\n  \"format\": what}"), "line 2, column 13: this is not JSON");
  EXPECT_EQ(error_of("{\"version\": 1e999}"), "line 1, column 17: a number is too large for a double");
  EXPECT_EQ(error_of("{\"format\": "), "line 1, column 12: unexpected end of text");
  std::string deep, close;
  for (int i = 0; i < 1000; ++i) deep += R"({"kind": "compound", "parts": [{"shape": )", close += "}]}";
  EXPECT_NE(with("\"world_geometry\": [{\"shape\": " + deep + "{}" + close + "}]").find("64 deep"), std::string::npos);
  EXPECT_EQ(load_spec("/nowhere/model.json").error().message, "/nowhere/model.json: cannot be read: no such file");
}

// The message for a name that does not exist lists those that do: all values of the enum, and nothing else.
TEST(SpecJson, NamesOfEveryEnum) {
  const auto with = [](const std::string& fields) {
    return error_of("{\"format\": \"linchpin model\", \"version\": 1, " + fields + "}");
  };
  EXPECT_EQ(with(R"("joints": [{"type": "?"}])"),
            "joints[0].type: there is no '?'; there are: weld, revolute, prismatic, screw, cylindrical, universal, "
            "planar, ball, free, translational");
  EXPECT_EQ(with(R"("constraints": [{"kind": "loop", "type": "?"}])"),
            "constraints[0].type: there is no '?'; there are: weld, pin, slider, screw, cylinder, universal, ball, "
            "plane, parallel, point_on_line, point_on_plane");
  EXPECT_EQ(with(R"("actuators": [{"type": "?"}])"),
            "actuators[0].type: there is no '?'; there are: force, position, velocity");
  EXPECT_EQ(with(R"("pair_rules": {"friction": "?"}])").substr(0, 10), "line 1, co");  // not closed as it was opened
  EXPECT_EQ(with(R"("pair_rules": {"friction": "?"})"),
            "pair_rules.friction: there is no '?'; there are: minimum, maximum, mean, geometric_mean, product, "
            "harmonic_mean");
  EXPECT_EQ(with(R"("contact_pairs": [{"material": {"directional": {"side": "?"}}}])"),
            "contact_pairs[0].material.directional.side: there is no '?'; there are: a, b");
}

// Each of these passed in silence, or ended in a signal.
TEST(SpecJson, StrictText) {
  const std::string head = "{\"format\": \"linchpin model\", \"version\": 1";
  EXPECT_EQ(error_of(head + "}"), "");
  EXPECT_EQ(error_of(head + ",\n \"name\": \"a\",\n \"name\": \"b\"}"),
            "line 3, column 7: the key 'name' occurs twice in one object");
  EXPECT_EQ(error_of(head + ", \"bodies\": [{\"name\": \"a\"}, {\"name\": \"b\", \"name\": \"c\"}]}"),
            "line 1, column 89: the key 'name' occurs twice in one object");
  EXPECT_EQ(error_of(head + "}\n" + std::string(1, '\0') + "{"), "line 2, column 1: a NUL byte");
  EXPECT_EQ(error_of(head + "} {"), "line 1, column 44: this is not JSON");
  for (const auto& [open, close] : {std::pair{std::string("["), std::string("]")}, {"{\"a\":", "}"}}) {
    std::string deep, end;
    for (int i = 0; i < 70000; ++i) deep += open, end += close;
    EXPECT_NE(error_of(deep + "0" + end).find("lists and objects are nested more than 4096 deep"), std::string::npos);
    EXPECT_NE(error_of(deep).find("lists and objects are nested more than 4096 deep"), std::string::npos);
  }
  // Many keys are read in linear time.
  std::string many = "{";
  for (int i = 0; i < 200'000; ++i) many += "\"key_" + std::to_string(i) + "\": 0, ";
  EXPECT_EQ(error_of(many + "\"a\": 0}").substr(0, 29), "this is not a linchpin model:");
  EXPECT_NE(error_of(many + "\n\"key_77\": 0}").find("line 2, column 8: the key 'key_77' occurs twice"),
            std::string::npos);
  EXPECT_NE(error_of(many + "\n\"key_0\": 0}").find("line 2, column 7: the key 'key_0' occurs twice"),
            std::string::npos)
      << "also the first of them, from the time when there were few";
}

TEST(SpecJson, RefusesEndlessFiles) {
  EXPECT_EQ(load_spec("/dev/zero").error().message,
            "/dev/zero: cannot be read: it is not a file, but a device or a socket");
}

// A text that is cut or damaged anywhere gives an Error or a spec, never a crash.
TEST(SpecJson, AnyText) {
  const std::string text = spec_to_json(everything());
  for (std::size_t n = 0; n + 2 < text.size(); n += 7) EXPECT_NE(error_of(text.substr(0, n)), "") << n;
  std::uint64_t seed = 1;
  for (int round = 0; round < 2000; ++round) {
    std::string spoilt = text;
    for (int i = 0; i < 3; ++i) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      spoilt[(seed >> 33) % spoilt.size()] = char(seed >> 25);
    }
    if (const Result<ModelSpec> spec = spec_from_json(spoilt); spec) (void)compile(spec.value());
  }
}

}  // namespace
}  // namespace linchpin
