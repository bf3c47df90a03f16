// What the engines on the articulated-body algorithm share: free motion by aba(), and M^-1 by its factors. os.cc and
// hybrid_aba.cc differ in how they compute W.
#pragma once

#include <algorithm>
#include <vector>

#include "linchpin/contact/formulations/engine.h"
#include "linchpin/dynamics/tree/aba.h"
#include "linchpin/dynamics/tree/articulated_factor.h"

namespace linchpin {

class ArticulatedEngine : public Engine {
 public:
  ArticulatedEngine(const Model& model, const Plan<double>& plan) : aba_(plan), solve_(plan), vdot_(model.nv()) {}

  void free_velocity(const Motive& motive, std::span<double> v_free) override {
    std::ranges::copy(motive.v, v_free.begin());
    if (motive.dt == 0) {  // only the factors are needed
      std::ranges::fill(vdot_, 0);
      aba_inward<double>(motive.plan, motive.q, motive.v, vdot_, {}, aba_);
      return;
    }
    aba<double>(motive.plan, motive.q, motive.products(), motive.tau, motive.f_ext, aba_, vdot_);
    for (std::size_t k = 0; k < v_free.size(); ++k) v_free[k] += motive.dt * vdot_[k];
  }
  void lift(const Motive& motive, std::span<const Force<double>> on_link, std::span<double> x) override {
    solve<double>(motive.plan, aba_, solve_, x, on_link);
  }

 protected:
  AbaWorkspace<double> aba_;

 private:
  SolveWorkspace<double> solve_;
  std::vector<double> vdot_;
};

}  // namespace linchpin
