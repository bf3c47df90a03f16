// The scenes of the suite `steppers`: ten motions, each with what steppers find hard.
#pragma once

#include <string>
#include <vector>

#include "linchpin/model/state.h"

namespace linchpin {

struct StepperScene {
  std::string name, what;
  ModelSpec spec;
  std::vector<double> q, v;  // at the start; empty for the model's own
  double time, dt;           // s; dt: the longest of the runs
  bool smooth = false;       // nothing that the smooth steppers ignore acts
};

std::vector<StepperScene> stepper_scenes();

// The largest difference of a position coordinate, m or rad.
double error_of(const Model& model, const State& state, const State& truth);

}  // namespace linchpin
