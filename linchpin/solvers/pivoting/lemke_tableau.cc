#include "linchpin/solvers/pivoting/lemke_tableau.h"

#include <algorithm>
#include <utility>

#include "linchpin/algebra/tile.h"
#include "linchpin/solvers/pivoting/lemke_pivot.h"

namespace linchpin::lemke_detail {

void pivot_numbers_long(double* T, std::size_t stride, int columns, int registers, int r, int s, int* filled) {
  double* entering = T + std::size_t(s) * stride;
  const double inverse = 1 / entering[r];
  int count = 0;
  for (int k = 0; k < registers; ++k)
    if (bits(at(entering + k * lanes) != 0)) filled[count++] = k * lanes;
  for (int j = 0; j < columns; ++j) {
    double* column = T + std::size_t(j) * stride;
    if (j == s || column[r] == 0) continue;
    const double t = -column[r] * inverse;
    for (int k = 0; k < count; ++k) add_product(at(column + filled[k]), t, at(entering + filled[k]));
    column[r] = t;
  }
  for (int k = 0; k < count; ++k) at(entering + filled[k]) *= inverse;
  entering[r] = inverse;
}

namespace {
constexpr auto nothing = [] {};
}  // namespace

void pivot(Run& run, int r, int s) { pivot(run, r, s, s, nothing); }

void pivot_with_free_rows(Run& run, int r, int s) {
  pivot_among(run, run.rows, run.pairs + 2 + run.frees, r, s, run.b(), nothing);
}

void load_tableau(Run& run) {
  LemkeWorkspace& ws = run.ws;
  const int height = padded(run.rows);
  for (int j = 0; j < run.rows; j += lanes)
    for (int i = 0; i < run.rows; i += lanes) {
      Double8 a[lanes];
#pragma GCC unroll 8
      for (int k = 0; k < lanes; ++k) a[k] = at(run.row(i + k) + j);
      transpose(a);
      if (run.frees == 0)  // beyond the last pair are the columns filled below, and padding
#pragma GCC unroll 8
        for (int k = 0; k < lanes; ++k) at(run.column(j + k) + i) = a[k].v;
      else
        for (int k = 0; k < lanes && j + k < run.rows; ++k)
          at(run.column(j + k < run.pairs ? j + k : j + k + 2) + i) = a[k].v;
    }
  for (int i = 0; i < height; i += lanes) {
    at(run.column(run.spare()) + i) = Lanes{};
    at(run.column(run.b()) + i) = at(ws.q.data() + i);
  }
  const auto put = [&](int i, int column, int z) {
    ws.column_variable[column] = z;
    ws.place[z] = column;
    ws.row_variable[i] = z + 1;
    ws.place[z + 1] = ~i;
  };
  for (int p = 0; p < run.pairs; ++p) put(p, p, 2 * p);
  for (int k = 0; k < run.frees; ++k) put(run.pairs + k, run.free_column(k), run.z0() + 1 + 2 * k);
  ws.column_variable[run.spare()] = run.z0();
  ws.place[run.z0()] = run.spare();
  if (run.bounded)
    for (int p = 0; p < height; ++p) ws.row_height[p] = infinity;
}

void flip(Run& run, int p) {
  LemkeWorkspace& ws = run.ws;
  const int height = padded(run.pairs), columns = run.pairs + 2;
  double* b = run.column(run.b());
  for (const int v : {2 * p, 2 * p + 1}) {
    const double shift = v % 2 == 0 ? ws.height[p] : 0;
    const int place = ws.place[v];
    if (place >= 0) {
      double* column = run.column(place);
      if (shift != 0)
        for (int i = 0; i < height; i += lanes) add_product(at(b + i), shift, at(column + i));
      for (int i = 0; i < height; i += lanes) at(column + i) = -at(column + i);
    } else {
      for (int j = 0; j < columns; ++j) run.column(j)[~place] *= -1;
      b[~place] += shift;
    }
  }
  ws.flipped[p] ^= 1;
}

void swap_rows(Run& run, int i, int k) {
  LemkeWorkspace& ws = run.ws;
  for (int j = 0; j < run.pairs + 2 + run.frees; ++j) std::swap(run.column(j)[i], run.column(j)[k]);
  std::swap(ws.row_variable[i], ws.row_variable[k]);
  ws.place[ws.row_variable[i]] = ~i;
  ws.place[ws.row_variable[k]] = ~k;
}
void swap_columns(Run& run, int s, int t) {
  LemkeWorkspace& ws = run.ws;
  for (int i = 0; i < padded(run.rows); ++i) std::swap(run.column(s)[i], run.column(t)[i]);
  std::swap(ws.column_variable[s], ws.column_variable[t]);
  ws.place[ws.column_variable[s]] = s;
  ws.place[ws.column_variable[t]] = t;
}

void read_tableau(Run& run) {
  LemkeWorkspace& ws = run.ws;
  const double* b = run.column(run.b());
  if (!run.bounded) {
    for (int p = 0; p < run.pairs; ++p) {  // no branches: they would be unpredictable
      const int place = ws.place[2 * p];
      const double basic = double(place < 0);
      ws.basic[p] = basic;
      ws.x[p] = basic * b[~place & (place >> 31)];  // row ~place, or row 0, whose value is not used
    }
    return;
  }
  for (int p = 0; p < run.pairs; ++p) {
    const int place = ws.place[2 * p];
    ws.basic[p] = place < 0;
    ws.x[p] = place >= 0 ? (ws.flipped[p] ? ws.height[p] : 0) : ws.flipped[p] ? ws.height[p] - b[~place] : b[~place];
    if (place < 0) ws.flipped[p] = 0;
  }
}

}  // namespace linchpin::lemke_detail
