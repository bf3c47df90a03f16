// A joint of any type of spec.h except free: frame F on body a, M on body b, axes in F. Rows are of two kinds,
//     n . (x_M - x_F) = 0                 n an axis of F                                                          (1)
//     u_F . u_M = its value at zero       an axis of each                                                         (2)
// and a third kind for screws. Some rotations by half a turn satisfy (2) as well, so start near the intended position.
#pragma once

#include <vector>

#include "linchpin/black_box/black_box.h"
#include "linchpin/model/spec.h"

namespace linchpin {

class JointConstraint final : public AnyConstraint {
 public:
  // Uses type, X_PF (on a), X_CM (on b), axis, axis2 and pitch of the spec; ignores the names.
  explicit JointConstraint(const JointSpec& joint);
  int rows() const override { return int(along_.size() + turns_.size()) + (screw_ ? 1 : 0); }
  void evaluate(double t, std::span<const BodyView> on, const RowBlocks& out) const override;

 private:
  struct Turn {
    Vec3<double> F, M;  // on the bodies
    double at_zero;
  };
  Vec3<double> p_F_, p_M_;           // on the bodies
  std::vector<Vec3<double>> along_;  // on a
  std::vector<Turn> turns_;
  bool screw_ = false;
  double pitch_ = 0;
  Mat3<double> F_, M_;  // axes on the bodies with z along the joint's axis, for the angle of a screw
};

}  // namespace linchpin
