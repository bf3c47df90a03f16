#include "linchpin/dynamics/divide_conquer/assembly_tree.h"

#include <cmath>

#include <gtest/gtest.h>

#include "linchpin/dynamics/divide_conquer/testing.h"

namespace linchpin {
namespace {

// Every joint is in one segment, and a node comes after all that it is made of.
TEST(AssemblyTree, HasEveryJointOnce) {
  for (const std::string& name : assembly_scenes())
    for (const int longest : {1, 3, 8}) {
      const Model model = model_of(name);
      const Plan<double> plan(model);
      const AssemblyTree tree(model, plan, longest);
      std::vector<int> slots(plan.slots, 0), wide(plan.wide_links.size(), 0), used(tree.nodes().size(), 0);
      int links = 0, segments = 0;
      for (int n = 0; n < int(tree.nodes().size()); ++n) {
        const AssemblyTree::Node& node = tree.nodes()[n];
        int in_parts = 0;
        const auto use = [&](int part) {
          EXPECT_LT(part, n) << name;
          EXPECT_GE(tree.nodes()[part].first_below, node.first_below) << name;
          ++used[part];
          in_parts += tree.nodes()[part].links;
        };
        if (!node.is_segment()) {
          use(node.upper);
          use(node.lower);
          EXPECT_TRUE(tree.nodes()[node.upper].open) << name;
          EXPECT_EQ(tree.nodes()[node.lower].open, node.open) << name;
          EXPECT_EQ(tree.nodes()[node.upper].on_world, node.on_world) << name;
        } else {
          ++segments;
          for (int p = node.first_piece; p < node.last_piece; ++p) {
            const AssemblyTree::Piece& piece = tree.pieces()[p];
            const LinkKind kind = plan.runs[piece.run].kind;
            if (kind == LinkKind::revolute || kind == LinkKind::axial)
              for (int slot = piece.to; slot <= piece.from; ++slot) ++slots[slot], ++in_parts;
            else
              ++wide[plan.runs[piece.run].slot], ++in_parts;
            for (int l = piece.first_limb; l < piece.last_limb; ++l) use(tree.limbs()[l]);
          }
        }
        EXPECT_EQ(node.links, in_parts) << name;
      }
      for (const int root : tree.roots()) {
        ++used[root];
        links += tree.nodes()[root].links;
        EXPECT_TRUE(tree.nodes()[root].on_world && !tree.nodes()[root].open) << name;
      }
      EXPECT_EQ(links, int(model.links().size()) - 1) << name;
      EXPECT_EQ(segments, tree.segments()) << name;
      for (const std::vector<int>* all : {&slots, &wide, &used})
        for (const int count : *all) EXPECT_EQ(count, 1) << name;
    }
}

// A chain is a balanced tree: log2 of the segments, and the segment itself.
TEST(AssemblyTree, DepthOfAChainIsLogarithmic) {
  for (const int links : {1, 2, 7, 30, 100, 1000, 10000, 100000}) {
    const Model model = model_of("@chain:links=" + std::to_string(links));
    const AssemblyTree tree(model, Plan<double>(model), 4);
    const int segments = (links + 3) / 4;
    EXPECT_EQ(tree.segments(), segments);
    EXPECT_EQ(tree.depth(), 1 + int(std::ceil(std::log2(segments)))) << links;
  }
}

// Combs and stars, whose paths hang on links, stay logarithmic too: at most twice the depth of a chain.
TEST(AssemblyTree, DepthOfBranchedTreesIsLogarithmic) {
  for (const int arms : {1, 10, 100, 1000})
    for (const int length : {1, 10, 30}) {
      const int links = arms * (length + 1);
      const int most = 2 + 2 * int(std::ceil(std::log2(links)));
      for (const bool star : {false, true}) {
        const Model model = star ? star_of(arms, length) : comb_of(arms, length);
        const AssemblyTree tree(model, Plan<double>(model), 4);
        EXPECT_LE(tree.depth(), most) << arms << " arms of " << length << " links, star " << star;
      }
    }
}

// Thin rods have no inertia about their line, but every hinge across it has one to move: the chain is divided.
TEST(AssemblyTree, ThinRodsAreDivided) {
  const Model model = model_of("@falling_chain:links=64");
  const AssemblyTree tree(model, Plan<double>(model), 8);
  EXPECT_GE(tree.segments(), 7);
  EXPECT_LE(tree.depth(), 5);
}

// A segment does not end at a link without inertia, such as those between the axes of a universal joint.
TEST(AssemblyTree, SegmentsEndAtBodies) {
  const Model model = model_of("@random_tree:bodies=40,seed=3");
  const AssemblyTree tree(model, Plan<double>(model), 1);
  const Plan<double> plan(model);
  for (const AssemblyTree::Node& node : tree.nodes()) {
    if (!node.is_segment() || !node.open) continue;
    const AssemblyTree::Piece& outer = tree.pieces()[node.first_piece];
    const LinkKind kind = plan.runs[outer.run].kind;
    const int link = kind == LinkKind::revolute || kind == LinkKind::axial
                         ? plan.link_of_slot[outer.from]
                         : plan.link_of_wide[plan.runs[outer.run].slot];
    EXPECT_GT(model.links()[link].inertia.mass + model.links()[link].armature, 0) << link;
  }
}

TEST(AssemblyTree, CriticalPathCountsItsStages) {
  const Model model = model_of("@chain:links=32");
  const AssemblyTree tree(model, Plan<double>(model), 8);  // 4 segments, 2 joins on the way
  EXPECT_EQ(tree.critical_path({.link = 1, .join = 0, .start = 0}), 8);
  EXPECT_EQ(tree.critical_path({.link = 0, .join = 5, .start = 0}), 10);
  EXPECT_EQ(tree.critical_path({.link = 0, .join = 0, .start = 1}), 3);
  EXPECT_EQ(tree.depth(), 3);
}

TEST(AssemblyTree, RefusesSegmentsWithoutLinks) {
  const Model model = model_of("@chain:links=3");
  EXPECT_THROW(AssemblyTree(model, Plan<double>(model), 0), CheckFailed);
}

}  // namespace
}  // namespace linchpin
