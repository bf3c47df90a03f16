// Every installed header in one file, with the using-directive that README.md shows: no two headers define one name,
// and no function of ours competes with one of the C library's. all_headers.h is written by CMakeLists.txt.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "all_headers.h"

using namespace linchpin;

// Calls of the C library's functions, as a user writes them.
double calls(double x, double y, float f, int n) {
  double sine = 0, cosine = 0;
  ::sincos(x, &sine, &cosine);
  const double doubles = fma(x, y, x) + sqrt(x) + fabs(x) + fmin(x, y) + fmax(x, y) + hypot(x, y) + pow(x, y) + log(x) +
                         exp(x) + floor(x) + round(x) + sin(x) + cos(x) + atan2(x, y) + copysign(x, y) + fmod(x, y);
  const float floats = fma(f, f, f) + sqrtf(f) + std::min(f, f);
  return doubles + floats + abs(n) + std::abs(x) + std::min(x, y) + std::max(x, y) + std::fma(x, 2, y) + fma(x, 2, y) +
         double(strlen("name"));
}

// Classes that keep a reference to an argument take no temporary for it: `Simulation s(compile(spec).value(), {});`
// would step with a model that is gone.
template <class Keeper, class Kept, class... Others>
constexpr bool refuses_temporaries =
    std::is_constructible_v<Keeper, const Kept&, Others...>&& std::is_constructible_v<Keeper, Kept&, Others...> &&
    !std::is_constructible_v<Keeper, Kept, Others...> && !std::is_constructible_v<Keeper, const Kept, Others...>;

using Options = SimulationOptions;
using DoublePlan = Plan<double>;
using Constraints = std::span<const Constraint>;

static_assert(refuses_temporaries<Simulation, Model, Options>);
static_assert(refuses_temporaries<Batch, Model, Options>);
static_assert(refuses_temporaries<Batch, Model, Options, int>);
static_assert(refuses_temporaries<EnergyMeter, Model>);
static_assert(refuses_temporaries<RunMonitor, Model>);
static_assert(refuses_temporaries<RunMonitor, Model, CertificateLimits>);
static_assert(refuses_temporaries<Drag, Model>);
static_assert(refuses_temporaries<Drag, Model, DragOptions>);
static_assert(refuses_temporaries<InverseKinematics, Model, std::vector<FrameGoal>>);
static_assert(refuses_temporaries<OperationalSpace, Model, std::vector<FrameTask>>);
static_assert(refuses_temporaries<AugmentedObject, Model, HeldObject>);
static_assert(refuses_temporaries<SnapshotTaker, Model>);
static_assert(refuses_temporaries<LiveRun, Model, Options, State>);
static_assert(refuses_temporaries<Hand, Model>);
static_assert(refuses_temporaries<FrameWriter, Model>);
static_assert(refuses_temporaries<PageRecording, Model, Options, const char*>);
static_assert(refuses_temporaries<LoopRecursion, Model, const ConstraintPlan&>);
static_assert(!std::is_constructible_v<LoopRecursion, const Model&, ConstraintPlan>);
static_assert(refuses_temporaries<ClosedChain, Model, const DoublePlan&, Constraints>);
static_assert(!std::is_constructible_v<ClosedChain, const Model&, DoublePlan, Constraints>);
static_assert(refuses_temporaries<SceneRays, CollisionScene, const SceneWorkspace&>);
static_assert(!std::is_constructible_v<SceneRays, const CollisionScene&, SceneWorkspace>);
static_assert(refuses_temporaries<ForestFactors, ConstraintForest>);
static_assert(refuses_temporaries<AuxiliaryRows, ConstraintForest>);

// Nor do results and recordings hand out references into a temporary.
template <class R>
constexpr bool has_model = requires(R&& recording) {
  std::forward<R>(recording).model();
};
static_assert(has_model<const Recording&> && !has_model<Recording>);
static_assert(std::is_same_v<decltype(compile(std::declval<const ModelSpec&>()).value()), Model>);
