#include "linchpin/control/frame_task.h"

#include <cmath>

#include "linchpin/base/check.h"
#include "linchpin/dynamics/tree/mechanics.h"

namespace linchpin {
namespace {

constexpr Vec3<double> nothing{0, 0, 0}, x_axis{1, 0, 0}, y_axis{0, 1, 0}, z_axis{0, 0, 1};

}  // namespace

std::vector<Row> pose_rows() {
  return {{x_axis, nothing}, {y_axis, nothing}, {z_axis, nothing},
          {nothing, x_axis}, {nothing, y_axis}, {nothing, z_axis}};
}
std::vector<Row> position_rows() { return {{nothing, x_axis}, {nothing, y_axis}, {nothing, z_axis}}; }
std::vector<Row> orientation_rows() { return {{x_axis, nothing}, {y_axis, nothing}, {z_axis, nothing}}; }
Row position_row(const Vec3<double>& direction) { return {nothing, direction}; }
Row orientation_row(const Vec3<double>& axis) { return {axis, nothing}; }

Node node_at(const Model& model, std::string_view frame) {
  const int index = model.find_frame(frame);
  check(index >= 0, "no frame '", frame, "' among the ", model.frames().size(), " of model '", model.name(), "'");
  const Frame& f = model.frames()[index];
  return {f.body, f.X_BF};
}

Transform<double> node_pose(const Model& model, const Kinematics<double>& kin, const Node& node) {
  return body_pose(model, kin, node.body) * node.X_BN;
}

void check_rows(const Model& model, std::size_t index, const Node& node, const std::vector<Row>& rows) {
  check(node.body >= 0 && std::size_t(node.body) < model.bodies().size(), "task ", index, " is on body ", node.body,
        ", the model has ", model.bodies().size());
  const Mat3<double>& R = node.X_BN.R;
  const Mat3<double> one = Mat3<double>{transpose_times(R, R.x), transpose_times(R, R.y), transpose_times(R, R.z)};
  const double off = norm(one.x - x_axis) + norm(one.y - y_axis) + norm(one.z - z_axis);
  check(off < 1e-6 && std::isfinite(norm(node.X_BN.p)), "the frame of task ", index, " is off a rotation by ", off,
        ", or its origin not finite: ", norm(node.X_BN.p));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double length = std::hypot(norm(rows[i].n), norm(rows[i].f));
    check(length > 0 && std::isfinite(length), "row ", i, " of task ", index, " has length ", length);
  }
}

}  // namespace linchpin
