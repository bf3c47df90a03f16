// The rows of one step, the owner of each block, and the forces remembered across steps for the warm start.
#pragma once

#include <span>
#include <vector>

#include "linchpin/contact/contact_set.h"
#include "linchpin/contact/joint_rows.h"
#include "linchpin/dynamics/loops/constraint_rows.h"
#include "linchpin/model/state.h"

namespace linchpin {

struct RowOwner {
  enum class Kind : std::uint32_t { contact, limit, dry_friction, servo, spring, loop, sway, damper };
  Kind kind;
  int index;  // by kind: index of the contact, limit, coordinate, actuator, spring, or first row of the loops; of a
              // sway the spring, of a damper the coordinate
};

struct StepRows {
  Rows rows;
  std::vector<RowOwner> owner;  // per block

  void clear();
  void add_owner(RowOwner::Kind kind, int index) { owner.push_back({kind, index}); }
};

// Adds the loop constraints as one block of free rows: gdot = J v+ + drift + change = 0. change: by row, empty for 0.
void add_loop_rows(const ConstraintPlan& plan, const ConstraintRows& loops, std::span<const double> change,
                   StepRows& out);

// Warm start: the guess of an impulse is h times the force of the last step (State::memory), zero for a new row.
// Returns whether any row was known.
bool guess_impulses(const StepRows& rows, std::span<const Contact> contacts, std::span<const RowMemory> memory,
                    double h, std::span<double> impulses);
// Stores the forces impulses / h in memory, for guess_impulses() of the next step.
void remember(const StepRows& rows, std::span<const Contact> contacts, std::span<const double> impulses, double h,
              std::vector<RowMemory>& memory);

// The memory of a contact that carried a force in the last step; null for others.
const RowMemory* memory_of(const Contact& contact, std::span<const RowMemory> memory);
inline bool carried_force(const Contact& contact, std::span<const RowMemory> memory) {
  return memory_of(contact, memory) != nullptr;
}
// The joint limit that a remembered force belongs to, or -1.
int limit_of(const RowMemory& row);

// w = J v, by row, from the velocities of links.
void row_velocities(const Rows& rows, const Velocities& vel, std::span<double> w);

}  // namespace linchpin
