#include "apps/picture.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "linchpin/dynamics/tree/mechanics.h"
#include "linchpin/geometry/shapes/height_grid.h"
#include "linchpin/geometry/shapes/hull.h"
#include "linchpin/geometry/shapes/mesh.h"

namespace linchpin {
namespace {

template <class... Cases>
struct Overload : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overload(Cases...) -> Overload<Cases...>;

constexpr double horizon = 50;  // m: how far a half-space is drawn

// The convex hull, by Andrew's monotone chain.
template <class Point>
std::vector<Point> hull(std::vector<Point> points) {
  std::sort(points.begin(), points.end(),
            [](const Point& a, const Point& b) { return a.x != b.x ? a.x < b.x : a.z < b.z; });
  const auto left_turn = [](const Point& a, const Point& b, const Point& c) {
    return (b.x - a.x) * (c.z - a.z) - (b.z - a.z) * (c.x - a.x) > 0;
  };
  std::vector<Point> out;
  for (int side = 0; side < 2; ++side) {
    const std::size_t start = out.size();
    for (const Point& p : points) {
      while (out.size() >= start + 2 && !left_turn(out[out.size() - 2], out.back(), p)) out.pop_back();
      out.push_back(p);
    }
    out.pop_back();
    std::reverse(points.begin(), points.end());
  }
  return out;
}

}  // namespace

Picture::Picture(const Model& model, View view) : model_(model), view_(view), plan_(model), kin_(plan_) {
  for (const GeometrySpec& geometry : model.bodies()[0].geometry) draw(geometry, Transform<double>::identity(), world_);
  ground_ = world_;
}

void Picture::draw(const GeometrySpec& geometry, const Transform<double>& X_WB, Exposure& out) const {
  const Transform<double> X = X_WB * geometry.X_BG;
  const auto seen = [&](const Vec3<double>& p) { return this->seen(X * p); };
  const auto fill = [&](const std::vector<Point>& points) { out.push_back({hull(points), 0, true}); };
  const auto add_ring = [&](std::vector<Point>& points, double rx, double ry, double z) {
    for (int k = 0; k < 24; ++k) {
      const double t = k * std::numbers::pi / 12;
      points.push_back(seen({rx * std::cos(t), ry * std::sin(t), z}));
    }
  };
  std::visit(
      Overload{[&](const Sphere& s) {
                 out.push_back({{seen({0, 0, 0})}, 2 * s.radius, true});
               },
               [&](const Capsule& c) {
                 out.push_back({{seen({0, 0, -c.half_length}), seen({0, 0, c.half_length})}, 2 * c.radius, false});
               },
               [&](const Box& b) {
                 std::vector<Point> corners;
                 for (int k = 0; k < 8; ++k)
                   corners.push_back(seen(
                       {k & 1 ? b.half.x : -b.half.x, k & 2 ? b.half.y : -b.half.y, k & 4 ? b.half.z : -b.half.z}));
                 fill(corners);
               },
               [&](const Cylinder& c) {
                 std::vector<Point> rims;
                 for (const double z : {-c.half_length, c.half_length}) add_ring(rims, c.radius, c.radius, z);
                 fill(rims);
               },
               [&](const Ellipsoid& e) {
                 std::vector<Point> rings;
                 for (int k = 0; k <= 12; ++k) {
                   const double t = k * std::numbers::pi / 12, r = std::sin(t);
                   add_ring(rings, e.radii.x * r, e.radii.y * r, e.radii.z * std::cos(t));
                 }
                 fill(rings);
               },
               [&](const Cone& c) {
                 std::vector<Point> points{seen({0, 0, c.half_length})};
                 add_ring(points, c.radius, c.radius, -c.half_length);
                 fill(points);
               },
               [&](const HalfSpace&) {
                 if (view_ == View::above) return;  // the ground is below everything
                 std::vector<Point> corners;
                 for (const double x : {-horizon, horizon})
                   for (const double y : {-horizon, horizon})
                     for (const double z : {-horizon, 0.0}) corners.push_back(seen({x, y, z}));
                 fill(corners);
               },
               [&](const ConvexHull& h) {
                 std::vector<Point> points;
                 for (const Vec3<double>& p : h.hull->vertices) points.push_back(seen(p));
                 fill(points);
               },
               [&](const Mesh& m) {
                 for (const std::array<int, 3>& t : m.mesh->triangles) {
                   std::vector<Point> points;
                   for (const int v : t) points.push_back(seen(m.mesh->vertices[v]));
                   fill(points);
                 }
               },
               [&](const HeightField& f) {
                 for (int row = 0; row + 1 < f.grid->rows; ++row)
                   for (int column = 0; column + 1 < f.grid->columns; ++column) {
                     std::vector<Point> points;
                     for (const int r : {row, row + 1})
                       for (const int c : {column, column + 1}) points.push_back(seen(f.grid->point(c, r)));
                     fill(points);
                   }
               },
               [&](const Compound& c) {
                 for (const PlacedShape& part : *c.parts) draw({"", part.shape, part.X_SP}, X, out);
               }},
      geometry.shape);
}

void Picture::expose(const State& state, double aside) {
  kinematics<double>(plan_, state.q, kin_);
  Exposure marks;
  std::vector<Transform<double>> pose;
  for (std::size_t b = 0; b < model_.bodies().size(); ++b) pose.push_back(body_pose(model_, kin_, static_cast<int>(b)));
  for (std::size_t b = 1; b < model_.bodies().size(); ++b) {
    const std::size_t first = marks.size();
    for (const GeometrySpec& geometry : model_.bodies()[b].geometry) draw(geometry, pose[b], marks);
    for (std::size_t k = first; k < marks.size(); ++k) marks[k].singled_out = int(b) == singled_out_;
  }
  for (const Joint& joint : model_.joints()) {  // bodies without a shape: from their own joint to the ones they carry
    const Body& parent = model_.bodies()[joint.parent];
    if (!parent.geometry.empty() || joint.parent == 0) continue;
    const Vec3<double> from = pose[joint.parent].p;
    const Vec3<double> to = (pose[joint.parent] * joint.spec.X_PF).p;
    marks.push_back({{seen(from), seen(to)}, 0, false});
  }
  const auto move = [&](Exposure& all) {
    for (Mark& mark : all)
      for (Point& p : mark.points) p.x += aside;
  };
  move(marks);
  exposures_.push_back(std::move(marks));
  if (aside == 0) return;
  Exposure ground = world_;
  move(ground);
  ground_.insert(ground_.end(), ground.begin(), ground.end());
}

Picture::Window Picture::window(double width) const {
  double left = std::numeric_limits<double>::infinity(), right = -left, low = left, high = -left;
  for (const Exposure& exposure : exposures_)
    for (const Mark& mark : exposure)
      for (const Point& p : mark.points) {
        left = std::min(left, p.x - mark.width / 2);
        right = std::max(right, p.x + mark.width / 2);
        low = std::min(low, p.z - mark.width / 2);
        high = std::max(high, p.z + mark.width / 2);
      }
  if (!(left <= right)) left = low = -1, right = high = 1;
  const double size = std::max({right - left, high - low, 1e-9}), margin = 0.05 * size;
  left -= margin, right += margin, low -= margin, high += margin;
  const double scale = width / (right - left);
  return {left, right, low, high, scale, std::max(1.5 / scale, 0.004 * size)};
}

std::string Picture::drawn(const Mark& mark, const Window& view, const char* colour, double opacity) {
  const auto x = [&](const Point& p) { return (p.x - view.left) * view.scale; };
  const auto y = [&](const Point& p) { return (view.high - p.z) * view.scale; };
  const double width = std::max(mark.width, mark.filled ? 0 : view.hairline) * view.scale;
  if (mark.points.size() == 1)
    return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" fill=\"{}\" fill-opacity=\"{:.2f}\"/>\n",
                       x(mark.points[0]), y(mark.points[0]), width / 2, colour, opacity);
  std::string points;
  for (const Point& p : mark.points) points += fmt::format("{:.1f},{:.1f} ", x(p), y(p));
  if (mark.filled)
    return fmt::format("<polygon points=\"{}\" fill=\"{}\" fill-opacity=\"{:.2f}\"/>\n", points, colour, opacity);
  return fmt::format(
      "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:.1f}\" "
      "stroke-linecap=\"round\" stroke-opacity=\"{:.2f}\"/>\n",
      points, colour, width, opacity);
}

