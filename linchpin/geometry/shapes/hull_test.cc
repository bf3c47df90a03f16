#include "linchpin/geometry/shapes/hull.h"

#include <algorithm>
#include <limits>
#include <numbers>
#include <set>

#include <gtest/gtest.h>

#include "linchpin/base/compare_testing.h"
#include "linchpin/geometry/shapes/hull_support.h"
#include "linchpin/spatial/testing.h"

namespace linchpin {
namespace {

using Points = std::vector<Vec3<double>>;

constexpr double pi = std::numbers::pi;
constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();

// The volume by the divergence theorem, from the triangles of all faces.
double volume(const Hull& hull) {
  double six = 0;
  for (const Hull::Face& f : hull.faces)
    for (int i = 1; i + 1 < f.count; ++i) {
      const auto corner = [&](int k) { return hull.vertices[hull.corners[f.first + k]] - hull.centre; };
      six += dot(corner(0), cross(corner(i), corner(i + 1)));
    }
  return six / 6;
}

// Checks all invariants of a Hull (hull.h), from its definition only.
void expect_hull(const Hull& hull, const Points& points) {
  ASSERT_GE(hull.vertices.size(), 3u);
  EXPECT_EQ(hull.vertices.size() + hull.faces.size(), hull.edges.size() + 2);  // Euler
  const double size = 2 * hull.radius;
  // About six roundings of coordinates, which may be far from the origin.
  double far = size;
  for (const Vec3<double>& v : hull.vertices) far = std::max(far, norm(v));
  const double round = 8 * std::numeric_limits<double>::epsilon() * far;
  std::set<int> used;
  for (const Hull::Face& f : hull.faces) {
    EXPECT_NEAR(norm(f.normal), 1, 1e-14);
    ASSERT_GE(f.count, 3);
    EXPECT_LT(dot(f.normal, hull.centre), f.offset + round);
    // a merged face is plane up to the resolution of hull.h; deviations add up over several merges
    for (const Vec3<double>& v : hull.vertices) EXPECT_LE(dot(f.normal, v), f.offset + round);
    for (int i = 0; i < f.count; ++i) {
      const auto corner = [&](int k) { return hull.corners[f.first + k % f.count]; };
      const auto at = [&](int k) { return hull.vertices[corner(k)]; };
      used.insert(corner(i));
      EXPECT_GE(dot(f.normal, at(i)), f.offset - 20 * hull_resolution * size - round);
      const Vec3<double> along = at(i + 1) - at(i), next = at(i + 2) - at(i + 1);
      ASSERT_GT(norm(along), 0);
      const double turn = dot(f.normal, cross(along, next));  // convex: always to the left
      EXPECT_GE(turn, -20 * hull_resolution * size * norm(along));
    }
    for (const Vec3<double>& p : points) EXPECT_LE(dot(f.normal, p), f.offset + 20 * hull_resolution * size + round);
  }
  EXPECT_EQ(used.size(), hull.vertices.size());
  EXPECT_EQ(hull.about.size(), hull.corners.size());
  ASSERT_EQ(hull.first_about.size(), hull.vertices.size() + 1);
  for (std::size_t v = 0; v < hull.vertices.size(); ++v)
    for (int k = hull.first_about[v]; k < hull.first_about[v + 1]; ++k) {
      const Hull::Face& f = hull.faces[hull.about[k]];
      const auto first = hull.corners.begin() + f.first;
      EXPECT_EQ(std::count(first, first + f.count, int(v)), 1);
      EXPECT_TRUE(k == hull.first_about[v] || hull.about[k - 1] < hull.about[k]);
    }
  ASSERT_EQ(hull.sides.size(), hull.corners.size());
  for (const Hull::Face& f : hull.faces)
    for (int i = 0; i < f.count; ++i) {
      const int from = hull.corners[f.first + i], to = hull.corners[f.first + (i + 1) % f.count];
      const Hull::Edge& e = hull.edges[hull.sides[f.first + i]];
      EXPECT_EQ(std::minmax(from, to), std::minmax(e.from, e.to));
    }
  ASSERT_EQ(hull.edges_about.size(), hull.corners.size());
  for (std::size_t v = 0; v < hull.vertices.size(); ++v)
    for (int k = hull.first_about[v]; k < hull.first_about[v + 1]; ++k) {
      const int e = hull.edges_about[k];
      EXPECT_TRUE(hull.edges[e].from == int(v) || hull.edges[e].to == int(v));
      EXPECT_TRUE(k == hull.first_about[v] || hull.edges_about[k - 1] < e);
    }
  for (const Hull::Edge& e : hull.edges) {
    ASSERT_LT(e.from, e.to);
    ASSERT_NE(e.left, e.right);
    const auto has = [&](int face, int p, int q) {
      const Hull::Face& f = hull.faces[face];
      for (int i = 0; i < f.count; ++i)
        if (hull.corners[f.first + i] == p && hull.corners[f.first + (i + 1) % f.count] == q) return true;
      return false;
    };
    EXPECT_TRUE(has(e.left, e.from, e.to) && has(e.right, e.to, e.from));
    if (hull.flat) continue;
    // no two faces in one plane, and the edge is convex
    const Vec3<double>& n = hull.faces[e.left].normal;
    const Vec3<double> way = hull.vertices[e.to] - hull.vertices[e.from];
    EXPECT_GT(dot(way, cross(n, hull.faces[e.right].normal)), 0);
  }
  for (const Vec3<double>& v : hull.vertices) {
    EXPECT_LE(norm(v - hull.centre), hull.radius * (1 + 1e-15));
    EXPECT_TRUE(std::any_of(points.begin(), points.end(), [&](const Vec3<double>& p) {
      return distance(v, p) <= (hull.flat ? least_hull_thickness * size : 0);
    }));
  }
}
Hull hull_of(const Points& points) {
  auto hull = convex_hull(points);
  EXPECT_TRUE(hull.ok()) << hull.error().message;
  expect_hull(hull.value(), points);
  return hull.value();
}

Points moved(const Points& points, const Transform<double>& X, double scale) {
  Points out;
  for (const Vec3<double>& p : points) out.push_back(X * (scale * p));
  return out;
}
// All points of a lattice in a box, with n + 1 points along each side.
Points lattice(int n, Vec3<double> half = {1, 1, 1}) {
  Points points;
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j <= n; ++j)
      for (int k = 0; k <= n; ++k)
        points.push_back({half.x * (2.0 * i / n - 1), half.y * (2.0 * j / n - 1), half.z * (2.0 * k / n - 1)});
  return points;
}
Points prism(int sides, double half_length, int rings = 2) {
  Points points;
  for (int r = 0; r < rings; ++r)
    for (int i = 0; i < sides; ++i)
      points.push_back(
          {std::cos(2 * pi * i / sides), std::sin(2 * pi * i / sides), half_length * (2.0 * r / (rings - 1) - 1)});
  return points;
}
Points icosahedron() {
  const double g = std::numbers::phi;
  Points points;
  for (const double a : {-1.0, 1.0})
    for (const double b : {-g, g}) points.insert(points.end(), {{0, a, b}, {a, b, 0}, {b, 0, a}});
  return points;
}
Points on_sphere(RandomSpatial& random, int count) {
  Points points;
  for (int i = 0; i < count; ++i) points.push_back(random.direction());
  return points;
}

TEST(Hull, CubeWithAllItsMidpoints) {
  const Hull cube = hull_of(lattice(2));
  EXPECT_EQ(cube.vertices.size(), 8u);
  EXPECT_EQ(cube.faces.size(), 6u);
  EXPECT_EQ(cube.edges.size(), 12u);
  EXPECT_NEAR(volume(cube), 8, 1e-14);
  EXPECT_LT(norm(cube.centre), 1e-15);
  EXPECT_NEAR(cube.radius, std::sqrt(3), 1e-15);
  EXPECT_FALSE(cube.flat);
}

TEST(Hull, Icosahedron) {
  const Hull hull = hull_of(icosahedron());
  EXPECT_EQ(hull.faces.size(), 20u);
  EXPECT_NEAR(volume(hull), 5.0 / 12 * (3 + std::sqrt(5)) * 8, 1e-13);  // of edge 2
}

TEST(Hull, EverySizeAndPose) {
  RandomSpatial random(1);
  for (const double scale : {1e-3, 1.0, 1e3})
    for (int i = 0; i < 20; ++i) {
      const double s3 = scale * scale * scale;
      const Transform<double> X = random.pose(3 * scale);
      const Hull cube = hull_of(moved(lattice(3), X, scale));
      EXPECT_EQ(cube.faces.size(), 6u);
      EXPECT_EQ(cube.vertices.size(), 8u);
      EXPECT_NEAR(volume(cube), 8 * s3, 1e-13 * s3);
      EXPECT_LT(distance(cube.centre, X.p), 1e-14 * 10 * scale);
      EXPECT_EQ(hull_of(moved(icosahedron(), X, scale)).faces.size(), 20u);
    }
}

TEST(Hull, RandomPointsOnASphere) {
  RandomSpatial random(2);
  for (const int count : {4, 10, 50, 300}) {
    const Points points = on_sphere(random, count);
    const Hull hull = hull_of(points);
    EXPECT_EQ(hull.vertices.size(), std::size_t(count));
    EXPECT_EQ(hull.faces.size(), std::size_t(2 * count - 4));  // triangles all
    // inner points do not change the hull
    Points more = points;
    for (const Vec3<double>& p : points) more.push_back(hull.centre + 0.3 * (p - hull.centre));
    const Hull same = hull_of(more);
    EXPECT_EQ(same.corners, hull.corners);
    EXPECT_EQ(volume(same), volume(hull));
  }
}

// Difficult cases for a hull: many points in one plane, on one circle, on one sphere.
TEST(Hull, ManyCoplanarAndCosphericalPoints) {
  RandomSpatial random(3);
  for (int i = 0; i < 3; ++i) {
    const Transform<double> X = i == 0 ? Transform<double>::identity() : random.pose();
    const Hull cube = hull_of(moved(lattice(10), X, 1));
    EXPECT_EQ(cube.faces.size(), 6u);
    EXPECT_EQ(cube.vertices.size(), 8u);
    for (const int sides : {64, 500}) {
      const Hull cylinder = hull_of(moved(prism(sides, 2), X, 1));
      EXPECT_EQ(cylinder.faces.size(), std::size_t(sides + 2));
      EXPECT_NEAR(volume(cylinder), 4 * sides / 2.0 * std::sin(2 * pi / sides), 1e-12);
      const Hull ringed = hull_of(moved(prism(sides, 2, 9), X, 1));
      EXPECT_EQ(ringed.faces.size(), std::size_t(sides + 2));
      EXPECT_EQ(ringed.vertices.size(), std::size_t(2 * sides));
    }
    // a sphere by longitude and latitude: quadrangles, triangles at the poles
    Points globe;
    const int meridians = 24, parallels = 12;
    for (int a = 0; a < meridians; ++a)
      for (int b = 0; b <= parallels; ++b) {
        const double u = 2 * pi * a / meridians, v = pi * b / parallels;
        globe.push_back({std::cos(u) * std::sin(v), std::sin(u) * std::sin(v), std::cos(v)});
      }
    const Hull sphere = hull_of(moved(globe, X, 1));
    EXPECT_EQ(sphere.faces.size(), std::size_t(meridians * parallels));
    EXPECT_EQ(sphere.vertices.size(), std::size_t(meridians * (parallels - 1) + 2));
  }
}

// Corners rounded to floats, as in a file: faces are no longer exactly plane, but a box still has six.
TEST(Hull, CoordinatesRoundedToFloats) {
  RandomSpatial random(4);
  for (int i = 0; i < 50; ++i) {
    Points points = moved(lattice(i % 4 + 1, {1, 0.3, 0.7}), random.pose(0.5), 1);
    for (Vec3<double>& p : points) p = {float(p.x), float(p.y), float(p.z)};
    const Hull box = hull_of(points);
    EXPECT_EQ(box.faces.size(), 6u) << i;
    EXPECT_EQ(box.vertices.size(), 8u) << i;
  }
}

TEST(Hull, NeedlesAndSheets) {
  RandomSpatial random(5);
  for (const Vec3<double> half : {Vec3<double>{1, 1e-3, 1e-3}, Vec3<double>{1, 1, 1e-3}, Vec3<double>{1, 1e-5, 1e-5},
                                  Vec3<double>{1, 1, 1e-5}, Vec3<double>{1, 1e-2, 1e-5}})
    for (int i = 0; i < 20; ++i) {
      const Points points = moved(lattice(2, half), i == 0 ? Transform<double>::identity() : random.pose(), 1);
      const Hull hull = hull_of(points);
      EXPECT_EQ(hull.faces.size(), 6u);
      EXPECT_EQ(hull.vertices.size(), 8u);
      EXPECT_NEAR(volume(hull), 8 * half.x * half.y * half.z, 1e-15);  // the sum cancels pyramids with long edges
    }
}

// Points of a coarse lattice, most of them coplanar with others or repeated, scaled, moved, and with noise of less
// than, about, and more than the resolution.
TEST(Hull, RandomDegenerateSets) {
  RandomSpatial random(10);
  int hulls = 0;
  for (int i = 0; i < 3000; ++i) {
    const int count = 4 + int(random.unit() * 30);
    const double blur = i % 4 == 0 ? 0 : random.magnitude(1e-12, 1e-4);
    const Vec3<double> stretch{1, random.magnitude(1e-3, 1), random.magnitude(1e-3, 1)};
    const Transform<double> X = i % 3 == 0 ? Transform<double>::identity() : random.pose();
    Points points;
    for (int k = 0; k < count; ++k) {
      const auto step = [&] { return std::floor(random.unit() * 3); };
      const double x = step(), y = step(), z = step();
      points.push_back(X * (Vec3<double>{stretch.x * x, stretch.y * y, stretch.z * z} + random.vector(blur)));
    }
    SCOPED_TRACE(i);
    const auto hull = convex_hull(points);
    if (!hull.ok()) {
      EXPECT_NE(hull.error().message.find("lie on a line"), std::string::npos) << hull.error().message;
      continue;
    }
    ++hulls;
    expect_hull(hull.value(), points);
  }
  EXPECT_GT(hulls, 2900);
}

TEST(Hull, FlatSetsHaveTwoFaces) {
  RandomSpatial random(6);
  const Points square = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.5, 0.5, 0}, {0.5, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  for (int i = 0; i < 50; ++i) {
    const Transform<double> X = i == 0 ? Transform<double>::identity() : random.pose();
    const Hull hull = hull_of(moved(square, X, 1));
    EXPECT_TRUE(hull.flat);
    EXPECT_EQ(hull.vertices.size(), 4u);
    ASSERT_EQ(hull.faces.size(), 2u);
    EXPECT_EQ(hull.edges.size(), 4u);
    EXPECT_LT(norm(hull.faces[0].normal + hull.faces[1].normal), 1e-15);
    EXPECT_NEAR(std::abs(dot(hull.faces[0].normal, X.R.z)), 1, 1e-14);
    EXPECT_LT(distance(hull.centre, X * Vec3<double>{0.5, 0.5, 0}), 1e-15 * 10);
  }
  const Hull triangle = hull_of({{0, 0, 0}, {1e-3, 0, 0}, {0, 1e-3, 0}});
  EXPECT_TRUE(triangle.flat);
  EXPECT_EQ(triangle.vertices.size(), 3u);
  // many points on a circle, and a strip 1:1000
  Points circle = prism(200, 0);
  EXPECT_EQ(hull_of(circle).vertices.size(), 200u);
  EXPECT_EQ(hull_of(lattice(4, {1, 1e-3, 0})).vertices.size(), 4u);
}

// Points that deviate from a plane by less than 1e-6 of their extent make a flat hull whose corners are in the plane.
TEST(Hull, AlmostFlatSetsBecomeFlat) {
  RandomSpatial random(11);
  for (int i = 0; i < 20; ++i) {
    const Transform<double> X = random.pose();
    Points points;
    for (int k = 0; k < 30; ++k) points.push_back(X * Vec3<double>{random.even(), random.even(), random.even(3e-7)});
    const Hull hull = hull_of(points);
    ASSERT_TRUE(hull.flat);
    for (const Hull::Face& f : hull.faces)
      for (const Vec3<double>& v : hull.vertices)  // rounding of coordinates of a few metres
        EXPECT_NEAR(dot(f.normal, v), f.offset, 1e-14) << i;
  }
  const auto roof = [](double height) {
    return Points{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.5, 0.5, height}};
  };
  const double thinnest = 1e-6 * std::sqrt(2);  // relative to the diagonal
  EXPECT_TRUE(hull_of(roof(0.9 * thinnest)).flat);
  EXPECT_FALSE(hull_of(roof(1.1 * thinnest)).flat);
}

