// Which contacts and joint limits of an interval get rows. Internal to sim/.
//
// A row that carries no impulse must not change the motion, not by a bit in any formulation. So a contact or limit gets
// a row only if
//     it would close: the free motion goes beyond it, or it touches and carried a force in the last step, or      (1)
//     its island is loaded: by contacts and limits of (1), loops, springs, or dry friction; an island consists of
//     trees joined by contacts that touch or may touch                                                            (2)
// It is idle otherwise. If the rows of a tree turn out to carry no impulse, the tree is released: it moves freely, and
// they become idle. This does not change the other trees. The motion is then checked against idle contacts: one that it
// closes gets a row, and the interval is solved again (missed_contacts.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linchpin/geometry/scene/islands.h"
#include "linchpin/sim/time_stepping/forces.h"
#include "linchpin/sim/time_stepping/interval.h"
#include "linchpin/sim/time_stepping/step_plan.h"

namespace linchpin {

class ActiveRows {
 public:
  explicit ActiveRows(const StepPlan& plan);

  // Begins an interval: no contact has to have a row.
  void clear_required();
  // A contact that was missed: it has a row in all further attempts at this interval.
  void require(const Contact& contact);
  bool is_required(const Contact& contact) const;
  std::span<const ContactKey> required() const { return required_; }

  // True if each tree with a contact, or near a limit, carried a load in the last step, at a contact that still touches
  // or at a limit. All contacts and near limits then have rows, and the free motion need not be known.
  bool all_loaded(const Interval& interval);

  // Decides by the free motion. Contacts that are marked already stay idle.
  void choose(const Interval& interval, const FreeMotion& free, IdleRows& idle);

  // Finds the trees that have rows of which none carries an impulse. Returns whether there are any.
  bool find_released(const Interval& interval, const Solved& solved);
  // Makes them move freely in `solved`, and their contacts and limits idle; but for trees that would pass a limit so.
  void release(const Interval& interval, const FreeMotion& free, IdleRows& idle, Solved& solved);

 private:
  void keep_at_limits(const Interval& interval, const FreeMotion& free);
  int link_of(const JointLimit& limit) const { return plan_.joints.link[limit.coordinate]; }
  void mark(int link_a, int link_b, std::vector<char>& trees) const;
  bool all_marked(int link_a, int link_b, const std::vector<char>& trees) const;
  bool any_marked(int link_a, int link_b, const std::vector<char>& trees) const;
  void load_islands(std::span<const Contact> contacts, std::span<const char> idle);
  void find_mean_motion(const Interval& interval, const FreeMotion& free);

  const StepPlan& plan_;
  std::vector<char> always_;             // per tree: has rows in every problem
  std::vector<char> loaded_, released_;  // per tree
  std::vector<ContactKey> required_;
  std::vector<char> closes_, limit_closes_;
  Islands islands_;
  std::vector<std::uint8_t> never_fixed_;
  std::vector<BodyPair> joined_;
  std::vector<double> v_mean_;
  Velocities vel_mean_;
};

}  // namespace linchpin
