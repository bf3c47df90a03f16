#include "linchpin/dynamics/divide_conquer/assembly_handles.h"

#include "linchpin/dynamics/compliance/carried_forces.h"
#include "linchpin/dynamics/divide_conquer/testing.h"

namespace linchpin {
namespace {

// W of some links by compliance.h, as one matrix.
std::vector<double> by_paths(const Model& model, const Plan<double>& plan, const std::vector<double>& q,
                             const std::vector<int>& links) {
  std::vector<LinkNode> nodes;
  for (const int link : links) nodes.push_back({link, Transform<double>::identity()});
  NodeTree<double> tree;
  tree.place(model, plan, nodes);
  Compliance<double> compliance(tree);
  ArticulatedFactor<double> factors(plan);
  factor<double>(plan, q, factors);
  compound_paths(plan, tree, factors, compliance);
  std::vector<double> W(36 * links.size() * links.size());
  compliance_matrix<double>(tree, compliance, W);
  return W;
}

std::vector<double> numbers_of(ResponseMatrices& W) {  // of one group
  const std::size_t width = W.width(0);
  return {W.block(0, 0), W.block(0, 0) + width * width};
}

struct Chosen {
  Chosen(const Model& model, const std::string& name, int every) {
    for (int link = 1; link < int(model.links().size()); ++link)
      if (link % every == 0 || link + 1 == int(model.links().size())) links.push_back(link);
    group.assign(links.size(), 0);
    what = name + ", every " + std::to_string(every) + " links";
  }
  std::vector<int> links, group;
  std::string what;
};

// The assembly, the sweeps of carried_forces.h and the compliance of paths give the same W: links of all kinds, those
// between the axes of a joint too, several in one segment, and on limbs.
TEST(AssemblyHandles, GiveTheComplianceOfLinks) {
  for (const std::string& name : assembly_scenes())
    for (const int every : {1, 3, 7}) {
      const Model model = model_of(name);
      const Plan<double> plan(model);
      const Worlds worlds(model, 1);
      const Chosen chosen(model, name, every);
      const std::vector<double> expected = by_paths(model, plan, worlds.q[0], chosen.links);
      ResponseMatrices W;
      W.place(chosen.group);
      for (const int longest : {1, 3, 8}) {
        AssembledRun run(model, longest);
        assemble_factors(run.plan, run.tree, worlds.q[0], nullptr, run.ws);
        AssemblyHandles handles;
        handles.place(run.plan, run.tree, chosen.links);
        handles.find_response(run.plan, run.tree, run.ws, nullptr, W);
        EXPECT_LE(largest_difference(numbers_of(W), expected), 1e-10 * largest(expected))
            << chosen.what << ", segments of " << longest;
      }
      std::vector<LinkNode> nodes;
      for (const int link : chosen.links) nodes.push_back({link, Transform<double>::identity()});
      NodeTree<double> tree;
      tree.place(model, plan, nodes);
      CarriedForces carried;
      carried.place(plan, tree);
      AbaWorkspace<double> aba_ws(plan);
      std::vector<double> zero(model.nv(), 0.0);
      aba_inward<double>(plan, worlds.q[0], zero, zero, {}, aba_ws);
      W.clear();
      carried.find_response(plan, tree, aba_ws, W);
      EXPECT_LE(largest_difference(numbers_of(W), expected), 1e-10 * largest(expected)) << chosen.what << ", sweeps";
    }
}

// Links of several groups, in any order of the tree: only blocks within groups are computed.
TEST(AssemblyHandles, KeepGroupsApart) {
  const Model model = model_of("@forest");
  const Plan<double> plan(model);
  const Worlds worlds(model, 1);
  std::vector<int> links, group;
  for (int link = 1; link < int(model.links().size()); ++link) {
    int base = link;
    while (model.links()[base].parent != 0) base = model.links()[base].parent;
    links.push_back(link);
    group.push_back(base);
  }
  const std::vector<double> expected = by_paths(model, plan, worlds.q[0], links);
  ResponseMatrices W;
  W.place(group);
  AssembledRun run(model, 3);
  assemble_factors(run.plan, run.tree, worlds.q[0], nullptr, run.ws);
  AssemblyHandles handles;
  handles.place(run.plan, run.tree, links);
  handles.find_response(run.plan, run.tree, run.ws, nullptr, W);
  const std::size_t n = links.size();
  int apart = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      EXPECT_EQ(W.in_one_group(int(i), int(j)), group[i] == group[j]);
      if (!W.in_one_group(int(i), int(j))) {
        ++apart;
        continue;
      }
      for (std::size_t r = 0; r < 6; ++r)
        for (std::size_t k = 0; k < 6; ++k)
          EXPECT_NEAR(W.block(int(i), int(j))[r * W.width(int(i)) + k], expected[(6 * i + r) * 6 * n + 6 * j + k],
                      1e-10 * largest(expected));
    }
  EXPECT_GT(apart, 0);
}

TEST(AssemblyHandles, AnyNumberOfThreadsGivesTheSameBits) {
  const Model model = comb_of(200, 20);
  const Worlds worlds(model, 1);
  const Chosen chosen(model, "comb", 97);
  std::vector<double> first;
  for (const int threads : {1, 2, 8}) {
    AssembledRun run(model, 8, threads);
    assemble_factors(run.plan, run.tree, worlds.q[0], run.team.get(), run.ws);
    ResponseMatrices W;
    W.place(chosen.group);
    AssemblyHandles handles;
    handles.place(run.plan, run.tree, chosen.links);
    handles.find_response(run.plan, run.tree, run.ws, run.team.get(), W);
    const std::vector<double> numbers = numbers_of(W);
    if (first.empty()) first = numbers;
    for (std::size_t i = 0; i < numbers.size(); ++i) ASSERT_TRUE(same_bits(numbers[i], first[i])) << threads;
  }
}

TEST(AssemblyHandles, RefuseAResponseOfOtherLinks) {
  const Model model = model_of("@chain:links=5");
  AssembledRun run(model, 2);
  AssemblyHandles handles;
  handles.place(run.plan, run.tree, std::vector<int>{2, 5});
  ResponseMatrices W;
  W.place(std::vector<int>{0});
  EXPECT_THROW(handles.find_response(run.plan, run.tree, run.ws, nullptr, W), CheckFailed);
}

}  // namespace
}  // namespace linchpin
