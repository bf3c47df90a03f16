#include "linchpin/solvers/pivoting/lemke_ray.h"

#include <algorithm>
#include <cmath>

#include "linchpin/solvers/pivoting/lemke_registers.h"
#include "linchpin/solvers/pivoting/lemke_set.h"

namespace linchpin::lemke_detail {
namespace {

// Makes x, the direction of z along a ray, exact in the problem's numbers. On a ray of a semidefinite problem M x = 0
// where x > 0 and on free rows; with the largest x as 1, that gives the others. x stays if it does not.
void refine_ray(Run& run) {
  LemkeWorkspace& ws = run.ws;
  const int top = int(std::max_element(ws.x.data(), ws.x.data() + run.pairs) - ws.x.data());
  std::copy_n(ws.x.data(), run.rows, ws.solved.data());
  for (int p = 0; p < run.pairs; ++p) ws.basic[p] = p != top && ws.x[p] > 0;
  std::fill_n(ws.x.data(), padded(run.rows), 0.0);
  ws.x[top] = 1;
  all_w(run);
  for (int i = 0; i < run.rows; ++i) ws.w[i] -= ws.q[i];
  const int count = gather_active(run);
  const Elimination e = gather_block(run, count);
  if (eliminate(e, dependent)) {
    for (int k = 0; k < count; ++k) ws.x[ws.active[e.pivot[k]]] = e.rows[std::size_t(k) * e.stride + count];
    if (std::all_of(ws.x.data(), ws.x.data() + run.pairs, [](double x) { return x >= 0; })) return;
  }
  std::copy_n(ws.solved.data(), run.rows, ws.x.data());
}

}  // namespace

void propose_ray(Run& run, int entering) {
  LemkeWorkspace& ws = run.ws;
  const double* a = run.column(ws.place[entering]);
  for (int i = 0; i < padded(run.rows); ++i) ws.x[i] = 0;
  for (int p = 0; p < run.pairs; ++p) {
    const int place = ws.place[2 * p];
    ws.x[p] = 2 * p == entering ? 1 : place < 0 ? a[~place] : 0;
    if (ws.x[p] < smallest_pivot) ws.x[p] = 0;
  }
  refine_ray(run);
  for (int i = 0; i < run.rows; ++i)
    if (std::abs(ws.x[i]) < singular) ws.x[i] = 0;
  ws.ray.assign(run.n, 0.0);
  for (int i = 0; i < run.rows; ++i) ws.ray[ws.order[i]] = ws.scale[i] * ws.x[i];
}

bool ray_looks_like_proof(const Run& run) {
  LemkeWorkspace& ws = run.ws;
  double qy = 0, most = 0;
  for (int i = 0; i < run.rows; ++i) qy += ws.q[i] * ws.x[i], most = std::max(most, std::abs(ws.x[i]));
  if (!(qy < -1e-9 * most)) return false;
  for (int j = 0; j < run.rows; ++j) {
    double sum = 0;
    for (int i = 0; i < run.rows; ++i) sum += run.row(i)[j] * ws.x[i];
    if (sum > 1e-9 * most || (j >= run.pairs && sum < -1e-9 * most)) return false;
  }
  return true;
}

void propose_row(Run& run, int r) {
  LemkeWorkspace& ws = run.ws;
  ws.ray.assign(run.n, 0.0);
  const double sign = run.column(run.b())[r] > 0 ? -1 : 1;
  const auto put = [&](int v, double y) {
    if (std::abs(y) < smallest_pivot) return;  // rounding; and a proof with more zeros is easier to check
    if (v > run.z0() && (v - run.z0()) % 2 == 0) {
      const int i = run.pairs + (v - run.z0()) / 2 - 1;
      ws.ray[ws.order[i]] = sign * y * ws.row_scale[i];
    } else if (v < run.z0() && v % 2 == 1) {
      ws.ray[ws.order[v / 2]] = sign * y * ws.row_scale[v / 2];
    }
  };
  put(ws.row_variable[r], 1);
  for (int j = 0; j < run.pairs + 2 + run.frees; ++j)
    if (j != run.spare() && j != run.b()) put(ws.column_variable[j], -run.column(j)[r]);
}

}  // namespace linchpin::lemke_detail
