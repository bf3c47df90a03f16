#include "apps/reproduce/workshop_run.h"

#include <algorithm>
#include <cmath>

#include "linchpin/base/check.h"
#include "linchpin/base/larger.h"
#include "linchpin/control/feedback.h"
#include "linchpin/control/inverse_kinematics.h"
#include "linchpin/control/trajectory.h"
#include "linchpin/geometry/shapes/hull.h"
#include "linchpin/model/scenes.h"

namespace linchpin {
namespace {

constexpr double finger_ahead = 0.06;  // m: from the hand's frame to the fingertips
constexpr double knot = 0.02;          // s between knots of the joint path, each found by inverse kinematics

std::size_t q_of(const Model& model, const std::string& link) {
  const int joint = model.find_joint(link + "_joint");
  check(joint >= 0, "no joint of '", link, "' among ", model.joints().size());
  return std::size_t(model.joints()[joint].q);
}

// Elbows out and down, forearms forward: the posture that inverse kinematics begins from.
void get_ready(const Model& robot, std::vector<double>& q) {
  for (const std::string side : {"left_", "right_"}) {
    const double left = side == "left_" ? 1 : -1;
    q[q_of(robot, side + "shoulder_yaw")] = left * 0.6;
    q[q_of(robot, side + "shoulder_pitch")] = -0.5;
    q[q_of(robot, side + "upper_arm")] = left * -1;
    q[q_of(robot, side + "elbow")] = -1.5;
    q[q_of(robot, side + "forearm")] = left * -1.5;
  }
}

Transform<double> hand_pose(const HandKey& key, bool left) {
  const double out = left ? 1 : -1;  // direction of the hand's z along y; the hand points along its -z
  const Mat3<double> R{{-1, 0, 0}, {0, 0, out}, {0, out, 0}};
  return {R, key.grasp + finger_ahead * R.z};
}

// Joint angles of the robot alone over time.
CubicSpline joint_path(const Model& robot, const std::vector<WorkKey>& keys) {
  InverseKinematics ik(robot, {{.node = node_at(robot, "left_hand")}, {.node = node_at(robot, "right_hand")}});
  std::vector<double> q(robot.nq(), 0.0), times, points;
  get_ready(robot, q);
  const auto add = [&](double time, const HandKey& left, const HandKey& right) {
    const Transform<double> X[] = {hand_pose(left, true), hand_pose(right, false)};
    const InverseKinematicsReport found = ik.solve(X, q);
    check(found.ok(), "hands out of reach at ", time, " s: goal ", found.worst_goal);
    for (const bool is_left : {true, false})
      for (const char* digit : {"finger_1", "finger_2", "thumb"})
        q[q_of(robot, (is_left ? "left_" : "right_") + std::string(digit))] = (is_left ? left : right).close;
    times.push_back(time);
    points.insert(points.end(), q.begin(), q.end());
  };
  add(keys[0].time, keys[0].left, keys[0].right);
  for (std::size_t k = 1; k < keys.size(); ++k) {
    const WorkKey &from = keys[k - 1], &to = keys[k];
    const int knots = std::max(1, int(std::lround((to.time - from.time) / knot)));
    for (int i = 1; i <= knots; ++i) {
      const double t = double(i) / knots, s = t * t * (3 - 2 * t);
      const auto between = [&](const HandKey& a, const HandKey& b) {
        return HandKey{a.grasp + s * (b.grasp - a.grasp), a.close + s * (b.close - a.close)};
      };
      add(from.time + t * (to.time - from.time), between(from.left, to.left), between(from.right, to.right));
    }
  }
  const std::vector<double> rest(robot.nq(), 0.0);
  return {std::move(times), std::move(points), robot.nq(), {.start_rate = rest, .end_rate = rest}};
}

// The controls of the servos, and the joint forces that carry the robot's weight.
class WorkServo {
 public:
  WorkServo(const Model& model, const std::vector<WorkKey>& keys)
      : model_(model),
        robot_(compile(scene("@dual_arm").value()).value()),
        path_(joint_path(robot_, keys)),
        plan_(model),
        ws_(plan_),
        q_(robot_.nq()),
        rate_(q_),
        acceleration_(q_),
        controls_(model.actuators().size()),
        tau_(model.nv()) {
    for (const Actuator& a : model.actuators()) {
      const auto driven = std::ranges::find(model.joints(), a.q, &Joint::q);
      const int joint = robot_.find_joint(driven->name);
      const std::size_t i = std::size_t(robot_.joints()[joint].q);
      index_.push_back(i);
      of_arm_.push_back(driven->name.find("finger") == std::string::npos &&
                        driven->name.find("thumb") == std::string::npos);
    }
  }

  void start(State& state) {
    sample(state.time);
    for (std::size_t a = 0; a < controls_.size(); ++a) state.q[model_.actuators()[a].q] = q_[index_[a]];
  }
  Inputs at(const State& state) {
    sample(state.time);
    for (std::size_t a = 0; a < controls_.size(); ++a) {
      const Actuator& servo = model_.actuators()[a];
      const std::size_t i = index_[a];
      controls_[a] = q_[i] + servo.damping / servo.stiffness * rate_[i];  // (1)
    }
    gravity_forces(plan_, state.q, ws_, tau_);
    for (const Joint& joint : model_.joints())  // no forces on loose things
      if (joint.type == JointType::free) std::fill_n(tau_.begin() + joint.v, joint.nv, 0.0);
    return {.tau = tau_, .f_ext = {}, .controls = controls_};
  }
  double off(const State& state) {
    sample(state.time);
    double most = 0;
    for (std::size_t a = 0; a < controls_.size(); ++a)
      if (of_arm_[a]) most = larger(most, std::abs(state.q[model_.actuators()[a].q] - q_[index_[a]]));
    return most;
  }