// A corner that stands out by more than 1e-7 of the extent is kept, and one that stands out by less is dropped.
TEST(Hull, DetailsBelowTheResolutionAreDropped) {
  const double resolution = 1e-7 * std::sqrt(2);  // relative to the diagonal of a square
  for (const double far : {1.0, 1000.0})
    for (const auto& [part, corners] : {std::pair{0.9, 4u}, std::pair{1.1, 5u}}) {
      const double out = part * resolution;
      Points points{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.5, -out, 0}};
      for (Vec3<double>& p : points) p = far * p;
      EXPECT_EQ(hull_of(points).vertices.size(), corners) << part;
    }
}

// Centroids by hand. A pyramid's is a quarter of its height above its base, wherever the mean of its corners is.
TEST(Hull, CentresAreCentroids) {
  RandomSpatial random(12);
  for (const double scale : {1e-3, 1.0, 1e3})
    for (int i = 0; i < 5; ++i) {
      const Transform<double> X = random.pose(scale);
      const Points pyramid = {{1, 1, 0}, {-1, 1, 0}, {-1, -1, 0}, {1, -1, 0}, {0.5, 0.25, 2}};
      const Hull solid = hull_of(moved(pyramid, X, scale));
      EXPECT_LT(distance(solid.centre, X * Vec3<double>{scale * 0.125, scale * 0.0625, scale * 0.5}), 1e-14 * scale);
      EXPECT_FALSE(solid.flat);
      // a trapezoid with sides of 2 and 1 at a distance of 3: (2 + 2 * 1) / (3 * (2 + 1)) of it from the long one
      const Points trapezoid = {{1, 0, 0}, {-1, 0, 0}, {-0.5, 3, 0}, {0.5, 3, 0}};
      const Hull flat = hull_of(moved(trapezoid, X, scale));
      EXPECT_LT(distance(flat.centre, X * Vec3<double>{0, scale * 4 / 3, 0}), 1e-14 * scale);
      EXPECT_TRUE(flat.flat);
      // the ball about the centroid reaches the farthest corner
      EXPECT_NEAR(flat.radius, scale * std::hypot(0.5, 5.0 / 3), 1e-14 * scale);
    }
}

