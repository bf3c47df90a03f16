#include "linchpin/solvers/pivoting/dantzig_laws.h"

#include <algorithm>
#include <cmath>

namespace linchpin::dantzig_detail {

double broken_at_bound(const Run& run, int i) {
  const DantzigWorkspace& ws = run.ws;
  if (ws.lower[i] == ws.upper[i]) return 0;
  const double w = ws.w[i];
  if (ws.at_upper[i]) return std::min(-w, 0.0);
  return ws.lower[i] == -infinity ? -w : std::max(-w, 0.0);  // a free row has no bound: w must be 0
}

int worst_row(const Run& run) {
  const DantzigWorkspace& ws = run.ws;
  int worst = -1;
  double most = lawful;
  bool is_free = false;
  for (int i = 0; i < run.n; ++i) {
    if (run.is_inside(i) || ws.skipped[i]) continue;
    const double by = std::abs(broken_at_bound(run, i));
    const bool unbounded = ws.lower[i] == -infinity && ws.upper[i] == infinity;
    if (by > lawful && (unbounded > is_free || (unbounded == is_free && by > most)))
      worst = i, most = by, is_free = unbounded;
  }
  return worst;
}

double broken(const Run& run) {
  const DantzigWorkspace& ws = run.ws;
  double worst = 0, most = 0;
  for (int i = 0; i < run.n; ++i) {
    double by = std::abs(broken_at_bound(run, i));
    if (run.is_inside(i)) by = std::max({std::abs(ws.w[i]), ws.lower[i] - ws.z[i], ws.z[i] - ws.upper[i]});
    if (std::isnan(by)) return infinity;
    worst = std::max(worst, by);
    most = std::max(most, std::abs(ws.z[i]));
  }
  return worst / (lawful + 2e-15 * most);
}

}  // namespace linchpin::dantzig_detail
