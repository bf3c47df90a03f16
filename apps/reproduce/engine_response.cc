#include "apps/reproduce/engine_response.h"

#include "bench/timing.h"

namespace linchpin {

ResponseTimes time_responses(const Model& model, int rods) {
  const Plan<double> plan(model);
  const State state = make_state(model);
  Kinematics<double> kin(plan);
  Velocities vel(model);
  kinematics<double>(plan, state.q, kin);
  velocities(model, kin, state.v, vel);
  const std::vector<double> tau(state.v.size(), 0.0);
  const Motive motive{model, plan, kin, vel, state.q, state.v, tau, {}, engine_chain_dt};
  const int links[] = {model.bodies()[1].link, model.bodies().back().link}, group[] = {0, 0};
  std::vector<double> v_free(state.v.size());

  std::vector<std::unique_ptr<Engine>> engines;
  std::vector<Repeated> work;
  for (const Method method : chain_methods)
    for (const std::size_t count : {1, 2}) {
      engines.push_back(make_chain_engine(method, model, plan));
      Engine& engine = *engines.back();
      engine.free_velocity(motive, v_free);
      const std::size_t chosen = links[0] == links[1] ? 1 : count;  // one rod has both ends
      engine.choose(motive, std::span(links, chosen), std::span(group, chosen));
      work.push_back(repeated([&engine, &motive] { engine.response(motive); }));
    }
  const std::vector<Timing> t = time_together(work, {.sample = 60e-6, .budget = 0.02, .fewest = 15, .most = 300});
  ResponseTimes found{.rods = rods};
  for (int e = 0; e < chain_engines; ++e) {
    found.p[e] = 1e6 * t[2 * e].median;
    found.p_and_q[e] = 1e6 * t[2 * e + 1].median;
  }
  return found;
}

}  // namespace linchpin
