#include "linchpin/dynamics/tree/kinematics.h"

#include "linchpin/dynamics/tree/joint_motion.h"
#include "linchpin/dynamics/tree/scalars.h"

namespace linchpin {

template <class T>
Kinematics<T>::Kinematics(const Plan<T>& plan)
    : X_WL(std::size_t(1 + plan.slots) + plan.wide_links.size()), block(plan.blocks.size()) {}

template <class T>
void kinematics(const Plan<T>& plan, std::span<const typename Plan<T>::Real> q, Kinematics<T>& kin) {
  using Real = typename Plan<T>::Real;
  constexpr int joints = Lanes<T>::joints;
  const std::size_t needed = std::size_t(plan.nq) * std::size_t(Lanes<T>::worlds);
  check(q.size() == needed, "q has ", q.size(), " numbers, the model needs ", needed);
  check(kin.block.size() == plan.blocks.size(), "kinematics of another model");
  all_joint_trigonometry(plan, q.data(), kin.block.data());
  kin.X_WL[0] = Transform<T>::identity();
  for (std::size_t r = 1; r < plan.runs.size(); ++r) {
    const RunPlan<Real>& run = plan.runs[r];
    const Transform<T>& parent = kin.X_WL[plan.last_link[run.parent]];
    Transform<T> X{parent.R * run.E, parent.p + parent.R * run.r};  // F
    if (run.kind != LinkKind::revolute && run.kind != LinkKind::axial) {
      Mat3<T> R;
      Vec3<T> p;
      wide_pose(plan.wide_links[run.slot], q.data(), R, p);
      kin.X_WL[plan.last_link[r]] = {X.R * R, X.p + X.R * p};
      continue;
    }
    int link = plan.last_link[r] - (run.end - run.slot) + 1;
    for (int slot = run.slot; slot < run.end; ++slot, ++link) {
      const auto& k = plan.blocks[slot / joints];
      auto& b = kin.block[slot / joints];
      const int lane = slot % joints;
      one_joint_trigonometry(plan, q.data(), slot, b);
      along_axis(k, lane, slot == run.slot, run.kind == LinkKind::axial, at<T>(b.c, lane), at<T>(b.s, lane),
                 at<T>(b.d, lane), X);
      kin.X_WL[link] = X;
    }
  }
}

#define LINCHPIN_INSTANTIATE(T)  \
  template struct Kinematics<T>; \
  template void kinematics<T>(const Plan<T>&, std::span<const Plan<T>::Real>, Kinematics<T>&);
LINCHPIN_FOR_EACH_SCALAR(LINCHPIN_INSTANTIATE)
#undef LINCHPIN_INSTANTIATE

}  // namespace linchpin
