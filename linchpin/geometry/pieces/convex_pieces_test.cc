#include "linchpin/geometry/pieces/convex_pieces.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "linchpin/geometry/pieces/solid_distance.h"
#include "linchpin/geometry/pieces/split_pieces.h"
#include "linchpin/geometry/shapes/height_grid.h"
#include "linchpin/geometry/shapes/hull.h"
#include "linchpin/geometry/shapes/mesh.h"
#include "linchpin/geometry/shapes/mesh_testing.h"
#include "linchpin/geometry/shapes/solid.h"
#include "linchpin/spatial/testing.h"

namespace linchpin {
namespace {

using Outline = std::vector<std::array<double, 2>>;

TriangleMesh mesh_of(const Triangles& t) {
  auto mesh = make_mesh(t.vertices, t.triangles);
  EXPECT_TRUE(mesh.ok()) << mesh.error().message;
  return mesh.value();
}
ConvexPieces pieces_of(const TriangleMesh& mesh, const ConvexPiecesOptions& options = {}) {
  auto pieces = convex_pieces(mesh, options);
  EXPECT_TRUE(pieces.ok()) << pieces.error().message;
  return pieces.value();
}
std::vector<const Hull*> hulls_of(const ConvexPieces& pieces) {
  std::vector<const Hull*> hulls;
  for (const PlacedShape& part : *pieces.compound.parts) hulls.push_back(std::get<ConvexHull>(part.shape).hull.get());
  return hulls;
}
// The largest depth of the point in any of the hulls; negative outside of all.
double depth_in(const ConvexPieces& pieces, const Vec3<double>& p) {
  double deepest = -std::numeric_limits<double>::infinity();
  for (const Hull* hull : hulls_of(pieces)) {
    double depth = std::numeric_limits<double>::infinity();
    for (const Hull::Face& f : hull->faces) depth = std::min(depth, f.offset - dot(f.normal, p));
    deepest = std::max(deepest, depth);
  }
  return deepest;
}
double volume_of(const ConvexPieces& pieces) { return solid(pieces.compound).value().volume; }

// A prism over an outline with the triangles of its top, counterclockwise.
Triangles prism(const Outline& outline, const std::vector<std::array<int, 3>>& top, double height,
                const Transform<double>& X) {
  Triangles prism;
  const int n = int(outline.size());
  for (const double z : {0.0, height})
    for (const auto& [x, y] : outline) prism.vertices.push_back(X * Vec3<double>{x, y, z});
  for (const auto& t : top) {
    prism.triangles.push_back({t[0] + n, t[1] + n, t[2] + n});
    prism.triangles.push_back({t[0], t[2], t[1]});
  }
  for (int i = 0; i < n; ++i) {
    const int j = (i + 1) % n;
    prism.triangles.push_back({i, j, j + n});
    prism.triangles.push_back({i, j + n, i + n});
  }
  return prism;
}
Triangles l_shape(double thickness, const Transform<double>& X) {
  return prism({{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}}, {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}},
               thickness, X);
}

TEST(ConvexPieces, ConvexIsOnePieceExactly) {
  RandomSpatial random(1);
  const TriangleMesh box = mesh_of(box_mesh({1, 0.2, 0.5}, random.pose()));
  const ConvexPieces pieces = pieces_of(box);
  ASSERT_EQ(pieces.compound.parts->size(), 1u);
  EXPECT_EQ(hulls_of(pieces)[0]->faces.size(), 6u);
  EXPECT_LT(pieces.concavity, 1e-15);
}

// An L, thick or thin, large or small, at any position, becomes two boxes.
TEST(ConvexPieces, LShapeIsTwoBoxes) {
  RandomSpatial random(2);
  for (const double thickness : {1.0, 0.01, 30.0})
    for (int i = 0; i < 4; ++i) {
      const Transform<double> X = i == 0 ? Transform<double>::identity() : random.pose();
      const TriangleMesh mesh = mesh_of(l_shape(thickness, X));
      const ConvexPieces pieces = pieces_of(mesh);
      ASSERT_EQ(pieces.compound.parts->size(), 2u);
      for (const Hull* hull : hulls_of(pieces)) {
        EXPECT_EQ(hull->vertices.size(), 8u);
        EXPECT_EQ(hull->faces.size(), 6u);
        for (const Hull::Face& f : hull->faces)  // boxes: all faces along three directions
          EXPECT_NEAR(std::max({std::abs(dot(f.normal, X.R.x)), std::abs(dot(f.normal, X.R.y)),
                                std::abs(dot(f.normal, X.R.z))}),
                      1, 1e-12);
      }
      EXPECT_NEAR(volume_of(pieces), 3 * thickness, 1e-12 * thickness);
      EXPECT_LT(pieces.concavity, 1e-13);
      for (const Vec3<double>& v : mesh.vertices) EXPECT_GT(depth_in(pieces, v), -1e-13);
    }
}

// A U, a staircase and a plus become boxes too.
TEST(ConvexPieces, MoreOfBoxes) {
  const Transform<double> X = RandomSpatial(3).pose();
  const TriangleMesh u = mesh_of(prism({{0, 0}, {3, 0}, {3, 2}, {2, 2}, {2, 1}, {1, 1}, {1, 2}, {0, 2}},
                                       {{0, 1, 4}, {1, 2, 3}, {1, 3, 4}, {0, 4, 5}, {0, 5, 6}, {0, 6, 7}}, 0.5, X));
  const ConvexPieces u_pieces = pieces_of(u);
  EXPECT_EQ(u_pieces.compound.parts->size(), 3u);
  EXPECT_NEAR(volume_of(u_pieces), 2.5, 1e-12);
  const TriangleMesh stairs =
      mesh_of(prism({{0, 0}, {3, 0}, {3, 1}, {2, 1}, {2, 2}, {1, 2}, {1, 3}, {0, 3}},
                    {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}, {0, 5, 6}, {0, 6, 7}}, 0.5, X));
  const ConvexPieces stair_pieces = pieces_of(stairs);
  EXPECT_EQ(stair_pieces.compound.parts->size(), 3u);
  EXPECT_NEAR(volume_of(stair_pieces), 3, 1e-12);
}

