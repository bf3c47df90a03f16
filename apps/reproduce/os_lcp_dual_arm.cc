// os-lcp/dual-arm: 000 figure 1 and the manipulation tasks of section 8. The dual-arm robot takes a wheel off its hub
// with both hands, and takes an impact driver from a bench and hands it from one hand to the other. It holds things by
// contact and friction alone. workshop_run.h has the control.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "apps/picture.h"
#include "apps/reproduce/reproduction.h"
#include "apps/reproduce/workshop_run.h"
#include "apps/reproduce/workshop_tasks.h"
#include "linchpin/base/larger.h"
#include "linchpin/spatial/quaternion.h"

namespace linchpin {
namespace {

// ---- evaluation of a run --------------------------------------------------------------------------------------------

const WorkSample& at(const WorkRun& run, double time) {
  const std::size_t k = std::size_t(std::max(0l, std::lround(time / run.dt) - 1));
  return run.samples[std::min(k, run.samples.size() - 1)];
}

struct Slip {
  double distance = 0, turn = 0;  // m, rad
};
// The most that the thing moves in a hand between two times, relative to its pose at the first.
Slip slip(const WorkRun& run, int side, double from, double to) {
  const Transform<double> X = at(run, from).in_hand[side];
  Slip most;
  for (const WorkSample& s : run.samples) {
    if (s.time < from || s.time > to) continue;
    most.distance = larger(most.distance, norm(s.in_hand[side].p - X.p));
    most.turn = larger(most.turn, norm(log_rotation(from_rotation(transpose(X.R) * s.in_hand[side].R))));
  }
  return most;
}

template <class Value>
double most(const WorkRun& run, double from, double to, Value value) {
  double largest = 0;
  for (const WorkSample& s : run.samples)
    if (s.time >= from && s.time <= to) largest = larger(largest, double(value(s)));
  return largest;
}
int fewest_touches(const WorkRun& run, int side, double from, double to) {
  int least = 1000;
  for (const WorkSample& s : run.samples)
    if (s.time >= from && s.time <= to) least = std::min(least, s.touches[side]);
  return least;
}

Drawing frames(const Workshop& shop, const WorkRun& run, int thing, double from, Picture::View view) {
  constexpr int count = 5;
  constexpr double aside = 0.95;  // m
  Picture picture(shop.model, view);
  picture.single_out(thing);
  std::string times;
  const double to = run.samples.back().time;
  for (int i = 0; i < count; ++i) {
    const double time = from + (to - from) * i / (count - 1);
    picture.expose(run.frames[std::min(std::size_t(std::lround(time / WorkOptions{}.frame)), run.frames.size() - 1)],
                   aside * i);
    times += fmt::format("{}{:.2f}", i == 0 ? "" : ", ", time);
  }
  return {picture.svg(fmt::format("t = {} s", times), Picture::Light::even),
          view == Picture::View::side ? "From the side." : "From above."};
}

template <class Value>
Series curve(const std::string& name, const WorkRun& run, Value value) {
  Series series{name, {}, true, false};
  for (double t = 0; t <= run.samples.back().time + 1e-9; t += 0.01) series.points.emplace_back(t, value(at(run, t)));
  return series;
}

Plot grip_plot(const WorkRun& run, const std::string& title, const std::string& others) {
  Plot plot{.title = title,
            .x_label = "s",
            .y_label = "N",
            .note = "Sums of normal forces over all contacts of a hand, mean of each step."};
  plot.series = {curve("left hand", run, [](const WorkSample& s) { return s.grip[0]; }),
                 curve("right hand", run, [](const WorkSample& s) { return s.grip[1]; }),
                 curve(others, run, [](const WorkSample& s) { return s.others; })};
  return plot;
}

Table certificate_table(const std::vector<WorkRun>& runs) {
  Table table{"Certificates",
              "lrrrrrrrr",
              {"", "wheel", "driver", "wheel, 4 directions", "driver, 4 directions", "wheel, smooth hands",
               "driver, smooth hands", "wheel, 0.5 ms", "driver, 0.5 ms"}};
  const auto row = [&](const char* what, const char* form, auto value) {
    std::vector<std::string> cells{what};
    for (const WorkRun& run : runs) cells.push_back(fmt::format(fmt::runtime(form), value(run)));
    table.rows.push_back(std::move(cells));
  };
  using R = const WorkRun&;
  row("steps", "{}", [](R r) { return r.certificate.steps; });
  row("contact problems", "{}", [](R r) { return r.certificate.problems; });
  row("most contacts in one", "{}", [](R r) { return r.certificate.most_contacts; });
  row("iterations a problem", "{:.1f}",
      [](R r) { return double(r.certificate.iterations) / double(std::max(1l, r.certificate.problems)); });
  row("problems that the first solver did not solve", "{}", [](R r) { return r.certificate.declared_fallbacks; });
  row("steps halved", "{}", [](R r) { return r.certificate.halved; });
  row("largest relative residual", "{:.1e}", [](R r) { return r.certificate.residual; });
  row("outside the friction cone, N s", "{:.1e}", [](R r) { return r.certificate.cone_violation; });
  row("deepest penetration, m", "{:.1e}", [](R r) { return r.certificate.penetration; });
  row("lost to contact, J", "{:.3f}", [](R r) { return r.certificate.energy.lost; });
  row("energy defect, relative", "{:.1e}", [](R r) { return r.certificate.energy.relative_defect(); });
  row("arms' joints off their path, rad", "{:.1e}", [](R r) { return r.worst_servo; });
  return table;
}

Table grip_table(const WorkRun& run, const std::string& title,
                 const std::vector<std::pair<double, const char*>>& when) {
  Table table{title,
              "lrrrrrr",
              {"", "s", "left normal, N", "right normal, N", "left friction, N", "right friction, N", "others, N"}};
  for (const auto& [time, what] : when) {
    const WorkSample& s = at(run, time);
    table.rows.push_back({what, fmt::format("{:.2f}", time), fmt::format("{:.1f}", s.grip[0]),
                          fmt::format("{:.1f}", s.grip[1]), fmt::format("{:.1f}", s.tangent[0]),
                          fmt::format("{:.1f}", s.tangent[1]), fmt::format("{:.1f}", s.others)});
  }
  return table;
}

}  // namespace

Reproduction reproduce_os_lcp_dual_arm(const ReproduceOptions& options, const ReproduceProgress& progress) {
  const Workshop shop = make_workshop(), smooth = make_workshop(true);
  WheelTimes on_wheel{};
  DriverTimes on_driver{};
  const std::vector<WorkKey> keys[] = {wheel_keys(options.quick, on_wheel), driver_keys(options.quick, on_driver)};
  // Wheel and driver in turn: with the cone, with four directions of friction as in the paper, with hands that are
  // smooth, with steps of half the length.
  std::vector<WorkRun> runs;
  bool stopped = false;
  const WorkOptions how[] = {{}, {.directions = 4}, {}, {.dt = WorkOptions{}.dt / 2}};
  for (int i = 0; i < 8; ++i) {
    const Workshop& where = i / 2 == 2 ? smooth : shop;
    const bool is_wheel = i % 2 == 0;
    runs.push_back(work(where, keys[i % 2], is_wheel ? where.wheel : where.driver, how[i / 2], [&](double part) {
      stopped = stopped || !progress((i + part) / 8, is_wheel ? "the wheel" : "the driver");
      return !stopped;
    }));
    if (stopped) return {};
  }
  const WorkRun &wheel = runs[0], &driver = runs[1], &wheel_4 = runs[2], &driver_4 = runs[3];
  const WorkRun &wheel_smooth = runs[4], &driver_smooth = runs[5];

  const WorkSample &wheel_end = wheel.samples.back(), &driver_end = driver.samples.back();
  const double moved = wheel_at.x - wheel_end.thing.p.x;
  const double free_by = shop.clearance(wheel_end.thing);
  const double hub_after = most(wheel, on_wheel.off, on_wheel.end, [](const WorkSample& s) { return s.others; });
  const Slip in_left = slip(wheel, 0, on_wheel.off, on_wheel.end),
             in_right = slip(wheel, 1, on_wheel.off, on_wheel.end);
  const Slip pulled_left = slip(wheel, 0, on_wheel.gripped, on_wheel.end);
  const Slip pulled_right = slip(wheel, 1, on_wheel.gripped, on_wheel.end);
  const Slip carried = slip(driver, 1, on_driver.taken, on_driver.brought);
  const Slip taken_over = slip(driver, 0, on_driver.passed, on_driver.end);
  const int held = std::min(fewest_touches(wheel, 0, on_wheel.gripped, on_wheel.end),
                            fewest_touches(wheel, 1, on_wheel.gripped, on_wheel.end));
  const auto of_weight = [&](const WorkRun& r, int thing) {
    const double weight = shop.model.bodies()[thing].inertia.mass * norm(shop.model.gravity());
    return most(r, 0, 1e9, [](const WorkSample& s) { return s.momentum_error; }) / (weight * r.dt);
  };
  const double momentum = larger(of_weight(wheel, shop.wheel), of_weight(driver, shop.driver));
  bool passed = true;
  long problems = 0, loose = 0;
  double penetration = 0, residual = 0, cone = 0;
  for (const WorkRun& r : runs) {
    if (&r == &wheel_smooth || &r == &driver_smooth) continue;
    const Certificate& c = r.certificate;
    passed = passed && r.ok && c.passed();
    problems += c.problems;
    loose += c.loose;
    penetration = larger(penetration, c.penetration);
    residual = larger(residual, c.residual);
    cone = larger(cone, c.cone_violation);
  }
  const auto defect_of = [&](std::size_t first) {
    return larger(runs[first].certificate.energy.relative_defect(),
                  runs[first + 1].certificate.energy.relative_defect());
  };
  const double defect = defect_of(0), order = std::log2(defect / defect_of(6));
  const double wheel_apart = norm(wheel_4.samples.back().thing.p - wheel_end.thing.p);
  const double driver_apart = norm(driver_4.samples.back().thing.p - driver_end.thing.p);
  const double wheel_fell = wheel_at.z - wheel_smooth.samples.back().thing.p.z;
  const double driver_fell = driver_smooth.samples.front().thing.p.z - driver_smooth.samples.back().thing.p.z;

  const char* media = "Figure 1 and media clips; no numbers";
  Reproduction result;
  result.claims = {
      {"the wheel is taken off its hub with both hands", media,
       fmt::format("it moves by {:.1f} mm along the axis and ends {:.1f} mm beyond the peg's end; contact with the hub "
                   "presses with {:.0e} N then",
                   1e3 * moved, 1e3 * free_by, hub_after),
       wheel.ok && free_by > 0.05 && hub_after == 0},
      {"and stays in the hands", media,
       fmt::format(
           "each hand has {} contacts with it or more from grip to end; it moves by {:.2f} and {:.2f} mm in the "
           "hands while pulled, by {:.1e} and {:.1e} mm while held still",
           held, 1e3 * pulled_left.distance, 1e3 * pulled_right.distance, 1e3 * in_left.distance,
           1e3 * in_right.distance),
       wheel.ok && held >= 2 && pulled_left.distance < 5e-3 && pulled_right.distance < 5e-3 &&
           in_left.distance < 1e-3 && in_right.distance < 1e-3},
      {"the driver is grasped and handed from one hand to the other", media,
       fmt::format(
           "at the end the left hand presses it with {:.1f} N, the right one with {:.0e} N, all else with {:.0e}",
           driver_end.grip[0], driver_end.grip[1], driver_end.others),
       driver.ok && driver_end.touches[0] >= 3 && driver_end.touches[1] == 0 && driver_end.others == 0 &&
           driver_end.thing.p.z > driver.samples.front().thing.p.z + 0.2},
      {"it does not slip in the hands", "-",
       fmt::format(
           "{:.2f} mm and {:.2f} mrad while the right hand brings it, {:.2f} mm and {:.2f} mrad in the left after",
           1e3 * carried.distance, 1e3 * carried.turn, 1e3 * taken_over.distance, 1e3 * taken_over.turn),
       driver.ok && carried.distance < 3e-3 && taken_over.distance < 3e-3},
      {"things are moved by contact only", "contact and collision events simulated by the OS formulation",
       fmt::format("no constraint, spring or external force in the model; contact forces and weight explain each "
                   "step's change of momentum to {:.0e} of the weight's impulse",
                   momentum),
       shop.model.constraints().empty() && shop.model.springs().empty() && momentum < 1e-9},
      {"and are held by friction", "-",
       fmt::format("with hands without friction the wheel ends {:.2f} m below its hub, and the driver {:.2f} m below "
                   "where it stood",
                   wheel_fell, driver_fell),
       wheel_fell > 0.2 && driver_fell > -0.01},
      {"the same with friction along four directions, as in the paper", "linear complementarity, 4 directions",
       fmt::format("the wheel ends {:.3f} mm, the driver {:.3f} mm from its position with the cone", 1e3 * wheel_apart,
                   1e3 * driver_apart),
       wheel_apart < 2e-3 && driver_apart < 2e-3},
      {"every contact problem is solved", "-",
       fmt::format("{} problems in six runs, {} of them to less than the tolerance of 1e-10; largest relative residual "
                   "{:.0e}; friction outside its cone by {:.0e} N s",
                   problems, loose, residual, cone),
       passed && loose == 0 && cone < 1e-9},
      {"nothing goes through anything", "-", fmt::format("deepest penetration {:.1e} m", penetration),
       penetration < 1e-4},
      {"energy is accounted for, to the stepper's order", "-",
       fmt::format("defect {:.0e} of the energy exchanged, with steps of 1 ms, as dt^{:.2f} (order {} in contact)",
                   defect, order, order_of(Stepper::time_stepping)),
       defect < 5e-3 && order > 0.9},
  };

  Plot axis{.title = "The wheel along the hub's axis",
            .x_label = "s",
            .y_label = "mm",
            .note =
                "Its distance from its place on the hub; it is free of the peg from 59 mm on. Down: the fall of its "
                "middle."};
  axis.series = {curve("along the axis", wheel, [](const WorkSample& s) { return 1e3 * (wheel_at.x - s.thing.p.x); }),
                 curve("down", wheel, [](const WorkSample& s) { return 1e3 * (wheel_at.z - s.thing.p.z); })};
  Plot way{.title = "The driver's centre of mass", .x_label = "s", .y_label = "m"};
  way.series = {curve("to the left", driver, [](const WorkSample& s) { return s.thing.p.y; }),
                curve("up", driver, [](const WorkSample& s) { return s.thing.p.z; })};
  result.account = {
      Paragraph{
          "The robot has the 26 links of @dual_arm: head, two arms of seven joints, two hands of three fingers. A "
          "wheel "
          "of 4 kg, 24 pieces for rim, spokes and ring, hangs with 1 mm of play on the 60 mm long peg of a "
          "hub; a driver of 1.2 kg stands on a bench. Fingers and palms have shapes that touch. The paper gives no "
          "sizes, masses, paths or gains; these are ours."},
      Paragraph{
          "Each joint has a position servo. Hands go straight from key to key by cubics at rest at both ends, inverse "
          "kinematics gives the joint angles, and joint forces carry the robot's own weight, not that of what it "
          "holds. Fingers are driven to angles some 0.2 rad beyond those at which they touch the thing: the stiffness "
          "of their servos makes the grip. The keys hold the positions of things at the start: there is no weld, no "
          "attachment and no feedback from things."},
      Heading{"The wheel"},
      frames(shop, wheel, shop.wheel, 0, Picture::View::above),
      frames(shop, wheel, shop.wheel, 0, Picture::View::side),
      axis,
      grip_plot(wheel, "Forces on the wheel", "hub"),
      grip_table(wheel, "Forces on the wheel",
                 {{0.1, "on the hub"},
                  {on_wheel.gripped, "gripped"},
                  {0.5 * (on_wheel.gripped + on_wheel.off), "pulled"},
                  {on_wheel.end, "held"}}),
      Heading{"The driver"},
      frames(shop, driver, shop.driver, 0, Picture::View::above),
      frames(shop, driver, shop.driver, 0, Picture::View::side),
      way,
      grip_plot(driver, "Forces on the driver", "bench"),
      grip_table(driver, "Forces on the driver",
                 {{0.1, "on the bench"},
                  {on_driver.taken, "gripped"},
                  {on_driver.brought, "brought"},
                  {on_driver.both, "in both hands"},
                  {on_driver.passed, "passed on"},
                  {on_driver.end, "carried on"}}),
      certificate_table(runs),
  };
  return result;
}

}  // namespace linchpin
