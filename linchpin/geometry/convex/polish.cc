#include "linchpin/geometry/convex/polish.h"

#include <algorithm>
#include <limits>

#include "linchpin/base/infinity.h"
#include "linchpin/geometry/pairs/tangents.h"

namespace linchpin {

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr int most_pieces = 6;
constexpr int most_steps = 100;        // usually 3 to 6
constexpr int passes = 3;              // fixed-point iterations in stationary()
constexpr double longest_step = 0.25;  // rad; (1) is a local model

struct Tangents {
  Vec3<double> u, v;
};
struct Vec2 {
  double x, y;
};
struct Sym2 {
  double xx, yy, xy;
};
LINCHPIN_INLINE double dot(const Vec2& a, const Vec2& b) { return fma(a.y, b.y, a.x * b.x); }
LINCHPIN_INLINE double cross(const Vec2& a, const Vec2& b) { return fma(a.x, b.y, -(a.y * b.x)); }
LINCHPIN_INLINE Vec2 operator-(const Vec2& a, const Vec2& b) { return {a.x - b.x, a.y - b.y}; }
LINCHPIN_INLINE Vec2 operator*(const Sym2& M, const Vec2& v) {
  return {fma(M.xy, v.y, M.xx * v.x), fma(M.yy, v.y, M.xy * v.x)};
}

// One of the functions (1).
struct Model {
  Vec3<double> a, b;
  double s;
  Vec2 t;
  Sym2 M;
};
// M is indefinite where the penetration is deeper than the radii of curvature. definite() adds the smallest multiple of
// 1 that makes it positive definite.
LINCHPIN_INLINE bool is_definite(const Sym2& M) { return M.xx > 0 && M.xx * M.yy > M.xy * M.xy; }
LINCHPIN_INLINE Sym2 definite(const Sym2& M) {
  const double mean = (M.xx + M.yy) / 2, half = (M.xx - M.yy) / 2, spread = std::sqrt(fma(half, half, M.xy * M.xy));
  const double least = 1e-6 * (std::abs(mean) + spread), more = std::max(0.0, least - (mean - spread));
  return {M.xx + more, M.yy + more, M.xy};
}

LINCHPIN_INLINE double value(const Model& m, const Sym2& M, const Vec2& y) {
  return m.s + dot(m.t, y) - 0.5 * dot(y, M * y);
}

Model model_at(const CorePair& pair, int piece_a, int piece_b, const Vec3<double>& n, const Tangents& T) {
  const PieceAlong a = along(pair.a, piece_a, -n), b = along(pair.b, piece_b, transpose_times(pair.X_AB.R, n));
  const Vec3<double> y = pair.X_AB * b.x, w = a.x - y;
  const double s = dot(n, w);
  // Each Hessian in its own frame: rotating two vectors is less work than rotating a matrix.
  const Vec3<double> u_b = transpose_times(pair.X_AB.R, T.u), v_b = transpose_times(pair.X_AB.R, T.v);
  const Vec3<double> Hu = a.hessian * T.u, Hv = a.hessian * T.v, Gu = b.hessian * u_b, Gv = b.hessian * v_b;
  return {a.x,
          y,
          s,
          {dot(T.u, w), dot(T.v, w)},
          {dot(T.u, Hu) + dot(u_b, Gu) + s, dot(T.v, Hv) + dot(v_b, Gv) + s, dot(T.u, Hv) + dot(u_b, Gv)}};
}

LINCHPIN_INLINE Vec2 solve(const Sym2& M, const Vec2& t) {
  const double k = 1 / fma(M.xx, M.yy, -(M.xy * M.xy));
  return {k * fma(M.yy, t.x, -(M.xy * t.y)), k * fma(M.xx, t.y, -(M.xy * t.x))};
}
LINCHPIN_INLINE Vec2 shortened(const Vec2& y) {
  const double length = std::sqrt(dot(y, y));
  return length > longest_step ? Vec2{longest_step / length * y.x, longest_step / length * y.y} : y;
}
LINCHPIN_INLINE Sym2 mean_of(const Model* const* set, const double* l, int size) {
  Sym2 M{0, 0, 0};
  for (int i = 0; i < size; ++i) {
    M.xx = fma(l[i], set[i]->M.xx, M.xx);
    M.yy = fma(l[i], set[i]->M.yy, M.yy);
    M.xy = fma(l[i], set[i]->M.xy, M.xy);
  }
  return M;
}

// The solution of (2) for a given set of functions. `pulls` is true if the multipliers are nonnegative and the
// curvature is positive, so that it is a maximum held by these pieces.
struct Stationary {
  Vec2 y;
  double l[3];
  bool pulls;
};

// In (2) the functions themselves are equal, including their curvature, which bends the edge that n moves along. The
// curvature terms depend on y, and so do the multipliers that weigh M: hence the passes.
LINCHPIN_INLINE double at_origin(const Model& m, const Vec2& y) { return m.s - 0.5 * dot(y, m.M * y); }

LINCHPIN_INLINE void stationary_of_one(const Model& m, Stationary& out) {
  out.l[0] = 1;
  out.pulls = is_definite(m.M);
  out.y = shortened(solve(definite(m.M), m.t));
}

// Two functions whose gradients differ by e.
LINCHPIN_INLINE void stationary_of_two(const Model* const* set, const Vec2& e, double ee, Stationary& out) {
  out.l[0] = out.l[1] = 0.5;
  Vec2 y{0, 0};
  const double length = std::sqrt(ee);
  const Vec2 p{e.x / length, e.y / length}, q{-p.y, p.x};
  for (int pass = 0; pass < passes; ++pass) {
    const double along_e = (at_origin(*set[0], y) - at_origin(*set[1], y)) / length;
    const Sym2 M = mean_of(set, out.l, 2);
    const Vec2 Mq = M * q;
    // Where the penetration is deeper than the radii of curvature, s is not concave along the edge. Then the step is
    // that of a definite M, uphill and of limited length.
    const double curvature = dot(q, Mq), safe = curvature > 0 ? curvature : dot(q, definite(M) * q);
    const double along_q = (dot(q, set[0]->t) - dot(p, Mq) * along_e) / safe;
    y = shortened({fma(along_q, q.x, along_e * p.x), fma(along_q, q.y, along_e * p.y)});
    const double share = (dot(p, M * y) - dot(p, set[0]->t)) / length;
    out.pulls = share >= 0 && share <= 1 && curvature > 0;
    out.l[1] = std::clamp(share, 0.0, 1.0);
    out.l[0] = 1 - out.l[1];
  }
  out.y = y;
}

// Three functions; false if their gradients are collinear, where two of the three suffice.
LINCHPIN_INLINE bool stationary_of_three(const Model* const* set, const Vec2& e, double ee, Stationary& out) {
  double* const l = out.l;
  l[0] = l[1] = l[2] = 1.0 / 3;
  Vec2 y{0, 0};
  const Vec2 f = set[2]->t - set[0]->t;
  const double twice_area = cross(e, f);
  if (!(std::abs(twice_area) > 1e-12 * (ee + dot(f, f)))) return false;
  for (int pass = 0; pass < passes; ++pass) {
    const double s0 = at_origin(*set[0], y);
    const double p = s0 - at_origin(*set[1], y), q = s0 - at_origin(*set[2], y);
    y = shortened({fma(p, f.y, -(q * e.y)) / twice_area, fma(q, e.x, -(p * f.x)) / twice_area});
  }
  out.y = y;
  const Vec2 r = mean_of(set, l, 3) * y - set[0]->t;
  l[1] = cross(r, f) / twice_area;
  l[2] = cross(e, r) / twice_area;
  l[0] = 1 - l[1] - l[2];
  out.pulls = l[0] >= 0 && l[1] >= 0 && l[2] >= 0;
  for (int i = 0; i < 3; ++i) l[i] = std::max(0.0, l[i]);
  const double sum = 1 / (l[0] + l[1] + l[2]);
  for (int i = 0; i < 3; ++i) l[i] *= sum;
  return true;
}

// Solves (2) for a set of one to three functions; false if they do not intersect in a definite point.
bool stationary(const Model* const* set, int size, Stationary& out) {
  if (size == 1) {
    stationary_of_one(*set[0], out);
    return true;
  }
  const Vec2 e = set[1]->t - set[0]->t;
  const double ee = dot(e, e);
  if (!(ee > 0)) return false;
  if (size == 2) {
    stationary_of_two(set, e, ee, out);
    return true;
  }
  return stationary_of_three(set, e, ee, out);
}

// The y at which the minimum of all functions is largest, searched among the solutions of all sets of at most three.
// `first` is the set to begin with, one bit for each model. If a set pulls and its functions are lower than all others,
// no other set is better.
struct Step {
  Vec2 y;
  double weights[most_pieces];
};
Step best_step(const Model* models, int count, unsigned first, double noise) {
  Step best{};
  if (count == 1) {
    best.y = shortened(solve(definite(models[0].M), models[0].t));
    best.weights[0] = 1;
    return best;
  }
  double highest = -infinity;
  // False if no other set can be better.
  const auto attempt = [&](unsigned mask) {
    const Model* set[most_pieces] = {};
    int index[most_pieces] = {}, size = 0;
    for (int i = 0; i < count; ++i)
      if (mask >> i & 1) {
        set[size] = &models[i];
        index[size++] = i;
      }
    Stationary at;
    if (size > 3 || !stationary(set, size, at)) return true;
    double least = infinity, others = infinity;
    // If the set does not pull, models with negative curvature are made definite: the gain that they predict vanishes
    // as soon as another piece meets.
    for (int i = 0; i < count; ++i) {
      const Model& m = models[i];
      const double there = value(m, at.pulls || is_definite(m.M) ? m.M : definite(m.M), at.y);
      double& lowest = mask >> i & 1 ? least : others;
      lowest = std::min(lowest, there);
    }
    const bool holds = at.pulls && others >= least;
    least = std::min(least, others);
    if (at.pulls) least += noise;  // of equally good places, prefer one that pulls
    if (!(least > highest)) return true;
    highest = least;
    best = {at.y, {}};
    for (int i = 0; i < size; ++i) best.weights[index[i]] = at.l[i];
    return !holds;
  };
  if (first != 0 && !attempt(first)) return best;
  for (unsigned mask = 1; mask < 1u << count; ++mask)
    if (mask != first && !attempt(mask)) break;
  return best;
}

LINCHPIN_INLINE Vec3<double> unit(const Vec3<double>& v) { return (1 / norm(v)) * v; }

class Polisher {
 public:
  Polisher(const CorePair& pair, const Difference* points, int count, Direction& best) : pair_(pair), best_(best) {
    for (int i = 0; i < count; ++i) take_in(points[i]);
  }

