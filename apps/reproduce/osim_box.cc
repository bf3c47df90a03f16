// osim/box: 001 section 4, figures 5 and 6. The humanoid puts a box on the floor and takes it up again: box by the
// augmented object, posture in the dynamically consistent null space, joint forces held from one call of the servo to
// the next, the closed chain simulated in between. humanoid_box.h has the mechanism and the law.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "apps/picture.h"
#include "apps/reproduce/humanoid_box.h"
#include "apps/reproduce/osim_timing.h"
#include "apps/reproduce/reproduction.h"
#include "linchpin/dynamics/closed_chain.h"
#include "linchpin/model/scenes.h"
#include "linchpin/sim/energy_balance.h"
#include "linchpin/spatial/quaternion.h"

namespace linchpin {
namespace {

// ---- runs -----------------------------------------------------------------------------------------------------------

struct Sample {
  double time;
  Vec3<double> desired, actual;
  double turn;  // rad, of the box
};

struct Carried {
  double rate = 0;  // of the servo, 1/s
  int substeps = 1;
  bool posture = true, ok = true;
  std::vector<Sample> samples = {};  // after each step
  std::vector<State> states = {};    // at each call of the servo
  Certificate certificate = {};
  double error = 0, mean_square = 0, turn = 0;   // m, m^2, rad
  double pressure_low = 1e9, pressure_high = 0;  // m
  double beyond_limits = -1e9;                   // rad: how far any joint is past its range; negative: inside
  double uncarried = 0;
  int mobility = 6, rank = 12;
};

double off(const Sample& s) { return norm(s.actual - s.desired); }

// How far the joint that is nearest to leaving its range is past it.
double past_limits(const Model& model, const State& state) {
  double most = -1e9;
  for (const Joint& joint : model.joints()) {
    if (joint.nv != 1) continue;
    const DofSpec& dof = model.dofs()[std::size_t(joint.v)];
    const double q = state.q[std::size_t(joint.q)];
    most = std::max({most, q - dof.upper, dof.lower - q});
  }
  return most;
}

using Tell = std::function<bool(double fraction)>;

Carried carry(const BoxScene& scene, const BoxPath& path, double rate, int substeps, bool posture, const Tell& tell) {
  Carried run{.rate = rate, .substeps = substeps, .posture = posture};
  BoxServo servo(scene, {.posture = posture});
  Simulation simulation(scene.model, {.stepper = Stepper::rk4, .dt = 1 / (rate * substeps)});
  RunMonitor monitor(scene.model);
  const Plan<double> plan(scene.model);
  Kinematics<double> kin(plan);
  State state = scene.start;
  std::vector<double> tau(state.v.size());
  const auto look = [&](double time) {
    kinematics<double>(plan, state.q, kin);
    const Transform<double> X = body_pose(scene.model, kin, scene.box), X_d = path.at(time).X_WN;
    run.samples.push_back({time, X_d.p, X.p, norm(log_rotation(from_rotation(transpose(X.R) * X_d.R)))});
    run.error = std::max(run.error, off(run.samples.back()));
    run.turn = std::max(run.turn, run.samples.back().turn);
    run.mean_square += std::pow(off(run.samples.back()), 2);
  };
  monitor.start(state);
  look(0);
  const long periods = std::lround(path.end() * rate);
  for (long k = 0; k < periods && run.ok; ++k) {
    if (k % 64 == 0 && !tell(double(k) / double(periods))) break;
    const ServoReport law = servo.torques(state, path.at(double(k) / rate), tau);
    run.states.push_back(state);
    run.pressure_low = std::min(run.pressure_low, law.pressure_x);
    run.pressure_high = std::max(run.pressure_high, law.pressure_x);
    run.beyond_limits = std::max(run.beyond_limits, past_limits(scene.model, state));
    run.uncarried = std::max(run.uncarried, law.uncarried);
    run.mobility = std::min(run.mobility, law.mobility);
    run.rank = std::min(run.rank, law.rank);
    run.ok = law.ok;
    for (int i = 1; i <= substeps && run.ok; ++i) {
      const StepReport report = simulation.step(state, {tau, {}});
      monitor.add(state, report);
      run.ok = report.ok();
      look((double(k) + double(i) / substeps) / rate);
    }
  }
  run.states.push_back(state);
  run.certificate = monitor.certificate();
  run.mean_square /= double(run.samples.size());
  return run;
}

const State& state_at(const Carried& run, double time) {
  const std::size_t k = std::size_t(std::lround(time * run.rate));
  return run.states[std::min(k, run.states.size() - 1)];
}
const Sample& sample_at(const Carried& run, double time) {
  const std::size_t k = std::size_t(std::lround(time * run.rate * run.substeps));
  return run.samples[std::min(k, run.samples.size() - 1)];
}

// The largest distance of the box's places in two runs of the same rates.
double apart(const Carried& a, const Carried& b) {
  double most = 0;
  for (std::size_t k = 0; k < std::min(a.samples.size(), b.samples.size()); ++k)
    most = std::max(most, norm(a.samples[k].actual - b.samples[k].actual));
  return most;
}

// Joint coordinates: the largest difference from the start's.
double posture_error(const BoxScene& scene, const State& state) {
  double most = 0;
  for (const Joint& joint : scene.model.joints())
    if (joint.nv == 1)
      most = std::max(most, std::abs(state.q[std::size_t(joint.q)] - scene.start.q[std::size_t(joint.q)]));
  return most;
}

// ---- one state at a time --------------------------------------------------------------------------------------------

// What posture and grips do, by the dynamics of the closed chain, which knows nothing of the law.
struct Effects {
  double advised = 0;  // the largest advised joint force, N m
  double posture = 0,
         plain = 0;   // what it adds to the box's acceleration: by the null space, as it is; m/s^2 or rad/s^2
  double joints = 0;  // and to that of the joints, by the null space, rad/s^2
  double grip = 0, grip_error = 0;  // forces between hands and box: as told, and what differs from it; N or N m
};

Effects examine(const BoxScene& scene, const BoxPath& path, const Carried& run, double every) {
  const Model& model = scene.model;
  BoxServo with(scene, {}), without(scene, {.posture = false});
  const Plan<double> plan(model);
  ClosedChain chain(model, plan, model.constraints());
  const std::size_t nv = std::size_t(model.nv());
  const Joint& box = model.joints()[std::size_t(model.find_joint("box"))];
  std::vector<double> tau(nv), bare(nv), vdot(nv), vdot_bare(nv), vdot_plain(nv);
  Effects found;
  for (double time = 0; time <= path.end(); time += every) {
    const State& state = state_at(run, time);
    const FrameMotion target = path.at(time);
    without.torques(state, target, bare);
    with.torques(state, target, tau);
    const auto move = [&](const std::vector<double>& forces, std::vector<double>& out) {
      constrained_dynamics(state.q, state.v, forces, {}, time, chain, out);
    };
    move(bare, vdot_bare);
    std::vector<double> plain = bare;
    for (std::size_t k = 0; k < nv; ++k) {
      plain[k] += with.advised_force()[k];
      found.advised = std::max(found.advised, std::abs(with.advised_force()[k]));
    }
    move(plain, vdot_plain);
    move(tau, vdot);
    for (std::size_t k = 0; k < nv; ++k) {
      const bool of_box = int(k) >= box.v && int(k) < box.v + box.nv;
      double& change = of_box ? found.posture : found.joints;
      change = std::max(change, std::abs(vdot[k] - vdot_bare[k]));
      if (of_box) found.plain = std::max(found.plain, std::abs(vdot_plain[k] - vdot_bare[k]));
    }
    // A weld's reactions: force and moment on the box at the hand, in the hand's axes.
    for (std::size_t i = 0; i < scene.hands.size(); ++i) {
      const Mat3<double> R = node_pose(model, chain.kin, scene.hands[i]).R;
      const double* x = chain.reactions.data() + chain.constraints.first_row(int(i));
      const Force<double>& told = with.told()[i].exert;
      found.grip = std::max(found.grip, norm(told.f));
      found.grip_error = std::max({found.grip_error, norm(R * Vec3<double>{x[0], x[1], x[2]} - told.f),
                                   norm(R * Vec3<double>{x[3], x[4], x[5]} - told.n)});
    }
  }
  return found;
}

struct Times {
  OsimMeasured inertia = {};  // of the paper's n and m
  double law = 0, cycle = 0;  // us: a call of the servo; and of the simulation until the next
};

Times measure(const BoxScene& scene, const BoxPath& path, const Carried& run, const TimingOptions& timing) {
  const Model robot = compile(linchpin::scene("@humanoid24").value()).value();
  Times times{.inertia = measure_osim(robot, both_hands(robot), timing)};
  BoxServo servo(scene, {});
  Simulation simulation(scene.model, {.stepper = Stepper::rk4, .dt = 1 / (run.rate * run.substeps)});
  const State start = state_at(run, path.on_floor() / 2);
  State state = start;
  std::vector<double> tau(state.v.size());
  const auto law = [&] { servo.torques(start, path.at(path.on_floor() / 2), tau); };
  const Repeated work[] = {repeated(law), repeated([&] {
                             state = start;
                             for (int i = 0; i < run.substeps; ++i) simulation.step(state, {tau, {}});
                           })};
  law();
  const std::vector<Timing> t = time_together(work, timing);
  times.law = 1e6 * t[0].minimum;
  times.cycle = 1e6 * (t[0].minimum + t[1].minimum);
  return times;
}

// ---- what is shown --------------------------------------------------------------------------------------------------

Drawing frames(const BoxScene& scene, const Carried& run, double from, double to, const std::string& what) {
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

Series curve(const std::string& name, const Carried& run, double every, bool marks,
             const std::function<double(const Sample&)>& value) {
  Series series{name, {}, marks};
  for (double t = 0; t <= run.samples.back().time + 1e-9; t += every)
    series.points.emplace_back(t, value(sample_at(run, t)));
  return series;
}

Plot figure6(const Carried& run) {
  Plot plot{
      .title = "Figure 6: the box's centre, desired and actual",
      .x_label = "s",
      .y_label = "m",
      .series = {},
      .note = fmt::format("Servo at {:g} Hz. Curves: the cubic splines. Marks: where the box is in the simulation. "
                          "The difference does not show at this scale; it is below.",
                          run.rate)};
  plot.series = {curve("height, desired", run, 0.02, false, [](const Sample& s) { return s.desired.z; }),
                 curve("height, actual", run, 0.1, true, [](const Sample& s) { return s.actual.z; }),
                 curve("forward, desired", run, 0.02, false, [](const Sample& s) { return s.desired.x; }),
                 curve("forward, actual", run, 0.1, true, [](const Sample& s) { return s.actual.x; })};
  return plot;
}

std::string name_of(const Carried& run) {
  return fmt::format("{:g} Hz{}", run.rate, run.posture ? "" : ", no posture");
}

Plot error_plot(const std::vector<const Carried*>& runs) {
  Plot plot{
      .title = "How far the box is from where it should be",
      .x_label = "s",
      .y_label = "mm",
      .log_y = true,
      .series = {},
      .note =
          "Joint forces are held constant from one call of the servo to the next; what they miss meanwhile is all "
          "the error there is, and it shrinks with the period."};
  for (const Carried* run : runs)
    plot.series.push_back(curve(name_of(*run), *run, 0.02, false, [](const Sample& s) { return 1e3 * off(s); }));
  return plot;
}

Plot posture_plot(const BoxScene& scene, const Carried& run) {
  Plot plot{.title = "Posture: joints of the left side and the waist, off the advised configuration",
            .x_label = "s",
            .y_label = "rad",
            .series = {},
            .note = "The advice is given up as far as the box needs it, without being told to, and taken up again."};
  for (const char* name : {"hip_pitch", "knee", "ankle_pitch", "waist_pitch", "shoulder_pitch", "elbow"}) {
    const std::string side = std::string(name).starts_with("waist") ? "" : "left_";
    const std::size_t k =
        std::size_t(scene.model.joints()[std::size_t(scene.model.find_joint(side + name + "_joint"))].q);
    Series series{name, {}, false};
    for (double t = 0; t <= run.samples.back().time; t += 0.02)
      series.points.emplace_back(t, state_at(run, t).q[k] - scene.start.q[k]);
    plot.series.push_back(std::move(series));
  }
  return plot;
}

Table run_table(const BoxScene& scene, const std::vector<const Carried*>& runs) {
  Table table{"Runs",
              "rrlrrrrrr",
              {"servo, Hz", "steps a period", "posture", "largest error, mm", "rms, mm", "mrad",
               "posture off at the end, rad", "loop error", "energy defect"},
              {}};
  for (const Carried* r : runs)
    table.rows.push_back({fmt::format("{:g}", r->rate), std::to_string(r->substeps), r->posture ? "advised" : "none",
                          fmt::format("{:.4f}", 1e3 * r->error), fmt::format("{:.4f}", 1e3 * std::sqrt(r->mean_square)),
                          fmt::format("{:.4f}", 1e3 * r->turn),
                          fmt::format("{:.3f}", posture_error(scene, r->states.back())),
                          fmt::format("{:.1e}", r->certificate.loop_error),
                          fmt::format("{:.1e}", r->certificate.energy.relative_defect())});
  return table;
}

Table tracking_table(const Carried& run) {
  Table table{fmt::format("Figure 6 in numbers, servo at {:g} Hz", run.rate),
              "rrrrrr",
              {"s", "x desired, m", "x actual, m", "z desired, m", "z actual, m", "error, mm"},
              {}};
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
    double work;  // beside the others
  };
  const Case cases[] = {
      {300, 3, true, 3}, {300, 3, false, 3}, {1000, 1, true, 3}, {1000, 1, false, 3}, {300, 1, true, 1}};
  constexpr double all_work = 14;
  std::vector<Carried> runs;
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
  const Carried &run = runs[0], &bare = runs[1], &fast = runs[2], &fast_bare = runs[3], &coarse = runs[4];
  if (!progress(done / all_work, "posture, grips and times")) return {};
  const Effects coupling = examine(scene, path, run, 0.05);
  pin_to_one_core();
  const Times times = measure(scene, path, run, {.sample = 60e-6, .budget = options.quick ? 0.05 : 0.3, .fewest = 3});

  bool finished = true;
  double loop_error = 0;
  for (const Carried& r : runs) {
    finished = finished && r.ok && r.certificate.passed();
    loop_error = std::max(loop_error, r.certificate.loop_error);
  }
  const Sample &down = sample_at(run, path.on_floor() + 0.5), &back = run.samples.back();
  const double gap = down.actual.z - scene.half.z;  // of the box's bottom; at right angles to the floor to 0.1 mrad
  const double floor_turn = down.turn * std::max(scene.half.x, scene.half.y);
  const double given_up = posture_error(scene, state_at(run, path.on_floor()));
  const double taken_up = posture_error(scene, run.states.back());
  const double lost = posture_error(scene, bare.states.back());
  const double defect = run.certificate.energy.relative_defect();
  const double order = std::log(coarse.certificate.energy.relative_defect() / defect) / std::log(3.0);
  const double apart_300 = apart(run, bare), apart_1000 = apart(fast, fast_bare);

  Reproduction result;
  result.claims = {
      {"the box is put on the floor, and comes back", "Figure 5: the motion sequence (no numbers given)",
       fmt::format(
           "its bottom ends {:.4f} mm from the floor, level within {:.4f} mm at its edges, and {:.4f} mm from where "
           "it came from",
           1e3 * gap, 1e3 * floor_turn, 1e3 * off(back)),
       finished && std::abs(gap) + floor_turn < 1e-4 && off(back) < 1e-4},
      {"the box follows the cubic spline at a servo rate of 300 Hz",
       "Figure 6: desired and actual position (no numbers given)",
       fmt::format("never off by more than {:.3f} mm and {:.3f} mrad; at 1 kHz {:.3f} mm", 1e3 * run.error,
                   1e3 * run.turn, 1e3 * fast.error),
       run.error < 5e-4 && run.turn < 1e-3 && fast.error < run.error},
      {"posture makes no coupling acceleration at the hands", "by the dynamically consistent null space",
       fmt::format(
           "advice of up to {:.0f} N m moves the joints by {:.0f} rad/s^2 and the box by {:.0e} m/s^2; added as it is "
           "it would do so by {:.1f}",
           coupling.advised, coupling.joints, coupling.posture, coupling.plain),
       coupling.posture < 1e-8 * coupling.plain && coupling.plain > 0.1},
      {"so posture does not disturb the box", "without violating the primary task",
       fmt::format(
           "with and without it the box's ways are {:.3f} mm apart at 300 Hz, {:.3f} mm at 1 kHz: what servo periods "
           "leave",
           1e3 * apart_300, 1e3 * apart_1000),
       apart_300 < 1e-3 && apart_1000 < 0.7 * apart_300},
      {"the advised posture gives way where it must, by itself", "adjusted automatically, without additional commands",
       fmt::format(
           "joints leave it by up to {:.2f} rad on the floor, and end {:.3f} rad from it ({:.1f} without advice), "
           "within their limits throughout",
           given_up, taken_up, lost),
       given_up > 0.5 && taken_up < 0.05 && lost > 5 * taken_up && run.beyond_limits < 0},
      {"hands share the load of the augmented object", "dynamics of the closed chain by the augmented object model",
       fmt::format(
           "forces of hands on the box, up to {:.0f} N, differ from what the law gave out by {:.0e}; all six motions "
           "of the box are possible throughout",
           coupling.grip, coupling.grip_error),
       coupling.grip_error < 1e-6 * coupling.grip && run.mobility == 6 && run.rank == 12},
      {"the chain stays closed", "closed-chain mechanism",
       fmt::format("24 rows of four welds are off by {:.0e} m or rad at most", loop_error), loop_error < 1e-10},
      {"energy is accounted for, to the stepper's order", "-",
       fmt::format("defect {:.0e} of what is exchanged, as dt^{:.1f} (order {})", defect, order,
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

  const std::vector<const Carried*> all{&run, &bare, &fast, &fast_bare, &coarse};
  result.account = {
      Paragraph{fmt::format(
          "The robot has the 24 links of @humanoid24 and stands on its feet: with the pelvis held in the air its arms "
          "would "
          "end 0.6 m above the floor. Its feet are welded to the floor, its hands to the sides of a box of {:.2f} x "
          "{:.2f} x "
          "{:.2f} m and 4 kg, as palms that do not slide: 24 rows on 36 coordinates, which leave the box all its six "
          "motions, four to the body behind it and two to the neck. Arms of four joints without wrists are nearly "
          "rigid "
          "once both hands are on the box; it is legs and trunk that bring it down. Hands that could turn on the box "
          "would "
          "let it swing about the line between them.",
          2 * scene.half.x, 2 * scene.half.y, 2 * scene.half.z)},
      Paragraph{
          "The law: the box is told to follow its spline (errors vanish at 25/s), the augmented object says what each "
          "hand "
          "does for that, with 40 N to press, and operational-space control finds joint forces on both feet, with the "
          "posture (springs towards the start, and damping) in the null space. The paper does not give masses, path or "
          "gains; these are ours. Joint forces are constant between calls; the closed chain is simulated in smaller "
          "steps "
          "by rk4. Contact with the floor is not simulated: the box comes to rest where it would touch."},
      Heading{"Figure 5: the motion"},
      frames(scene, run, 0, path.on_floor(), "Down, from the side."),
      frames(scene, run, path.on_floor() + 0.5, path.end(), "And back."),
      Heading{"Figure 6: the box"},
      figure6(run),
      error_plot({&run, &bare, &fast, &fast_bare}),
      tracking_table(run),
      Heading{"Posture and balance"},
      posture_plot(scene, run),
      Paragraph{fmt::format("The floor's force on both feet acts at x = {:.3f} to {:.3f} m; the soles reach from -0.09 "
                            "to 0.15 m. So feet "
                            "that only press on the floor would {}. The joint nearest to its limit keeps {:.2f} rad. "
                            "No run had a force left "
                            "that the pelvis, which has no motor, would have needed: {:.0e} N or N m.",
                            run.pressure_low, run.pressure_high,
                            run.pressure_low > -0.09 && run.pressure_high < 0.15 ? "do" : "tip", -run.beyond_limits,
                            run.uncarried)},
      run_table(scene, all),
  };
  return result;
}

}  // namespace linchpin
