#include "apps/inspect_mesh.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/command.h"
#include "apps/terminal_text.h"
#include "linchpin/geometry/pieces/convex_pieces.h"
#include "linchpin/geometry/shapes/solid.h"
#include "linchpin/io/mesh_file.h"

namespace linchpin {
namespace {

std::string short_triple(const Vec3<double>& v) { return fmt::format("({:.6g}, {:.6g}, {:.6g})", v.x, v.y, v.z); }
Json json(const Vec3<double>& v) { return {v.x, v.y, v.z}; }

Json json(const Solid& s) {
  const Sym3<double>& J = s.moments;
  return {{"volume", s.volume}, {"centre", json(s.centre)}, {"moments", {J.xx, J.yy, J.zz, J.xy, J.xz, J.yz}}};
}

double area(const TriangleMesh& mesh) {
  double sum = 0;
  for (int t = 0; t < int(mesh.triangles.size()); ++t) {
    const auto [a, b, c] = mesh.corners(t);
    sum += norm(cross(b - a, c - a)) / 2;
  }
  return sum;
}

}  // namespace

bool names_mesh_file(const std::string& argument) {
  std::string ending = std::filesystem::path(argument).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
  const auto known = {".stl", ".obj", ".dae", ".ply", ".glb", ".gltf", ".off"};
  return !argument.starts_with('@') && std::find(known.begin(), known.end(), ending) != known.end();
}

Json inspect_mesh(const std::filesystem::path& file, std::FILE* out) {
  const Result<TriangleMesh> loaded = load_mesh(file);
  if (!loaded) throw UsageError(loaded.error().message);
  const TriangleMesh& mesh = loaded.value();
  fmt::print(out, "{}\n", printable(file.string()));
  fmt::print(out, "  surface             {} vertices, {} triangles, {}, {:.6g} m^2\n", mesh.vertices.size(),
             mesh.triangles.size(), mesh.closed ? "closed" : "open", area(mesh));
  fmt::print(out, "  from .. to          {} .. {} m\n", short_triple(mesh.box.lower), short_triple(mesh.box.upper));
  Json object{{"file", file.string()},
              {"vertices", mesh.vertices.size()},
              {"triangles", mesh.triangles.size()},
              {"closed", mesh.closed},
              {"area", area(mesh)},
              {"lower", json(mesh.box.lower)},
              {"upper", json(mesh.box.upper)}};

  const Result<Solid> weight = solid(mesh);
  if (weight) {
    fmt::print(out, "  solid               {:.6g} m^3, centre {} m\n", weight.value().volume,
               short_triple(weight.value().centre));
    object["solid"] = json(weight.value());
  } else {
    fmt::print(out, "  solid               no: {}\n", weight.error().message);
  }
  const Result<Hull> hull = convex_hull(mesh.vertices);
  if (hull) {
    const Solid s = solid(hull.value());
    fmt::print(out, "  convex hull         {} vertices, {} faces, {:.6g} m^3{}\n", hull.value().vertices.size(),
               hull.value().faces.size(), s.volume, hull.value().flat ? ": it is flat" : "");
    object["hull"] = {{"vertices", hull.value().vertices.size()},
                      {"faces", hull.value().faces.size()},
                      {"flat", hull.value().flat},
                      {"volume", s.volume}};
  }
  if (weight) {
    std::fflush(out);  // large meshes take seconds to cut
    const Result<ConvexPieces> pieces = convex_pieces(mesh);
    if (!pieces) throw UsageError(fmt::format("{}: {}", file.string(), pieces.error().message));
    const std::size_t count = pieces.value().compound.parts->size();
    fmt::print(out, "  convex pieces       {}, which exceed it by {:.3g} m at most, for moving bodies\n", count,
               pieces.value().concavity);
    object["convex_pieces"] = {{"count", count}, {"concavity", pieces.value().concavity}};
  }
  return object;
}

}  // namespace linchpin
