#include "linchpin/solvers/dantzig.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "linchpin/base/check.h"
#include "linchpin/spatial/pack.h"

// In this file M, q, z, w and bounds are scaled: the diagonal of M and the largest |q_i| are about 1. Vectors are
// padded to whole registers with zeros.

namespace linchpin {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double moves = 1e-10;  // a w or z that changes by less per unit of z_i does not change: rounding of (1), (2)
constexpr double dependent = 1e-9;  // s in (4) below this: the row depends on those inside
constexpr int max_updates = 40;     // of an inverse, beyond its size, before it is made anew
constexpr double inexact = 1e-12;   // times the largest |z|: what rounding may leave of w = 0
constexpr double tie = 1e-12;  // bounds may be passed by this much, so that among ties the largest pivot can be chosen
constexpr double lawful = 2e-13;  // a law broken by less is rounding
constexpr double nearly = 100;    // times that, when rounding leaves no better

struct Run {
  const Problem& problem;
  DantzigWorkspace& ws;
  int n = 0, stride = 0;
  int inside = 0;   // |A|
  int updates = 0;  // of the inverse since it was made
  double unit = 1;
  int events = 0, limit = 0;

  const double* column(int j) const { return ws.columns.data() + std::size_t(j) * std::size_t(stride); }
  double* inverse_row(int k) const { return ws.inverse.data() + std::size_t(k) * std::size_t(stride); }
  bool is_inside(int i) const { return ws.position[i] >= 0; }
};

// ---- vectors -------------------------------------------------------------------------------------------------------

// y += a x over `count` numbers, a multiple of 8.
void add_multiple(double a, const double* x, int count, double* y) {
  for (int i = 0; i < count; i += 8) fma(Double8(a), Double8::load(x + i), Double8::load(y + i)).store(y + i);
}

double dot(const double* x, const double* y, int count) {
  Double8 sum(0.0);
  for (int i = 0; i < count; i += 8) sum = fma(Double8::load(x + i), Double8::load(y + i), sum);
  return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}

// ---- the problem in its own units ----------------------------------------------------------------------------------

int exponent(double x) { return int((std::bit_cast<std::uint64_t>(x) >> 52) & 0x7ff) - 1023; }
double power_of_two(int e) { return std::bit_cast<double>(std::uint64_t(std::clamp(e, -400, 400) + 1023) << 52); }

void make_room(Run& run) {
  DantzigWorkspace& ws = run.ws;
  const std::size_t n = std::size_t(padded(run.n) + 8);
  const auto reserve = [](AlignedArray<double>& a, std::size_t size) {
    if (a.size() < size) a = AlignedArray<double>(size);
  };
  reserve(ws.columns, n * n);
  reserve(ws.inverse, n * n);
  for (AlignedArray<double>* a :
       {&ws.scale, &ws.q, &ws.lower, &ws.upper, &ws.z, &ws.w, &ws.dz, &ws.dw, &ws.u, &ws.v, &ws.gathered})
    reserve(*a, n);
  if (ws.position.size() < n) {
    ws.lu.matrix(int(n));  // room for all rows, however many come to be inside
    ws.active.resize(n);
    ws.position.resize(n);
    ws.at_upper.resize(n);
    ws.skipped.resize(n);
  }
}

const double* dense_matrix(const Run& run) {
  if (run.problem.M.kind() == Matrix::Kind::dense) return run.problem.M.dense().data();
  const std::size_t size = std::size_t(run.n) * std::size_t(run.n);
  if (run.ws.unpacked.size() < size) run.ws.unpacked.resize(size);
  run.problem.M.to_dense(run.ws.unpacked.data(), run.n);
  return run.ws.unpacked.data();
}

// z_i in s_i, w_i in 1 / s_i with s_i^2 M_ii about 1, powers of two: nothing is rounded. A row without a diagonal has
// no other numbers if M is semidefinite and symmetric; if it has, they count.
void load(Run& run) {
  DantzigWorkspace& ws = run.ws;
  const int n = run.n;
  const double* M = dense_matrix(run);
  for (int i = 0; i < n; ++i) {
    double size = std::abs(M[std::size_t(i) * n + i]);
    for (int j = 0; j < n && size == 0; ++j)
      size = std::max(std::abs(M[std::size_t(i) * n + j]), std::abs(M[std::size_t(j) * n + i]));
    ws.scale[i] = size > 0 ? power_of_two(-(exponent(size) >> 1)) : 1;
  }
  double most = 0;
  for (int i = 0; i < n; ++i) {
    ws.q[i] = run.problem.q[i] * ws.scale[i];
    most = std::max(most, std::abs(ws.q[i]));
    double* columns = ws.columns.data() + i;
    for (int j = 0; j < n; ++j)
      columns[std::size_t(j) * run.stride] = M[std::size_t(i) * n + j] * (ws.scale[i] * ws.scale[j]);
  }
  for (int j = 0; j < n; ++j)
    for (int i = n; i < run.stride; ++i) ws.columns[std::size_t(j) * run.stride + i] = 0;
  run.unit = most > 0 ? power_of_two(exponent(most)) : 1;
  for (int i = 0; i < n; ++i) ws.q[i] /= run.unit;
  for (int i = n; i < run.stride; ++i) ws.q[i] = ws.z[i] = ws.w[i] = 0;
}

void load_bounds(Run& run) {
  DantzigWorkspace& ws = run.ws;
  for (const Block& block : run.problem.blocks) {
    check(block.kind != BlockKind::cone, "dantzig: a cone at row ", block.start,
          "; it takes free, nonnegative and box");
    for (int i = block.start; i < block.start + block.size; ++i) {
      const bool box = block.kind == BlockKind::box;
      ws.lower[i] = box                             ? run.problem.lower[i] / (ws.scale[i] * run.unit)
                    : block.kind == BlockKind::free ? -infinity
                                                    : 0;
      ws.upper[i] = box ? run.problem.upper[i] / (ws.scale[i] * run.unit) : infinity;
    }
  }
}

// ---- the rows inside -----------------------------------------------------------------------------------------------

// The numbers of column (or row) j in the rows (columns) of A, and 0 up to the end of the last register.
void gather_column(const Run& run, int j, double* out) {
  const double* column = run.column(j);
  for (int k = 0; k < run.inside; ++k) out[k] = column[run.ws.active[k]];
  for (int k = run.inside; k < padded(run.inside); ++k) out[k] = 0;
}
void gather_row(const Run& run, int j, double* out) {
  for (int k = 0; k < run.inside; ++k) out[k] = run.column(run.ws.active[k])[j];
  for (int k = run.inside; k < padded(run.inside); ++k) out[k] = 0;
}

// u = M_AA^-1 M_Aj
void solve_for_column(const Run& run, int j, double* u) {
  gather_column(run, j, run.ws.gathered.data());
  for (int k = 0; k < run.inside; ++k) u[k] = dot(run.inverse_row(k), run.ws.gathered.data(), padded(run.inside));
}

// Factors M_AA as the problem has it. False if it is singular.
bool factor(const Run& run) {
  DantzigWorkspace& ws = run.ws;
  const int k = run.inside;
  double* A = ws.lu.matrix(k);
  for (int r = 0; r < k; ++r) {
    double* row = A + std::size_t(r) * ws.lu.stride();
    for (int c = 0; c < k; ++c) row[c] = run.column(ws.active[c])[ws.active[r]];
    for (int c = k; c < ws.lu.stride(); ++c) row[c] = 0;
  }
  return ws.lu.factor();
}

// The inverse anew: updates by (4) add up their errors.
void refresh(Run& run) {
  const int k = run.inside;
  run.updates = 0;
  if (k == 0 || !factor(run)) return;
  for (int c = 0; c < k; ++c) {
    double* unit = run.ws.gathered.data();
    for (int r = 0; r < padded(k); ++r) unit[r] = r == c;
    run.ws.lu.solve(unit);
    for (int r = 0; r < k; ++r) run.inverse_row(r)[c] = unit[r];
  }
}

// Puts row j into A by (4). False if it depends on A.
bool enter(Run& run, int j) {
  DantzigWorkspace& ws = run.ws;
  const int k = run.inside, count = padded(k);
  double *u = ws.u.data(), *v = ws.v.data(), *row = ws.gathered.data();
  solve_for_column(run, j, u);
  gather_row(run, j, row);
  double s = run.column(j)[j];
  for (int i = 0; i < k; ++i) s -= row[i] * u[i];
  if (!(s > dependent)) return false;
  ++run.updates;
  std::fill_n(v, count + 8, 0.0);
  for (int i = 0; i < k; ++i) add_multiple(row[i], run.inverse_row(i), count, v);
  const double per_s = 1 / s;
  for (int i = 0; i < k; ++i) {
    double* of_i = run.inverse_row(i);
    if (k % 8 == 0) Double8(0.0).store(of_i + k);  // a register more than so far
    add_multiple(u[i] * per_s, v, count, of_i);
    of_i[k] = -u[i] * per_s;
  }
  double* of_j = run.inverse_row(k);
  for (int i = 0; i < padded(k + 1); ++i) of_j[i] = i < k ? -v[i] * per_s : i == k ? per_s : 0;
  ws.active[k] = j;
  ws.position[j] = k;
  ++run.inside;
  return true;
}

// The same, in doubt with an inverse made anew.
bool enter_surely(Run& run, int j) {
  if (enter(run, j)) return true;
  if (run.updates == 0) return false;
  refresh(run);
  return enter(run, j);
}

// Takes row j out of A: (4) backwards, after it has been made the last.
void leave(Run& run, int j) {
  DantzigWorkspace& ws = run.ws;
  const int p = ws.position[j], last = run.inside - 1, count = padded(run.inside);
  for (int i = 0; i < run.inside; ++i) std::swap(run.inverse_row(i)[p], run.inverse_row(i)[last]);
  if (p != last) std::swap_ranges(run.inverse_row(p), run.inverse_row(p) + count, run.inverse_row(last));
  ws.active[p] = ws.active[last];
  ws.position[ws.active[p]] = p;
  ws.position[j] = -1;
  ++run.updates;
  const double* of_j = run.inverse_row(last);
  const double per_pivot = 1 / of_j[last];
  for (int i = 0; i < last; ++i) {
    double* of_i = run.inverse_row(i);
    add_multiple(-of_i[last] * per_pivot, of_j, count, of_i);
  }
  run.inside = last;
}

// w = M z + q
void all_w(const Run& run) {
  DantzigWorkspace& ws = run.ws;
  std::copy_n(ws.q.data(), run.stride, ws.w.data());
  for (int j = 0; j < run.n; ++j)
    if (ws.z[j] != 0) add_multiple(ws.z[j], run.column(j), run.stride, ws.w.data());
}

// Makes w of the rows inside 0 by changing their z as the inverse tells, `times` times: the first solves, or corrects
// what is nearly solved.
void solve_inside(Run& run, int times) {
  DantzigWorkspace& ws = run.ws;
  const int count = padded(run.inside);
  all_w(run);
  for (int k = 0; k < times; ++k) {
    for (int i = 0; i < count; ++i) ws.gathered[i] = i < run.inside ? -ws.w[ws.active[i]] : 0;
    for (int i = 0; i < run.inside; ++i) ws.z[ws.active[i]] += dot(run.inverse_row(i), ws.gathered.data(), count);
    all_w(run);
  }
}

// z of the rows inside, all others at their bounds; and w.
void solve_set(Run& run) {
  DantzigWorkspace& ws = run.ws;
  for (int i = 0; i < run.n; ++i)
    ws.z[i] = run.is_inside(i) ? 0 : ws.at_upper[i] ? ws.upper[i] : ws.lower[i] > -infinity ? ws.lower[i] : 0;
  solve_inside(run, 2);
}

// ---- laws ----------------------------------------------------------------------------------------------------------

// By how much row i breaks its law: above 0 if w is too small there, below 0 if too large; for rows at a bound.
double broken_at_bound(const Run& run, int i) {
  const DantzigWorkspace& ws = run.ws;
  if (ws.lower[i] == ws.upper[i]) return 0;
  const double w = ws.w[i];
  if (ws.at_upper[i]) return std::min(-w, 0.0);
  return ws.lower[i] == -infinity ? -w : std::max(-w, 0.0);  // a free row has no bound: w must be 0
}

// The worst violation of any law.
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

// ---- drives --------------------------------------------------------------------------------------------------------

enum class Event { own_w, own_bound, inner_bound, outer_w, none };
struct Blocking {
  Event event = Event::none;
  int row = -1;
  double step = infinity;
};

// A row on its way.
struct Drive {
  int row;
  double home, forward;        // where its z began, and whether it is to grow (1) or fall (-1)
  double direction = forward;  // where it goes now
};

// Calls visit(event, row, room, speed) for each of (3) that going on leads to.
template <class Visit>
void visit_blocking(const Run& run, const Drive& drive, Visit visit) {
  const DantzigWorkspace& ws = run.ws;
  const int i = drive.row;
  if (ws.w[i] * ws.dw[i] < 0 && std::abs(ws.dw[i]) > dependent)
    visit(Event::own_w, i, std::abs(ws.w[i]), std::abs(ws.dw[i]));
  const double own = drive.direction != drive.forward ? std::abs(ws.z[i] - drive.home)
                     : drive.forward > 0              ? ws.upper[i] - ws.z[i]
                                                      : ws.z[i] - ws.lower[i];
  if (own < infinity) visit(Event::own_bound, i, own, 1.0);
  for (int k = 0; k < run.inside; ++k) {
    const int a = ws.active[k];
    const double speed = ws.dz[k], room = speed > 0 ? ws.upper[a] - ws.z[a] : ws.z[a] - ws.lower[a];
    if (std::abs(speed) > moves && room < infinity) visit(Event::inner_bound, a, room, std::abs(speed));
  }
  for (int j = 0; j < run.n; ++j) {
    if (j == i || run.is_inside(j) || ws.skipped[j] || ws.lower[j] == ws.upper[j]) continue;
    const double dw = ws.dw[j];
    const bool towards = ws.at_upper[j] ? dw > moves : dw < -moves;
    // Only rows that are lawful now are kept so.
    if (towards && ws.lower[j] > -infinity && !ws.at_upper[j] && ws.w[j] >= -tie)
      visit(Event::outer_w, j, ws.w[j], -dw);
    if (towards && ws.at_upper[j] && ws.w[j] <= tie) visit(Event::outer_w, j, -ws.w[j], dw);
  }
}

// Who stops the drive: of those who are at their bound when the first has passed its own by `tie`, row i itself if
// among them, else the one with the largest pivot [Harris 1973]; or, once a drive has stood still for long, the one
// with the least index, so that it does not go in circles [Bland 1977].
Blocking first_event(const Run& run, const Drive& drive, bool by_index) {
  double limit = infinity;
  visit_blocking(run, drive, [&](Event, int, double room, double speed) {
    limit = std::min(limit, (std::max(room, 0.0) + tie) / speed);
  });
  Blocking best;
  double largest = 0;
  visit_blocking(run, drive, [&](Event event, int row, double room, double speed) {
    const double step = std::max(room, 0.0) / speed;
    if (!(step <= limit)) return;
    const bool own = event == Event::own_w || event == Event::own_bound;
    const bool have_own = best.event == Event::own_w || best.event == Event::own_bound;
    const bool better = best.row < 0 || own || (!have_own && (by_index ? row < best.row : speed > largest));
    if (!better || (own && have_own && step >= best.step)) return;
    best = {event, row, step};
    largest = speed;
  });
  return best;
}

// dz_A and dw for moving z_i by `direction`, (1) and (2).
void find_direction(Run& run, int i, double direction) {
  DantzigWorkspace& ws = run.ws;
  solve_for_column(run, i, ws.dz.data());
  std::fill_n(ws.dw.data(), run.stride, 0.0);
  add_multiple(direction, run.column(i), run.stride, ws.dw.data());
  for (int k = 0; k < run.inside; ++k) {
    ws.dz[k] *= -direction;
    if (ws.dz[k] != 0) add_multiple(ws.dz[k], run.column(ws.active[k]), run.stride, ws.dw.data());
  }
  for (int k = 0; k < run.inside; ++k) ws.dw[ws.active[k]] = 0;
}

void put_at_bound(Run& run, int i, bool upper) {
  run.ws.at_upper[i] = upper;
  run.ws.z[i] = upper ? run.ws.upper[i] : run.ws.lower[i];
}

// What may be left of w_i = 0 after many steps with z of this size.
double rounding_of_w(const Run& run) {
  double most = 10;
  for (int i = 0; i < run.n; ++i) most = std::max(most, std::abs(run.ws.z[i]));
  return inexact * most;
}

enum class End { done, ray, stuck, limit };

// Whether nothing stops a drive because there is no solution: M (dz, 1) = 0 and w_i < 0 along it. If not, it is M that
// is not semidefinite, or rounding.
End unstopped(const Run& run) {
  double most = 0, size = 1;
  for (int i = 0; i < run.n; ++i) most = std::max(most, std::abs(run.ws.dw[i]));
  for (int k = 0; k < run.inside; ++k) size = std::max(size, std::abs(run.ws.dz[k]));
  return most <= dependent * size ? End::ray : End::stuck;
}

// Row i has w_i = 0 now, by going somewhere or from the start: it goes inside. If it depends on the rows inside that
// cannot be, and need not: w stays as it is whatever z_i, so the row can go back home, until it arrives or one of the
// others reaches a bound and makes room. True if the drive is over.
bool arrive(Run& run, Drive& drive) {
  DantzigWorkspace& ws = run.ws;
  const int i = drive.row;
  const bool depends = std::abs(ws.dw[i]) <= dependent, moved = ws.z[i] != drive.home;
  if (depends && moved) {
    drive.direction = -drive.forward;
    find_direction(run, i, drive.direction);
    return false;
  }
  if (!depends && !moved) return false;  // not yet: from here on it is exact
  ws.skipped[i] = depends || !enter_surely(run, i);
  return true;
}

// Drives row i until its law holds.
End drive_row(Run& run, int i) {
  DantzigWorkspace& ws = run.ws;
  Drive drive{i, ws.z[i], broken_at_bound(run, i) > 0 ? 1.0 : -1.0};
  for (int still = 0;;) {
    if (++run.events > run.limit) return End::limit;
    if (run.updates > max_updates + run.inside) {
      refresh(run);
      solve_inside(run, 1);
    }
    find_direction(run, i, drive.direction);
    if (-ws.w[i] * drive.forward <= rounding_of_w(run) && arrive(run, drive)) return End::done;
    const Blocking blocking = first_event(run, drive, still > 2 * run.n);
    if (blocking.event == Event::none) {
      if (run.updates == 0) return unstopped(run);
      refresh(run);  // to be sure
      continue;
    }
    ws.z[i] += drive.direction * blocking.step;
    for (int k = 0; k < run.inside; ++k) ws.z[ws.active[k]] += blocking.step * ws.dz[k];
    add_multiple(blocking.step, ws.dw.data(), run.stride, ws.w.data());
    still = blocking.step > 0 ? 0 : still + 1;
    switch (blocking.event) {
      case Event::own_w:
        ws.w[i] = 0;
        ws.skipped[i] = !enter_surely(run, i);
        return End::done;
      case Event::own_bound:
        if (drive.direction == drive.forward)
          put_at_bound(run, i, drive.forward > 0);
        else
          ws.z[i] = drive.home;
        return End::done;
      case Event::inner_bound:
        leave(run, blocking.row);
        put_at_bound(run, blocking.row,
                     ws.upper[blocking.row] - ws.z[blocking.row] < ws.z[blocking.row] - ws.lower[blocking.row]);
        break;
      default:
        ws.w[blocking.row] = 0;
        if (!enter_surely(run, blocking.row)) ws.skipped[blocking.row] = 1;
    }
  }
}

// The row that breaks its law most; free rows before all others, as they are inside for good. -1: none.
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

// ---- sets ----------------------------------------------------------------------------------------------------------

// At the bound that q speaks for, or the only one.
void start_cold(Run& run) {
  DantzigWorkspace& ws = run.ws;
  run.inside = run.updates = 0;
  for (int i = 0; i < run.n; ++i) {
    ws.position[i] = -1;
    ws.at_upper[i] = ws.upper[i] < infinity && (ws.lower[i] == -infinity || ws.q[i] < 0);
  }
}

void start_warm(Run& run, std::span<const double> guess) {
  DantzigWorkspace& ws = run.ws;
  run.inside = run.updates = 0;
  for (int i = 0; i < run.n; ++i) {
    const double z = guess[i] / (ws.scale[i] * run.unit);
    ws.position[i] = -1;
    ws.at_upper[i] = ws.upper[i] < infinity && (ws.lower[i] == -infinity || z >= ws.upper[i]);
    if (z > ws.lower[i] && z < ws.upper[i]) enter(run, i);
  }
}

// Rows inside whose z is beyond a bound go there. False if there is none.
bool leave_beyond_bounds(Run& run) {
  DantzigWorkspace& ws = run.ws;
  bool any = false;
  for (int k = run.inside - 1; k >= 0; --k) {
    const int a = ws.active[k];
    const bool above = ws.z[a] > ws.upper[a] + lawful, below = ws.z[a] < ws.lower[a] - lawful;
    if (!above && !below) continue;
    leave(run, a);
    ws.at_upper[a] = above;
    any = true;
  }
  return any;
}
// The same until all are within bounds: what drives begin from.
void return_to_bounds(Run& run) {
  do solve_set(run);
  while (leave_beyond_bounds(run));
}

// z_A with the problem's own numbers and a fresh factorisation, corrected while that helps; and w. Without it, the
// inverse's errors of all updates would remain.
void solve_afresh(Run& run) {
  DantzigWorkspace& ws = run.ws;
  solve_set(run);
  const int k = run.inside;
  if (k == 0) return;
  if (!factor(run)) return;
  double last = infinity;
  for (int correction = 0; correction < 4; ++correction) {
    double worst = 0;
    for (int r = 0; r < padded(k); ++r) {
      ws.gathered[r] = r < k ? -ws.w[ws.active[r]] : 0;
      worst = std::max(worst, std::abs(ws.gathered[r]));
    }
    if (!(worst > 1e-15) || !(worst < 0.5 * last)) return;
    last = worst;
    ws.lu.solve(ws.gathered.data());
    for (int r = 0; r < k; ++r) ws.z[ws.active[r]] += ws.gathered[r];
    all_w(run);
  }
}

void write(const Run& run, std::span<double> z) {
  const DantzigWorkspace& ws = run.ws;
  for (int i = 0; i < run.n; ++i) z[i] = std::clamp(ws.z[i], ws.lower[i], ws.upper[i]) * ws.scale[i] * run.unit;
}

}  // namespace

