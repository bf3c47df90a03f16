#include "linchpin/record/snapshot.h"

#include <algorithm>

namespace linchpin {

const Snapshot& SnapshotTaker::operator()(long long step, const State& state, const Simulation& simulation,
                                          const StepReport& report, const Certificate& certificate) {
  snapshot_.step = step;
  snapshot_.state = state;
  snapshot_.energy = meter_(state);
  snapshot_.report = report;
  snapshot_.certificate = certificate;
  const auto contacts = simulation.contacts();
  snapshot_.contacts.assign(contacts.begin(), contacts.end());
  const auto reactions = simulation.reactions();
  snapshot_.reactions.assign(reactions.begin(), reactions.end());
  return snapshot_;
}

const Snapshot& SnapshotTaker::start(const State& state, const Simulation& simulation, const Certificate& certificate) {
  (*this)(0, state, simulation, {}, certificate);
  snapshot_.contacts.clear();
  std::ranges::fill(snapshot_.reactions, 0);
  return snapshot_;
}

}  // namespace linchpin