  void run(const Vec3<double>& n) {
    climb(n, true);
    for (int i = 0; i < hints_; ++i) climb(hint_[i], false);
  }

  void climb(Vec3<double> n, bool caps) {
    const double noise = 8 * eps * pair_.size;
    const Difference w = least_along(pair_, n);
    double s = dot(n, w.w), last_length = infinity;
    take_in(w);
    for (int step = 0; step < most_steps; ++step) {
      Tangents T;
      tangents(n, T.u, T.v);
      for (int i = 0; i < count_; ++i) models_[i] = model_at(pair_, pieces_[i].piece_a, pieces_[i].piece_b, n, T);
      step_ = best_step(models_, count_, active_, noise);
      active_ = 0;
      for (int i = 0; i < count_; ++i) active_ |= unsigned(step_.weights[i] > 0) << i;
      if (step == 0 && caps) try_caps(n);
      const double length = std::sqrt(dot(step_.y, step_.y));
      // Converged: the step is zero, or small and no longer decreasing because of rounding. Pieces that meet here may
      // still be missing: for an edge over an edge all four pairs of ends meet, but the support functions may have
      // returned three of them only.
      const bool converged = !(length > 2 * eps) || (length < 1e-7 && !(length < 0.9 * last_length));
      if (converged || step + 1 == most_steps) {
        offer_here(n, s);
        if (best_.miss <= 1e-12 * pair_.size || !mix()) return;
        last_length = infinity;
        continue;
      }
      const bool moved = advance(T, length, noise, n, s);
      if (!moved && !fresh_) return offer_here(n, s);
      last_length = moved ? length : infinity;
      fresh_ = false;
    }
  }

