// A run as one picture: the mechanism seen from the side at several times, faint when early and dark when late; or,
// where it stays in one place, side by side and all alike.
//
// The view is along +y: x to the right, z up. Shapes are drawn as their outlines (a box as the hull of its corners, a mesh triangle by triangle);
// where a body has none, its joints are joined by lines, so that every mechanism shows.
#pragma once

#include <string>
#include <vector>

#include "linchpin/dynamics/kinematics.h"
#include "linchpin/model/state.h"

namespace linchpin {

class Picture {
 public:
  explicit Picture(const Model& model);
  // One exposure more; drawn this far to the right of where it is, m.
  void expose(const State& state, double aside = 0);
  void single_out(int body) { singled_out_ = body; }  // in another colour, in exposures to come
  std::size_t exposures() const { return exposures_.size(); }
  enum class Light { fading, even };
  std::string svg(const std::string& caption, Light light = Light::fading) const;

 private:
  struct Point {
    double x, z;
  };
  // A stroke of some width with round ends, a filled outline, or a disc (one point with a width).
  struct Mark {
    std::vector<Point> points;
    double width;
    bool filled;
    bool singled_out = false;
  };
  using Exposure = std::vector<Mark>;
  void draw(const GeometrySpec& geometry, const Transform<double>& X_WB, Exposure& out) const;

  const Model& model_;
  Plan<double> plan_;
  Kinematics<double> kin_;
  std::vector<Exposure> exposures_;
  Exposure ground_;
  int singled_out_ = -1;
};

}  // namespace linchpin
