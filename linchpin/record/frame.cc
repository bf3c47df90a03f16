#include "linchpin/record/frame.h"

namespace linchpin {

const Frame& FrameTaker::operator()(long long step, const State& state, Simulation& simulation,
                                    const StepReport& report, const Certificate& certificate, const Inputs& inputs) {
  frame_.step = step;
  frame_.state = state;
  frame_.energy = meter_(state);
  frame_.report = report;
  frame_.certificate = certificate;
  const auto contacts = simulation.contacts();
  frame_.contacts.assign(contacts.begin(), contacts.end());
  const auto reactions = simulation.reactions(state, inputs);
  frame_.reactions.assign(reactions.begin(), reactions.end());
  return frame_;
}

}  // namespace linchpin
