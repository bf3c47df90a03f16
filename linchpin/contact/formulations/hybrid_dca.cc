// The engine by divide and conquer [002 s.3.3]: the chosen links are handles of the assemblies, so that W comes out of
// the assembly, (17) of 002 (dynamics/divide_conquer/). Several threads share the work and change no bit.
#include <algorithm>

#include "linchpin/contact/formulations/engine.h"
#include "linchpin/dynamics/divide_conquer/assembly_handles.h"
#include "linchpin/dynamics/divide_conquer/divide_and_conquer.h"
#include "linchpin/dynamics/divide_conquer/fork_join.h"

namespace linchpin {
namespace {

class DcaEngine final : public Engine {
 public:
  DcaEngine(const Model& model, const Plan<double>& plan, int threads)
      : tree_(model, plan, AssemblyTree::usual_segment(model)),
        assembly_(plan, tree_),
        solve_(plan, tree_),
        threads_(threads > 1 ? std::make_unique<ForkJoin>(threads) : nullptr),
        vdot_(model.nv()) {}

  void free_velocity(const Motive& motive, std::span<double> v_free) override {
    std::ranges::copy(motive.v, v_free.begin());
    if (motive.dt == 0) {
      assemble_factors(motive.plan, tree_, motive.q, threads_.get(), assembly_);
      return;
    }
    divide_and_conquer(motive.plan, tree_, motive.q, motive.products(), motive.tau, motive.f_ext, threads_.get(),
                       assembly_, vdot_);
    for (std::size_t k = 0; k < v_free.size(); ++k) v_free[k] += motive.dt * vdot_[k];
  }
  void choose(const Motive& motive, std::span<const int> links, std::span<const int> group) override {
    handles_.place(motive.plan, tree_, links);
    W_.place(group);
  }
  std::span<const LinkResponse> response(const Motive& motive) override {
    handles_.find_response(motive.plan, tree_, assembly_, threads_.get(), W_);
    return W_.links();
  }
  void lift(const Motive& motive, std::span<const Force<double>> on_link, std::span<double> x) override {
    solve(motive.plan, tree_, assembly_, threads_.get(), solve_, x, on_link);
  }

 private:
  AssemblyTree tree_;
  AssemblyWorkspace assembly_;
  AssemblySolveWorkspace solve_;
  std::unique_ptr<ForkJoin> threads_;
  std::vector<double> vdot_;
  AssemblyHandles handles_;
  ResponseMatrices W_;
};

}  // namespace

std::unique_ptr<Engine> make_dca_engine(const Model& model, const Plan<double>& plan, int threads) {
  return std::make_unique<DcaEngine>(model, plan, threads);
}

}  // namespace linchpin
