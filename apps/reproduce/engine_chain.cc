#include "apps/reproduce/engine_chain.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "bench/timing.h"
#include "linchpin/base/check.h"
#include "linchpin/base/larger.h"
#include "linchpin/model/scenes.h"

namespace linchpin {
namespace {

constexpr int ways_of_friction = 2;  // both along the line

}  // namespace

Model engine_chain_model(int rods) {
  return compile(scene(fmt::format("@falling_chain:links={},height=1,angle=0", rods)).value()).value();
}

std::unique_ptr<Engine> make_chain_engine(Method method, const Model& model, const Plan<double>& plan) {
  switch (method) {
    case Method::hybrid_dense:
      return make_dense_engine(model, plan);
    case Method::hybrid_dca:
      return make_dca_engine(model, plan, 1);
    case Method::os:
      return make_compliance_engine(model, plan);
    default:
      check(method == Method::hybrid_aba, "no engine of figures 5 and 6");
      return make_aba_engine(model, plan);
  }
}

EngineChain::EngineChain(const Model& model, Method method, int contacts)
    : model_(model),
      plan_(model),
      contacts_(contacts),
      state_(make_state(model)),
      kin_(plan_),
      vel_(model),
      tau_(model.nv(), 0.0),
      v_next_(model.nv()),
      step_(model.nv()) {
  if (contacts_ == 0)
    engine_ = make_chain_engine(method, model, plan_);
  else
    formulation_ = make_formulation(method, model, plan_).value();
}

Motive EngineChain::motive() const {
  return {model_, plan_, kin_, vel_, state_.q, state_.v, tau_, {}, engine_chain_dt};
}

void EngineChain::start() { start(make_state(model_)); }

void EngineChain::start(const State& state) {
  state_ = state;
  worst_residual_ = 0;
}

void EngineChain::step() {
  place();
  pose();
  solve();
  lift();
  move();
}

void EngineChain::add_contact(int body, const Vec3<double>& point_B) {
  const Vec3<double> point = body_pose(model_, kin_, body) * point_B;
  const int link = model_.bodies()[body].link;
  const Vec3<double> lever = point - kin_.X_WL[link].p;
  rows_.begin_block(BlockKind::cone, 3, engine_chain_mu);
  for (const Vec3<double>& f : {Vec3<double>{0, 0, 1}, Vec3<double>{1, 0, 0}, Vec3<double>{0, 1, 0}}) {
    rows_.add_side(link, {cross(lever, f), f});
    rows_.end_row(f.z * point.z / engine_chain_dt);
  }
}

void EngineChain::place() {
  kinematics<double>(plan_, state_.q, kin_);
  velocities(model_, kin_, state_.v, vel_);
  rows_.clear();
  if (contacts_ > 0) add_contact(1, {-0.5, 0, 0});
  if (contacts_ > 1) add_contact(int(model_.bodies().size()) - 1, {0.5, 0, 0});
}

void EngineChain::pose() {
  if (contacts_ == 0)
    engine_->free_velocity(motive(), v_next_);
  else
    formulation_->pose(motive(), rows_, conic_);
}

void EngineChain::solve() {
  if (contacts_ == 0) return;
  friction_.pose(conic_, ways_of_friction, {}, lcp_);
  z_lcp_.resize(lcp_.q.size());
  z_.resize(conic_.q.size());
  impulses_.resize(conic_.q.size());
  const SolveReport report = solver_.solve(lcp_, SolverId::lemke, {}, z_lcp_);
  worst_residual_ = larger(worst_residual_, larger(report.residual.relative, report.residual.plain_relative));
  friction_.to_conic(z_lcp_, z_);
}

void EngineChain::lift() {
  if (contacts_ > 0) formulation_->lift(motive(), rows_, z_, v_next_, impulses_);
}

void EngineChain::move() {
  std::ranges::copy(v_next_, state_.v.begin());
  for (std::size_t k = 0; k < step_.size(); ++k) step_[k] = engine_chain_dt * v_next_[k];
  integrate(model_, step_, state_.q);
  state_.time += engine_chain_dt;
}

std::vector<ChainTiming> time_runs(std::span<EngineChain> chains, int steps, int rounds) {
  constexpr int piece = 20;  // steps between two looks at the clock, which cost some 0.3 us
  const std::size_t pieces = std::size_t(steps / piece);
  std::vector<std::vector<double>> least(chains.size(), std::vector<double>(pieces, HUGE_VAL)), runs(chains.size());
  for (int round = 0; round < rounds; ++round)
    for (std::size_t c = 0; c < chains.size(); ++c) {
      chains[c].start();
      double sum = 0;
      for (double& shortest : least[c]) {
        const double begin = thread_seconds();
        for (int i = 0; i < piece; ++i) chains[c].step();
        const double taken = thread_seconds() - begin;
        shortest = std::min(shortest, taken);
        sum += taken;
      }
      runs[c].push_back(sum);
    }
  std::vector<ChainTiming> timings;
  for (std::size_t c = 0; c < chains.size(); ++c) {
    std::ranges::sort(runs[c]);
    timings.push_back({runs[c][runs[c].size() / 2], std::accumulate(least[c].begin(), least[c].end(), 0.0)});
  }
  return timings;
}

}  // namespace linchpin
