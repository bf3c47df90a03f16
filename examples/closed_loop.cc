// A four-bar linkage: a tree of three rods, one pin that closes the loop, a motor on the crank. Prints how far the
// rocker swings, the moment and work of the motor, and how well the loop stays closed.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "linchpin/dynamics/loops/assembly.h"
#include "linchpin/sim/certificate.h"
#include "linchpin/sim/simulation.h"

using namespace linchpin;

namespace {

// A uniform rod of 1 kg per metre along x, hinged about y at its parent.
void add_rod(ModelSpec& spec, const char* name, const char* parent, const Vec3<double>& at, double length) {
  const double mass = length, across = mass * length * length / 12;
  spec.bodies.push_back({.name = name,
                         .inertia = {mass, {length / 2, 0, 0}, Sym3<double>::diagonal(1e-4, across, across)},
                         .geometry = {}});
  JointSpec hinge;
  hinge.name = std::string(name) + "_hinge";
  hinge.parent = parent;
  hinge.child = name;
  hinge.X_PF = translation(at.x, at.y, at.z);
  hinge.axis = {0, -1, 0};  // so that a positive angle lifts the rod
  spec.joints.push_back(hinge);
}

}  // namespace

int main() {
  ModelSpec spec;
  spec.name = "four-bar";
  add_rod(spec, "crank", "world", {0, 0, 0}, 0.2);
  add_rod(spec, "coupler", "crank", {0.2, 0, 0}, 0.7);
  add_rod(spec, "rocker", "world", {0.8, 0, 0}, 0.5);
  LoopSpec pin;
  pin.type = LoopType::pin;
  pin.a = {"coupler", {frame_with_z({0, -1, 0}), {0.7, 0, 0}}};  // both frames have z along the pin
  pin.b = {"rocker", {frame_with_z({0, -1, 0}), {0.5, 0, 0}}};
  spec.constraints = {{"pin", pin}, prescribed("motor", "crank_hinge", {.polynomial = {0, 6}})};  // 6 rad/s

  const Result<Model> model = compile(spec);
  if (!model) return std::fprintf(stderr, "%s\n", model.error().message.c_str()), 1;
  State state = make_state(model.value());
  state.q = {0, 0.8, 1.8};  // a rough guess: assemble() closes the loop
  const AssemblyReport assembled = assemble(model.value(), state);
  if (!assembled.closed())
    return std::fprintf(stderr, "'%s' stays off by %g\n", assembled.worst.c_str(), assembled.error), 1;

  Simulation simulation(model.value(), {.stepper = Stepper::rk4, .dt = 1e-3});
  RunMonitor monitor(model.value());
  monitor.start(state);
  double lowest = state.q[2], highest = state.q[2], largest_moment = 0;
  while (state.time < 2) {
    const StepReport report = simulation.step(state);
    monitor.add(state, report);
    if (!report.ok()) return std::fprintf(stderr, "%s\n", report.reason), 1;
    largest_moment = std::max(largest_moment, std::abs(simulation.reactions().back()));  // the motor's is the last row
    lowest = std::min(lowest, state.q[2]);
    highest = std::max(highest, state.q[2]);
  }
  const Certificate& c = monitor.certificate();
  std::printf("crank turned %.2f times, rocker swings from %.1f to %.1f degrees\n", state.q[0] / 6.283185307,
              lowest * 57.29578, highest * 57.29578);
  std::printf("motor: at most %.2f N m, %.4f J in all\n", largest_moment, c.energy.work);
  std::printf("loop closed to %.1e m, energy defect %.1e J\n", c.loop_error, c.energy.largest_defect);
  return c.passed() && c.loop_error < 1e-10 ? 0 : 1;
}
