#include "linchpin/record/run_settings.h"

#include <gtest/gtest.h>

namespace linchpin {
namespace {

std::string error_of(const std::string& text) {
  const Result<RunSettings> settings = settings_from_json(text);
  return settings ? "" : settings.error().message;
}

// No field has its default value.
TEST(RunSettings, EveryField) {
  RunSettings s;
  s.source = "@thing:\"a\"";
  s.simulation = {Stepper::dormand_prince, 1.0 / 3, 1e-7, 1e-8, 77, 33, 1e-5, 2, {}};
  s.simulation.contact = {Method::nmc, SolverId::lemke, 1,     6,    1e-9, 1e-4, Restitution::newton, 0.5,
                          4,           1e-7,            100,   -1e-5, 0.25, 0.5,  2,                   0.1};
  s.limits = {.energy = 0.125, .projection = 0.25, .penetration = 1e-3, .overrun = 2e-3};
  s.time = 7.0 / 3;
  s.every = 123456789012;
  s.inputs = HeldInputs{{1, 2}, {3}, {0.1}};
  const std::string text = settings_to_json(s);
  const Result<RunSettings> again = settings_from_json(text);
  ASSERT_TRUE(again) << again.error().message;
  const RunSettings& r = again.value();
  EXPECT_EQ(settings_to_json(r), text);
  EXPECT_EQ(r.source, s.source);
  EXPECT_EQ(r.simulation.stepper, Stepper::dormand_prince);
  EXPECT_EQ(r.simulation.dt, 1.0 / 3);
  EXPECT_EQ(r.simulation.max_substeps, 77);
  EXPECT_EQ(r.simulation.contact.method, Method::nmc);
  EXPECT_EQ(r.simulation.contact.solver, SolverId::lemke);
  EXPECT_EQ(r.simulation.contact.restitution, Restitution::newton);
  EXPECT_EQ(r.simulation.contact.sleep_speed, 0.1);
  EXPECT_EQ(r.simulation.order, 2);
  EXPECT_EQ(r.simulation.contact.gap_floor, -1e-5);
  EXPECT_EQ(r.simulation.contact.tangential_restitution, 0.25);
  EXPECT_EQ(r.simulation.contact.numerical_damping, 0.5);
  for (const std::optional<double>& floor : {std::optional<double>{}, std::optional<double>{-unlimited}}) {
    s.simulation.contact.gap_floor = floor;
    EXPECT_EQ(settings_from_json(settings_to_json(s)).value().simulation.contact.gap_floor, floor);
  }
  EXPECT_EQ(r.limits.energy, 0.125);
  EXPECT_EQ(r.limits.projection, 0.25);
  EXPECT_EQ(r.limits.penetration, 1e-3);
  EXPECT_EQ(r.limits.overrun, 2e-3);
  EXPECT_EQ(r.every, 123456789012);
  EXPECT_EQ(r.inputs->controls, std::vector<double>{0.1});
  s.inputs.reset();
  EXPECT_FALSE(settings_from_json(settings_to_json(s)).value().inputs);
}

TEST(RunSettings, EverySolverHasAName) {
  for (const SolverInfo& solver : solvers()) {
    RunSettings s;
    s.simulation.stepper = Stepper::time_stepping;
    s.simulation.contact.solver = solver.id;
    EXPECT_EQ(settings_from_json(settings_to_json(s)).value().simulation.contact.solver, solver.id);
  }
}

TEST(RunSettings, Faults) {
  EXPECT_EQ(error_of("{}"), "simulation.stepper is missing");
  EXPECT_EQ(error_of(R"({"simulation": {"stepper": "rk4", "dt": -1}})").substr(0, 24), "simulation: dt is -1 s; ");
  EXPECT_EQ(error_of(R"({"simulation": {"stepper": "rk5"}})").substr(0, 39), "simulation.stepper: there is no 'rk5'; ");
  EXPECT_EQ(error_of(R"({"simulation": {"stepper": "rk4"}, "every": 0})"), "every: 0 must be at least 1");
  const std::string rk4 = R"({"simulation": {"stepper": "rk4"}, )";
  EXPECT_EQ(error_of(rk4 + R"("limits": {"penetration": -0.5}})"), "limits.penetration: -0.5 must be at least 0");
  EXPECT_EQ(error_of(rk4 + R"("limits": {"energy": -0.5}})"), "limits.energy: -0.5 must be at least 0");
  EXPECT_EQ(error_of(rk4 + R"("limits": {"projection": -0.5}})"), "limits.projection: -0.5 must be at least 0");
  EXPECT_EQ(error_of(rk4 + R"("limits": {"overrun": -0.5}})"), "limits.overrun: -0.5 must be at least 0");
  EXPECT_EQ(error_of(rk4 + R"("time": -1})"), "time: -1 s must be finite and at least 0");
  EXPECT_EQ(error_of(rk4 + R"("time": "inf"})"), "time: inf s must be finite and at least 0");
  EXPECT_EQ(error_of(rk4 + R"("time": 0, "every": 1, "limits": {"penetration": 0, "energy": 0, "overrun": 0}})"), "");
  EXPECT_EQ(error_of(rk4 + R"("every": -1})"), "every: -1 must be at least 1");
  EXPECT_EQ(error_of("{\"time\": }"), "line 1, column 10: this is not JSON");
}

// A file that says no more than the stepper: every step is a frame, nothing acts from outside, and the tolerances are
// those of docs/contact.md. Files of older versions lack fields, and other defaults would change their meaning.
TEST(RunSettings, WhatMayBeOmitted) {
  const RunSettings s = settings_from_json(R"({"simulation": {"stepper": "rk4"}})").value();
  EXPECT_EQ(s.every, 1);
  EXPECT_EQ(s.time, 0);
  ASSERT_TRUE(s.inputs);
  EXPECT_TRUE(s.inputs->tau.empty() && s.inputs->f_ext.empty() && s.inputs->controls.empty());
  EXPECT_EQ(s.simulation.contact.tolerance, 1e-10);
  EXPECT_EQ(s.simulation.contact.acceptable, 1e-6);
}

}  // namespace
}  // namespace linchpin
