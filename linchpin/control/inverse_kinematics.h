// Inverse kinematics: a configuration, within the joints' limits, in which frames are where they are wanted.
//
// Rows r of a frame's error e = (log(R_d R'), p_d - p), in the world's or in the goal's axes, are made least squares,
//     minimise |r(q)|^2 / 2 over lower <= q <= upper,    r(q (+) p) ~ r - J p                                      (1)
// J exact, the derivative of the logarithm included, so that rows of rotations may be picked too. Steps are Levenberg's
// and Marquardt's on the coordinates that are free to move, in the space of the rows, which does not grow with n,
//     p_F = J_F' (J_F J_F' + mu)^-1 (r - J_B p_B),    p_B to the limit                                            (2)
// a coordinate that a step would take beyond its limit joins B and the step is made again: every iterate is inside.
// Radians and metres of joints count alike. One-axis coordinates have limits; ball and free joints have none here.
//
// Where it ends, no step improves: the goal is met, or the report says by how much it is missed, by which goal, and
// which limits press. There may be another configuration that meets it: `restarts` looks, from places that depend on
// nothing but their number.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "linchpin/control/frame_task.h"

namespace linchpin {

struct FrameGoal {
  Node node;
  std::vector<Row> rows = all_rows();
  Axes axes = Axes::world;  // of the rows; `node` means the goal's own axes
  double weight = 1;        // of the rows, as lengths, beside those of other goals
};

struct InverseKinematicsOptions {
  double tolerance = 1e-9;   // rad, m: of each row of length 1, of a goal that is met
  int max_iterations = 300;  // of each start. Goals within reach take about ten; on the border of reach, fifty
  int restarts = 0;
};

enum class InverseKinematicsStatus {
  reached,
  not_reached,      // no step improves
  iteration_limit,  // it might with more
};

struct GoalError {
  double rotation = 0, position = 0;  // rad, m: of the rows that turn, and of all others, each taken at length 1
};

struct InverseKinematicsReport {
  InverseKinematicsStatus status = InverseKinematicsStatus::not_reached;
  int iterations = 0;                 // of all starts
  int start = 0;                      // which start the result is from
  std::span<const GoalError> errors;  // per goal; until the next call
  int worst_goal = -1;                // not reached: the one that is missed most
  std::span<const int> limits;        // not reached: velocity coordinates whose limits stand in the way, the strongest
                                      //   first; until the next call
  bool ok() const { return status == InverseKinematicsStatus::reached; }
};

// Holds plans and workspaces only; nothing but the constructor allocates. The model must outlive it.
class InverseKinematics {
 public:
  InverseKinematics(const Model& model, std::vector<FrameGoal> goals, const InverseKinematicsOptions& options = {});
  ~InverseKinematics();
  InverseKinematics(InverseKinematics&&) noexcept;
  InverseKinematics& operator=(InverseKinematics&&) noexcept;

  // q is the start, moved into the limits, and becomes the result: the best that was found. X_WN: one pose a goal.
  InverseKinematicsReport solve(std::span<const Transform<double>> X_WN, std::span<double> q);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace linchpin