 private:
  void sample(double time) { path_.sample(time, q_, rate_, acceleration_); }

  const Model& model_;
  Model robot_;
  CubicSpline path_;
  Plan<double> plan_;
  FeedbackWorkspace ws_;
  std::vector<double> q_, rate_, acceleration_, controls_, tau_;
  std::vector<std::size_t> index_;  // per actuator: of the robot's q
  std::vector<bool> of_arm_;
};

bool belongs_to(const Model& model, int body, const char* side) { return model.bodies()[body].name.starts_with(side); }

// The contact forces on the thing over the last step.
void look_at_contacts(const Workshop& shop, std::span<const ContactReport> contacts, int thing, WorkSample& sample,
                      Vec3<double>& force) {
  for (const ContactReport& c : contacts) {
    if (c.body_a != thing && c.body_b != thing) continue;
    force += (c.body_a == thing ? 1.0 : -1.0) * c.force;
    const int other = c.body_a == thing ? c.body_b : c.body_a;
    bool by_hand = false;
    for (int side = 0; side < 2; ++side)
      if (belongs_to(shop.model, other, side == 0 ? "left_" : "right_")) {
        by_hand = true;
        sample.grip[side] += c.normal_force;
        sample.tangent[side] += c.friction;
        sample.touches[side] += c.normal_force > 0;
      }
    if (!by_hand) sample.others += c.normal_force;
  }
}

}  // namespace

Workshop make_workshop(bool smooth_hands) {
  ModelSpec spec = scene("@workshop").value();
  if (smooth_hands)
    for (BodySpec& body : spec.bodies)
      if (body.name.starts_with("left_") || body.name.starts_with("right_"))
        for (GeometrySpec& g : body.geometry) g.material.friction = {0, 0};
  Workshop shop{.model = compile(spec).value()};
  shop.wheel = shop.model.find_body("wheel");
  shop.driver = shop.model.find_body("driver");
  shop.palms[0] = shop.model.find_body("left_palm");
  shop.palms[1] = shop.model.find_body("right_palm");
  for (const GeometrySpec& g : shop.model.bodies()[0].geometry)
    if (g.name == "peg") shop.peg_end = g.X_BG.p.x - std::get<Cylinder>(g.shape).half_length;
  return shop;
}

double Workshop::clearance(const Transform<double>& X_WO) const {
  double least = 1e9;
  for (const GeometrySpec& g : model.bodies()[wheel].geometry)
    if (const ConvexHull* piece = std::get_if<ConvexHull>(&g.shape))
      for (const Vec3<double>& corner : piece->hull->vertices)
        least = smaller(least, peg_end - (X_WO * (g.X_BG * corner)).x);
  return least;
}

SimulationOptions WorkOptions::simulation() const {
  ContactOptions contact{.directions = directions};
  contact.acceptable = contact.tolerance;
  return {.stepper = Stepper::time_stepping, .dt = dt, .contact = contact};
}

WorkRun work(const Workshop& shop, const std::vector<WorkKey>& keys, int thing, const WorkOptions& options,
             const std::function<bool(double fraction)>& tell) {
  const Model& model = shop.model;
  const double dt = options.dt;
  WorkRun run{.dt = dt, .samples = {}, .frames = {}, .certificate = {}};
  WorkServo servo(model, keys);
  Simulation simulation(model, options.simulation());
  RunMonitor monitor(model);
  const Plan<double> plan(model);
  Kinematics<double> kin(plan);
  State state = make_state(model);
  servo.start(state);
  monitor.start(state);
  if (options.watch) options.watch(0, state, simulation, {}, monitor.certificate());

  const Body& body = model.bodies()[thing];
  const Vec3<double> centre = (1 / body.inertia.mass) * body.inertia.h;
  Velocities vel(model);
  const auto velocity = [&](const State& s) {
    kinematics<double>(plan, s.q, kin);
    velocities(model, kin, s.v, vel);
    return point_velocity(model, kin, vel, thing, centre).v;
  };
  const long steps = std::lround(keys.back().time / dt), every = std::max(1l, std::lround(options.frame / dt));
  for (long k = 0; k < steps && run.ok; ++k) {
    if (k % 64 == 0 && !tell(double(k) / double(steps))) break;
    if (k % every == 0) run.frames.push_back(state);
    const Vec3<double> before = velocity(state);
    const Inputs inputs = servo.at(state);
    const StepReport report = simulation.step(state, inputs);
    monitor.add(state, report);
    run.ok = report.ok();
    WorkSample sample{.time = state.time};
    Vec3<double> force = body.inertia.mass * model.gravity();
    look_at_contacts(shop, simulation.contacts(), thing, sample, force);
    if (options.watch) options.watch(run.ok ? k + 1 : k, state, simulation, report, monitor.certificate());
    const Vec3<double> after = velocity(state);
    sample.momentum_error = norm(body.inertia.mass * (after - before) - dt * force);
    sample.thing = body_pose(model, kin, thing);
    for (int side = 0; side < 2; ++side)
      sample.in_hand[side] = inverse(body_pose(model, kin, shop.palms[side])) * sample.thing;
    run.worst_servo = larger(run.worst_servo, servo.off(state));
    run.samples.push_back(sample);
  }
  run.frames.push_back(state);
  run.certificate = monitor.certificate();
  return run;
}

}  // namespace linchpin
