#include "linchpin/solvers/conic/measure.h"

#include <algorithm>
#include <cmath>

#include "linchpin/algebra/dense_lu.h"
#include "linchpin/solvers/conic/cones.h"
#include "linchpin/solvers/conic/natural_map.h"

namespace linchpin {

namespace {

// |F|^2 of eight cones (natural_map.h); `step` is u~.
LINCHPIN_INLINE Double8 squared_map(const Double8& mu, const Double8& rho, const Cones& r, const Cones& step) {
  const Cones inside = rho * step, x = r - inside;
  const Double8 tangent = tangential(x), normal = fma(mu, tangent, x.n) / fma(mu, mu, Double8(1.0));
  const Double8 shrink = mu * normal / tangent;
  const Cones surface = r - Cones{normal, shrink * x.x, shrink * x.y};
  return select((x.n.v >= Double8(0.0).v) & ((mu * x.n).v >= tangent.v), dot(inside, inside),
                select((-x.n).v >= (mu * tangent).v, dot(r, r), dot(surface, surface)));
}

}  // namespace

double measure(const ScaledProblem& p, const double* r, double* u, double* scaled_norm) {
  p.multiply(r, u);
  for (int i = 0; i < p.stride; i += 8) (Double8::load(u + i) + Double8::load(&p.q[i])).store(u + i);
  double scaled = 0, plain = 0;
  for (std::size_t g = 0; g < p.cones.size(); ++g) {
    const auto [cell, start, count] = p.cones[g];
    const Double8 mu = Double8::load(&p.mu[8 * g]);
    const Double8 s = Cones::load(&p.s[start], count).n;
    const Cones impulse = Cones::load(r + start, count);
    Cones step = Cones::load(u + start, count);
    step.n = fma(mu, tangential(step), step.n);
    scaled += sum(squared_map(mu, Double8(1.0), impulse, step), count);
    // rho = 1 in the problem's own units is rho = s^2 here
    plain += sum(squared_map(mu, s * s, impulse, step) / (s * s), count);
  }
  for (const int i : p.others) {
    const Cell& c = p.cells[i];
    const double s = p.s[c.start];
    double F[3], f[3];
    natural_map(c, p, 1, r + c.start, u + c.start, F);
    natural_map(c, p, s * s, r + c.start, u + c.start, f);
    for (int k = 0; k < c.size; ++k) {
      scaled += F[k] * F[k];
      plain += (f[k] / s) * (f[k] / s);
    }
  }
  scaled = std::sqrt(scaled);
  plain = std::sqrt(plain);
  if (scaled_norm) *scaled_norm = scaled;
  return std::max(p.q_norm > 0 ? scaled / p.q_norm : scaled, p.plain_q_norm > 0 ? plain / p.plain_q_norm : plain);
}

void row_velocity(const ScaledProblem& p, int cell, const double* r, double* u) {
  const Cell& c = p.cells[cell];
  for (int i = 0; i < c.size; ++i) u[i] = p.q[c.start + i];
  if (!p.sparse) {
    for (int i = 0; i < c.size; ++i) {
      const double* row = &p.W[std::size_t(c.start + i) * std::size_t(p.stride)];
      Double8 sum(0.0);
      for (int j = 0; j < p.stride; j += 8) sum = fma(Double8::load(row + j), Double8::load(r + j), sum);
      u[i] += ((sum.v[0] + sum.v[1]) + (sum.v[2] + sum.v[3])) + ((sum.v[4] + sum.v[5]) + (sum.v[6] + sum.v[7]));
    }
    return;
  }
  for (int e = p.blocks.first[cell]; e < p.blocks.first[cell + 1]; ++e) {
    const Cell& d = p.cells[p.blocks.column[e]];
    const double* v = &p.blocks.values[p.blocks.value_start[e]];
    for (int i = 0; i < c.size; ++i)
      for (int k = 0; k < d.size; ++k) u[i] += *v++ * r[d.start + k];
  }
}

}  // namespace linchpin
