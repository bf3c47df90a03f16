// Kinematics and compliance of a set of nodes at one state; shared by OperationalSpace and AugmentedObject. Not
// installed.
#pragma once

#include <span>
#include <vector>

#include "linchpin/control/frame_task.h"
#include "linchpin/dynamics/tree/mechanics.h"

namespace linchpin {

// The model must outlive it. Only the constructor allocates.
struct NodeCompliance {
  NodeCompliance(const Model& model, std::vector<Node> nodes);
  NodeCompliance(const Model&&, std::vector<Node>) = delete;

  // Computes kin, vel, factors and paths.
  void update(std::span<const double> q, std::span<const double> v);

  const Model& model;
  Plan<double> plan;
  std::vector<Node> nodes;
  NodeTree<double> tree;
  Compliance<double> paths;
  ArticulatedFactor<double> factors;
  Kinematics<double> kin;
  Velocities vel;
  std::vector<double> reach;  // per node: the distance from the world along the links, at zero; 1 if that is zero
};

// The mean compliance of a node in rotation and in translation: the unit by which its rows are scaled.
//
// A row's own compliance r' C r cannot be the unit: along a stretched arm it is rounding error only. The mean is one,
// unless the node cannot rotate, or cannot translate, at all; then the term with its reach is large enough to tell
// rounding from motion.
struct NodeUnits {
  double turning = 0, moving = 0;
  double of(const Row& row) const { return dot(row.n, row.n) * turning + dot(row.f, row.f) * moving; }
};
// C: the node's own 6 x 6 block of a matrix whose rows are `stride` numbers apart.
NodeUnits node_units(const double* C, std::size_t stride, double reach);

}  // namespace linchpin
