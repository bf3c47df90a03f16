// The traditional engine [002 s.3.1, (12)], O(n^3) for chains: the mass matrix M by the composite-rigid-body algorithm,
// its factors L' D L, and the Jacobians J of the chosen links.
//
//     v_free = v + dt M^-1 (tau - bias),   bias = rnea(q, v, 0, f_ext)                                          (1)
//     W = (D^-1/2 L'^-1 J')' (D^-1/2 L'^-1 J')                                                                  (2)
// Difference from 002: the zeros of M and J between branches are used, which a chain has none of.
#include <algorithm>
#include <array>

#include "linchpin/contact/formulations/engine.h"
#include "linchpin/dynamics/tree/mass_matrix.h"
#include "linchpin/dynamics/tree/mass_matrix_response.h"
#include "linchpin/dynamics/tree/rnea.h"

namespace linchpin {
namespace {

class DenseEngine final : public Engine {
 public:
  DenseEngine(const Model& model, const Plan<double>& plan);
  void free_velocity(const Motive& motive, std::span<double> v_free) override;
  void choose(const Motive& motive, std::span<const int> links, std::span<const int> group) override;
  std::span<const LinkResponse> response(const Motive& motive) override;
  void lift(const Motive& motive, std::span<const Force<double>> on_link, std::span<double> x) override;

 private:
  struct Chosen {
    int link, tip, group;
    std::size_t first, count;  // of its path in J_ and Y_
  };

  void find_jacobians(const Motive& motive);
  std::size_t shared(const Chosen& a, const Chosen& b) const;

  MassMatrixLayout layout_;
  std::vector<int> link_of_coordinate_;

  // Valid while the chosen links stay the same.
  std::vector<Chosen> chosen_;
  ResponseMatrices W_;

  // Workspace.
  CrbaWorkspace<double> crba_;
  MassMatrix<double> M_;
  RneaWorkspace<double> rnea_;
  std::vector<double> zero_, x_;
  std::vector<PathColumn> J_, Y_;
};

DenseEngine::DenseEngine(const Model& model, const Plan<double>& plan)
    : layout_(model),
      link_of_coordinate_(model.nv()),
      crba_(plan, layout_),
      M_(layout_),
      rnea_(plan),
      zero_(model.nv(), 0.0),
      x_(model.nv()) {
  for (std::size_t i = 1; i < model.links().size(); ++i) {
    const Link& link = model.links()[i];
    std::fill_n(link_of_coordinate_.begin() + link.v, link.nv, int(i));
  }
}

void DenseEngine::free_velocity(const Motive& motive, std::span<double> v_free) {
  crba<double>(motive.plan, layout_, motive.q, crba_, M_);
  factor(layout_, M_);
  std::ranges::copy(motive.v, v_free.begin());
  if (motive.dt == 0) return;
  rnea<double>(motive.plan, motive.q, motive.products(), zero_, motive.f_ext, rnea_, x_);
  for (std::size_t k = 0; k < x_.size(); ++k) x_[k] = motive.dt * (motive.tau[k] - x_[k]);
  solve<double>(layout_, M_, x_);
  for (std::size_t k = 0; k < x_.size(); ++k) v_free[k] += x_[k];
}

void DenseEngine::choose(const Motive& motive, std::span<const int> links, std::span<const int> group) {
  const std::span<const Link> all = motive.model.links();
  chosen_.clear();
  std::size_t columns = 0;
  for (std::size_t k = 0; k < links.size(); ++k) {
    const int tip = all[links[k]].v + all[links[k]].nv - 1;
    const std::size_t count = std::size_t(layout_.depth[tip]) + 1;
    chosen_.push_back({.link = links[k], .tip = tip, .group = group[k], .first = columns, .count = count});
    columns += count;
  }
  J_.resize(columns);
  Y_.resize(columns);
  W_.place(group);
}

void DenseEngine::find_jacobians(const Motive& motive) {
  for (const Chosen& c : chosen_) {
    const Transform<double>& X_WL = motive.kin.X_WL[c.link];
    std::size_t at = c.first + c.count;
    for (int k = c.tip; k >= 0; k = layout_.parent[k]) {
      const Motion<double>& axis = motive.vel.axis[k];
      const Vec3<double> lever = X_WL.p - motive.kin.X_WL[link_of_coordinate_[k]].p;
      const Vec3<double> w = transpose_times(X_WL.R, axis.w);
      const Vec3<double> v = transpose_times(X_WL.R, axis.v + cross(axis.w, lever));
      std::ranges::copy(std::array{w.x, w.y, w.z, v.x, v.y, v.z, 0.0, 0.0}, J_[--at].numbers());
    }
  }
}

// How many coordinates two paths share, from the base on.
std::size_t DenseEngine::shared(const Chosen& a, const Chosen& b) const {
  int i = a.tip, j = b.tip;
  while (i != j) {
    int& deeper = layout_.depth[i] > layout_.depth[j] || j < 0 ? i : j;
    deeper = layout_.parent[deeper];
  }
  return i < 0 ? 0 : std::size_t(layout_.depth[i]) + 1;
}

std::span<const LinkResponse> DenseEngine::response(const Motive& motive) {
  find_jacobians(motive);
  std::ranges::copy(J_, Y_.begin());
  for (const Chosen& c : chosen_) half_solve(layout_, M_, c.tip, std::span(Y_).subspan(c.first, c.count));
  for (std::size_t j = 0; j < chosen_.size(); ++j)
    for (std::size_t i = j + 1; i-- > 0 && chosen_[i].group == chosen_[j].group;) {
      const std::size_t count = shared(chosen_[i], chosen_[j]);
      path_product(std::span(Y_).subspan(chosen_[i].first, count), std::span(Y_).subspan(chosen_[j].first, count),
                   W_.block(int(i), int(j)), W_.width(int(j)));
    }
  return W_.links();
}

void DenseEngine::lift(const Motive&, std::span<const Force<double>> on_link, std::span<double> x) {
  if (!on_link.empty())
    for (const Chosen& c : chosen_) {
      const Force<double>& F = on_link[c.link];
      std::size_t at = c.first + c.count;
      for (int k = c.tip; k >= 0; k = layout_.parent[k]) {
        const double* axis = J_[--at].numbers();
        x[k] += dot(F, Motion<double>{{axis[0], axis[1], axis[2]}, {axis[3], axis[4], axis[5]}});
      }
    }
  solve<double>(layout_, M_, x);
}

}  // namespace

std::unique_ptr<Engine> make_dense_engine(const Model& model, const Plan<double>& plan) {
  return std::make_unique<DenseEngine>(model, plan);
}

}  // namespace linchpin
