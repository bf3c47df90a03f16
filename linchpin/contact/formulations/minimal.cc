#include "linchpin/contact/formulations/minimal.h"

#include <cmath>

#include "linchpin/base/check.h"

namespace linchpin {

MinimalCoordinates::MinimalCoordinates(const Model& model, const Plan<double>& plan)
    : mass(std::size_t(model.nv()) * std::size_t(model.nv())),
      momentum(model.nv()),
      layout_(model),
      crba_(plan, layout_),
      sparse_mass_(layout_),
      rnea_(plan),
      bias_(model.nv()),
      zero_(model.nv(), 0.0) {}

void MinimalCoordinates::place(const Motive& motive, const Rows& rows) {
  const std::size_t nv = momentum.size();
  check(motive.v.size() == nv, "the motive belongs to another model: it has ", motive.v.size(), " velocities, not ",
        nv);
  crba<double>(motive.plan, layout_, motive.q, crba_, sparse_mass_);
  to_dense(layout_, sparse_mass_, mass);
  for (std::size_t i = 0; i < nv; ++i) {
    momentum[i] = 0;
    for (std::size_t k = 0; k < nv; ++k) momentum[i] += mass[i * nv + k] * motive.v[k];
  }
  if (motive.dt > 0) {
    rnea<double>(motive.plan, motive.q, motive.products(), zero_, motive.f_ext, rnea_, bias_);
    for (std::size_t i = 0; i < nv; ++i) momentum[i] += motive.dt * (motive.tau[i] - bias_[i]);
  }
  constexpr double rounding = 1e-14;  // relative to the sum of the terms' sizes; there are about ten terms
  J.assign(std::size_t(rows.size()) * nv, 0.0);
  for (std::size_t r = 0; r < std::size_t(rows.size()); ++r) {
    terms_.assign(nv, 0.0);
    for (int s = rows.first_side[r]; s < rows.first_side[r + 1]; ++s) {
      const RowSide& side = rows.sides[s];
      const double n = norm(side.force.n), f = norm(side.force.f);
      for (int i = side.link; i != 0; i = motive.model.links()[i].parent) {
        const Link& link = motive.model.links()[i];
        const Vec3<double> lever = motive.kin.X_WL[side.link].p - motive.kin.X_WL[i].p;
        for (int k = link.v; k < link.v + link.nv; ++k) {
          const Motion<double>& axis = motive.vel.axis[k];
          const double turn = norm(axis.w);
          J[r * nv + std::size_t(k)] += dot(side.force, Motion<double>{axis.w, axis.v + cross(axis.w, lever)});
          terms_[k] += n * turn + f * (norm(axis.v) + turn * norm(lever));
        }
      }
    }
    for (std::size_t k = 0; k < nv; ++k)
      if (std::abs(J[r * nv + k]) <= rounding * terms_[k]) J[r * nv + k] = 0;
  }
}

}  // namespace linchpin
