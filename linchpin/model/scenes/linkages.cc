// Linkages with closed loops and published motion: the multibody benchmarks of IFToMM and similar ones.
//
// The loops of each are closed at zero coordinates. If the source has gravity along -y, its x, y, z are x, z, -y here,
// so that z is up as everywhere.
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "linchpin/model/scenes/builders.h"

namespace linchpin::scenes {
namespace {

// A straight bar of square section from a to b. Without section it is a thin rod, displayed as a capsule of some width.
BodySpec bar(std::string name, const Vector& a, const Vector& b, double mass, double section, double seen_radius) {
  BodySpec body{.name = std::move(name), .inertia = {}, .geometry = {}};
  const Transform<double> X{frame_with_z(b - a), 0.5 * (a + b)};
  const Box box{{section / 2, section / 2, norm(b - a) / 2}};
  if (section > 0) {
    add_solid(body, box, mass, X, body.name);
    return body;
  }
  const double across = mass / 3 * box.half.z * box.half.z;
  add_inertia(body, {mass, X.p, rotate(X.R, Sym3<double>::diagonal(across, across, 0))});
  add_shape(body, Capsule{seen_radius, box.half.z}, X, body.name);
  return body;
}

JointSpec hinge(const std::string& name, const std::string& parent, const std::string& child, const Vector& at,
                const Vector& axis) {
  JointSpec j = joint(JointType::revolute, parent, child, {Mat3<double>::identity(), at}, axis);
  j.name = name;
  return j;
}

// A hinge that closes a loop: the same axis on both bodies, in frames that are parallel at zero.
ConstraintSpec pin(std::string name, const std::string& body_a, const Vector& at_a, const std::string& body_b,
                   const Vector& at_b, const Vector& axis) {
  const Mat3<double> R = frame_with_z(axis);
  return loop(std::move(name), LoopType::pin, {body_a, {R, at_a}}, {body_b, {R, at_b}});
}

void add(ModelSpec& spec, JointSpec j, BodySpec body) {
  spec.joints.push_back(std::move(j));
  spec.bodies.push_back(std::move(body));
}

}  // namespace

// Parallelograms side by side. Each coupler hangs on its crank and is pinned to the next one: a loop involves three
// bodies, however many there are. Hinges turn about y, so that a positive angle lets a crank fall to +x.
ModelSpec four_bar(int loops) {
  constexpr double length = 1, mass = 1, radius = 0.02;
  const Vector up{0, 0, length}, along{length, 0, 0}, y{0, 1, 0}, foot{0, 0, 0};
  const auto crank = [](int k) { return "crank_" + std::to_string(k); };
  const auto coupler = [](int k) { return "coupler_" + std::to_string(k); };
  ModelSpec spec;
  for (int k = 0; k <= loops; ++k) {
    const std::string k_text = std::to_string(k);
    add(spec, hinge("pivot_" + k_text, "world", crank(k), {k * length, 0, 0}, y),
        bar(crank(k), foot, up, mass, 0, radius));
    if (k > 0) spec.constraints.push_back(pin("loop_" + k_text, coupler(k), along, crank(k), up, y));
    if (k == loops) break;
    add(spec, hinge("hinge_" + std::to_string(k + 1), crank(k), coupler(k + 1), up, y),
        bar(coupler(k + 1), foot, along, mass, 0, radius));
  }
  return spec;
}

// Andrews' squeezing mechanism, data of the IVP test set: seven bodies in the x-y plane, without gravity. E is the
// point where three loops meet; F, G, H are hinges between moving bodies. Zero is the start of the test set.
ModelSpec squeezer() {
  constexpr double d = .028, da = .0115, e = .02, ea = .01421, rr = .007, ra = .00092, ss = .035, sa = .01874,
                   sb = .01043, sc = .018, sd = .02, ta = .02308, tb = .00916, u = .04, ua = .01228, ub = .00449,
                   zf = .02, zt = .04, fa = .01421;
  const Vector A{-.06934, -.00227, 0}, B{-.03635, .03273, 0}, C{.014, .072, 0}, O{0, 0, 0};
  struct Part {
    const char *name, *joint, *parent;
    Vector at;     // the hinge, on the parent
    double start;  // its angle at zero
    double mass, moment;
    Vector centre, end;
  };
  const Vector E_on_2{-d, 0, 0}, E_on_3{0, -ss, 0}, E_on_4{0, -e, 0}, E_on_6{zf, 0, 0}, D{sd, -sc, 0};
  const Vector F{rr, 0, 0}, G{zt, 0, 0}, H{0, -u, 0};
  const Part parts[] = {
      {"crank", "beta", "world", O, -0.0617138900142764496, .04325, 2.194e-6, {ra, 0, 0}, F},
      {"link_2", "theta", "crank", F, 0, .00365, 4.410e-7, {-da, 0, 0}, E_on_2},
      {"sector", "gamma", "world", B, 0.455279819163070380, .02373, 5.255e-6, {sb, -sa, 0}, E_on_3},
      {"rocker_5", "delta", "world", A, 0.487364979543842550, .07050, 1.169e-5, {ta, tb, 0}, G},
      {"link_4", "phi", "rocker_5", G, 0.222668390165885885, .00706, 5.667e-7, {0, ea - e, 0}, E_on_4},
      {"rocker_7", "epsilon", "world", A, 1.23054744454982119, .05498, 1.912e-5, {-ub, -ua, 0}, H},
      {"link_6", "omega", "rocker_7", H, -0.222668390165885885, .00706, 5.667e-7, {zf - fa, 0, 0}, E_on_6},
  };
  ModelSpec spec;
  spec.gravity = {0, 0, 0};
  for (const Part& part : parts) {
    BodySpec body{.name = part.name, .inertia = {}, .geometry = {}};
    // Only the moment about z matters; the others are half of it, as for a plate without thickness.
    body.inertia = {part.mass, part.centre, Sym3<double>::diagonal(part.moment / 2, part.moment / 2, part.moment)};
    const PlacedShape seen = capsule_between(O, part.end, 0.001);
    add_shape(body, seen.shape, seen.X_SP, body.name);
    JointSpec j = hinge(part.joint, part.parent, part.name, part.at, {0, 0, 1});
    j.X_PF.R = rotation_z(part.start);
    add(spec, std::move(j), std::move(body));
  }
  const PlacedShape side = capsule_between(O, D, 0.001);
  add_shape(body_named(spec, "sector"), side.shape, side.X_SP, "sector_side");

  // The tree already keeps all bodies in the plane: of a pin's rows only the two of a point on a line are independent.
  const auto meet = [&](const char* name, const char* body, const Vector& at) {
    spec.constraints.push_back(loop(name, LoopType::point_on_line, point_on(body, at), point_on("link_2", E_on_2)));
  };
  meet("loop_3", "sector", E_on_3);
  meet("loop_4", "link_4", E_on_4);
  meet("loop_6", "link_6", E_on_6);
  spec.springs = {
      {.name = "spring", .a = point_on("world", C), .b = point_on("sector", D), .stiffness = 4530, .length = .07785}};
  return spec;
}

// Five rods along the edges of a cube and six hinges, each normal to the two edges that it joins: counting constraints,
// it cannot move, yet it does.
ModelSpec bricard(double section) {
  constexpr double mass = 1, radius = 0.02;
  const std::array<Vector, 6> P{{{0, 0, 0}, {1, 0, 0}, {1, 0, -1}, {1, -1, -1}, {0, -1, -1}, {0, -1, 0}}};
  const std::array<Vector, 6> axis{{{0, 0, 1}, {0, -1, 0}, {1, 0, 0}, {0, 0, 1}, {0, -1, 0}, {1, 0, 0}}};
  ModelSpec spec;
  std::string before = "world";
  for (std::size_t k = 0; k < 5; ++k) {
    const std::string name = "rod_" + std::to_string(k + 1);
    const Vector at = k < 1 ? P[0] : P[k] - P[k - 1];  // frames are parallel at zero
    add(spec, hinge("hinge_" + std::to_string(k), before, name, at, axis[k]),
        bar(name, {0, 0, 0}, P[k + 1] - P[k], mass, section, radius));
    before = name;
  }
  spec.constraints = {pin("loop", "world", P[5], before, P[5] - P[4], axis[5])};
  spec.frames = {{"P3", "rod_3", {Mat3<double>::identity(), P[3] - P[2]}}};
  return spec;
}

// A shaft, a slider on it, and two rods with balls, which stiff springs with strong dampers tie to the slider. It is a
// tree: the loops are closed by springs. A rod's angle is counted downwards, from 30 degrees below the horizontal.
ModelSpec governor() {
  constexpr double offset = 0.05, slider_height = 0.5, hinge_height = 1, ball_mass = 5, section = 0.01;
  ModelSpec spec;
  BodySpec shaft = bar("shaft", {0, 0, 0}, {0, 0, 1}, 0.3, section, 0);
  add(spec, hinge("spin", "world", "shaft", {0, 0, 0}, {0, 0, 1}), std::move(shaft));
  BodySpec slider{.name = "slider", .inertia = {}, .geometry = {}};
  add_solid(slider, Box{{0.05, 0.05, 0.05}}, 3, Transform<double>::identity(), "slider");
  JointSpec slide = joint(JointType::prismatic, "shaft", "slider", translation(0, 0, slider_height), {0, 0, 1});
  slide.name = "slide";
  add(spec, std::move(slide), std::move(slider));
  for (const int side : {1, -1}) {
    const std::string name = side > 0 ? "right_rod" : "left_rod";
    const Vector tip{side * std::sqrt(0.75), 0, -0.5};
    BodySpec rod = bar(name, {0, 0, 0}, tip, 0.3, section, 0);
    add_inertia(rod, {ball_mass, tip, Sym3<double>::zero()});  // a point mass; the sphere is for display
    add_shape(rod, Sphere{0.05}, {Mat3<double>::identity(), tip}, name + "_ball");
    add(spec, hinge(name + "_hinge", "shaft", name, {side * offset, 0, hinge_height}, {0, double(side), 0}),
        std::move(rod));
    spec.springs.push_back({.name = name + "_spring",
                            .a = point_on("slider", {side * offset, 0, 0}),
                            .b = point_on(name, 0.5 * tip),
                            .stiffness = 8e5,
                            .damping = 4e4,
                            .length = 0.5});
  }
  return spec;
}

// Stretched along x at zero. Angles turn from x to z.
namespace {

// Crank and rod [IFToMM benchmark; Flores, Leine and Glocker 2010]. Moments about the centres as published: close to
// those of thin rods, and likewise zero along the rod.
constexpr double crank_length = .153, rod_length = .306, slider_mass = .076;

void add_crank_and_rod(ModelSpec& spec) {
  constexpr double m1 = .038, m2 = .038, J1 = 7.4e-5, J2 = 5.9e-4;
  const auto rod = [](std::string name, double length, double mass, double moment) {
    BodySpec body = bar(std::move(name), {0, 0, 0}, {length, 0, 0}, mass, 0, 0.005);
    body.inertia.moments = Sym3<double>::diagonal(0, moment, moment);
    return body;
  };
  add(spec, hinge("crank_pivot", "world", "crank", {0, 0, 0}, swing_axis), rod("crank", crank_length, m1, J1));
  add(spec, hinge("crank_pin", "crank", "rod", {crank_length, 0, 0}, swing_axis), rod("rod", rod_length, m2, J2));
}

}  // namespace

ModelSpec slider_crank() {
  ModelSpec spec;
  add_crank_and_rod(spec);
  BodySpec slider{.name = "slider", .inertia = {}, .geometry = {}};
  add_solid(slider, Box{{0.02, 0.02, 0.015}}, slider_mass, Transform<double>::identity(), "slider");
  JointSpec guide =
      joint(JointType::prismatic, "world", "slider", translation(crank_length + rod_length, 0, 0), {1, 0, 0});
  guide.name = "guide";
  add(spec, std::move(guide), std::move(slider));
  spec.constraints = {pin("wrist_pin", "rod", {rod_length, 0, 0}, "slider", {0, 0, 0}, swing_axis)};
  return spec;
}

// [Flores, Leine and Glocker 2010]: the slider, 100 mm by 50 mm, hangs on the rod alone, between two guides that are
// `clearance` away from it on both sides. It starts stretched along x with the crank at 150 rad/s and the rod at -75.
ModelSpec loose_slider(double clearance, double mu, double restitution) {
  constexpr double half_length = .05, half_height = .025, moment = 2.7e-6;
  ModelSpec spec;
  add_crank_and_rod(spec);
  for (BodySpec& body : spec.bodies)
    for (GeometrySpec& g : body.geometry) g.groups = g.touches = 0;  // display only
  BodySpec slider{.name = "slider", .inertia = {}, .geometry = {}};
  slider.inertia = {slider_mass, {0, 0, 0}, Sym3<double>::diagonal(moment, moment, moment)};
  add_shape(slider, Box{{half_length, 0.01, half_height}}, Transform<double>::identity(), "slider");
  add(spec, hinge("wrist_pin", "rod", "slider", {rod_length, 0, 0}, swing_axis), std::move(slider));
  spec.joints[0].start_v = {150};
  spec.joints[1].start_v = {-225};
  spec.joints[2].start_v = {75};
  const double guide = half_height + clearance;
  add_half_space(spec, "lower_guide", translation(0, 0, -guide));
  add_half_space(spec, "upper_guide", {{{1, 0, 0}, {0, -1, 0}, {0, 0, -1}}, {0, 0, guide}});
  make_all_of(spec, surface(mu, restitution));
  return spec;
}

}  // namespace linchpin::scenes