// Solids of unit cubes, some of the 27 of a larger cube.
struct Cubes {
  std::array<std::array<std::array<bool, 3>, 3>, 3> in{};
  bool has(int i, int j, int k) const {
    const auto within = [](int x) { return x >= 0 && x < 3; };
    return within(i) && within(j) && within(k) && in[i][j][k];
  }
  // In no plane of a cut that makes boxes.
  static Vec3<double> inner_point(int i, int j, int k) { return {i + 0.47, j + 0.56, k + 0.41}; }
};
Cubes random_cubes(RandomSpatial& random, double share) {
  Cubes cubes;
  for (auto& layer : cubes.in)
    for (auto& row : layer)
      for (bool& cube : row) cube = random.unit() < share;
  return cubes;
}
// The surface of a solid of cubes; nothing if four of its squares meet in an edge.
std::optional<Triangles> surface_of(const Cubes& cubes, const Transform<double>& X) {
  Triangles t;
  std::map<std::array<int, 3>, int> number;
  const auto vertex = [&](const std::array<int, 3>& p) {
    const auto [at, is_new] = number.try_emplace(p, int(t.vertices.size()));
    if (is_new) t.vertices.push_back(X * Vec3<double>{double(p[0]), double(p[1]), double(p[2])});
    return at->second;
  };
  std::map<std::pair<int, int>, int> uses;  // of edges, from and to
  for (int at = 0; at < 27; ++at)
    for (int axis = 0; axis < 3; ++axis)
      for (const int side : {0, 1}) {
        std::array<int, 3> p{at / 9, at / 3 % 3, at % 3}, next = p;
        if (!cubes.has(p[0], p[1], p[2])) continue;
        next[axis] += side ? 1 : -1;
        if (cubes.has(next[0], next[1], next[2])) continue;
        p[axis] += side;
        std::array<int, 3> q = p, r = p, s = p;
        ++q[(axis + 1) % 3], ++r[(axis + 1) % 3], ++r[(axis + 2) % 3], ++s[(axis + 2) % 3];
        std::array<int, 4> square{vertex(p), vertex(q), vertex(r), vertex(s)};
        if (!side) std::reverse(square.begin(), square.end());
        t.triangles.push_back({square[0], square[1], square[2]});
        t.triangles.push_back({square[0], square[2], square[3]});
        for (std::size_t k = 0; k < 4; ++k)
          if (++uses[{square[k], square[(k + 1) % 4]}] > 1) return {};
      }
  return t;
}

