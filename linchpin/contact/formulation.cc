#include "linchpin/contact/formulation.h"

#include "linchpin/base/check.h"
#include "linchpin/base/names.h"
#include "linchpin/contact/formulations/formulations.h"
#include "linchpin/dynamics/maximal/maximal_bodies.h"

namespace linchpin {
namespace {

constexpr EnumNames<Method::hybrid_dca> names{
    "method", {"os", "rmc", "mc", "nmc_os", "nmc", "multipliers", "hybrid_dense", "hybrid_aba", "hybrid_dca"}};

}  // namespace

std::string_view to_string(Method method) { return names.of(method); }

std::optional<Method> method_from(std::string_view name) { return names.find(name); }

Result<std::unique_ptr<Formulation>> make_formulation(Method method, const Model& model, const Plan<double>& plan,
                                                      int threads) {
  check(threads >= 1, "a formulation needs at least one thread, not ", threads);
  if (in_maximal_coordinates(method))
    if (std::optional<Error> fault = MaximalBodies::find_fault(model)) return *fault;
  switch (method) {
    case Method::os:
      return make_hybrid(model, make_compliance_engine(model, plan));
    case Method::rmc:
      return make_rmc(model, plan);
    case Method::mc:
      return make_mc(model, plan);
    case Method::nmc_os:
      return make_nmc_os(model);
    case Method::nmc:
      return make_nmc(model);
    case Method::multipliers:
      return make_hybrid(model, make_multiplier_engine(model));
    case Method::hybrid_dense:
      return make_hybrid(model, make_dense_engine(model, plan));
    case Method::hybrid_aba:
      return make_hybrid(model, make_aba_engine(model, plan));
    case Method::hybrid_dca:
      break;
  }
  return make_hybrid(model, make_dca_engine(model, plan, threads));
}

}  // namespace linchpin
