// For tests of single stages: a model, placed at a state with its contacts found, as a stage sees it.
#pragma once

#include <gtest/gtest.h>

#include "linchpin/sim/testing.h"
#include "linchpin/sim/time_stepping/forces.h"
#include "linchpin/sim/time_stepping/interval.h"
#include "linchpin/sim/time_stepping/step_plan.h"

namespace linchpin {

struct StageTest {
  StageTest(const Model& m, const SimulationOptions& o, const State& state, const Inputs& i = {})
      : model(m),
        plan(model, o),
        plain(model, plan.plan, plan.options, std::vector<double>(model.nv(), 0.0)),
        inputs(i),
        start(model, 0),
        placed(model, plan.plan),
        set(plan.contacts),
        unknown(model) {
    start.start_from(state);
    place(model, plan.plan, start.q, start.v, placed);
    find_contacts(model, plan.contacts, placed.kin, placed.vel, plan.dt, set);
    idle.contacts.assign(set.contacts.size(), 0);
    idle.limits.assign(plan.joints.limits.size(), 0);
  }
  StageTest(const Model& m, const SimulationOptions& o = {}) : StageTest(m, o, make_state(m)) {}

  Interval interval(double h) { return {inputs, start, placed, nullptr, set, idle, 0, h}; }

  const Model& model;
  StepPlan plan;
  Variant plain;
  Inputs inputs;
  Arrival start;
  Placed placed;
  ContactSet set;
  IdleRows idle;
  FreeMotion unknown;  // has not been found
};

}  // namespace linchpin