// Such a solid falls into boxes, whichever cubes are missing, also where three cuts meet within it: their volumes add
// up to the number of cubes, and they hold a point of each cube and of no gap.
TEST(ConvexPieces, SolidsOfCubesFallIntoBoxes) {
  RandomSpatial random(31);
  int tried = 0;
  for (int i = 0; tried < 6; ++i) {
    Cubes cubes = random_cubes(random, 0.7 + 0.2 * random.unit());
    cubes.in[1][1][1] = true;  // no cavity
    const Transform<double> X = i % 2 ? Transform<double>::identity() : random.pose();
    const auto surface = surface_of(cubes, X);
    if (!surface) continue;
    ++tried;
    const ConvexPieces pieces = pieces_of(mesh_of(*surface), {.relative_concavity = 1e-3, .most_pieces = 28});
    int count = 0;
    for (int at = 0; at < 27; ++at) {
      const bool solid = cubes.has(at / 9, at / 3 % 3, at % 3);
      count += solid;
      EXPECT_EQ(depth_in(pieces, X * Cubes::inner_point(at / 9, at / 3 % 3, at % 3)) > 0, solid) << i << " at " << at;
    }
    EXPECT_NEAR(volume_of(pieces), count, 1e-11) << i;
    EXPECT_LT(pieces.concavity, 1e-12) << i;
    EXPECT_LE(pieces.compound.parts->size(), std::size_t(count)) << i;
  }
}

TEST(ConvexPieces, TorusWithinTolerance) {
  const TriangleMesh torus = mesh_of(torus_mesh(1, 0.3, 24, 12));
  const double exact = solid(torus).value().volume, size = norm(torus.box.upper - torus.box.lower);
  double last_volume = 1e9;
  std::size_t last_count = 1;
  for (const double relative : {0.1, 0.03, 0.01}) {
    const ConvexPieces pieces = pieces_of(torus, {.relative_concavity = relative});
    EXPECT_LE(pieces.concavity, relative * size);
    EXPECT_GE(pieces.compound.parts->size(), last_count);
    EXPECT_LE(volume_of(pieces), last_volume);
    EXPECT_GE(volume_of(pieces), exact * (1 - 1e-12));
    last_volume = volume_of(pieces);
    last_count = pieces.compound.parts->size();
    for (const Vec3<double>& v : torus.vertices) EXPECT_GT(depth_in(pieces, v), -1e-6 * size);
    // and by points of the hulls' surfaces, tried one by one
    RandomSpatial random(4);
    for (const Hull* hull : hulls_of(pieces))
      for (const Hull::Face& f : hull->faces) {
        Vec3<double> p = Vec3<double>::zero();
        double sum = 0;
        for (int i = 0; i < f.count; ++i) {
          const double w = random.unit();
          p += w * hull->vertices[hull->corners[f.first + i]];
          sum += w;
        }
        EXPECT_LE(distance_from_solid(torus, (1 / sum) * p).distance, pieces.concavity + 0.1 * relative * size);
      }
  }
  EXPECT_LT(last_volume / exact, 1.1);
  EXPECT_LE(last_count, 24u);
}