 private:
  // Line search: moves n along step_, of the given length, halved until s increases. False if another piece was found
  // on the way, by which the model is improved first, or if no step helps.
  bool advance(const Tangents& T, double length, double noise, Vec3<double>& n, double& s) {
    for (int halving = 0; halving < 12; ++halving) {
      const Vec3<double> trial = unit(n + step_.y.x * T.u + step_.y.y * T.v);
      const Difference there = least_along(pair_, trial);
      const double s_there = dot(trial, there.w);
      if (s_there > s || (length < 1e-5 && s_there >= s - noise)) {
        n = trial;
        s = s_there;
        take_in(there);
        return true;
      }
      if (take_in(there)) return false;
      step_.y = {step_.y.x / 2, step_.y.y / 2};
      length /= 2;
    }
    return false;
  }

  // Adds the pieces of w; true if they are new. If there is no room, they replace those with the smallest weight.
  bool take_in(const Difference& w) {
    for (int i = 0; i < count_; ++i)
      if (same_pieces(pieces_[i], w)) return false;
    int at = count_;
    if (count_ < most_pieces) {
      ++count_;
    } else {
      at = 0;
      for (int i = 1; i < most_pieces; ++i)
        if (step_.weights[i] < step_.weights[at]) at = i;
    }
    pieces_[at] = w;
    step_.weights[at] = 0;
    active_ &= ~(1u << at);
    return fresh_ = true;
  }

