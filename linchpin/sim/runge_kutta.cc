#include "linchpin/sim/runge_kutta.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "linchpin/spatial/sincos.h"

namespace linchpin {
namespace {

// c(a) of (3), from s = a^2. The closed form loses digits for small s. Below 0.01 the series is exact to rounding: its
// next term, a^8/47900160, is less than one unit in the last place of 1/12.
double bracket_coefficient(double s) {
  if (s < 0.01) return 1.0 / 12 + s * (1.0 / 720 + s * (1.0 / 30240 + s / 1209600));
  double sine, cosine;
  const double half = 0.5 * std::sqrt(s);
  sincos(half, sine, cosine);
  return (1 - half * cosine / sine) / s;
}

// The part of stage i in an array of all stages.
std::span<double> stage(std::vector<double>& all, std::size_t nv, std::size_t i) {
  return std::span<double>(all).subspan(i * nv, nv);
}

}  // namespace

void velocity_in_algebra(const Dynamics& dynamics, std::span<const double> u, std::span<const double> v,
                         std::span<double> udot) {
  std::ranges::copy(v, udot.begin());
  for (const int k : dynamics.rotations) {
    const double *increment = u.data() + k, *w = v.data() + k;
    const Vec3<double> rate = inverse_dexp({increment[0], increment[1], increment[2]}, {w[0], w[1], w[2]});
    double* out = udot.data() + k;
    out[0] = rate.x;
    out[1] = rate.y;
    out[2] = rate.z;
  }
}

Vec3<double> inverse_dexp(const Vec3<double>& u, const Vec3<double>& w) {
  const Vec3<double> bracket = cross(u, w);
  return w + 0.5 * bracket + bracket_coefficient(dot(u, u)) * cross(u, bracket);  // (3)
}

Stages::Stages(const Dynamics& dynamics, int count)
    : u(dynamics.model.nv()),
      q(dynamics.model.nq()),
      v(dynamics.model.nv()),
      udot(count * dynamics.model.nv()),
      vdot(count * dynamics.model.nv()),
      reactions(count * dynamics.constraint_rows()),
      power(count) {}

void place_stage(const Dynamics& dynamics, double time0, std::span<const double> q0, std::span<const double> v0,
                 double h, std::span<const double> weights, Stages& stages) {
  const std::size_t nv = v0.size();
  double part = 0;
  for (const double weight : weights) part += weight;
  stages.time = time0 + h * part;
  for (std::size_t k = 0; k < nv; ++k) {
    double u = 0, v = 0;
    for (std::size_t j = 0; j < weights.size(); ++j) {
      u += weights[j] * stages.udot[j * nv + k];
      v += weights[j] * stages.vdot[j * nv + k];
    }
    stages.u[k] = h * u;          // (2)
    stages.v[k] = v0[k] + h * v;  // (2)
  }
  std::ranges::copy(q0, stages.q.begin());
  integrate(dynamics.model, stages.u, stages.q);
}

void evaluate_stage(Dynamics& dynamics, const Inputs& inputs, std::size_t i, Stages& stages) {
  const std::size_t nv = stages.v.size();
  velocity_in_algebra(dynamics, stages.u, stages.v, stage(stages.udot, nv, i));                // (1)
  dynamics.accelerations(stages.time, stages.q, stages.v, inputs, stage(stages.vdot, nv, i));  // (1)
  const std::span<const double> reactions = dynamics.reactions();
  std::ranges::copy(reactions, stage(stages.reactions, reactions.size(), i).begin());
  stages.power[i] = dynamics.power(stages.time, stages.q, stages.v, inputs);
}

void evaluate_start(Dynamics& dynamics, double time0, std::span<const double> q0, std::span<const double> v0,
                    const Inputs& inputs, Stages& stages) {
  stages.time = time0;
  std::ranges::fill(stages.u, 0);
  std::ranges::copy(q0, stages.q.begin());
  std::ranges::copy(v0, stages.v.begin());
  evaluate_stage(dynamics, inputs, 0, stages);
}

void add_work(double h, std::span<const double> weights, const Stages& stages, StepReport& report) {
  for (std::size_t j = 0; j < weights.size(); ++j) {
    report.work += h * weights[j] * stages.power[j].input;
    report.dissipated -= h * weights[j] * stages.power[j].damping;
  }
}

void add_mean_reactions(double share, std::span<const double> weights, const Stages& stages,
                        std::span<double> reactions) {
  for (std::size_t j = 0; j < weights.size(); ++j)
    for (std::size_t r = 0; r < reactions.size(); ++r)
      reactions[r] += share * weights[j] * stages.reactions[j * reactions.size() + r];
}

RungeKuttaTable explicit_method(int order) {
  static constexpr std::array half{1.0 / 2}, whole{1.0};
  static constexpr std::array second_half{0.0, 1.0 / 2}, second{0.0, 1.0};
  static constexpr std::array third{0.0, 0.0, 1.0};
  static constexpr std::array all{1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  static constexpr std::array<std::span<const double>, 1> euler{whole};
  static constexpr std::array<std::span<const double>, 2> midpoint{half, second};
  static constexpr std::array<std::span<const double>, 4> classical{half, second_half, third, all};
  switch (order) {
    case 1:
      return euler;
    case 2:
      return midpoint;
    case 4:
      return classical;
    case 5:
      return dormand_prince_table();
    default:
      return {};
  }
}

StepReport rk4(Dynamics& dynamics, const Departure& from, Stages& stages, Arrival& to) {
  const State& s = from.state;
  const double dt = from.options.dt;
  const RungeKuttaTable table = explicit_method(4);
  evaluate_start(dynamics, s.time, s.q, s.v, from.inputs, stages);
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (i > 0) evaluate_stage(dynamics, from.inputs, i, stages);
    place_stage(dynamics, s.time, s.q, s.v, dt, table[i], stages);
  }
  std::ranges::copy(stages.q, to.q.begin());
  std::ranges::copy(stages.v, to.v.begin());
  std::ranges::fill(to.reactions, 0);
  add_mean_reactions(1, table.back(), stages, to.reactions);
  StepReport report = arrived(dynamics.model, from, to);
  if (report.ok()) add_work(dt, table.back(), stages, report);
  return report;
}

}  // namespace linchpin
