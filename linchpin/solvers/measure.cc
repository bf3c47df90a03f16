#include "linchpin/solvers/measure.h"

#include <algorithm>
#include <cmath>

#include "linchpin/solvers/dense_lu.h"
#include "linchpin/solvers/natural_map.h"

namespace linchpin {

double measure(const ScaledProblem& p, const double* r, double* u, double* scaled_norm) {
  p.multiply(r, u);
  for (int i = 0; i < p.n; ++i) u[i] += p.q[std::size_t(i)];
  double scaled = 0, plain = 0, plain_q = 0;
  for (const Cell& c : p.cells) {
    const double s = p.s[std::size_t(c.start)];
    double F[3], f[3];
    natural_map(c, p, 1, r + c.start, u + c.start, F);
    natural_map(c, p, s * s, r + c.start, u + c.start, f);  // rho = 1 in the problem's own units is s^2 in these
    for (int k = 0; k < c.size; ++k) {
      const double q = p.q[std::size_t(c.start + k)] * s;
      scaled += F[k] * F[k];
      plain += (f[k] / s) * (f[k] / s);
      plain_q += q * q;
    }
  }
  scaled = std::sqrt(scaled);
  plain = std::sqrt(plain);
  if (scaled_norm) *scaled_norm = scaled;
  return std::max(p.q_norm > 0 ? scaled / p.q_norm : scaled, plain_q > 0 ? plain / std::sqrt(plain_q) : plain);
}

void row_velocity(const ScaledProblem& p, int cell, const double* r, double* u) {
  const Cell& c = p.cells[std::size_t(cell)];
  for (int i = 0; i < c.size; ++i) u[i] = p.q[std::size_t(c.start + i)];
  if (!p.sparse) {
    for (int i = 0; i < c.size; ++i) {
      const double* row = &p.W[std::size_t(c.start + i) * std::size_t(p.stride)];
      Double8 sum(0.0);
      for (int j = 0; j < p.stride; j += 8) sum = fma(Double8::load(row + j), Double8::load(r + j), sum);
      u[i] += ((sum.v[0] + sum.v[1]) + (sum.v[2] + sum.v[3])) + ((sum.v[4] + sum.v[5]) + (sum.v[6] + sum.v[7]));
    }
    return;
  }
  for (int e = p.blocks.first[std::size_t(cell)]; e < p.blocks.first[std::size_t(cell) + 1]; ++e) {
    const Cell& d = p.cells[std::size_t(p.blocks.column[std::size_t(e)])];
    const double* v = &p.blocks.values[p.blocks.value_start[std::size_t(e)]];
    for (int i = 0; i < c.size; ++i)
      for (int k = 0; k < d.size; ++k) u[i] += *v++ * r[d.start + k];
  }
}

}  // namespace linchpin
