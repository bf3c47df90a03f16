// osim/box: 001 section 4, figures 5 and 6. The humanoid puts a box on the floor and lifts it again. The box is
// controlled by the augmented object, the posture in the dynamically consistent null space. Joint forces are constant
// between two calls of the servo, and the closed chain is simulated in between. humanoid_box.h has the mechanism and
// the control law.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "apps/picture.h"
#include "apps/reproduce/box_run.h"
#include "apps/reproduce/reproduction.h"
#include "linchpin/base/larger.h"

namespace linchpin {
namespace {

Drawing frames(const BoxScene& scene, const CarriedBox& run, double from, double to, const std::string& what) {
  constexpr int count = 6;
  constexpr double aside = 0.95;  // m: arm's length
  Picture picture(scene.model);
  picture.single_out(scene.box);
  std::string times;
  for (int i = 0; i < count; ++i) {
    const double time = from + (to - from) * i / (count - 1);
    picture.expose(state_at(run, time), aside * i);
    times += fmt::format("{}{:.2f}", i == 0 ? "" : ", ", time);
  }
  return {picture.svg(fmt::format("t = {} s", times), Picture::Light::even), what};
}

Series curve(const std::string& name, const CarriedBox& run, double every, bool line,
             const std::function<double(const Sample&)>& value) {
  Series series{name, {}, line, !line};
  for (double t = 0; t <= run.samples.back().time + 1e-9; t += every)
    series.points.emplace_back(t, value(sample_at(run, t)));
  return series;
}

Plot figure6(const CarriedBox& run) {
  Plot plot{
      .title = "Figure 6: the box's centre, desired and actual",
      .x_label = "s",
      .y_label = "m",
      .note = fmt::format("Servo at {:g} Hz. Curves: the cubic splines. Marks: where the box is in the simulation. "
                          "The difference does not show at this scale; it is below.",
                          run.rate)};
  plot.series = {curve("height, desired", run, 0.02, true, [](const Sample& s) { return s.desired.z; }),
                 curve("height, actual", run, 0.1, false, [](const Sample& s) { return s.actual.z; }),
                 curve("forward, desired", run, 0.02, true, [](const Sample& s) { return s.desired.x; }),
                 curve("forward, actual", run, 0.1, false, [](const Sample& s) { return s.actual.x; })};
  return plot;
}

std::string name_of(const CarriedBox& run) {
  return fmt::format("{:g} Hz{}", run.rate, run.posture ? "" : ", no posture");
}

Plot error_plot(const std::vector<const CarriedBox*>& runs) {
  Plot plot{
      .title = "How far the box is from where it should be",
      .x_label = "s",
      .y_label = "mm",
      .log_y = true,
      .note =
          "Joint forces are constant between two calls of the servo. This is the only source of error, and it shrinks "
          "with the period. No posture: damping alone."};
  for (const CarriedBox* run : runs)
    plot.series.push_back(curve(name_of(*run), *run, 0.02, true, [](const Sample& s) { return 1e3 * off(s); }));
  return plot;
}

Plot posture_plot(const BoxScene& scene, const CarriedBox& run) {
  Plot plot{.title = "Posture: joints of the left side and the waist, off the advised configuration",
            .x_label = "s",
            .y_label = "rad",
            .note = "The posture gives way as far as the box requires, without a command, and returns afterwards."};
  for (const char* name : {"hip_pitch", "knee", "ankle_pitch", "waist_pitch", "shoulder_pitch", "elbow"}) {
    const std::string side = std::string(name).starts_with("waist") ? "" : "left_";
    const std::size_t k = std::size_t(scene.model.joints()[scene.model.find_joint(side + name + "_joint")].q);
    Series series{name, {}, true, false};
    for (double t = 0; t <= run.samples.back().time; t += 0.02)
      series.points.emplace_back(t, state_at(run, t).q[k] - scene.start.q[k]);
    plot.series.push_back(std::move(series));
  }
  return plot;
}

Table run_table(const BoxScene& scene, const std::vector<const CarriedBox*>& runs) {
  Table table{"Runs",
              "rrlrrrrrr",
              {"servo, Hz", "steps a period", "posture", "largest error, mm", "rms, mm", "mrad",
               "posture off at the end, rad", "loop error", "energy defect"}};
  for (const CarriedBox* r : runs)
    table.rows.push_back({fmt::format("{:g}", r->rate), std::to_string(r->substeps), r->posture ? "advised" : "damping",
                          fmt::format("{:.4f}", 1e3 * r->error), fmt::format("{:.4f}", 1e3 * std::sqrt(r->mean_square)),
                          fmt::format("{:.4f}", 1e3 * r->turn),
                          fmt::format("{:.3f}", posture_error(scene, r->states.back())),
                          fmt::format("{:.1e}", r->certificate.loop_error),
                          fmt::format("{:.1e}", r->certificate.energy.relative_defect())});
  return table;
}

Table tracking_table(const CarriedBox& run) {
  Table table{fmt::format("Figure 6 in numbers, servo at {:g} Hz", run.rate),
              "rrrrrr",
              {"s", "x desired, m", "x actual, m", "z desired, m", "z actual, m", "error, mm"}};
  for (double t = 0; t <= run.samples.back().time + 1e-9; t += 0.25) {
    const Sample& s = sample_at(run, t);
    table.rows.push_back({fmt::format("{:.2f}", t), fmt::format("{:.6f}", s.desired.x),
                          fmt::format("{:.6f}", s.actual.x), fmt::format("{:.6f}", s.desired.z),
                          fmt::format("{:.6f}", s.actual.z), fmt::format("{:.5f}", 1e3 * off(s))});
  }
  return table;
}

}  // namespace

Reproduction reproduce_osim_box(const ReproduceOptions& options, const ReproduceProgress& progress) {
  const BoxScene scene = make_box_scene();
  const BoxPath path = path_to_floor(scene, options.quick ? 1.5 : 2.5);
  struct Case {
    double rate;
    int substeps;
    bool posture;
    double work;  // relative to the others
  };
  const Case cases[] = {
      {300, 3, true, 3}, {300, 3, false, 3}, {1000, 1, true, 3}, {1000, 1, false, 3}, {300, 1, true, 1}};
  constexpr double all_work = 14;
  std::vector<CarriedBox> runs;
  double done = 0;
  bool stopped = false;
  for (const Case& c : cases) {
    runs.push_back(carry(scene, path, c.rate, c.substeps, c.posture, [&](double part) {
      stopped = stopped || !progress((done + part * c.work) / all_work, fmt::format("servo at {:g} Hz", c.rate));
      return !stopped;
    }));
    if (stopped) return {};
    done += c.work;
  }
  const CarriedBox &run = runs[0], &bare = runs[1], &fast = runs[2], &fast_bare = runs[3], &coarse = runs[4];
  if (!progress(done / all_work, "posture, grips and times")) return {};
  const Effects coupling = examine(scene, path, run, 0.05);
  pin_to_one_core();
  const Times times = measure(scene, path, run, {.sample = 60e-6, .budget = options.quick ? 0.05 : 0.3, .fewest = 3});

  bool finished = true;
  double loop_error = 0;
  for (const CarriedBox& r : runs) {
    finished = finished && r.ok && r.certificate.passed();
    loop_error = larger(loop_error, r.certificate.loop_error);
  }
  const Sample &down = sample_at(run, path.on_floor() + 0.5), &back = run.samples.back();
  const double gap = down.actual.z - scene.half.z;  // below the middle of the box
  const double floor_turn = down.turn * std::max(scene.half.x, scene.half.y);
  const double given_up = posture_error(scene, state_at(run, path.on_floor()));
  const double taken_up = posture_error(scene, run.states.back());
  const double lost = posture_error(scene, bare.states.back());
  const double defect = run.certificate.energy.relative_defect();
  const double order = std::log(coarse.certificate.energy.relative_defect() / defect) / std::log(3.0);
  const double apart_300 = apart(run, bare), apart_1000 = apart(fast, fast_bare);

  Reproduction result;
  result.claims = {
      {"the box is put on the floor, and comes back", "Figure 5: the motion sequence (no numbers in the text)",
       fmt::format(
           "its bottom ends {:.0e} mm from the floor, level within {:.0e} mm at its edges, and {:.3f} mm from where "
           "it came from",
           1e3 * std::abs(gap), 1e3 * floor_turn, 1e3 * off(back)),
       finished && std::abs(gap) + floor_turn < 1e-4 && off(back) < 1e-4},
      {"the box follows the cubic spline at a servo rate of 300 Hz",
       "Figure 6: cubic spline motion of the box (no numbers in the text)",
       fmt::format("never off by more than {:.3f} mm and {:.3f} mrad; at 1 kHz {:.3f} mm", 1e3 * run.error,
                   1e3 * run.turn, 1e3 * fast.error),
       run.error < 5e-4 && run.turn < 1e-3 && fast.error < run.error},
      {"posture makes no coupling acceleration at the hands", "by the dynamically consistent null space",
       fmt::format("advice of up to {:.0f} N m moves the joints by {:.0f} rad/s^2 and the box by {:.0e} m/s^2 or "
                   "rad/s^2; added "
                   "as it is, it would move the box by {:.0f}",
                   coupling.advised, coupling.joints, coupling.posture, coupling.plain),
       coupling.posture < 1e-9 * coupling.plain && coupling.plain > 1},
      {"so posture does not disturb the box", "without violating the primary task",
       fmt::format(
           "with and without it the paths of the box are {:.3f} mm apart at 300 Hz, {:.3f} mm at 1 kHz, because joint "
           "forces are constant between calls of the servo",
           1e3 * apart_300, 1e3 * apart_1000),
       apart_300 < 2e-4 && apart_1000 < 0.5 * apart_300},
      {"the advised posture gives way where it must, by itself", "adjusted automatically, without additional commands",
       fmt::format(
           "joints leave it by up to {:.2f} rad on the floor, and end {:.3f} rad from it ({:.1f} without advice), "
           "within their limits throughout",
           given_up, taken_up, lost),
       given_up > 0.5 && taken_up < 0.05 && lost > 5 * taken_up && run.beyond_limits < 0},
      {"hands share the load of the augmented object", "dynamics of the closed chain by the augmented object model",
       fmt::format("forces of hands on the box, up to {:.0f} N, differ from those demanded by {:.0e} N or N m; all six "
                   "motions of the box are possible throughout",
                   coupling.grip, coupling.grip_error),
       coupling.grip_error < 1e-6 * coupling.grip && run.mobility == 6 && run.rank == 12},
      {"the chain stays closed", "closed-chain mechanism",
       fmt::format("24 rows of four welds are off by {:.0e} m or rad at most", loop_error), loop_error < 1e-10},
      {"energy is accounted for, to the stepper's order", "-",
       fmt::format("defect {:.0e} of the energy exchanged, as dt^{:.1f} (order {})", defect, order,
                   order_of(Stepper::rk4)),
       defect < 1e-8 && order > 3.5},
      {"the operational space inertia, n = 24 and m = 2", "less than 1 ms on a 266 MHz Pentium II",
       fmt::format("{:.2f} us and {:.2f} us to invert it", times.inertia.ours, times.inertia.inversion),
       times.inertia.ours + times.inertia.inversion < 1000, "timing"},
      {"servo rate, with the simulation", "300 Hz",
       fmt::format(
           "the law takes {:.0f} us ({:.0f} kHz); with the closed chain's {} steps {:.0f} us a period: {:.0f} times "
           "as fast as 300 Hz asks for",
           times.law, 1e3 / times.law, run.substeps, times.cycle, 1e6 / 300 / times.cycle),
       times.cycle < 1e6 / 300, "timing"},
  };

  const std::vector<const CarriedBox*> all{&run, &bare, &fast, &fast_bare, &coarse};
  result.account = {
      Paragraph{fmt::format(
          "The robot has the 24 links of @humanoid24 and stands on its feet: with the pelvis held in the air its "
          "arms would end 0.6 m above the floor. Its feet are welded to the floor, its hands to the sides of a box "
          "of {:.2f} x {:.2f} x {:.2f} m and 4 kg, as palms that do not slide: 24 rows on 36 coordinates, which "
          "leave the box all its six motions, four to the body behind it and two to the neck. Arms of four joints "
          "without wrists are nearly rigid once both hands are on the box; it is legs and trunk that bring it "
          "down. Hands that could turn on the box would let it swing about the line between them.",
          2 * scene.half.x, 2 * scene.half.y, 2 * scene.half.z)},
      Paragraph{
          "The control law: the box shall follow its spline (errors decay at 25/s); the augmented object computes "
          "the demands on each hand, with 40 N of press force; operational-space control finds the joint forces, "
          "with both feet as supports and the posture in the null space: springs towards the start, and damping, "
          "which the runs without posture have too. The paper gives no masses, path or gains; these are ours. Joint "
          "forces are constant between calls of the law, and the closed chain is simulated by rk4 in steps of a third "
          "of the period (at 1 kHz, of the whole period). Contact with the floor is not simulated: the box comes to "
          "rest where it would touch."},
      Heading{"Figure 5: the motion"},
      frames(scene, run, 0, path.on_floor(), "Down, from the side."),
      frames(scene, run, path.on_floor() + 0.5, path.end(), "And back."),
      Heading{"Figure 6: the box"},
      figure6(run),
      error_plot({&run, &bare, &fast, &fast_bare}),
      tracking_table(run),
      Heading{"Posture and balance"},
      posture_plot(scene, run),
      Paragraph{fmt::format(
          "The floor's force on both feet acts at x = {:.3f} to {:.3f} m; the soles reach from -0.09 to 0.15 m, so "
          "feet that are not welded would {}. The joint nearest to its limit keeps {:.2f} rad. Apart from the "
          "forearms no part of the robot comes nearer to the box than {:.0f} mm. The largest force that a coordinate "
          "without a motor (of the pelvis or the box) would need but does not get: {:.0e} N or N m.",
          run.pressure_low, run.pressure_high,
          run.pressure_low > -0.09 && run.pressure_high < 0.15 ? "not tip either" : "tip", -run.beyond_limits,
          1e3 * run.room, run.uncarried)},
      run_table(scene, all),
  };
  return result;
}

}  // namespace linchpin
