// The contacts for which no contact mode is consistent. Internal to sim/.
//
// They are those in touch that act on the row whose condition could not be met, directly or through others: two rows
// act on each other where W of mode_dynamics.h, (1), is not zero. Contacts elsewhere are not to blame. Where rows
// contradict each other (prescribed motion into a wall), the search begins at the closed contacts and limits that move
// all the same.
#pragma once

#include <span>
#include <vector>

#include "linchpin/sim/event_driven/mode_choice.h"

namespace linchpin {

class WithoutMode {
 public:
  explicit WithoutMode(const StepPlan& plan) : plan_(plan) {}
  // So that find() does not allocate.
  void reserve(std::size_t contacts, std::size_t blocks);
  // fault: the condition that is left, with the forces of all rows.
  void find(const Mode& mode, const ModeForces& forces, const ModeFault& fault);

  std::span<const ContactReport> contacts() const {
    return contacts_;
  }                                   // without forces, in rising order of their keys
  int body() const { return body_; }  // at the condition that is left

 private:
  void mark(const ModeForces& forces, int row);
  void mark_contradictions(const Mode& mode, const ModeForces& forces);
  void spread(const ModeForces& forces);
  int body_at(const Mode& mode, const ModeFault& fault) const;

  const StepPlan& plan_;
  std::vector<char> reached_;  // by block of rows
  std::vector<int> order_;     // of the contacts listed
  std::vector<ContactReport> contacts_;
  int body_ = -1;
};

}  // namespace linchpin
