// Sleep: islands that have been at rest for long enough stand still until something touches or pushes them. Internal to
// sim/.
//
// An island is a set of trees joined by contacts, springs or loops. It sleeps if all its trees have been slower than
// options.sleep_speed for options.sleep_after and no force, torque or actuator acts on them. A body that comes near
// becomes a member of the island, which thereby wakes up.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linchpin/geometry/scene/islands.h"
#include "linchpin/sim/time_stepping/interval.h"
#include "linchpin/sim/time_stepping/step_plan.h"

namespace linchpin {

class Sleep {
 public:
  explicit Sleep(const StepPlan& plan);

  // Before the first interval of a step: nothing sleeps.
  void wake_all();

  // Decides which trees sleep, given all contacts found; returns how many do. Sets the velocities of those in `at` to
  // zero and updates `placed`.
  int find(const Inputs& inputs, const ClosedChain* chain, std::span<const Contact> contacts, Arrival& at,
           Placed& placed);
  // Removes contacts between sleeping links, which need no rows.
  void drop_contacts(std::vector<Contact>& contacts) const;
  // Counts the time that each tree has been at rest, at the end of a step.
  void count_rest(Arrival& at) const;

  std::span<const char> trees() const { return asleep_; }

 private:
  void join_trees(const ClosedChain* chain, std::span<const Contact> contacts);
  bool is_pushed(int tree, const Inputs& inputs) const;

  const StepPlan& plan_;
  std::vector<char> asleep_;  // per tree
  Islands islands_;
  std::vector<std::uint8_t> never_fixed_;
  std::vector<BodyPair> joined_;
};

}  // namespace linchpin
