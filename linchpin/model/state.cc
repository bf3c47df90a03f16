#include "linchpin/model/state.h"

#include <algorithm>
#include <cmath>

#include "linchpin/base/splitmix.h"
#include "linchpin/spatial/quaternion.h"

namespace linchpin {
namespace {

Quaternion<double> quaternion_at(const double* q) { return {q[0], q[1], q[2], q[3]}; }
void put(const Quaternion<double>& value, double* q) {
  q[0] = value.w;
  q[1] = value.x;
  q[2] = value.y;
  q[3] = value.z;
}

double uniform(SplitMix& random, double range) { return range * (2 * random.unit() - 1); }

bool has_quaternion(const Link& link) { return link.kind == LinkKind::ball || link.kind == LinkKind::free; }

}  // namespace

State make_state(const Model& model) {
  State state;
  state.q.assign(model.nq(), 0);
  state.v.assign(model.nv(), 0);
  for (const Link& link : model.links())
    if (has_quaternion(link)) state.q[link.q] = 1;
  for (const Joint& joint : model.joints()) {
    std::copy(joint.spec.start_q.begin(), joint.spec.start_q.end(), state.q.begin() + joint.q);
    std::copy(joint.spec.start_v.begin(), joint.spec.start_v.end(), state.v.begin() + joint.v);
  }
  normalize(model, state.q);
  return state;
}

void integrate(const Model& model, std::span<const double> step, std::span<double> q) {
  check(step.size() == std::size_t(model.nv()), "step has ", step.size(), " numbers, the model needs ", model.nv());
  check(q.size() == std::size_t(model.nq()), "q has ", q.size(), " numbers, the model needs ", model.nq());
  for (const Link& link : model.links()) {
    double* x = q.data() + link.q;
    const double* d = step.data() + link.v;
    if (link.nv == 1) {
      x[0] += d[0];
    } else if (has_quaternion(link)) {
      put(normalized(quaternion_at(x) * exp_rotation(Vec3<double>{d[0], d[1], d[2]})), x);
      for (int k = 3; k < link.nv; ++k) x[k + 1] += d[k];
    }
  }
}

void difference(const Model& model, std::span<const double> a, std::span<const double> b, std::span<double> step) {
  check(a.size() == std::size_t(model.nq()), "a has ", a.size(), " numbers, the model needs ", model.nq());
  check(b.size() == std::size_t(model.nq()), "b has ", b.size(), " numbers, the model needs ", model.nq());
  check(step.size() == std::size_t(model.nv()), "step has ", step.size(), " numbers, the model needs ", model.nv());
  for (const Link& link : model.links()) {
    const double *xa = a.data() + link.q, *xb = b.data() + link.q;
    double* d = step.data() + link.v;
    if (link.nv == 1) {
      d[0] = xb[0] - xa[0];
    } else if (has_quaternion(link)) {
      const Quaternion<double> qa = quaternion_at(xa);
      const Vec3<double> w = log_rotation(Quaternion<double>{qa.w, -qa.x, -qa.y, -qa.z} * quaternion_at(xb));
      d[0] = w.x;
      d[1] = w.y;
      d[2] = w.z;
      for (int k = 3; k < link.nv; ++k) d[k] = xb[k + 1] - xa[k + 1];
    }
  }
}

void normalize(const Model& model, std::span<double> q) {
  check(q.size() == std::size_t(model.nq()), "q has ", q.size(), " numbers, the model needs ", model.nq());
  for (const Link& link : model.links())
    if (has_quaternion(link)) put(normalized(quaternion_at(q.data() + link.q)), q.data() + link.q);
}

State random_state(const Model& model, std::uint64_t seed, double range, double speed) {
  SplitMix random(seed);
  State state = make_state(model);
  for (const Link& link : model.links()) {
    double* x = state.q.data() + link.q;
    if (has_quaternion(link)) {  // four normal deviates (Box and Muller) have a uniform direction
      for (int k = 0; k < 4; k += 2) {
        const double r = std::sqrt(-2 * std::log(1 - random.unit())), t = 2 * std::acos(-1.0) * random.unit();
        x[k] = r * std::cos(t);
        x[k + 1] = r * std::sin(t);
      }
      put(normalized(quaternion_at(x)), x);
      for (int k = 4; k < link.nq; ++k) x[k] = uniform(random, range);
    } else {
      for (int k = 0; k < link.nq; ++k) x[k] = uniform(random, range);
    }
  }
  for (double& v : state.v) v = uniform(random, speed);
  return state;
}

}  // namespace linchpin
