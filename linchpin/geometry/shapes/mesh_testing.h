// For tests: triangle meshes of boxes and tori.
#pragma once

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "linchpin/spatial/spatial.h"

namespace linchpin {

struct Triangles {
  std::vector<Vec3<double>> vertices;
  std::vector<std::array<int, 3>> triangles;  // counterclockwise seen from outside
};

inline void append(Triangles& all, const Triangles& more) {
  const int offset = int(all.vertices.size());
  all.vertices.insert(all.vertices.end(), more.vertices.begin(), more.vertices.end());
  for (const auto& t : more.triangles) all.triangles.push_back({t[0] + offset, t[1] + offset, t[2] + offset});
}

// Bits 1, 2 and 4 of the vertex index i are set where x, y and z are positive.
inline Triangles box_mesh(const Vec3<double>& half, const Transform<double>& X) {
  Triangles box;
  for (int i = 0; i < 8; ++i)
    box.vertices.push_back(X *
                           Vec3<double>{i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z});
  const int sides[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  for (const auto& s : sides) {
    box.triangles.push_back({s[0], s[1], s[2]});
    box.triangles.push_back({s[0], s[2], s[3]});
  }
  return box;
}

// A torus about z: R is the radius of the tube's centre line, r that of the tube.
inline Triangles torus_mesh(double R, double r, int around, int across) {
  Triangles torus;
  for (int i = 0; i < around; ++i)
    for (int j = 0; j < across; ++j) {
      const double u = 2 * std::numbers::pi * i / around, v = 2 * std::numbers::pi * j / across;
      const double out = R + r * std::cos(v);
      torus.vertices.push_back({out * std::cos(u), out * std::sin(u), r * std::sin(v)});
    }
  const auto at = [&](int i, int j) { return i % around * across + j % across; };
  for (int i = 0; i < around; ++i)
    for (int j = 0; j < across; ++j) {
      torus.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      torus.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  return torus;
}

}  // namespace linchpin
