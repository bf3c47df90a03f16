#include "linchpin/record/snapshot.h"

namespace linchpin {

const Snapshot& SnapshotTaker::operator()(long long step, const State& state, Simulation& simulation,
                                          const StepReport& report, const Certificate& certificate,
                                          const Inputs& inputs) {
  snapshot_.step = step;
  snapshot_.state = state;
  snapshot_.energy = meter_(state);
  snapshot_.report = report;
  snapshot_.certificate = certificate;
  const auto contacts = simulation.contacts();
  snapshot_.contacts.assign(contacts.begin(), contacts.end());
  const auto reactions = simulation.reactions(state, inputs);
  snapshot_.reactions.assign(reactions.begin(), reactions.end());
  return snapshot_;
}

const Snapshot& SnapshotTaker::start(const State& state, Simulation& simulation, const Certificate& certificate) {
  (*this)(0, state, simulation, {}, certificate);
  snapshot_.contacts.clear();
  return snapshot_;
}

}  // namespace linchpin
