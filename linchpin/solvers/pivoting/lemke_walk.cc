#include "linchpin/solvers/pivoting/lemke_walk.h"

#include <algorithm>

#include "linchpin/solvers/pivoting/lemke_leaving.h"
#include "linchpin/solvers/pivoting/lemke_pivot.h"
#include "linchpin/solvers/pivoting/lemke_tableau.h"

namespace linchpin::lemke_detail {

End walk(Run& run, int& entering) {
  LemkeWorkspace& ws = run.ws;
  for (int i = 0; i < run.pairs; ++i) ws.start_variable[i] = ws.row_variable[i];
  std::copy_n(ws.flipped.begin(), run.pairs, ws.start_flipped.begin());
  int r = worst_row(run), s = run.spare();
  if (r == not_finite) return End::overflow;
  if (r < 0) return End::solution;
  // Paths can be exponentially long in theory; some 2 pivots per pair are usual. A much longer one is lost in rounding.
  const int limit = std::min(run.limit, run.pivots + 100 + 10 * run.pairs);
  for (;;) {
    // Exchanges r and s. Without bounds the next candidates are known as soon as two columns are updated.
    int left = ws.row_variable[r];
    Candidates found;
    const bool upper = run.bounded && ws.row_height[r] < infinity && run.column(s)[r] > 0;
    const int next = left == run.z0() ? s : ws.place[left ^ 1];
    pivot(run, r, s, next, [&] {
      if (!run.bounded && left != run.z0()) found = find_candidates<false>(run, next, infinity);
    });
    if (left == run.z0()) return End::solution;
    if (upper) flip(run, left / 2);
    if (run.pivots >= limit) return End::limit;

    // Finds the next leaving variable. One that reaches its own other bound enters and leaves at once: its partner is
    // next.
    do {
      entering = left ^ 1;
      s = ws.place[entering];
      if (run.bounded) found = find_candidates<true>(run, s, entering % 2 == 0 ? ws.height[entering / 2] : infinity);
      if (found.count == 0) return End::ray;
      r = first_of_candidates(run, entering, found);
      if (r == itself) flip(run, entering / 2);
      left = entering;
    } while (r == itself);
  }
}

}  // namespace linchpin::lemke_detail
