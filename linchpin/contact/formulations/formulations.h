// The constructors of the formulations. Internal to contact/: callers use make_formulation() of formulation.h.
#pragma once

#include "linchpin/contact/formulation.h"
#include "linchpin/contact/formulations/engine.h"

namespace linchpin {

std::unique_ptr<Formulation> make_rmc(const Model& model, const Plan<double>& plan);
std::unique_ptr<Formulation> make_mc(const Model& model, const Plan<double>& plan);
// Only for models in which MaximalBodies::find_fault() finds no fault.
std::unique_ptr<Formulation> make_nmc_os(const Model& model);
std::unique_ptr<Formulation> make_nmc(const Model& model);
// On one of the engines of engine.h.
std::unique_ptr<Formulation> make_hybrid(const Model& model, std::unique_ptr<Engine> engine);

}  // namespace linchpin