TEST(Hull, TheSameTwice) {
  RandomSpatial random(7);
  const Points points = on_sphere(random, 200);
  const Hull a = hull_of(points), b = hull_of(points);
  EXPECT_EQ(a.corners, b.corners);
  for (std::size_t f = 0; f < a.faces.size(); ++f) {
    EXPECT_EQ(a.faces[f].offset, b.faces[f].offset);
    EXPECT_EQ(a.faces[f].normal.x, b.faces[f].normal.x);
  }
  // repeated points, whatever their order, add nothing
  Points doubled = points;
  doubled.insert(doubled.end(), points.rbegin(), points.rend());
  EXPECT_EQ(hull_of(doubled).corners, a.corners);
}

TEST(Hull, RefusesWhatIsNone) {
  const auto message = [](const Points& points) {
    const auto hull = convex_hull(points);
    EXPECT_FALSE(hull.ok());
    return hull.ok() ? std::string() : hull.error().message;
  };
  const auto says = [&](const Points& points, const std::string& part) {
    const std::string all = message(points);
    EXPECT_NE(all.find(part), std::string::npos) << all;
  };
  says({}, "0 points");
  says({{0, 0, 0}, {1, 0, 0}}, "2 points");
  says({{0, 0, 0}, {1, 0, 0}, {1, nan, 0}, {0, 1, 1}}, "point 2 is (1, nan, 0)");
  says({{0, 0, 0}, {1, 0, -inf}, {1, 2, 0}, {0, 1, 1}}, "point 1 is (1, 0, -inf)");
  says({{2, 3, 4}, {2, 3, 4}, {2, 3, 4}, {2, 3, 4}}, "are all at (2, 3, 4)");
  says({{0, 0, 0}, {1, 2, 3}, {2, 4, 6}, {-1, -2, -3}, {0.3, 0.6, 0.9}}, "lie on a line");
  says({{-1e308, -1e308, 0}, {1e308, 1e308, 0}, {1e308, 0, 1e308}, {0, 1e308, 1e308}}, "farther apart");
}