  // Adds all combinations of the known pieces of A and of B; false if none is new.
  bool mix() {
    const int known = count_;
    for (int i = 0; i < known; ++i)
      for (int j = 0; j < known && count_ < most_pieces; ++j) {
        Difference both = pieces_[i];
        both.piece_b = pieces_[j].piece_b;
        take_in(both);
      }
    fresh_ = false;
    return count_ > known;
  }

  void offer_here(const Vec3<double>& n, double s) {
    Difference points[most_pieces];
    for (int i = 0; i < count_; ++i)
      points[i] = {models_[i].a - models_[i].b, models_[i].a, pieces_[i].piece_a, pieces_[i].piece_b};
    offer(pair_, direction_of(n, s, points, step_.weights, count_), best_);
  }

  // Tries the axis of a cap, and the directions nearest to it that are perpendicular to edges. If the other core's
  // lowest point over the cap is outside of the rim, s rises from the axis along a ridge towards it. Further starts of
  // climb() are stored in hint_.
  void try_caps(const Vec3<double>& n) {
    hints_ = 0;
    const auto attempt = [&](const Vec3<double>& axis, bool of_a) {
      const Vec3<double> z = dot(axis, n) >= 0 ? axis : -axis;
      if (!(dot(z, n) > 0.9)) return;
      const Direction flat = direction_of_cap(pair_, z, of_a);
      offer(pair_, flat, best_);
      if (flat.miss > 0) {
        const Vec3<double> other = of_a ? -flat.b : flat.a - pair_.X_AB.p, out = fma(-dot(other, z), z, other);
        // How far along the ridge the maximum is depends on other pieces.
        for (const double part : {1.0, 0.1, 0.01})
          hint_[hints_++] = unit(fma(part * std::min(0.1, flat.miss / pair_.size) / norm(out), out, z));
      }
      // Perpendicular to an edge of the other core, as near to the axis as possible.
      Vec3<double> nearest = z;
      double highest = -infinity;
      for (int i = 0; i < count_; ++i)
        for (int j = 0; j < i; ++j) {
          const Vec3<double> e = models_[i].a - models_[i].b - models_[j].a + models_[j].b;
          const double ee = dot(e, e);
          if (!(ee > 0)) continue;
          const Vec3<double> square = unit(fma(-dot(z, e) / ee, e, z));
          const Difference edge[] = {pieces_[i], pieces_[j]};
          const double s = dot(square, try_direction(square, edge).w);
          if (s > highest) {
            highest = s;
            nearest = square;
          }
        }
      if (highest > -infinity) hint_[hints_++] = nearest;
    };
    if (has_disc(pair_.a)) attempt({0, 0, 1}, true);
    if (has_disc(pair_.b)) attempt(pair_.X_AB.R.z, false);
  }
  // Sets best_ to n if s(n) is larger. `edge`: two pairs of pieces that are equally far along n.
  Difference try_direction(const Vec3<double>& n, const Difference* edge = nullptr) {
    const Difference w = least_along(pair_, n);
    const double s = dot(n, w.w), same = 2e-13 * pair_.size;
    if (!(s > best_.s + same)) return w;
    // The points that meet on a cap are not points of its rim; the outlines of features.h find them.
    const auto meets = [&](const Difference& piece) {
      Tangents T;
      tangents(n, T.u, T.v);
      return model_at(pair_, piece.piece_a, piece.piece_b, n, T).s <= s + same;
    };
    const bool both = edge && meets(edge[0]) && meets(edge[1]);
    const Difference meeting[] = {both ? edge[0] : w, both ? edge[1] : w};
    const double shares[] = {both ? 0.5 : 1.0, 0.5};
    best_ = direction_of(n, s, meeting, shares, both ? 2 : 1);
    best_.miss = infinity;
    return w;
  }

  const CorePair& pair_;
  Direction& best_;
  Difference pieces_[most_pieces];
  Model models_[most_pieces];
  Step step_{};
  int count_ = 0, hints_ = 0;
  unsigned active_ = 0;  // the active set of the last step, one bit for each piece
  Vec3<double> hint_[8];
  bool fresh_ = false;
};

}  // namespace

void polish(const CorePair& pair, const Vec3<double>& n, const Difference* points, int count, Direction& best) {
  Polisher(pair, points, count, best).run(n);
}

void climb(const CorePair& pair, const Vec3<double>& n, const Difference* points, int count, Direction& best) {
  Polisher(pair, points, count, best).climb(n, false);
}

}  // namespace linchpin
