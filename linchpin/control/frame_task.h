// Tasks of frames: a frame of the mechanism, the directions of its motion that are controlled, and a priority.
//
// A row r = (r_w, r_v) stands for the component r_w . alpha + r_v . a of the node's acceleration: angular, and
// classical of its origin (docs/notation.md). Six-vectors of the interface are in the world's axes, about the node's
// origin; rows are in the world's axes or in the node's own.
#pragma once

#include <string_view>
#include <vector>

#include "linchpin/dynamics/compliance/compliance.h"
#include "linchpin/dynamics/tree/kinematics.h"

namespace linchpin {

enum class Axes { world, node };

using Row = Force<double>;  // dual to a motion: n its angular, f its linear part

std::vector<Row> pose_rows();         // six: angular x y z, linear x y z
std::vector<Row> position_rows();     // three
std::vector<Row> orientation_rows();  // three
Row position_row(const Vec3<double>& direction);
Row orientation_row(const Vec3<double>& axis);

struct FrameTask {
  Node node;
  std::vector<Row> rows = pose_rows();
  // Of the rows. In the node's axes: components of its acceleration, not rates of components of its velocity.
  Axes axes = Axes::world;
  int level = 0;         // 0 has the highest priority; a level acts in the null space of those before it
  bool support = false;  // the environment may push back along the rows, as on a foot (operational_space.h)
};

// Demand on a task, in the world's axes; the task's rows select the components.
struct FrameDemand {
  Motion<double> acceleration = Motion<double>::zero();
  // Force of the node on its environment: all six components, independent of the rows.
  Force<double> exert = Force<double>::zero();
};

// Actual or desired pose, velocity and acceleration of a frame: in the world's axes, at the node's origin.
struct FrameMotion {
  Transform<double> X_WN = Transform<double>::identity();
  Motion<double> velocity = Motion<double>::zero(), acceleration = Motion<double>::zero();
};

// A frame of the model by name; an unknown name fails a check.
Node node_at(const Model& model, std::string_view frame);

// X_WN; kin must be up to date.
Transform<double> node_pose(const Model& model, const Kinematics<double>& kin, const Node& node);

// A row in the world's axes.
inline Row row_in_world(const Row& row, Axes axes, const Mat3<double>& R_WN) {
  return axes == Axes::world ? row : Row{R_WN * row.n, R_WN * row.f};
}
// A row in the node's axes.
inline Row row_in_node(const Row& row, Axes axes, const Mat3<double>& R_WN) {
  return axes == Axes::node ? row : Row{transpose_times(R_WN, row.n), transpose_times(R_WN, row.f)};
}

// Fails a check if the node is on no body of the model, its frame is not a pose, or a row is zero or not finite.
void check_rows(const Model& model, std::size_t index, const Node& node, const std::vector<Row>& rows);

}  // namespace linchpin
