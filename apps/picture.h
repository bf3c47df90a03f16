// A run as one picture: the mechanism seen from the side at several times, faint when early and dark when late; or,
// where it stays in one place, side by side and all alike.
//
// The view is along +y, x to the right and z up, or from above, y up. Shapes are drawn as their outlines (a box as the
// hull of its corners, a mesh triangle by triangle); where a body has none, its joints are joined by lines, so that
// every mechanism shows.
#pragma once

#include <string>
#include <vector>

#include "linchpin/dynamics/tree/kinematics.h"
#include "linchpin/model/state.h"

namespace linchpin {

class Picture {
 public:
  enum class View { side, above };
  explicit Picture(const Model& model, View view = View::side);
  // Adds an exposure, drawn `aside` (m) to the right of its position, together with the shapes of the world.
  void expose(const State& state, double aside = 0);
  void single_out(int body) { singled_out_ = body; }  // in another colour, in exposures to come
  std::size_t exposures() const { return exposures_.size(); }
  enum class Light { fading, even };
  std::string svg(const std::string& caption, Light light = Light::fading) const;
  // Every exposure in a panel of its own, in rows of so many, each with its caption, all seen from the same place.
  std::string panels(const std::vector<std::string>& captions, int columns) const;

 private:
  struct Point {
    double x, z;  // to the right, up
  };
  Point seen(const Vec3<double>& p) const { return {p.x, view_ == View::side ? p.z : p.y}; }
  // A stroke of some width with round ends, a filled outline, or a disc (one point with a width).
  struct Mark {
    std::vector<Point> points;
    double width;
    bool filled;
    bool singled_out = false;
  };
  using Exposure = std::vector<Mark>;
  // The visible region, m, and the scale in units per metre.
  struct Window {
    double left, right, low, high, scale, hairline;
    double height() const { return (high - low) * scale; }
  };
  Window window(double width) const;
  static std::string drawn(const Mark& mark, const Window& view, const char* colour, double opacity);
  void draw(const GeometrySpec& geometry, const Transform<double>& X_WB, Exposure& out) const;

  const Model& model_;
  View view_;
  Plan<double> plan_;
  Kinematics<double> kin_;
  std::vector<Exposure> exposures_;
  Exposure world_, ground_;  // shapes of the world; and their copies for all exposures aside
  int singled_out_ = -1;
};

}  // namespace linchpin
