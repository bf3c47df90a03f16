#include "linchpin/algebra/ordering.h"

#include <algorithm>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "linchpin/solvers/conic/scaled_problem.h"
#include "linchpin/solvers/problem/testing.h"

namespace linchpin {
namespace {

using Graph = std::vector<std::vector<int>>;
using Sets = std::vector<std::set<int>>;

Graph lists(const Sets& sets) {
  Graph lists;
  for (const std::set<int>& s : sets) lists.emplace_back(s.begin(), s.end());
  return lists;
}
void couple(Sets& g, int i, int j) {
  if (i == j) return;
  g[i].insert(j);
  g[j].insert(i);
}

// From none to many edges; half of them with cliques of up to six nodes.
Sets random_graph(int n, Dice& dice) {
  Sets g(static_cast<std::size_t>(n));
  const bool cliques = dice.chance(0.5);
  for (int edges = dice.below(2 * n); edges > 0; --edges) couple(g, dice.below(n), dice.below(n));
  for (int k = 0; cliques && k < n / 3; ++k) {
    std::set<int> clique;
    for (int i = 0; i < 6; ++i) clique.insert(dice.below(n));
    for (const int i : clique)
      for (const int j : clique) couple(g, i, j);
  }
  return g;
}

// Elimination by the book: whoever is coupled to a node that goes is coupled to all the others that are.
void expect_eliminates(Sets g, const std::vector<Elimination>& order, const std::string& what) {
  std::set<int> gone;
  for (const Elimination& e : order) {
    std::set<int> left;
    for (const int i : e.nodes) {
      EXPECT_TRUE(gone.insert(i).second) << what << ": twice " << i;
      const std::set<int> near = g[i];
      for (const int j : near) {
        for (const int k : near) couple(g, j, k);
        g[j].erase(i);
        left.insert(j);
      }
      left.erase(i);
    }
    for (const int i : e.nodes) left.erase(i);
    EXPECT_EQ(left, std::set<int>(e.left.begin(), e.left.end())) << what;
    EXPECT_EQ(left.size(), e.left.size()) << what;
  }
  EXPECT_EQ(gone.size(), g.size()) << what;
}

// Each subtree in one piece, and what a child leaves over is in its parent.
void expect_tree(const std::vector<Elimination>& order, const std::string& what) {
  std::vector<int> first(order.size());  // of the subtree
  std::vector<int> parents(order.size(), 0);
  for (std::size_t k = 0; k < order.size(); ++k) {
    std::vector<int> children = order[k].children;
    std::sort(children.begin(), children.end());
    int next = int(k);  // what comes after the subtrees still to be met
    for (std::size_t c = children.size(); c-- > 0; next = first[children[c]]) {
      ASSERT_EQ(children[c], next - 1) << what;
      ++parents[children[c]];
      std::set<int> here(order[k].nodes.begin(), order[k].nodes.end());
      here.insert(order[k].left.begin(), order[k].left.end());
      for (const int i : order[children[c]].left) EXPECT_TRUE(here.count(i)) << what;
    }
    first[k] = next;
  }
  for (std::size_t k = 0; k < order.size(); ++k) EXPECT_EQ(parents[k], order[k].left.empty() ? 0 : 1) << what;
}

TEST(Ordering, IsAnElimination) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Dice dice(seed);
    const int n = 1 + dice.below(40);
    const Sets g = random_graph(n, dice);
    std::vector<int> rows;
    for (int i = 0; i < n; ++i) rows.push_back(dice.chance(0.5) ? 3 : 1);
    const std::vector<Elimination> order = order_of_elimination(lists(g), rows);
    const std::string what = "seed " + std::to_string(seed);
    expect_eliminates(g, order, what);
    expect_tree(order, what);
  }
}

// Multiplications and additions of factors: of a cell, of rows and columns it is coupled to, and of what is left over.
double work(const std::vector<Elimination>& order) {
  double sum = 0;
  for (const Elimination& e : order) {
    double left = 3 * double(e.left.size() + e.nodes.size());
    for (std::size_t k = 0; k < e.nodes.size(); ++k) {
      left -= 3;
      sum += 18 + 18 * left + 6 * left * left;
    }
  }
  return sum;
}

// Eigen's approximate minimum degree has 13.6 million for these piles of 300 contacts, METIS 15.1.
TEST(Ordering, PilesTakeLittleWork) {
  double sum = 0;
  for (const std::uint64_t seed : {1, 2, 3}) {
    ScaledProblem p;
    p.assign(with_matrix(pile_of_spheres(300, seed), Matrix::Kind::block_sparse));
    ASSERT_TRUE(p.sparse);
    Sets g(p.cells.size());
    for (int i = 0; i < p.blocks.row_blocks(); ++i)
      for (int e = p.blocks.first[i]; e < p.blocks.first[i + 1]; ++e) couple(g, i, p.blocks.column[e]);
    sum += work(order_of_elimination(lists(g), std::vector<int>(g.size(), 3)));
  }
  EXPECT_LE(sum, 12.5e6);
}

// One clique is one front; a chain keeps its fronts small; nodes without neighbours are no trouble.
TEST(Ordering, PlainGraphs) {
  const int n = 50;
  Sets all(n), chain(n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) couple(all, i, j);
  for (int i = 1; i < n; ++i) couple(chain, i - 1, i);
  const std::vector<int> rows(n, 3);
  const std::vector<Elimination> one = order_of_elimination(lists(all), rows);
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one.front().nodes.size(), std::size_t(n));
  for (const Elimination& e : order_of_elimination(lists(chain), rows)) EXPECT_LE(e.left.size(), 2u);
  EXPECT_EQ(order_of_elimination(Graph(3), {1, 3, 1}).size(), 3u);
  EXPECT_TRUE(order_of_elimination({}, {}).empty());
}

}  // namespace
}  // namespace linchpin
