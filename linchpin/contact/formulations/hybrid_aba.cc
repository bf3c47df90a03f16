// The engine on the articulated-body algorithm [002 s.3.2]: the forces on the chosen links are carried as columns
// through the inward and the outward sweep, (15) of 002, in O(n m) (dynamics/compliance/carried_forces.h).
#include "linchpin/contact/formulations/articulated_engine.h"
#include "linchpin/dynamics/compliance/carried_forces.h"

namespace linchpin {
namespace {

class AbaEngine final : public ArticulatedEngine {
 public:
  using ArticulatedEngine::ArticulatedEngine;

  void choose(const Motive& motive, std::span<const int> links, std::span<const int> group) override {
    nodes_.clear();
    for (const int i : links) nodes_.push_back({i, Transform<double>::identity()});
    tree_.place(motive.model, motive.plan, nodes_);
    carried_.place(motive.plan, tree_);
    W_.place(group);
  }
  std::span<const LinkResponse> response(const Motive& motive) override {
    carried_.find_response(motive.plan, tree_, aba_, W_);
    return W_.links();
  }

 private:
  std::vector<LinkNode> nodes_;
  NodeTree<double> tree_;
  CarriedForces carried_;
  ResponseMatrices W_;
};

}  // namespace

std::unique_ptr<Engine> make_aba_engine(const Model& model, const Plan<double>& plan) {
  return std::make_unique<AbaEngine>(model, plan);
}

}  // namespace linchpin
