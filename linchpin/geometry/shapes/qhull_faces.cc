#include "linchpin/geometry/shapes/qhull_faces.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include <libqhull_r/qhull_ra.h>

#include "linchpin/spatial/message.h"

namespace linchpin {
namespace {

using Cycle = std::vector<int>;

// One run of Qhull. Its output is stored instead of printed, and its memory is freed at the end.
class Run {
 public:
  Run() : log_(open_memstream(&said_, &said_size_)) { qh_zero(&qh_, log_); }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() {
    qh_freeqhull(&qh_, !qh_ALL);
    int blocks = 0, bytes = 0;
    qh_memfreeshort(&qh_, &blocks, &bytes);
    std::fclose(log_);
    std::free(said_);
  }
  bool compute(std::vector<double>& coordinates, const std::string& options) {
    const int count = int(coordinates.size() / 3);
    // Qhull takes its options as the text of a command. It reads the coordinates but does not own them.
    std::string command = "qhull " + options;
    return qh_new_qhull(&qh_, 3, count, coordinates.data(), False, command.data(), nullptr, log_) == 0;
  }
  // The first line of the output, which describes the error.
  std::string said() {
    std::fflush(log_);
    const std::string all(said_ ? said_ : "");
    return all.substr(0, all.find('\n'));
  }
  qhT* qh() { return &qh_; }

 private:
  char* said_ = nullptr;
  std::size_t said_size_ = 0;
  std::FILE* log_;
  qhT qh_;
};

using Edges = std::vector<std::pair<int, int>>;

// The edges of a facet as pairs of point indices, in no particular direction.
Edges edges_of(qhT* qh, facetT* facet) {
  Edges edges;
  vertexT *vertex, **vertexp;
  if (facet->simplicial) {
    Cycle corners;
    FOREACHvertex_(facet->vertices) corners.push_back(qh_pointid(qh, vertex->point));
    for (std::size_t i = 0; i < corners.size(); ++i) edges.emplace_back(corners[i], corners[(i + 1) % corners.size()]);
    return edges;
  }
  ridgeT *ridge, **ridgep;
  FOREACHridge_(facet->ridges) {
    int ends[2] = {-1, -1}, count = 0;
    FOREACHvertex_(ridge->vertices) if (count < 2) ends[count++] = qh_pointid(qh, vertex->point);
    edges.emplace_back(ends[0], ends[1]);
  }
  return edges;
}

// Joins edges end to end; empty if they do not form one simple cycle.
Cycle cycle_of(Edges edges) {
  Cycle cycle;
  if (edges.size() < 3) return cycle;
  cycle.push_back(edges.back().first);
  int next = edges.back().second;
  edges.pop_back();
  while (!edges.empty()) {
    std::size_t e = 0;
    while (e < edges.size() && edges[e].first != next && edges[e].second != next) ++e;
    if (e == edges.size()) return {};
    cycle.push_back(next);
    next = edges[e].first == next ? edges[e].second : edges[e].first;
    edges.erase(edges.begin() + std::ptrdiff_t(e));
  }
  if (next != cycle.front()) return {};
  return cycle;
}

Vec3<double> area_vector(std::span<const Vec3<double>> points, const Cycle& cycle) {
  Vec3<double> sum = Vec3<double>::zero();
  const Vec3<double> origin = points[cycle[0]];
  for (std::size_t i = 1; i + 1 < cycle.size(); ++i)
    sum += cross(points[cycle[i]] - origin, points[cycle[i + 1]] - origin);
  return sum;
}

}  // namespace

Result<std::vector<std::vector<int>>> qhull_faces(std::span<const Vec3<double>> points, double resolution) {
  std::vector<double> coordinates;
  coordinates.reserve(3 * points.size());
  for (const Vec3<double>& p : points) coordinates.insert(coordinates.end(), {p.x, p.y, p.z});

  // C-n: while the hull is built, merge facets if the centre of a neighbour is not at least n below the plane. Pp: no
  // warnings about precision, which merging takes care of.
  Run run;
  if (!run.compute(coordinates, message("Pp C-", resolution))) return Error{"qhull: " + run.said()};
  std::vector<Cycle> faces;
  const qhT* const qh = run.qh();  // Qhull's macros expect this name
  for (facetT* facet = qh->facet_list; facet && facet->next; facet = facet->next) {
    Cycle cycle = cycle_of(edges_of(run.qh(), facet));
    if (cycle.empty()) return Error{"qhull: the edges of a face do not form a cycle"};
    const Vec3<double> outward{facet->normal[0], facet->normal[1], facet->normal[2]};
    if (dot(area_vector(points, cycle), outward) < 0) std::reverse(cycle.begin(), cycle.end());
    faces.push_back(std::move(cycle));
  }
  return faces;
}

}  // namespace linchpin