namespace {

constexpr double page_width = 720;
constexpr const char* earth = "#d9d5cb";

std::string page(double height) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {:.0f}\" font-family=\"sans-serif\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fbfaf7\"/>\n",
      page_width, height);
}

std::string escaped(const std::string& caption) {
  std::string text;
  for (const char c : caption) text += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
  return text;
}

// The id has the size in it: on a page with several pictures, equal ids are equal frames.
std::string begin_frame(double width, double height) {
  return fmt::format(
      "<clipPath id=\"frame{0:.0f}x{1:.0f}\"><rect width=\"{0:.0f}\" height=\"{1:.0f}\"/></clipPath><g "
      "clip-path=\"url(#frame{0:.0f}x{1:.0f})\">\n",
      width, height);
}

// A scale bar.
std::string yardstick(double metres_across, double scale, double y) {
  const double unit = std::pow(10, std::floor(std::log10(metres_across / 3)));
  return fmt::format(
      "<path d=\"M{:.1f} {:.0f}h{:.1f}\" stroke=\"#444\" stroke-width=\"2\"/><text x=\"{:.1f}\" y=\"{:.0f}\" "
      "font-size=\"11\" text-anchor=\"end\" style=\"fill:#444\">{:g} m</text>\n",
      page_width - 20 - unit * scale, y, unit * scale, page_width - 26 - unit * scale, y + 4, unit);
}

}  // namespace