// --------------------------------------------------------------------------------------------------- hull_of_faces()

std::vector<std::vector<int>> faces_of(const Hull& hull) {
  std::vector<std::vector<int>> faces;
  for (const Hull::Face& f : hull.faces) {
    const auto first = hull.corners.begin() + f.first;
    faces.emplace_back(first, first + f.count);
  }
  return faces;
}

TEST(HullOfFaces, RestoresAHull) {
  RandomSpatial random(14);
  for (const Points& points : {lattice(2), icosahedron(), on_sphere(random, 40), prism(7, 2), prism(9, 0)}) {
    const Hull hull = hull_of(moved(points, random.pose(), 1));
    const auto again = hull_of_faces(hull.vertices, faces_of(hull), hull.flat);
    ASSERT_TRUE(again.ok()) << again.error().message;
    const Hull& same = again.value();
    expect_hull(same, hull.vertices);
    EXPECT_EQ(same.corners, hull.corners);
    EXPECT_EQ(same.flat, hull.flat);
    EXPECT_EQ(same.radius, hull.radius);
    EXPECT_EQ(distance(same.centre, hull.centre), 0);
    for (std::size_t f = 0; f < hull.faces.size(); ++f) {
      EXPECT_EQ(same.faces[f].offset, hull.faces[f].offset);
      EXPECT_EQ(distance(same.faces[f].normal, hull.faces[f].normal), 0);
    }
  }
}

