// The rows of one step, who each block belongs to, and what is remembered of them from step to step.
#pragma once

#include <span>
#include <vector>

#include "linchpin/contact/contact_set.h"
#include "linchpin/contact/joint_rows.h"
#include "linchpin/dynamics/loops/constraint_rows.h"
#include "linchpin/model/state.h"

namespace linchpin {

struct RowOwner {
  enum class Kind : std::uint32_t { contact, limit, dry_friction, servo, spring, loop };
  Kind kind;
  int index;  // of the contact, the limit, the coordinate, the actuator, the spring, the first row of the loops
};

struct StepRows {
  Rows rows;
  std::vector<RowOwner> owner;  // per block

  void clear();
  void add_owner(RowOwner::Kind kind, int index) { owner.push_back({kind, index}); }
};

// Constraints of the tree as one block of free rows: gdot = J v+ + drift = 0.
void add_loop_rows(const ConstraintPlan& plan, const ConstraintRows& loops, StepRows& out);

// The forces of the last step (State::memory), times h, as a guess of these rows' impulses: zero where a row is new.
// Returns whether any was known.
bool guess_impulses(const StepRows& rows, std::span<const Contact> contacts, std::span<const RowMemory> memory,
                    double h, std::span<double> impulses);
// The other way: what is to be remembered of these impulses.
void remember(const StepRows& rows, std::span<const Contact> contacts, std::span<const double> impulses, double h,
              std::vector<RowMemory>& memory);

// J v of every row, from the velocities of links.
void row_velocities(const Rows& rows, const Velocities& vel, std::span<double> w);

}  // namespace linchpin
