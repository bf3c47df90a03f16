// The engine of the operational-space formulation [000 s.6]: W of (1) in engine.h is the compliance of the chosen
// links, by compliance.h in O(n + m^2). The factors of aba() are used for it and for lift() too.
//
// Differences from 000 (53): all rows are at velocity level, also with dt = 0; and a loose body (on a free joint,
// without children; piles) needs no recursion: its response is the inverse of its own inertia, which is constant in its
// own axes.
//
// The chosen links seldom change. The tree of nodes depends on nothing else and is kept while they stay the same.
#include "linchpin/contact/formulations/articulated_engine.h"
#include "linchpin/dynamics/compliance/compliance.h"

namespace linchpin {
namespace {

class ComplianceEngine final : public ArticulatedEngine {
 public:
  ComplianceEngine(const Model& model, const Plan<double>& plan);
  void choose(const Motive& motive, std::span<const int> links, std::span<const int> group) override;
  std::span<const LinkResponse> response(const Motive& motive) override;

 private:
  std::vector<int> loose_;  // by link: its index in loose_inverse_, or -1
  std::vector<Matrix36> loose_inverse_;

  // Valid while the chosen links stay the same.
  std::vector<LinkResponse> response_;
  std::vector<LinkNode> nodes_;
  NodeTree<double> tree_;
  Compliance<double> compliance_;

  std::vector<double> node_matrix_;  // by compliance_by_tree()
};

ComplianceEngine::ComplianceEngine(const Model& model, const Plan<double>& plan) : ArticulatedEngine(model, plan) {
  const std::span<const Link> links = model.links();
  loose_.assign(links.size(), -1);
  std::vector<char> carries(links.size(), 0);
  for (std::size_t i = 1; i < links.size(); ++i) carries[links[i].parent] = 1;
  for (std::size_t i = 1; i < links.size(); ++i)
    if (links[i].kind == LinkKind::free && !carries[i])
      if (const std::optional<Matrix36> inverse = inverse_of(links[i].inertia)) {
        loose_[i] = int(loose_inverse_.size());
        loose_inverse_.push_back(*inverse);
      }
}

void ComplianceEngine::choose(const Motive& motive, std::span<const int> links, std::span<const int>) {
  nodes_.clear();
  for (const int i : links)
    if (loose_[i] < 0) nodes_.push_back({i, Transform<double>::identity()});
  tree_.place(motive.model, motive.plan, nodes_);
  compliance_.fit(tree_);
  node_matrix_.resize(numbers_by_tree(tree_));
  response_.clear();
  int node = 0;
  for (const int i : links) {
    if (loose_[i] >= 0) {
      response_.push_back({loose_inverse_[loose_[i]].data(), 6, 0});
      continue;
    }
    // The links of a tree are its nodes, in the same order.
    const NodeTree<double>::Tree& tree = tree_.trees()[tree_.vertices()[tree_.vertex_of(node)].tree];
    response_.push_back({node_matrix_.data() + tree.matrix, 6 * std::size_t(tree.nodes), tree_.node_in_tree(node)});
    ++node;
  }
}

std::span<const LinkResponse> ComplianceEngine::response(const Motive& motive) {
  compound_paths<double>(motive.plan, tree_, aba_, compliance_);
  compliance_by_tree<double>(tree_, compliance_, node_matrix_);
  return response_;
}

}  // namespace

std::unique_ptr<Engine> make_compliance_engine(const Model& model, const Plan<double>& plan) {
  return std::make_unique<ComplianceEngine>(model, plan);
}

}  // namespace linchpin