std::string Picture::svg(const std::string& caption, Light light) const {
  const Window seen = window(page_width);
  const double height = seen.height();
  std::string out = page(height + 36) + begin_frame(page_width, height);
  for (const Mark& mark : ground_) out += drawn(mark, seen, earth, 1);
  for (std::size_t k = 0; k < exposures_.size(); ++k) {
    const double age = exposures_.size() == 1 ? 1 : static_cast<double>(k) / static_cast<double>(exposures_.size() - 1);
    const bool last = k + 1 == exposures_.size();
    for (const Mark& mark : exposures_[k]) {
      if (light == Light::even)
        out += drawn(mark, seen, mark.singled_out ? "#b5432e" : "#1f4e79", mark.singled_out ? 0.75 : 0.5);
      else
        out += drawn(mark, seen, last != mark.singled_out ? "#b5432e" : "#1f4e79", 0.08 + 0.77 * age * age);
    }
  }
  out += fmt::format("</g>\n<text x=\"12\" y=\"{:.0f}\" font-size=\"13\" style=\"fill:#444\">{}</text>\n", height + 23,
                     escaped(caption));
  return out + yardstick(seen.right - seen.left, seen.scale, height + 16) + "</svg>\n";
}

std::string Picture::panels(const std::vector<std::string>& captions, int columns) const {
  constexpr double gap = 8, below = 20;  // between panels; for a caption
  const double width = (page_width - gap * (columns + 1)) / columns;
  const Window seen = window(width);
  const double height = seen.height();
  const std::size_t across = std::size_t(columns), rows = (exposures_.size() + across - 1) / across;
  std::string out = page(gap + double(rows) * (height + below + gap) + below);
  for (std::size_t k = 0; k < exposures_.size(); ++k) {
    const double x = gap + double(k % across) * (width + gap), y = gap + double(k / across) * (height + below + gap);
    out += fmt::format("<g transform=\"translate({:.1f} {:.1f})\">\n", x, y) + begin_frame(width, height);
    out += fmt::format("<rect width=\"{:.1f}\" height=\"{:.1f}\" fill=\"#ffffff\"/>\n", width, height);
    for (const Mark& mark : ground_) out += drawn(mark, seen, earth, 1);
    for (const Mark& mark : exposures_[k]) out += drawn(mark, seen, mark.singled_out ? "#b5432e" : "#1f4e79", 0.75);
    out += fmt::format("</g>\n<text x=\"2\" y=\"{:.0f}\" font-size=\"12\" style=\"fill:#444\">{}</text></g>\n",
                       height + 14, k < captions.size() ? escaped(captions[k]) : "");
  }
  return out + yardstick(seen.right - seen.left, seen.scale, gap + double(rows) * (height + below + gap) + 4) +
         "</svg>\n";
}

}  // namespace linchpin