TEST(HullOfFaces, RefusesWhatIsNone) {
  const Points cube = lattice(1);
  const std::vector<std::vector<int>> faces = faces_of(hull_of(cube));
  const auto says = [](const Points& vertices, const std::vector<std::vector<int>>& with, const std::string& part,
                       bool flat = false) {
    const auto hull = hull_of_faces(vertices, with, flat);
    ASSERT_FALSE(hull.ok()) << part;
    EXPECT_NE(hull.error().message.find(part), std::string::npos) << hull.error().message;
  };
  Points broken = cube;
  broken[3].y = nan;
  says(broken, faces, "vertex 3 is");
  says({cube[0], cube[1]}, faces, "given are 2 vertices and 6 faces");
  says(cube, {faces[0]}, "given are 8 vertices and 1 faces");
  auto wrong = faces;
  wrong[4][1] = 8;
  says(cube, wrong, "face 4 has corner 8; the vertices are 0 to 7");
  wrong[4][1] = -1;
  says(cube, wrong, "face 4 has corner -1");
  wrong = faces;
  wrong.pop_back();
  says(cube, wrong, "do not form one closed surface");
  wrong = faces;
  std::reverse(wrong[2].begin(), wrong[2].end());
  says(cube, wrong, "do not form one closed surface");
  wrong = faces;
  wrong[1].resize(2);
  says(cube, wrong, "do not form one closed surface");
  // a triangle without area, flat as it is
  says({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, {{0, 1, 2}, {0, 2, 1}}, "has no area", true);
}

// A cube with one corner pushed in beyond the plane of its neighbours, in triangles. The slack is 1e-3 of the radius.
TEST(HullOfFaces, RefusesADent) {
  const Points cube = lattice(1);
  const Hull hull = hull_of(cube);
  for (int dented = 0; dented < 8; ++dented) {
    std::vector<std::vector<int>> faces;
    for (const std::vector<int>& f : faces_of(hull)) {
      const std::size_t at = std::size_t(std::find(f.begin(), f.end(), dented) - f.begin());
      const auto corner = [&](std::size_t k) { return f[(at + k) % 4]; };
      if (at == f.size()) {
        faces.push_back(f);
        continue;
      }
      faces.push_back({corner(0), corner(1), corner(3)});
      faces.push_back({corner(1), corner(2), corner(3)});
    }
    const auto with = [&](double share) {
      Points vertices = hull.vertices;
      vertices[dented] = share * vertices[dented];
      return hull_of_faces(vertices, faces, false);
    };
    EXPECT_TRUE(with(1 - 1e-5).ok());
    ASSERT_FALSE(with(0.1).ok());
    EXPECT_NE(with(0.1).error().message.find("is not convex"), std::string::npos) << with(0.1).error().message;
  }
}

// A side of a cube with one corner pushed in by 0.2, as a quadrangle: that corner and the one opposite are 0.1 below
// the other two, whichever is listed first.
TEST(HullOfFaces, RefusesASideThatIsNotPlane) {
  const Hull hull = hull_of(lattice(1));
  for (int pushed = 0; pushed < 8; ++pushed) {
    const auto with = [&](double by) {
      Points vertices = hull.vertices;
      vertices[pushed].x *= 1 - by;
      return hull_of_faces(vertices, faces_of(hull), false);
    };
    EXPECT_TRUE(with(1e-4).ok());
    ASSERT_FALSE(with(0.2).ok()) << pushed;
    EXPECT_NE(with(0.2).error().message.find("is not convex"), std::string::npos) << with(0.2).error().message;
  }
}

// ------------------------------------------------------------------------------------------------------- support()

int by_hand(const Hull& hull, const Vec3<double>& d) {
  int best = 0;
  for (std::size_t i = 1; i < hull.vertices.size(); ++i)
    if (dot(hull.vertices[i], d) > dot(hull.vertices[best], d)) best = int(i);
  return best;
}

// The functions of the kernel, and the same compiled in this file without machine flags, which is other code
// (lanes_equal() in hull_support.h).
int plain_support(const Hull& hull, const Vec3<double>& d) { return support_inlined(hull, d); }
int plain_nearest_face(const Hull& hull, const Vec3<double>& x) { return nearest_face_inlined(hull, x); }
constexpr auto supports = {support, plain_support};
constexpr auto nearest_faces = {nearest_face, plain_nearest_face};

TEST(HullSupport, IsTheFarthestVertex) {
  RandomSpatial random(8);
  for (int count = 4; count <= 70; ++count) {
    const Hull hull = hull_of(on_sphere(random, count));
    for (int i = 0; i < 100; ++i) {
      const Vec3<double> d = random.direction();
      const int best = by_hand(hull, d);
      for (const auto support_of : supports) {
        const int found = support_of(hull, d);
        // with and without fused products, rounding differs between the kernel and this file, so either of two may win
        ASSERT_TRUE(found >= 0 && std::size_t(found) < hull.vertices.size());
        EXPECT_TRUE(found == best || std::abs(dot(d, hull.vertices[found] - hull.vertices[best])) < 1e-15);
      }
    }
  }
}

TEST(HullSupport, NearestFaceIsTheOneOverWhich) {
  RandomSpatial random(9);
  for (int count = 4; count <= 70; ++count) {
    const Hull hull = hull_of(on_sphere(random, count));
    for (int i = 0; i < 100; ++i) {
      const Vec3<double> x = random.vector(2);
      const auto height = [&](const Hull::Face& f) { return dot(f.normal, x) - f.offset; };
      double most = height(hull.faces[0]);
      for (const Hull::Face& f : hull.faces) most = larger(most, height(f));
      for (const auto nearest_of : nearest_faces) {
        const int found = nearest_of(hull, x);
        ASSERT_TRUE(found >= 0 && std::size_t(found) < hull.faces.size());
        EXPECT_NEAR(height(hull.faces[found]), most, 1e-14);
      }
    }
  }
}

TEST(HullSupport, OfEqualsTheFirst) {
  const Hull cube = hull_of(lattice(1)), prisms = hull_of(prism(24, 1));
  for (const Hull* hull : {&cube, &prisms})
    for (const Vec3<double> d : {Vec3<double>{0, 0, 1}, Vec3<double>{0, 0, -1}, Vec3<double>{0, 0, 0}})
      for (const auto support_of : supports) EXPECT_EQ(support_of(*hull, d), by_hand(*hull, d));
  for (const Vec3<double> d : {Vec3<double>{1, 0, 0}, Vec3<double>{-1, 0, 0}, Vec3<double>{0, 1, 0},
                               Vec3<double>{0, -1, 0}, Vec3<double>{1, 1, 0}, Vec3<double>{0, -1, -1}})
    for (const auto support_of : supports) EXPECT_EQ(support_of(cube, d), by_hand(cube, d));
}

TEST(HullSupport, NoNumberIsNoHarm) {
  RandomSpatial random(9);
  for (int count = 4; count <= 40; ++count) {
    Points points = on_sphere(random, count);
    points[0] = {0, 0, 2};  // zero times infinity
    points[1] = {0, 2, 0};
    const Hull hull = hull_of(points);
    for (const double x : {nan, inf, -inf, 0.0})
      for (const double y : {nan, inf, -inf, 0.0})
        for (const double z : {nan, inf, -inf, 0.0})
          for (const auto support_of : supports) {
            const int found = support_of(hull, {x, y, z});
            EXPECT_GE(found, 0);
            EXPECT_LT(std::size_t(found), hull.vertices.size());
          }
  }
}

}  // namespace
}  // namespace linchpin
