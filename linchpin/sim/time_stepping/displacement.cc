#include "linchpin/sim/time_stepping/displacement.h"

#include "linchpin/model/state.h"

namespace linchpin {

Displacement::Displacement(const Model& model, const Plan<double>& plan)
    : model_(model), plan_(plan), placed_(model, plan) {
  const std::span<const Link> links = model.links();
  for (int i = 1; i < int(links.size()); ++i)
    if (links[i].kind == LinkKind::free) free_joints_.push_back({.link = i});
  if (free_joints_.empty()) return;
  momentum_.resize(links.size());
  for (const Link& link : links) mass_.push_back(link.inertia.mass);
  for (int i = int(links.size()) - 1; i > 0; --i) mass_[links[i].parent] += mass_[i];
}

void Displacement::find_momenta() {
  const std::span<const Link> links = model_.links();
  for (std::size_t i = 0; i < links.size(); ++i) {
    const RigidInertia<double>& I = links[i].inertia;
    const Motion<double>& V = placed_.vel.link[i];
    momentum_[i] = I.mass * V.v + cross(V.w, placed_.kin.X_WL[i].R * I.h);
  }
  for (std::size_t i = links.size() - 1; i > 0; --i) momentum_[links[i].parent] += momentum_[i];
}

double Displacement::apply(std::span<const double> d, std::span<double> q, std::span<double> v) {
  place(model_, plan_, q, v, placed_);
  const double before = energy(model_, placed_.kin, placed_.vel, q, v).total();
  if (!free_joints_.empty()) find_momenta();
  for (FreeJoint& joint : free_joints_) {
    const int i = joint.link;
    joint.R = placed_.kin.X_WL[i].R;
    joint.offset = (1 / mass_[i]) * momentum_[i] - placed_.vel.link[i].v;
  }
  integrate(model_, d, q);
  kinematics<double>(plan_, q, placed_.kin);
  for (const FreeJoint& joint : free_joints_) {
    const Link& link = model_.links()[joint.link];
    const Vec3<double> offset = placed_.kin.X_WL[joint.link].R * transpose_times(joint.R, joint.offset);
    // The joint's linear velocity is in the axes of the frame on its parent.
    const Mat3<double> R_WF = placed_.kin.X_WL[link.parent].R * link.X_PF.R;
    const Vec3<double> change = transpose_times(R_WF, joint.offset - offset);  // (2)
    v[link.v + 3] += change.x;
    v[link.v + 4] += change.y;
    v[link.v + 5] += change.z;
  }
  velocities(model_, placed_.kin, v, placed_.vel);
  return energy(model_, placed_.kin, placed_.vel, q, v).total() - before;
}

}  // namespace linchpin
