// Forward kinematics: the pose of every link in the world. O(n).
//
//     X_WL(i) = X_WL(parent) X_PL(q_i)
//
// Scalars, packs and memory layout as in aba.h. Velocities, Jacobians, momentum and energy of one world are in
// mechanics.h.
#pragma once

#include <span>

#include "linchpin/dynamics/tree/plan.h"

namespace linchpin {

// The result of kinematics(), and its workspace: any content is fine before a call.
template <class T>
struct Kinematics {
  explicit Kinematics(const Plan<T>& plan);
  AlignedArray<Transform<T>> X_WL;  // per link, the world included
  struct Block {
    typename Lanes<T>::Wide c, s, d;
  };
  AlignedArray<Block> block;
};

template <class T>
void kinematics(const Plan<T>& plan, std::span<const typename Plan<T>::Real> q, Kinematics<T>& kin);

}  // namespace linchpin