// An hourglass with any axis: no plane of a face divides it well, but the plane of the waist, across a principal axis
// of inertia, makes two frusta of it. The rings have the half axes x and y times their radius.
TEST(ConvexPieces, AnHourglassIsCutAtItsWaist) {
  RandomSpatial random(5);
  const int sides = 12;
  for (int i = 0; i < 8; ++i) {
    const double x = 0.5 + random.unit(), y = 0.5 + random.unit(), half_height = 1 + random.unit(), waist = 0.4;
    const Transform<double> X = random.pose();
    Triangles glass;
    const auto ring = [&](double radius, double z) {
      for (int k = 0; k < sides; ++k) {
        const double t = 2 * std::numbers::pi * k / sides;
        glass.vertices.push_back(X * Vec3<double>{x * radius * std::cos(t), y * radius * std::sin(t), z});
      }
    };
    ring(1, -half_height);
    ring(waist, 0);
    ring(1, half_height);
    for (int k = 0; k < sides; ++k) {
      const int n = (k + 1) % sides;
      for (const int below : {0, sides}) {
        glass.triangles.push_back({below + k, below + n, below + sides + n});
        glass.triangles.push_back({below + k, below + sides + n, below + sides + k});
      }
    }
    for (int k = 1; k + 1 < sides; ++k) {
      glass.triangles.push_back({0, k + 1, k});
      glass.triangles.push_back({2 * sides, 2 * sides + k, 2 * sides + k + 1});
    }
    const ConvexPieces pieces = pieces_of(mesh_of(glass));
    ASSERT_EQ(pieces.compound.parts->size(), 2u) << i;
    const double base = sides / 2.0 * std::sin(2 * std::numbers::pi / sides) * x * y;
    const double frustum = half_height / 3 * base * (1 + waist + waist * waist);
    for (const Hull* hull : hulls_of(pieces)) EXPECT_NEAR(solid(*hull).volume, frustum, 1e-12 * frustum) << i;
  }
}

TEST(ConvexPieces, SeparatePartsAndCavities) {
  const Transform<double> left{Mat3<double>::identity(), {-2, 0, 0}}, right{Mat3<double>::identity(), {2, 0, 0}};
  Triangles two = box_mesh({1, 1, 1}, left), cavity = box_mesh({0.5, 0.5, 0.5}, left);
  append(two, box_mesh({0.5, 1, 1}, right));
  for (auto& t : cavity.triangles) std::swap(t[1], t[2]);
  append(two, cavity);
  const ConvexPieces pieces = pieces_of(mesh_of(two), {.most_pieces = 1});
  EXPECT_EQ(pieces.compound.parts->size(), 2u);
  EXPECT_NEAR(volume_of(pieces), 8 + 4, 1e-13);
}

// A block on a foil: below the plane of the foil's upper side there is no part with a volume, so that no cut is made
// there. The hulls still hold every vertex.
TEST(ConvexPieces, AFoilIsNoPart) {
  const double foil = 1e-9;
  Triangles t;
  const auto square = [&](double half, double z) {
    for (const auto& [x, y] : Outline{{-half, -half}, {half, -half}, {half, half}, {-half, half}})
      t.vertices.push_back({x, y, z});
  };
  square(2, 0);
  square(2, foil);
  square(1, foil);
  square(1, 1);
  for (int k = 0; k < 4; ++k) {  // sides, from ring to ring
    const int n = (k + 1) % 4;
    for (const int below : {0, 4, 8}) {
      t.triangles.push_back({below + k, below + n, below + 4 + n});
      t.triangles.push_back({below + k, below + 4 + n, below + 4 + k});
    }
  }
  t.triangles.insert(t.triangles.end(), {{0, 2, 1}, {0, 3, 2}, {12, 13, 14}, {12, 14, 15}});
  const TriangleMesh mesh = mesh_of(t);
  const ConvexPieces pieces = pieces_of(mesh);
  EXPECT_GE(pieces.compound.parts->size(), 2u);
  EXPECT_LE(pieces.concavity, 0.01 * norm(mesh.box.upper - mesh.box.lower));
  for (const Vec3<double>& v : mesh.vertices) EXPECT_GT(depth_in(pieces, v), -1e-8);
  for (const Hull* hull : hulls_of(pieces)) EXPECT_FALSE(hull->flat);
}

