#include "linchpin/model/scenes.h"

#include <charconv>
#include <cmath>
#include <functional>
#include <utility>

#include "linchpin/base/make_error.h"
#include "linchpin/model/scenes/builders.h"

namespace linchpin {
namespace {

// Arguments of a builder: a number for every parameter of the scene.
class Values {
 public:
  explicit Values(const SceneInfo& info) : info_(info) {
    for (const SceneParameter& p : info.parameters) numbers_.push_back(p.value);
  }
  void set(std::size_t parameter, double number) { numbers_[parameter] = number; }

  double real(std::string_view name) const {
    for (std::size_t i = 0; i < numbers_.size(); ++i)
      if (info_.parameters[i].name == name) return numbers_[i];
    fail_check("scene ", info_.name, ": the catalogue declares no parameter ", name);
  }
  int whole(std::string_view name) const { return static_cast<int>(real(name)); }
  bool flag(std::string_view name) const { return real(name) != 0; }
  std::uint64_t seed() const { return static_cast<std::uint64_t>(real("seed")); }

 private:
  const SceneInfo& info_;
  std::vector<double> numbers_;
};

struct Entry {
  SceneInfo info;
  std::vector<bool> whole;  // per parameter: whole numbers only
  std::function<ModelSpec(const Values&)> build;
};

struct Parameter {
  SceneParameter shown;
  bool whole;
};
Parameter whole(const char* name, double value, double lowest, double highest, const char* meaning) {
  return {{name, value, lowest, highest, meaning}, true};
}
Parameter real(const char* name, double value, double lowest, double highest, const char* meaning) {
  return {{name, value, lowest, highest, meaning}, false};
}
Parameter flag(const char* name, const char* meaning) { return whole(name, 0, 0, 1, meaning); }
Parameter seed(double value) { return whole("seed", value, 0, 1e15, "of the random numbers"); }

Parameter friction(double mu) { return real("mu", mu, 0, 10, "coefficient of friction"); }
Parameter some_friction(double mu) { return real("mu", mu, 1e-3, 10, "coefficient of friction"); }
Parameter restitution(double e) { return real("restitution", e, 0, 1, "coefficient of restitution"); }

Entry entry(const char* name, const char* description, const std::vector<Parameter>& parameters,
            std::function<ModelSpec(const Values&)> build) {
  Entry e{{name, description, {}}, {}, std::move(build)};
  for (const Parameter& p : parameters) {
    e.info.parameters.push_back(p.shown);
    e.whole.push_back(p.whole);
  }
  return e;
}

// A scene without contact: its shapes are for display only.
Entry smooth(const char* name, const char* description, const std::vector<Parameter>& parameters,
             const std::function<ModelSpec(const Values&)>& build) {
  return entry(name, description, parameters, [build](const Values& values) {
    ModelSpec spec = build(values);
    const auto hide = [](std::vector<GeometrySpec>& shapes) {
      for (GeometrySpec& shape : shapes) shape.groups = shape.touches = 0;
    };
    hide(spec.world_geometry);
    for (BodySpec& body : spec.bodies) hide(body.geometry);
    return spec;
  });
}

// One entry per scene: the help text, the ranges that are enforced, and the builder.
std::vector<Entry> scenes_without_contact() {
  using V = const Values&;
  return {
      smooth("pendulum", "n spheres of 1 kg on pin hinges about -y, 12 m long, hung 10 m above the ground; g = 9.8",
             {whole("links", 12, 1, 100000, "number of spheres")},
             [](V v) { return scenes::pendulum(v.whole("links")); }),
      smooth("planar_chain", "n equal uniform rods on hinges about -y, hanging along -z at zero",
             {whole("links", 3, 1, 100000, "number of rods"), real("length", 1, 1e-3, 1e3, "of each rod, m"),
              real("mass", 1, 1e-3, 1e3, "of each rod, kg")},
             [](V v) { return scenes::planar_chain(v.whole("links"), v.real("length"), v.real("mass")); }),
      smooth("simple_pendulum", "a point mass of 1 kg on a massless rod of 1 m, hanging along -z at zero", {},
             [](V) { return scenes::simple_pendulum(); }),
      smooth("double_pendulum",
             "two point masses of 1 kg on massless rods of 1 m, or two uniform rods; relative angles",
             {flag("rods", "1: uniform rods, 0: point masses")},
             [](V v) { return scenes::double_pendulum(v.flag("rods")); }),
      smooth("chain", "n revolute links in space with random masses, offsets and axes: the benchmark chain",
             {whole("links", 7, 1, 100000, "number of links"), seed(1)},
             [](V v) { return scenes::chain(v.whole("links"), v.seed()); }),
      smooth("heavy_light", "links of 1 m, alternately light and heavy, with random joint axes: ill-conditioned",
             {real("ratio", 1e6, 1, 1e12, "heavy mass over light mass"),
              whole("links", 10, 1, 1000, "number of links, the first is light")},
             [](V v) { return scenes::heavy_light(v.real("ratio"), v.whole("links")); }),
      smooth("cart_pole", "a cart of 1 kg on a rail along x with a pole, upright at zero",
             {real("pole", 0.1, 1e-3, 1e3, "mass of the pole, kg"), real("length", 1, 1e-3, 1e3, "of the pole, m")},
             [](V v) { return scenes::cart_pole(v.real("pole"), v.real("length")); }),
      smooth("planar_arm", "n links on vertical hinges, stretched along x at zero: gravity does no work",
             {whole("links", 3, 1, 10000, "number of links")},
             [](V v) { return scenes::planar_arm(v.whole("links")); }),
      smooth("planar_walker", "a two-legged walker held in the x-z plane: planar torso, hips, knees, ankles", {},
             [](V) { return scenes::planar_walker(); }),
      smooth("humanoid24", "24 one-axis links on a fixed pelvis: legs 6+6, waist 2, arms 4+4, neck 2",
             {flag("floating", "1: a free pelvis of 10 kg")},
             [](V v) { return scenes::humanoid24(v.flag("floating")); }),
      smooth("humanoid", "30 one-axis links on a free pelvis: legs 6+6, waist 2, arms 7+7, neck 2", {},
             [](V) { return scenes::humanoid(); }),
      smooth("quadruped", "a free trunk with four legs of three revolute joints", {},
             [](V) { return scenes::quadruped(); }),
      smooth("dual_arm", "26 one-axis links: a sensor head of 4, two arms of 7, two three-finger hands of 4", {},
             [](V) { return scenes::dual_arm(); }),
      smooth("top", "Lagrange's top on a ball joint: 1 kg, centre at 1 m, moments at the pivot 1.5, 1.5, 0.5", {},
             [](V) { return scenes::top(); }),
      smooth("free_body", "one free rigid body of 1 kg without gravity, moments 1, 2, 3",
             {flag("symmetric", "1: moments 1, 1, 2")}, [](V v) { return scenes::free_body(v.flag("symmetric")); }),
      smooth("random_tree", "a random tree with every joint type, random frames, axes, inertias and joint terms",
             {whole("bodies", 20, 1, 10000, "number of bodies; from 10 on all joint types occur"), seed(1),
              flag("floating", "1: the first body is free")},
             [](V v) { return scenes::random_tree(v.whole("bodies"), v.seed(), v.flag("floating")); }),
      smooth("forest", "several small mechanisms of different kinds side by side in one model",
             {whole("trees", 6, 1, 1000, "number of mechanisms; the kinds repeat")},
             [](V v) { return scenes::forest(v.whole("trees")); }),
      smooth("four_bar",
             "n parallelograms side by side on n + 1 cranks of 1 m, upright at zero: IFToMM A02; pins, redundant",
             {whole("loops", 1, 1, 1000, "number of parallelograms")},
             [](V v) { return scenes::four_bar(v.whole("loops")); }),
      smooth("squeezer",
             "Andrews' squeezing mechanism, seven bodies in three loops, without gravity: IFToMM A03; drive it with "
             "0.033 N m on joint beta",
             {}, [](V) { return scenes::squeezer(); }),
      smooth("bricard", "five rods of 1 m along a cube's edges, six hinges, one loop: IFToMM A04; over-constrained",
             {real("section", 0, 0, 0.5, "side of the rods' square section, m; 0: thin")},
             [](V v) { return scenes::bricard(v.real("section")); }),
      smooth("governor", "a flyball governor, tied by stiff spring-dampers: IFToMM A05; spins at 2 pi rad/s there", {},
             [](V) { return scenes::governor(); }),
      smooth("slider_crank", "crank, rod and slider, stretched along x at zero", {},
             [](V) { return scenes::slider_crank(); }),
      smooth("rolling_disc", "a disc of 1 kg that rolls on the plane z = 0 without slipping",
             {real("radius", 0.1, 1e-3, 10, "of the disc, m"), flag("hoop", "1: all its mass on the rim"),
              real("tilt", 0, 0, 80, "inclination at zero, degrees")},
             [](V v) { return scenes::rolling_disc(v.real("radius"), v.flag("hoop"), v.real("tilt")); }),
      smooth("rattleback", "a celt that rolls on the plane z = 0 without slipping and reverses its spin", {},
             [](V) { return scenes::rattleback(); }),
      smooth("linkage_biped",
             "a free pelvis on two bird-like legs, each with a leaf spring and two loops closed by rods", {},
             [](V) { return scenes::linkage_biped(); }),
      smooth("stewart", "a plate on six legs with pistons: a parallel robot with six degrees of freedom", {},
             [](V) { return scenes::stewart(); }),
      smooth("gripper", "two fingers of two phalanges, geared together, on a palm that a carriage lifts", {},
             [](V) { return scenes::gripper(); }),
  };
}

std::vector<Entry> scenes_with_contact() {
  using V = const Values&;
  return {
      entry("swing", "the pendulum of [000 s.8] as run there: floor, wall at 4 m, from -pi/4 at 1 rad/s; g = 9.8",
            {whole("links", 12, 1, 100000, "number of spheres"), friction(0.5), restitution(0.7)},
            [](V v) { return scenes::swing(v.whole("links"), v.real("mu"), v.real("restitution")); }),
      entry("slope", "a box of 1 kg on an inclined plane, at rest or sliding",
            {real("angle", 20, 0, 89, "of the slope, degrees"), friction(0.5),
             real("heading", 0, -360, 360, "downhill direction, about the vertical from x, degrees"),
             real("turn", 0, -360, 360, "rotation of the box about the slope's normal, degrees"),
             real("speed", 0, -100, 100, "initial speed downhill, m/s")},
            [](V v) {
              return scenes::slope(v.real("angle"), v.real("mu"), v.real("heading"), v.real("turn"), v.real("speed"));
            }),
      entry("roll", "a sphere that slides on a floor until it rolls, at 5/7 of its initial speed",
            {real("speed", 1, -100, 100, "initial speed, m/s"), real("radius", 0.1, 1e-3, 10, "of the sphere, m"),
             friction(0.2)},
            [](V v) { return scenes::roll(v.real("speed"), v.real("radius"), v.real("mu")); }),
      entry("painleve", "a rod that slides with one end on rough ground: Painleve's paradox",
            {real("angle", 45, 5, 85, "of the rod to the ground, degrees"), friction(2),
             real("speed", 1, -100, 100, "of sliding towards its lower end, m/s")},
            [](V v) { return scenes::painleve(v.real("angle"), v.real("mu"), v.real("speed")); }),
      entry("bounce", "a ball of 1 kg that falls on a floor",
            {real("radius", 0.1, 1e-3, 10, "of the ball, m"), real("height", 1, 0, 100, "of its lowest point, m"),
             restitution(0.7), real("speed", 0, -100, 100, "along the floor, m/s")},
            [](V v) {
              return scenes::bounce(v.real("radius"), v.real("height"), v.real("restitution"), v.real("speed"));
            }),
      entry("cradle", "Newton's cradle: balls of 1 kg hung in a row, without friction; the first strikes the others",
            {whole("balls", 5, 2, 1000, "number of balls"), real("gap", 0, 0, 1, "between them, m"),
             real("angle", 20, 0, 90, "of the first ball at the start, degrees"),
             real("speed", 0, 0, 100, "of the first ball, m/s"), restitution(1)},
            [](V v) {
              return scenes::cradle(v.whole("balls"), v.real("gap"), v.real("angle"), v.real("speed"),
                                    v.real("restitution"));
            }),
      entry(
          "falling_chain",
          "rods of 1 m, hinged in a line, fall on a frictionless floor with their two ends: [002 s.4.1]",
          {whole("links", 3, 1, 100000, "number of rods"), real("height", 2.3, 0, 1e6, "of the first rod's centre, m"),
           real("angle", -30, -90, 90, "of the line to the floor, degrees; negative: the last rod is the lowest"),
           flag("spatial", "1: on ball joints, and not straight; 0: in the x-z plane")},
          [](V v) {
            return scenes::falling_chain(v.whole("links"), v.real("height"), v.real("angle"), v.flag("spatial"));
          }),
      entry("loose_slider",
            "a slider crank whose slider has clearance in its guide, crank at 150 rad/s: Flores et al. 2010",
            {real("clearance", 1e-3, 1e-6, 0.1, "on either side, m"), friction(0.01), restitution(0.4)},
            [](V v) { return scenes::loose_slider(v.real("clearance"), v.real("mu"), v.real("restitution")); }),
      entry("billiard", "fifteen balls in a triangle on a table, struck by a cue ball",
            {real("speed", 5, 0, 100, "of the cue ball, m/s"), real("gap", 0, 0, 0.1, "between the balls, m"),
             friction(0), restitution(0.95)},
            [](V v) { return scenes::billiard(v.real("speed"), v.real("gap"), v.real("mu"), v.real("restitution")); }),
      entry("thin_wall", "a fast ball that strikes a thin plate, without gravity",
            {real("speed", 100, 0, 1e5, "of the ball, m/s"), real("radius", 0.01, 1e-4, 0.5, "of the ball, m"),
             real("thickness", 1e-3, 1e-6, 1, "of the plate, m"), restitution(0.5)},
            [](V v) {
              return scenes::thin_wall(v.real("speed"), v.real("radius"), v.real("thickness"), v.real("restitution"));
            }),
      entry("stack", "cubes of 1 m and 1 kg on top of each other",
            {whole("boxes", 10, 1, 1000, "number of cubes"), real("ratio", 1, 1e-6, 1e6, "mass of the top cube, kg"),
             friction(0.5)},
            [](V v) { return scenes::stack(v.whole("boxes"), v.real("ratio"), v.real("mu")); }),
      entry("dominoes", "a row of dominoes, the first one falling",
            {whole("count", 20, 1, 1000, "number of dominoes"),
             real("spacing", 0.025, 0.018, 0.045, "distance from one to the next, m"), friction(0.3)},
            [](V v) { return scenes::dominoes(v.whole("count"), v.real("spacing"), v.real("mu")); }),
      entry("pile", "spheres of 1 kg that fall into a bin, five spheres wide",
            {whole("count", 125, 1, 10000, "number of spheres"), seed(1)},
            [](V v) { return scenes::pile(v.whole("count"), 5, 0.1, v.seed()); }),
      entry("balls", "balls of different sizes that fall into a bin, eight balls wide",
            {whole("count", 666, 1, 10000, "number of balls"), seed(1)},
            [](V v) { return scenes::pile(v.whole("count"), 8, 0.06, v.seed()); }),
      entry("arch", "a round arch of wedges, held together by its weight and friction",
            {whole("stones", 9, 3, 101, "number of stones"),
             real("thickness", 0.3, 0.05, 0.8, "relative to the mean radius of 1 m; it stands from 0.11 on"),
             friction(0.7)},
            [](V v) { return scenes::arch(v.whole("stones"), v.real("thickness"), v.real("mu")); }),
      entry(
          "grip", "a capsule of 0.5 kg held between two sprung fingers by friction alone",
          {real("hold", 2, 0.1, 100, "weight that friction can carry, relative to the capsule's"), some_friction(0.5)},
          [](V v) { return scenes::grip(v.real("hold"), v.real("mu")); }),
      entry("stand", "humanoid24 with a free pelvis, held upright by servos, on two feet of four balls each",
            {flag("feet_only", "1: only the feet touch the floor")},
            [](V v) { return scenes::stand(v.flag("feet_only")); }),
      entry("stand4", "the quadruped, held up by servos, on its four feet",
            {flag("feet_only", "1: only the feet touch the floor")},
            [](V v) { return scenes::stand4(v.flag("feet_only")); }),
      entry("workshop",
            "the dual-arm robot, held by servos, with a wheel on a hub and an impact driver on a bench: [000 s.8]", {},
            [](V) { return scenes::workshop(); }),
  };
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = [] {
    std::vector<Entry> list = scenes_without_contact();
    for (Entry& e : scenes_with_contact()) list.push_back(std::move(e));
    return list;
  }();
  return all;
}

template <class Named>
std::string names(const std::vector<Named>& list) {
  std::string all;
  for (const Named& item : list) all += (all.empty() ? "" : ", ") + item.name;
  return all.empty() ? "none" : all;
}

// Parses the whole text as one finite number.
bool parse_number(std::string_view text, double& number) {
  const char* const end = text.data() + text.size();
  const auto [rest, fault] = std::from_chars(text.data(), end, number);
  return fault == std::errc() && rest == end && std::isfinite(number);
}

// Sets one "key=value" in values. An empty message means success.
Error set_parameter(const Entry& e, std::string_view item, std::vector<bool>& given, Values& values) {
  const std::string& name = e.info.name;
  const std::size_t equals = item.find('=');
  if (equals == std::string_view::npos) return make_error("scene ", name, ": expected key=value, got '", item, "'");
  const std::string_view key = item.substr(0, equals), text = item.substr(equals + 1);
  const std::vector<SceneParameter>& parameters = e.info.parameters;
  std::size_t i = 0;
  while (i < parameters.size() && parameters[i].name != key) ++i;
  if (i == parameters.size())
    return make_error("scene ", name, " has no parameter '", key, "'; its parameters: ", names(parameters));
  if (given[i]) return make_error("scene ", name, ": ", key, " is given twice");
  given[i] = true;
  double number = 0;
  if (!parse_number(text, number)) return make_error("scene ", name, ": ", key, "='", text, "' is not a number");
  if (!(number >= parameters[i].lowest && number <= parameters[i].highest))
    return make_error("scene ", name, ": ", key, "=", text, " is not between ", parameters[i].lowest, " and ",
                      parameters[i].highest);
  if (e.whole[i] && number != std::floor(number))
    return make_error("scene ", name, ": ", key, "=", text, " must be a whole number");
  values.set(i, number);
  return {};
}

}  // namespace

const std::vector<SceneInfo>& scene_catalogue() {
  static const std::vector<SceneInfo> catalogue = [] {
    std::vector<SceneInfo> all;
    for (const Entry& e : entries()) all.push_back(e.info);
    return all;
  }();
  return catalogue;
}

Result<ModelSpec> scene(std::string_view text) {
  if (text.starts_with('@')) text.remove_prefix(1);
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const Entry* chosen = nullptr;
  for (const Entry& e : entries())
    if (e.info.name == name) chosen = &e;
  if (!chosen) return make_error("there is no scene '", name, "'; there are: ", names(scene_catalogue()));

  Values values(chosen->info);
  std::vector<bool> given(chosen->info.parameters.size(), false);
  bool more = colon != std::string_view::npos;
  std::string_view rest = more ? text.substr(colon + 1) : std::string_view();
  while (more) {
    const std::size_t comma = rest.find(',');
    Error fault = set_parameter(*chosen, rest.substr(0, comma), given, values);
    if (!fault.message.empty()) return fault;
    more = comma != std::string_view::npos;
    if (more) rest.remove_prefix(comma + 1);
  }
  ModelSpec spec = chosen->build(values);
  spec.name = chosen->info.name;
  return spec;
}

}  // namespace linchpin