Outcome dantzig(const Problem& problem, const SolverOptions& options, DantzigWorkspace& ws, std::span<double> z) {
  Run run{problem, ws};
  run.n = problem.size();
  run.stride = padded(run.n);
  check(z.size() == problem.q.size(), "dantzig: z has ", z.size(), " numbers, the problem ", problem.q.size());
  make_room(run);
  load(run);
  load_bounds(run);
  // A drive takes a few events, a solution some per row; more is going in circles.
  run.limit = options.max_iterations > 0 ? options.max_iterations : 200 + 50 * run.n;
  bool warm = options.warm_start;
  if (warm)
    start_warm(run, z);
  else
    start_cold(run);
  return_to_bounds(run);

  for (int round = 0; round < 4; ++round) {
    End end = End::done;
    std::fill_n(ws.skipped.begin(), run.n, 0);
    for (int i = worst_row(run); i >= 0 && end == End::done; i = worst_row(run)) {
      end = drive_row(run, i);
      solve_inside(run, 1);
    }
    solve_afresh(run);
    const double by = broken(run);
    write(run, z);
    if (by <= 1 || (by <= nearly && round == 3)) return {Stop::finished, run.events};
    if (end == End::limit) return {Stop::iteration_limit, run.events};
    if (end == End::ray && !warm) return {Stop::ray, run.events};
    if (end == End::ray || end == End::stuck) {  // not from here; perhaps from the beginning
      if (!warm) return {Stop::stalled, run.events};
      warm = false;
      start_cold(run);
    } else {
      refresh(run);
      leave_beyond_bounds(run);  // by z as just solved for, which the inverse may not show
    }
    return_to_bounds(run);
  }
  return {Stop::stalled, run.events};
}

}  // namespace linchpin