TEST(ConvexPieces, StopsAtTheMostPieces) {
  const TriangleMesh torus = mesh_of(torus_mesh(1, 0.3, 16, 8));
  const ConvexPieces one = pieces_of(torus, {.most_pieces = 1}), four = pieces_of(torus, {.most_pieces = 4});
  EXPECT_EQ(one.compound.parts->size(), 1u);
  EXPECT_GT(one.concavity, 0.5);  // the concavity reached, at the middle of the hole
  EXPECT_EQ(four.compound.parts->size(), 4u);
  EXPECT_LT(four.concavity, one.concavity);
}

TEST(ConvexPieces, TheSameTwice) {
  const TriangleMesh torus = mesh_of(torus_mesh(1, 0.3, 12, 8));
  const ConvexPieces a = pieces_of(torus), b = pieces_of(torus);
  EXPECT_EQ(a.concavity, b.concavity);
  ASSERT_EQ(a.compound.parts->size(), b.compound.parts->size());
  for (std::size_t i = 0; i < a.compound.parts->size(); ++i)
    EXPECT_EQ(hulls_of(a)[i]->corners, hulls_of(b)[i]->corners);
}

TEST(ConvexPieces, RefusesWhatHasNoInside) {
  Triangles open = box_mesh({1, 1, 1}, Transform<double>::identity());
  open.triangles.pop_back();
  const auto result = convex_pieces(mesh_of(open));
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().message.find("not closed"), std::string::npos);
  const TriangleMesh box = mesh_of(box_mesh({1, 1, 1}, Transform<double>::identity()));
  EXPECT_FALSE(convex_pieces(box, {.relative_concavity = 0}).ok());
}

// Numbers in place of pieces: they are halved until all are within the tolerance, the largest first. Odd ones cannot be
// split, and stay.
TEST(SplitWorstFirst, LeavesWhatCannotBeSplit) {
  struct Number {
    double concavity;
  };
  std::vector<double> order;
  const auto halves = [&](const Number& n) -> std::optional<std::pair<Number, Number>> {
    order.push_back(n.concavity);
    if (std::fmod(n.concavity, 2) != 0) return std::nullopt;
    return std::pair{Number{n.concavity / 2}, Number{n.concavity / 2}};
  };
  const auto numbers = [](const std::vector<Number>& all) {
    std::vector<double> list;
    for (const Number& n : all) list.push_back(n.concavity);
    return list;
  };
  std::vector<Number> all{{12}, {5}, {2}, {16}};
  split_worst_first(all, 4, 100, halves);
  EXPECT_EQ(order, (std::vector<double>{16, 12, 8, 8, 6, 6, 5}));
  EXPECT_EQ(numbers(all), (std::vector<double>{3, 5, 2, 4, 4, 3, 4, 4, 3, 3}));
  order.clear();
  all = {{12}, {5}, {2}, {16}};
  split_worst_first(all, 4, 5, halves);
  EXPECT_EQ(order, std::vector<double>{16});
  EXPECT_EQ(numbers(all), (std::vector<double>{12, 5, 2, 8, 8}));
  order.clear();
  all = {{7}, {9}};
  split_worst_first(all, 0.5, 100, halves);
  EXPECT_EQ(order, (std::vector<double>{9, 7}));
  EXPECT_EQ(numbers(all), (std::vector<double>{7, 9}));
}

// ------------------------------------------------------------------------------------------------------ height grids

HeightGrid grid_of(int columns, int rows, const std::function<double(double, double)>& height, double floor) {
  std::vector<double> heights;
  for (int j = 0; j < rows; ++j)
    for (int i = 0; i < columns; ++i) heights.push_back(height(i - 0.5 * (columns - 1), j - 0.5 * (rows - 1)));
  return make_height_grid(columns, rows, 1, 1, heights, floor).value();
}

