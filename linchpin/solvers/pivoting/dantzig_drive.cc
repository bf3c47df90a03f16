#include "linchpin/solvers/pivoting/dantzig_drive.h"

#include <algorithm>
#include <cmath>

#include "linchpin/solvers/pivoting/dantzig_inside.h"
#include "linchpin/solvers/pivoting/dantzig_laws.h"

namespace linchpin::dantzig_detail {
namespace {

// In the scaled units, in which M and q are about 1:
constexpr double moves = 1e-10;  // a w or z that changes by less per unit of z_i does not change: rounding of (1), (2)
// Updates of the inverse, beyond |A|, before it is recomputed: recomputing, O(|A|^3), then costs no more than the
// updates, O(|A|^2) each.
constexpr int max_updates = 40;
constexpr double inexact = 1e-12;  // times the largest |z|: the rounding error of w = 0
constexpr double tie = 1e-12;  // bounds may be passed by this much, so that the largest pivot among ties can be chosen

enum class Event { own_w, own_bound, inner_bound, outer_w, none };
struct Blocking {
  Event event = Event::none;
  int row = -1;
  double step = infinity;
};

// A row that is being driven.
struct Drive {
  int row;
  double home, forward;        // the z it started from; whether z grows (1) or falls (-1)
  double direction = forward;  // of the current motion: it may also go back home
};

// Calls visit(event, row, room, speed) for each event (3) that lies ahead.
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
    // Only rows that are lawful now are kept lawful.
    if (towards && ws.lower[j] > -infinity && !ws.at_upper[j] && ws.w[j] >= -tie)
      visit(Event::outer_w, j, ws.w[j], -dw);
    if (towards && ws.at_upper[j] && ws.w[j] <= tie) visit(Event::outer_w, j, -ws.w[j], dw);
  }
}

// The event that stops the drive. Candidates are all that are at their bound when the first has passed its own by
// `tie`: row i itself if it is among them, else the one with the largest pivot [Harris 1973]. Once a drive has not
// moved for long, the candidate with the least index, which prevents cycling [Bland 1977].
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

// The rounding error of w_i = 0 after many steps with z of this size.
double rounding_of_w(const Run& run) {
  double most = 10;
  for (int i = 0; i < run.n; ++i) most = std::max(most, std::abs(run.ws.z[i]));
  return inexact * most;
}

// Whether an unbounded drive means that there is no solution: M (dz, 1) = 0 and w_i < 0 along it. If not, M is not
// semidefinite, or it is rounding.
End unstopped(const Run& run) {
  double most = 0, size = 1;
  for (int i = 0; i < run.n; ++i) most = std::max(most, std::abs(run.ws.dw[i]));
  for (int k = 0; k < run.inside; ++k) size = std::max(size, std::abs(run.ws.dz[k]));
  return most <= dependent * size ? End::ray : End::stuck;
}

// Row i has w_i = 0, now or from the start, and goes inside. If it depends on the rows inside, it cannot, and need not:
// w does not depend on z_i, so the row goes back to where it started, until it arrives or another row reaches a bound
// and leaves A. True if the drive is over.
bool arrive(Run& run, Drive& drive) {
  DantzigWorkspace& ws = run.ws;
  const int i = drive.row;
  const bool depends = std::abs(ws.dw[i]) <= dependent, moved = ws.z[i] != drive.home;
  if (depends && moved) {
    drive.direction = -drive.forward;
    find_direction(run, i, drive.direction);
    return false;
  }
  if (!depends && !moved) return false;  // not yet; the inverse is now exact
  ws.skipped[i] = depends || !enter_surely(run, i);
  return true;
}

}  // namespace

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
      refresh(run);  // exclude errors of the inverse
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

}  // namespace linchpin::dantzig_detail
