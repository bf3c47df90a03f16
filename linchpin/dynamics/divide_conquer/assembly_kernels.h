// The stages of divide_and_conquer.h at one node, and at one block of joints. Compiled for this machine.
#pragma once

#include "linchpin/dynamics/divide_conquer/divide_and_conquer.h"

namespace linchpin {

// What the stages need of a call.
struct AssemblyInput {
  const Plan<double>& plan;
  const AssemblyTree& tree;
  const double *q, *v, *tau;
  bool external;  // the workspace holds forces on links
  int threads;
};

// Checks the sizes of a call; puts the forces on bodies into the workspace.
void check_assembly_sizes(const Plan<double>& plan, std::span<const double> q, std::span<const double> v,
                          std::span<const double> tau, std::span<const double> f_ext, std::span<const double> vdot);
void gather_forces(const Plan<double>& plan, std::span<const double> f_ext, AssemblyWorkspace& ws);

// For one block of joints: sines and cosines; velocity products, once all angular velocities are known.
void turn_joints(const AssemblyInput& in, int block, AssemblyWorkspace& ws);
void find_velocity_products(const AssemblyInput& in, int block, AssemblyWorkspace& ws);

// For one node. The first and the third come after those of the nodes that it is made of, the others before.
void find_turn(const AssemblyInput& in, int node, AssemblyWorkspace& ws);          // (7)
void hand_out_velocity(const AssemblyInput& in, int node, AssemblyWorkspace& ws);  // w of parts, of links
void assemble(const AssemblyInput& in, int node, AssemblyWorkspace& ws);           // (1), (2), (5), (6)
void hand_out_acceleration(const AssemblyInput& in, int node, double* vdot, AssemblyWorkspace& ws);  // (3), (4)

// The same for solve(): x are joint forces before the second stage of a segment, then accelerations.
struct AssemblySolveInput {
  const Plan<double>& plan;
  const AssemblyTree& tree;
  const AssemblyWorkspace& factors;
  bool external;
  double* x;
};
void gather_bias(const AssemblySolveInput& in, int node, AssemblySolveWorkspace& ws);        // (6)
void hand_out_response(const AssemblySolveInput& in, int node, AssemblySolveWorkspace& ws);  // (3), (4)

}  // namespace linchpin