TEST(GridPieces, PlanesAndHillsAreOnePiece) {
  const HeightGrid plane = grid_of(
      9, 7, [](double x, double y) { return 0.1 * x - 0.2 * y; }, -3);
  const ConvexPieces flat = convex_pieces(plane).value();
  ASSERT_EQ(flat.compound.parts->size(), 1u);
  EXPECT_EQ(hulls_of(flat)[0]->faces.size(), 6u);
  EXPECT_NEAR(volume_of(flat), solid(plane).volume, 1e-12);
  // a roof, with its ridge along the grid
  const HeightGrid roof = grid_of(
      9, 7, [](double x, double) { return -std::abs(x); }, -5);
  EXPECT_EQ(convex_pieces(roof).value().compound.parts->size(), 1u);
}

TEST(GridPieces, AValleyIsCutAtItsGround) {
  const HeightGrid valley = grid_of(
      9, 7, [](double x, double) { return std::abs(x); }, -1);
  const ConvexPieces pieces = convex_pieces(valley).value();
  ASSERT_EQ(pieces.compound.parts->size(), 2u);
  EXPECT_NEAR(volume_of(pieces), solid(valley).volume, 1e-12);
  EXPECT_LT(pieces.concavity, 1e-13);
}

// A single cell with its diagonal in a valley: two prisms.
TEST(GridPieces, ACellThatIsConcaveIsTwoTriangles) {
  const std::vector<double> valley = {0, 1, 1, 0}, ridge = {1, 0, 0, 1};
  const HeightGrid concave = make_height_grid(2, 2, 1, 1, valley, -1).value();
  const HeightGrid convex = make_height_grid(2, 2, 1, 1, ridge, -1).value();
  EXPECT_EQ(convex_pieces(concave).value().compound.parts->size(), 2u);
  EXPECT_NEAR(volume_of(convex_pieces(concave).value()), solid(concave).volume, 1e-14);
  EXPECT_EQ(convex_pieces(convex).value().compound.parts->size(), 1u);
}

TEST(GridPieces, WavesWithinTolerance) {
  const HeightGrid waves = grid_of(
      13, 11, [](double x, double y) { return std::sin(x) + std::cos(0.7 * y); }, -4);
  double last = 1e9;
  for (const double tolerance : {1.0, 0.3, 0.1}) {
    const ConvexPieces pieces = convex_pieces(waves, {.concavity = tolerance, .most_pieces = 1000}).value();
    EXPECT_LE(pieces.concavity, tolerance);
    const double volume = volume_of(pieces);
    EXPECT_GE(volume, solid(waves).volume * (1 - 1e-12));
    EXPECT_LE(volume, last);
    EXPECT_LE(volume - solid(waves).volume, tolerance * 12 * 10);
    last = volume;
    for (int t = 0; t < waves.triangle_count(); ++t)
      for (const Vec3<double>& p : waves.corners(t)) EXPECT_GT(depth_in(pieces, p), -1e-12);
  }
}

// Below any rounding, all is cut that can be cut: what is left are blocks that are convex and prisms of one triangle,
// which together are the terrain.
TEST(GridPieces, ATinyToleranceEndsWithTriangles) {
  const HeightGrid waves = grid_of(
      5, 4, [](double x, double y) { return std::sin(3 * x) + std::cos(2 * y); }, -4);
  const ConvexPieces pieces = convex_pieces(waves, {.concavity = 1e-300, .most_pieces = 1000}).value();
  EXPECT_LE(pieces.compound.parts->size(), std::size_t(waves.triangle_count()));
  EXPECT_LT(pieces.concavity, 1e-14);
  EXPECT_NEAR(volume_of(pieces), solid(waves).volume, 1e-13);
}

TEST(GridPieces, ToleranceMustBePositiveAndFinite) {
  const HeightGrid plane = grid_of(
      3, 3, [](double, double) { return 0.0; }, -1);
  for (const double wrong : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    const auto result = convex_pieces(plane, {.relative_concavity = wrong});
    ASSERT_FALSE(result.ok());
    EXPECT_NE(result.error().message.find("must be positive and finite"), std::string::npos) << result.error().message;
  }
  EXPECT_TRUE(convex_pieces(plane, {.relative_concavity = 0, .concavity = 0.1}).ok());
  EXPECT_FALSE(convex_pieces(plane, {.relative_concavity = 0, .concavity = -0.1}).ok());
}

}  // namespace
}  // namespace linchpin
