#include "bench/contact_physics.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numbers>

#include "bench/text.h"
#include "bench/timing.h"
#include "linchpin/base/larger.h"
#include "linchpin/model/scenes.h"
#include "linchpin/sim/certificate.h"

namespace linchpin {
namespace {

constexpr double g = 9.81, never = std::numeric_limits<double>::infinity();
constexpr double pushed_for = 0.1, late = 0.1;  // s

double radians(double degrees) { return degrees * std::numbers::pi / 180; }

// Heights over the floor's 0.1 m, the ball's radius, where the ball turns round.
std::vector<double> apexes(const Track& track) {
  std::vector<double> heights;
  for (std::size_t k = 1; k + 1 < track.path.size(); ++k)
    if (track.path[k].z > track.path[k - 1].z && track.path[k].z >= track.path[k + 1].z)
      heights.push_back(track.path[k].z - 0.1);
  return heights;
}
double apex_error(const Track& track, double e) {
  const double start = track.path.front().z - 0.1;
  const std::vector<double> heights = apexes(track);
  if (heights.size() < 3) return std::nan("");
  double worst = 0;
  for (int k = 0; k < 3; ++k) worst = larger(worst, std::abs(heights[k] / (start * std::pow(e, 2 * (k + 1))) - 1));
  return worst;
}
double apex_gained(const Track& track) {
  const double start = track.path.front().z - 0.1;
  double highest = -1;
  for (const double height : apexes(track)) highest = larger(highest, height / start - 1);
  return highest;
}

double final_speed(const Track& track) {
  constexpr std::size_t last = 100;
  if (track.path.size() <= last) return std::nan("");
  return (track.path.back().x - track.path[track.path.size() - 1 - last].x) / (double(last) * track.dt);
}

// What may touch something else.
double feet_move(const Track& track) {
  double most = 0;
  for (std::size_t b = 1; b < track.end.size(); ++b)
    for (const GeometrySpec& shape : track.model->bodies()[b].geometry)
      if (shape.groups != 0 || shape.touches != 0)
        most = larger(most, norm(track.end[b] * shape.X_BG.p - track.start[b] * shape.X_BG.p));
  return most;
}

double standing(const Track& track) {
  return double(std::count(track.turned_at.begin() + 1, track.turned_at.end(), never));
}

Measure top_moves(double target) {
  return {"top moves", "m", [](const Track& t) { return norm(t.moved()); }, target};
}
Measure penetrates(double target) {
  return {"penetration", "m", [](const Track& t) { return t.penetration; }, target};
}

PhysicsCase bouncing(double e, double dt) {
  PhysicsCase c{text("ball, e = %g, dt = %g", e, dt), text("@bounce:restitution=%g", e), {}, {}};
  c.course = {.dt = dt, .seconds = e < 1 ? 2.2 : 3.2, .body = "ball"};
  c.measures.push_back({"apex", "", [e](const Track& t) { return apex_error(t, e); }, 2 * dt});
  if (e == 1) c.measures.push_back({"energy gained", "", apex_gained, 1e-12});
  c.quick = dt > 5e-4;
  return c;
}

// Pushed to its side; servos bring it back upright.
PhysicsCase pushed(const char* who, const char* scene_text, const char* trunk, double newton, double seconds) {
  PhysicsCase c{text("%s, pushed with %g N, %g s", who, newton, seconds), scene_text, {}, {}};
  c.course = {.dt = 1e-3, .seconds = seconds, .body = trunk, .push = Vec3<double>{0, newton, 0}};
  c.measures = {{"sinks", "m", [](const Track& t) { return larger(0.0, -t.moved().z); }, 0.02},
                {"feet move", "m", feet_move, 1e-6},
                penetrates(1e-6)};
  return c;
}

}  // namespace

Stage::Stage(ModelSpec made) : spec(std::move(made)), model(std::move(compile(spec)).value()), judge(model) {}
Stage::Stage(const std::string& scene_text) : Stage(scene(scene_text).value()) {}

double downhill(const Track& track, double degrees, double heading) {
  const double a = radians(degrees), h = radians(heading);
  return dot(track.moved(), Vec3<double>{std::cos(a) * std::cos(h), std::cos(a) * std::sin(h), -std::sin(a)});
}

double slid(double degrees, double mu, double t) {
  return g * (std::sin(radians(degrees)) - mu * std::cos(radians(degrees))) * t * t / 2;
}

double wave_speed(const Track& track) {
  const std::size_t last = track.turned_at.size() - 1, first = 1 + last / 4;
  const double time = track.turned_at[last] - track.turned_at[first];
  if (standing(track) > 0 || !(time > 0)) return std::nan("");
  return norm(track.start[last].p - track.start[first].p) / time;
}

Track follow(ContactEngine& engine, Stage& stage, const Course& course) {
  Track track;
  track.model = &stage.model;
  track.dt = course.dt;
  const int body = stage.model.find_body(course.body);
  const std::size_t count = stage.model.bodies().size();
  std::vector<Transform<double>> X_WB(count), before(count), then(count);
  engine.poses(X_WB);
  track.start = then = X_WB;
  track.turned_at.assign(count, never);
  track.path.push_back(X_WB[body].p);
  const Energy at_start = EnergyMeter(stage.model)(make_state(stage.model));
  if (course.push) engine.push(body, *course.push);
  const double start = thread_seconds();
  double stepping = 0, lately = 0;  // s; lately: a step, averaged over the last ten or so
  const int steps = int(std::lround(course.seconds / course.dt));
  for (int k = 0; k < steps; ++k) {
    if (course.push && k == int(std::lround(pushed_for / course.dt))) engine.push(body, {0, 0, 0});
    const double began = thread_seconds();
    if (const std::optional<Error> error = engine.step()) {
      track.failure = text("stopped after %g s: ", k * course.dt) + error->message;
      break;
    }
    const double step = thread_seconds() - began;
    stepping += step;
    lately += 0.1 * (step - lately);
    if (course.energy) before = X_WB;
    engine.poses(X_WB);
    const Vec3<double>& p = X_WB[body].p;
    if (!(std::isfinite(p.x) && norm(p) < 1e6)) {
      track.failure = text("flew apart after %g s", k * course.dt);
      break;
    }
    track.path.push_back(p);
    track.penetration = larger(track.penetration, stage.judge.penetration(X_WB));
    track.residual = larger(track.residual, engine.residual().value_or(0));
    if (const std::optional<int> paradoxes = engine.paradoxes())
      track.paradoxes = track.paradoxes.value_or(0) + *paradoxes;
    track.contacts += engine.contacts();
    if (course.energy)
      track.energy_gained = larger(track.energy_gained,
                                   (stage.judge.energy(before, X_WB, course.dt) - at_start.total()) / at_start.kinetic);
    for (std::size_t b = 1; b < count; ++b)
      if (track.turned_at[b] == never && dot(X_WB[b].R.z, track.start[b].R.z) < std::sqrt(0.5))
        track.turned_at[b] = (k + 1) * course.dt;
    if (k == steps - 1 - int(std::lround(late / course.dt))) then = X_WB;
    // Or so slow by now that it would take far more.
    const double spent = thread_seconds() - start;
    if (spent > course.budget || (spent > 0.1 * course.budget && lately * (steps - k) > 3 * course.budget)) {
      track.too_slow = true;
      track.failure = text("too slow: %g of %g s in %.0f s", k * course.dt, course.seconds, spent);
      break;
    }
  }
  track.end = X_WB;
  const double done = std::max(1.0, double(track.path.size()) - 1);
  track.contacts /= done;
  track.us = 1e6 * stepping / done;
  for (std::size_t b = 1; b < count; ++b) track.late_speeds.push_back(norm(X_WB[b].p - then[b].p) / late);
  std::ranges::sort(track.late_speeds, std::greater());
  return track;
}

std::vector<PhysicsCase> physics_cases(bool quick) {
  const double rest = quick ? 1 : 5, held = quick ? 5 : 60, slope = quick ? 2 : 10;  // s
  std::vector<PhysicsCase> cases;
  const auto add = [&](PhysicsCase c) {
    c.course.budget = quick ? 1.5 : 10;
    if (c.quick || !quick) cases.push_back(std::move(c));
  };
  const auto at_1_ms = [&](std::string name, const char* scene_text, const char* body, double seconds,
                           std::vector<Measure> measures) {
    PhysicsCase c{std::move(name), scene_text, {}, std::move(measures)};
    c.course = {.dt = 1e-3, .seconds = seconds, .body = body};
    return c;
  };
  add(at_1_ms(text("slope of 20 degrees, %g s", slope), "@slope", "box", slope,
              {{"creep", "m", [](const Track& t) { return std::abs(downhill(t, 20)); }, 1e-9}}));
  add(at_1_ms(
      "slope of 35 degrees, 1 s", "@slope:angle=35", "box", 1,
      {{"slide", "", [](const Track& t) { return std::abs(downhill(t, 35) / slid(35, 0.5, 1) - 1); }, 1.1e-3}}));
  for (const double dt : {1e-3, 1e-4})
    for (const double e : {0.7, 1.0}) add(bouncing(e, dt));
  add(at_1_ms("sphere to rolling", "@roll", "ball", 1,
              {{"rolling", "", [](const Track& t) { return std::abs(final_speed(t) / (5.0 / 7) - 1); }, 1e-6}}));
  add(at_1_ms(text("stack of 10 boxes, %g s", rest), "@stack", "box_10", rest, {top_moves(1e-8), penetrates(1e-9)}));
  add(at_1_ms(text("1000 kg on 1 kg, %g s", rest), "@stack:boxes=2,ratio=1000", "box_2", rest,
              {top_moves(1e-6), penetrates(1e-6)}));
  add(at_1_ms(text("gripped capsule, %g s", held), "@grip", "capsule", held,
              {{"slip", "m", [](const Track& t) { return std::abs(t.moved().z); }, 1e-9}}));
  add(at_1_ms(text("arch of 9 stones, %g s", rest), "@arch", "stone_5", rest, {top_moves(1e-6)}));
  const auto unflagged = [](const Track& t) { return t.paradoxes ? double(*t.paradoxes == 0) : std::nan(""); };
  PhysicsCase painleve = at_1_ms("Painleve's rod, 1 s", "@painleve", "rod", 1,
                                 {{"energy gained", "", [](const Track& t) { return t.energy_gained; }, 1e-9},
                                  penetrates(1e-4),
                                  {"unflagged", "", unflagged, 0}});
  painleve.course.energy = true;
  add(painleve);
  add(pushed("humanoid", "@stand:feet_only=1", "pelvis", 40, quick ? 1 : 3));
  add(pushed("quadruped", "@stand4:feet_only=1", "trunk", 20, quick ? 1 : 3));  // with 40 N its feet do slide
  return cases;
}

std::vector<PhysicsCase> poured_cases(bool quick) {
  const auto poured = [&](const char* name, const char* scene_text, double seconds, double budget) {
    PhysicsCase c{text("%s, %g s", name, seconds), scene_text, {}, {}};
    c.course = {.dt = 1e-3, .seconds = seconds, .body = "ball_1", .budget = budget};
    // A sphere rolls on until it meets another: how fast the last one is tells little.
    const auto faster_than_99 = [](const Track& t) { return t.late_speeds[t.late_speeds.size() / 100]; };
    const auto fastest = [](const Track& t) { return t.late_speeds.front(); };
    c.measures = {{"still moving", "m/s", faster_than_99, {}}, {"the fastest", "m/s", fastest, {}}, penetrates(1e-6)};
    if (!quick) c.measures[0].target = 0.1;  // long enough for that
    return c;
  };
  if (quick) return {poured("50 spheres poured", "@pile:count=50", 1.5, 6)};
  return {poured("125 spheres poured", "@pile", 4, 400), poured("666 balls poured", "@balls", 2, 1200)};
}

}  // namespace linchpin
