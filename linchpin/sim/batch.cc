#include "linchpin/sim/batch.h"

#include <algorithm>
#include <exception>
#include <string>
#include <thread>

#include "linchpin/sim/steppers.h"

namespace linchpin {

namespace {

// A failed check, with the world that it is about.
CheckFailed of_world(std::size_t world, const CheckFailed& failed) {
  return CheckFailed("world " + std::to_string(world) + ": " + failed.what());
}

}  // namespace

Batch::Batch(const Model& model, const SimulationOptions& options, int threads) : model_(&model) {
  check(threads >= 0, "threads is ", threads, "; it must be at least 1, or 0 for one per hardware thread");
  const unsigned there = std::max(1u, std::thread::hardware_concurrency());
  const std::size_t count = threads > 0 ? std::size_t(threads) : there;
  simulations_.reserve(count);
  for (std::size_t i = 0; i < count; ++i) simulations_.emplace_back(model, options);
}

void Batch::advance(std::span<State> states, int steps, std::span<const Inputs> inputs, std::span<StepReport> reports) {
  check(inputs.empty() || inputs.size() == states.size(), "inputs has ", inputs.size(), " entries for ", states.size(),
        " worlds");
  check(reports.size() == states.size(), "reports has ", reports.size(), " entries for ", states.size(), " worlds");
  check(steps >= 1, "steps is ", steps, "; it must be at least 1");
  const auto inputs_of = [&](std::size_t i) { return inputs.empty() ? Inputs{} : inputs[i]; };
  for (std::size_t i = 0; i < states.size(); ++i) {
    try {
      check_state(*model_, states[i], inputs_of(i));
    } catch (const CheckFailed& failed) {
      throw of_world(i, failed);
    }
  }

  const std::size_t parts = std::min(simulations_.size(), std::max<std::size_t>(states.size(), 1));
  std::vector<std::exception_ptr> thrown(parts);  // by the first world of each part that threw
  const auto run = [&](std::size_t part) {
    for (std::size_t i = states.size() * part / parts; i < states.size() * (part + 1) / parts; ++i) {
      std::exception_ptr exception;
      try {
        for (int k = 0; k < steps; ++k) {
          reports[i] = simulations_[part].step(states[i], inputs_of(i));
          if (!reports[i].ok()) break;
        }
      } catch (const CheckFailed& failed) {
        exception = std::make_exception_ptr(of_world(i, failed));
      } catch (...) {
        exception = std::current_exception();
      }
      if (!thrown[part]) thrown[part] = exception;
    }
  };
  {
    std::vector<std::jthread> others;
    others.reserve(parts - 1);
    for (std::size_t part = 1; part < parts; ++part) others.emplace_back(run, part);
    run(0);
  }  // joins
  for (const std::exception_ptr& first : thrown)
    if (first) std::rethrow_exception(first);
}

}  // namespace linchpin
