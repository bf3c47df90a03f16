// Inverse kinematics: a configuration, within the joints' limits, at which frames have given poses.
//
// Least squares of rows r of each frame's error e = (log(R_d R'), p_d - p), in the world's or in the goal's axes,
//     minimise |r(q)|^2 / 2 over lower <= q <= upper,    r(q (+) p) ~ r - J p                                      (1)
// J is exact, including the derivative of the logarithm, so that single rows of a rotation may be chosen. Steps are
// those of Levenberg and Marquardt on the free coordinates F, in the space of the rows, whose size does not grow with
// n,
//     p_F = J_F' (J_F J_F' + mu)^-1 (r - J_B p_B),    p_B to the limit                                            (2)
// A coordinate that a step would take beyond its limit joins the bound set B, and the step is computed again: every
// iterate is inside the limits. Radians and metres of joints count alike. One-axis coordinates have limits; limits of
// ball and free joints are ignored.
//
// The iteration ends when no step improves. Either the goal is met, or the report says by how much it is missed, by
// which goal, and which limits are active. Another configuration may still meet it: `restarts` tries other initial
// configurations, which depend only on their number.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "linchpin/control/frame_task.h"

namespace linchpin {

struct FrameGoal {
  Node node;
  std::vector<Row> rows = pose_rows();
  Axes axes = Axes::world;  // of the rows; `node` means the goal's axes
  double weight = 1;        // of the rows, relative to other goals
};

struct InverseKinematicsOptions {
  double tolerance = 1e-9;   // rad, m: largest error of a row of length 1 if the goal is met
  int max_iterations = 300;  // per start. Reachable goals take about ten; at the boundary of the workspace, fifty
  int restarts = 0;
};

enum class InverseKinematicsStatus {
  reached,
  not_reached,      // no step improves
  iteration_limit,  // more iterations might improve
};

struct GoalError {
  double rotation = 0, position = 0;  // rad, m: of purely angular rows, and of all others, scaled to length 1
};

struct InverseKinematicsReport {
  InverseKinematicsStatus status = InverseKinematicsStatus::not_reached;
  int iterations = 0;                 // of all starts
  int start = 0;                      // the start that gave the result
  std::span<const GoalError> errors;  // per goal; valid until the next call
  int worst_goal = -1;                // if not reached: the one with the largest error
  std::span<const int> limits;        // if not reached: velocity coordinates at active limits, by decreasing gradient;
                                      //   valid until the next call
  bool ok() const { return status == InverseKinematicsStatus::reached; }
};

// Holds precomputed data and workspaces only; only the constructor allocates. The model must outlive it.
class InverseKinematics {
 public:
  InverseKinematics(const Model& model, std::vector<FrameGoal> goals, const InverseKinematicsOptions& options = {});
  InverseKinematics(const Model&&, std::vector<FrameGoal>, const InverseKinematicsOptions& = {}) = delete;
  ~InverseKinematics();
  InverseKinematics(InverseKinematics&&) noexcept;
  InverseKinematics& operator=(InverseKinematics&&) noexcept;

  // q is the initial configuration, clamped to the limits, and becomes the best one found. X_WN: one pose per goal.
  InverseKinematicsReport solve(std::span<const Transform<double>> X_WN, std::span<double> q);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace linchpin
