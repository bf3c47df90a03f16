// Bodies and constraints that a tree of joints cannot describe: a coin that rolls on the floor (nonholonomic), a body
// defined by the user, and an arm dragged by its tip without inertia (f = m v): Lagrange multipliers in linear time.
#include <cmath>
#include <cstdio>
#include <numbers>

#include "linchpin/black_box/box_bodies.h"
#include "linchpin/black_box/box_constraints.h"
#include "linchpin/black_box/multiplier_stepper.h"

using namespace linchpin;

namespace {

// A balloon that moves along the vertical and swells: q = (height, radius). Its mass is that of a shell.
class Balloon final : public AnyBody {
 public:
  int dimension() const override { return 2; }
  void start(std::span<double> q) const override { q[0] = 0, q[1] = 1; }
  void mass(std::span<const double>, std::span<double> M) const override { M[0] = M[3] = mass_, M[1] = M[2] = 0; }
  void force(std::span<const double> q, std::span<const double>, const Vec3<double>& gravity,
             std::span<double> F) const override {
    F[0] = mass_ * gravity.z;
    F[1] = stiffness_ * (1 - q[1]);
  }
  double potential_energy(std::span<const double> q, const Vec3<double>& gravity) const override {
    return -mass_ * gravity.z * q[0] + 0.5 * stiffness_ * (q[1] - 1) * (q[1] - 1);
  }
  // A material point X is a direction; the skin is |X| = 1.
  void point(std::span<const double> q, std::span<const double> v, const Vec3<double>& X,
             PointMotion& out) const override {
    out.at = q[1] * X + Vec3<double>{0, 0, q[0]};
    out.rate = v[1] * X + Vec3<double>{0, 0, v[0]};
    const double J[6] = {0, X.x, 0, X.y, 1, X.z};
    std::copy_n(J, 6, out.J.begin());
  }

 private:
  double mass_ = 0.2, stiffness_ = 50;
};

void roll_a_coin() {
  // The coin is tilted by b from lying flat and its centre moves on a circle of radius x; W is the turning rate of that
  // steady motion.
  const double m = 0.01, r = 0.012, x = 0.05, b = 1.3, C = m * r * r / 2, A = C / 2, g = 9.81;
  const double W = std::sqrt(m * g * r * std::cos(b) / (std::sin(b) * ((m * r + C / r) * x + A * std::cos(b))));
  MultiplierSpec spec;
  const int coin =
      spec.add(std::make_shared<RigidBody>(RigidInertia<double>{m, {0, 0, 0}, Sym3<double>::diagonal(A, A, C)}));
  spec.add(std::make_shared<RollingDisc>(Vec3<double>{0, 0, 0}, Vec3<double>{0, 0, 1}, r), {coin});
  MultiplierSystem system = MultiplierSystem::make(std::move(spec)).value();
  MultiplierState state = system.make_state();
  const double q[7] = {std::cos(b / 2), 0, std::sin(b / 2), 0, x, 0, r * std::sin(b)};
  const double v[6] = {-W * std::sin(b), 0, -W * x / r, 0, W * x, 0};
  std::copy_n(q, 7, state.q.begin());
  std::copy_n(v, 6, state.v.begin());
  const int steps = 2000;
  MultiplierStepper stepper(system, {.dt = 2 * std::numbers::pi / W / steps});
  stepper.run(state, steps);
  std::printf("coin:    once round in %.3f s, back within %.1e m\n", state.t, std::hypot(state.q[4] - x, state.q[5]));
}

void hang_a_weight_on_a_balloon() {
  MultiplierSpec spec;
  const int balloon = spec.add(std::make_shared<Balloon>()), weight = spec.add(std::make_shared<Particle>(0.1));
  spec.add(std::make_shared<PointsTogether>(Vec3<double>{0, 0, 1}, Vec3<double>{0, 0, 3}), {balloon, world_body},
           Role::auxiliary);  // its top is fixed to the ceiling at 3 m
  spec.add(std::make_shared<DistanceRod>(Vec3<double>{0, 0, -1}, Vec3<double>{0, 0, 0}, 0.5), {balloon, weight});
  MultiplierSystem system = MultiplierSystem::make(std::move(spec)).value();
  MultiplierState state = system.make_state();
  system.q(state, balloon)[0] = 2;
  system.q(state, weight)[2] = 0.5;
  const double start = system.kinetic_energy(state) + system.potential_energy(state);
  MultiplierStepper stepper(system, {.dt = 1e-3});
  stepper.run(state, 2000);
  const double end = system.kinetic_energy(state) + system.potential_energy(state);
  std::printf("balloon: radius %.4f m after 2 s, energy within %.1e J\n", system.q(state, balloon)[1],
              std::abs(end - start));
}

void drag_an_arm() {
  MultiplierSpec spec;
  for (int i = 0; i < 5; ++i) {
    spec.add(std::make_shared<RigidBody>(
        RigidInertia<double>::about_centre(1, {0.2, 0, 0}, Sym3<double>::diagonal(0.01, 0.02, 0.02))));
    spec.add(std::make_shared<PointsTogether>(Vec3<double>{i > 0 ? 0.4 : 0, 0, 0}, Vec3<double>{0, 0, 0}), {i - 1, i});
  }
  const auto tip = std::make_shared<DraggedPoint>(Vec3<double>{0.4, 0, 0}, Vec3<double>{0.5, 0.8, 1}, 20.0, 1.0);
  spec.add(tip, {4, world_body}, Role::auxiliary);
  MultiplierSystem system = MultiplierSystem::make(std::move(spec)).value();
  MultiplierState state = system.make_state();
  for (int i = 0; i < 5; ++i) system.q(state, i)[4] = 0.4 * i;
  state.q[2] = 0.05;  // off the straight line: a pull along a straight arm cannot bend it
  system.settle_positions(state);
  const MultiplierDragReport report = drag(system, state);
  const Vec3<double> at = system.place(state, 4, {0.4, 0, 0});
  std::printf("arm:     %s after %d moves, %.1e m from its target\n", report.arrived ? "at rest" : "still moving",
              report.steps, norm(at - tip->target()));
}

}  // namespace

int main() {
  roll_a_coin();
  hang_a_weight_on_a_balloon();
  drag_an_arm();
}
