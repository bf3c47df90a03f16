#include "apps/reproduce/box_run.h"

#include <algorithm>
#include <cmath>

#include "linchpin/base/larger.h"
#include "linchpin/dynamics/loops/closed_chain.h"
#include "linchpin/model/scenes.h"
#include "linchpin/spatial/quaternion.h"

namespace linchpin {
namespace {

// The most that a joint is beyond its range, rad; negative if all are inside.
double past_limits(const Model& model, const State& state) {
  double most = -1e9;
  for (const Joint& joint : model.joints()) {
    if (joint.nv != 1) continue;
    const DofSpec& dof = model.dofs()[joint.v];
    const double q = state.q[joint.q];
    most = larger(most, larger(q - dof.upper, dof.lower - q));
  }
  return most;
}

// The distance from the box to the nearest of the robot's capsules, without the forearms that hold it, m; negative if
// they overlap. Computed for points along their axes: good to a millimetre.
double room_around_box(const BoxScene& scene, const Kinematics<double>& kin) {
  const Model& model = scene.model;
  const Transform<double> X_OW = inverse(body_pose(model, kin, scene.box));
  double least = 1e9;
  for (int b = 1; b < int(model.bodies().size()); ++b) {
    const bool holds = std::any_of(scene.hands.begin(), scene.hands.end(), [&](const Node& h) { return h.body == b; });
    if (b == scene.box || holds) continue;
    for (const GeometrySpec& geometry : model.bodies()[b].geometry) {
      const Capsule* capsule = std::get_if<Capsule>(&geometry.shape);
      if (capsule == nullptr) continue;
      const Transform<double> X_OG = X_OW * body_pose(model, kin, b) * geometry.X_BG;
      for (int i = -10; i <= 10; ++i) {
        const Vec3<double> p = X_OG * Vec3<double>{0, 0, 0.1 * i * capsule->half_length};
        const Vec3<double> out{std::abs(p.x) - scene.half.x, std::abs(p.y) - scene.half.y,
                               std::abs(p.z) - scene.half.z};
        const double outside = norm(Vec3<double>{larger(out.x, 0.0), larger(out.y, 0.0), larger(out.z, 0.0)});
        const double inside = smaller(larger(out.x, larger(out.y, out.z)), 0.0);
        least = smaller(least, outside + inside - capsule->radius);
      }
    }
  }
  return least;
}

}  // namespace

CarriedBox carry(const BoxScene& scene, const BoxPath& path, double rate, int substeps, bool posture,
                 const std::function<bool(double fraction)>& tell) {
  CarriedBox run{.rate = rate, .substeps = substeps, .posture = posture};
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
    run.error = larger(run.error, off(run.samples.back()));
    run.turn = larger(run.turn, run.samples.back().turn);
    run.mean_square += std::pow(off(run.samples.back()), 2);
  };
  monitor.start(state);
  look(0);
  const long periods = std::lround(path.end() * rate);
  for (long k = 0; k < periods && run.ok; ++k) {
    if (k % 64 == 0 && !tell(double(k) / double(periods))) break;
    const ServoReport law = servo.torques(state, path.at(double(k) / rate), tau);
    run.states.push_back(state);
    run.pressure_low = smaller(run.pressure_low, law.pressure_x);
    run.pressure_high = larger(run.pressure_high, law.pressure_x);
    run.beyond_limits = larger(run.beyond_limits, past_limits(scene.model, state));
    kinematics<double>(plan, state.q, kin);
    run.room = smaller(run.room, room_around_box(scene, kin));
    run.uncarried = larger(run.uncarried, law.uncarried);
    run.mobility = smaller(run.mobility, law.mobility);
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

const State& state_at(const CarriedBox& run, double time) {
  const std::size_t k = std::size_t(std::lround(time * run.rate));
  return run.states[std::min(k, run.states.size() - 1)];
}
const Sample& sample_at(const CarriedBox& run, double time) {
  const std::size_t k = std::size_t(std::lround(time * run.rate * run.substeps));
  return run.samples[std::min(k, run.samples.size() - 1)];
}

double apart(const CarriedBox& a, const CarriedBox& b) {
  double most = 0;
  for (std::size_t k = 0; k < std::min(a.samples.size(), b.samples.size()); ++k)
    most = larger(most, norm(a.samples[k].actual - b.samples[k].actual));
  return most;
}

double posture_error(const BoxScene& scene, const State& state) {
  double most = 0;
  for (const Joint& joint : scene.model.joints())
    if (joint.nv == 1) most = larger(most, std::abs(state.q[joint.q] - scene.start.q[joint.q]));
  return most;
}

Effects examine(const BoxScene& scene, const BoxPath& path, const CarriedBox& run, double every) {
  const Model& model = scene.model;
  BoxServo with(scene, {}), without(scene, {.damping = 0, .posture = false});
  const Plan<double> plan(model);
  ClosedChain chain(model, plan, model.constraints());
  const std::size_t nv = std::size_t(model.nv());
  const Joint& box = model.joints()[model.find_joint("box")];
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
      found.advised = larger(found.advised, std::abs(with.advised_force()[k]));
    }
    move(plain, vdot_plain);
    move(tau, vdot);
    for (std::size_t k = 0; k < nv; ++k) {
      const bool of_box = int(k) >= box.v && int(k) < box.v + box.nv;
      const bool driven = std::find(scene.passive.begin(), scene.passive.end(), int(k)) == scene.passive.end();
      if (driven) found.joints = larger(found.joints, std::abs(vdot[k] - vdot_bare[k]));
      if (of_box) found.posture = larger(found.posture, std::abs(vdot[k] - vdot_bare[k]));
      if (of_box) found.plain = larger(found.plain, std::abs(vdot_plain[k] - vdot_bare[k]));
    }
    // A weld's reactions: force and moment on the box at the hand, in the hand's axes.
    for (std::size_t i = 0; i < scene.hands.size(); ++i) {
      const Mat3<double> R = node_pose(model, chain.kin, scene.hands[i]).R;
      const double* x = chain.reactions.data() + chain.constraints.first_row(int(i));
      const Force<double>& told = with.told()[i].exert;
      found.grip = larger(found.grip, norm(told.f));
      found.grip_error = larger(found.grip_error, norm(R * Vec3<double>{x[0], x[1], x[2]} - told.f));
      found.grip_error = larger(found.grip_error, norm(R * Vec3<double>{x[3], x[4], x[5]} - told.n));
    }
  }
  return found;
}

Times measure(const BoxScene& scene, const BoxPath& path, const CarriedBox& run, const TimingOptions& timing) {
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

}  // namespace linchpin
