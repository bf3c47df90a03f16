#include "linchpin/algebra/ordering.h"

#include <algorithm>
#include <cstddef>
#include <queue>

namespace linchpin {
namespace {

// Cliques and the nodes that are in them.
struct Cliques {
  std::vector<std::vector<int>> nodes;  // of each clique
  std::vector<std::vector<int>> of;     // for each node its cliques
};

// A clique that contains i and j. It grows by the candidate that is coupled to most of the other candidates: for
// contacts that gives a body's contacts, not a triangle of three bodies. `among` is scratch, all -1 on entry and exit;
// for a candidate it counts the other candidates that it is coupled to.
std::vector<int> clique_around(const std::vector<std::vector<int>>& near, int i, int j, std::vector<int>& among) {
  const auto& [few, many] =
      std::minmax(near[i], near[j], [](const auto& a, const auto& b) { return a.size() < b.size(); });
  std::vector<int> candidates, clique{i, j};
  for (const int c : few)
    if (std::binary_search(many.begin(), many.end(), c)) candidates.push_back(c);
  for (const int c : candidates) among[c] = 0;
  for (const int c : candidates)
    for (const int d : near[c]) among[c] += among[d] >= 0;
  while (!candidates.empty()) {
    const int best =
        *std::max_element(candidates.begin(), candidates.end(), [&](int a, int b) { return among[a] < among[b]; });
    clique.push_back(best);
    const std::vector<int>& coupled = near[best];
    const auto gone = [&](int c) { return c == best || !std::binary_search(coupled.begin(), coupled.end(), c); };
    for (const int c : candidates) {
      if (!gone(c)) continue;
      among[c] = -1;
      for (const int d : near[c])
        if (among[d] > 0) --among[d];
    }
    std::erase_if(candidates, [&](int c) { return among[c] < 0; });
  }
  return clique;
}

// Cliques that cover the graph: any two coupled nodes are in one of them together.
Cliques cover(const std::vector<std::vector<int>>& near) {
  const int n = int(near.size());
  Cliques cliques;
  cliques.of.resize(near.size());
  std::vector<int> covered(near.size(), -1), among(near.size(), -1);
  const auto add = [&](std::vector<int> clique) {
    for (const int c : clique) cliques.of[c].push_back(int(cliques.nodes.size()));
    cliques.nodes.push_back(std::move(clique));
  };
  for (int i = 0; i < n; ++i) {
    for (const int k : cliques.of[i])
      for (const int c : cliques.nodes[k]) covered[c] = i;
    for (const int j : near[i]) {
      if (covered[j] == i) continue;
      add(clique_around(near, i, j, among));
      for (const int c : cliques.nodes.back()) covered[c] = i;
    }
    if (near[i].empty()) add({i});
  }
  return cliques;
}

// Eliminates nodes, and so merges cliques, until no node is left.
class Merging {
 public:
  Merging(Cliques cliques, const std::vector<int>& rows)
      : rows_(rows), cliques_(std::move(cliques)), valued_(cliques_.of.size(), 0) {
    const std::size_t n = cliques_.nodes.size();
    made_by_.assign(n, -1);
    shared_.assign(n, {});
    for (std::size_t k = 0; k < n; ++k) size_.push_back(rows_in(cliques_.nodes[k]));
    for (std::size_t k = 0; k < n; ++k) value_nodes(int(k));
  }

  std::vector<Elimination> run() {
    while (!queue_.empty()) {
      const Entry next = queue_.top();
      queue_.pop();
      if (next.stamp == valued_[next.node]) eliminate(next.node);
    }
    return std::move(result_);
  }

 private:
  struct Entry {
    double cost;
    int node, stamp;
    bool operator<(const Entry& other) const {  // std::priority_queue pops the largest first
      return cost != other.cost ? cost > other.cost : node > other.node;
    }
  };
  // The intersection of a clique with the current one, in rows; `alone`: rows of it that are in no third clique.
  struct Shared {
    int of = -1, rows = 0, alone = 0;
  };

  int rows_in(const std::vector<int>& nodes) const {
    int sum = 0;
    for (const int i : nodes) sum += rows_[i];
    return sum;
  }

  // Finds the cost (1) of each node of a clique. Nodes in the same two cliques are eliminated together, and the first
  // one represents them all. For nodes in more than two cliques the fill is an upper bound: it assumes that those
  // cliques share no nodes outside of this one.
  void value_nodes(int clique) {
    for (const int i : cliques_.nodes[clique])
      for (const int k : cliques_.of[i]) {
        Shared& s = shared_[k];
        if (s.of != clique) s = {clique, 0, 0};
        s.rows += rows_[i];
        if (cliques_.of[i].size() <= 2) s.alone += rows_[i];
      }
    for (const int i : cliques_.nodes[clique]) {
      const std::vector<int>& of = cliques_.of[i];
      int& stamp = valued_[i];
      ++stamp;
      if (of.size() > 2) {
        double fill = 0, others = 0;  // rows of the other cliques so far
        for (const int k : of) {
          if (k == clique) continue;
          const double mine = size_[clique] - shared_[k].rows, its = size_[k] - shared_[k].rows;
          fill += (mine + others) * its;
          others += its;
        }
        queue_.push({fill / rows_[i], i, stamp});
        continue;
      }
      const int other = of.front() == clique ? of.back() : of.front();  // may be this clique itself
      Shared& s = shared_[other];
      if (s.alone == 0) continue;
      const double fill = double(size_[clique] - s.rows) * (size_[other] - s.rows);
      queue_.push({other == clique ? 0 : fill / s.alone, i, stamp});
      s.alone = 0;  // this node represents all of them
    }
  }

  void eliminate(int node) {
    const std::vector<int> merged = cliques_.of[node];
    const int made = int(cliques_.nodes.size());
    Elimination e;
    for (const int k : merged) {
      for (const int i : cliques_.nodes[k]) {
        std::vector<int>& of = cliques_.of[i];
        if (of.empty() || of.back() == made) continue;  // already visited
        std::erase_if(of, [&](int x) { return std::find(merged.begin(), merged.end(), x) != merged.end(); });
        ++valued_[i];
        (of.empty() ? e.nodes : e.left).push_back(i);
        if (!of.empty()) of.push_back(made);
      }
      cliques_.nodes[k].clear();
      if (made_by_[k] >= 0) e.children.push_back(made_by_[k]);
    }
    cliques_.nodes.push_back(e.left);
    size_.push_back(rows_in(e.left));
    shared_.push_back({});
    made_by_.push_back(int(result_.size()));
    result_.push_back(std::move(e));
    value_nodes(made);
  }

  const std::vector<int>& rows_;
  Cliques cliques_;
  std::vector<int> size_;     // of cliques, in rows
  std::vector<int> made_by_;  // by clique: the elimination in result_ that made it, or -1
  std::vector<Shared> shared_;
  std::vector<int> valued_;  // by node: how often its cost has changed; older entries of queue_ are void
  std::priority_queue<Entry> queue_;
  std::vector<Elimination> result_;
};

// The same eliminations in postorder: every subtree in one piece.
std::vector<Elimination> postordered(std::vector<Elimination> all) {
  std::vector<char> is_child(all.size(), 0);
  for (const Elimination& e : all)
    for (const int c : e.children) is_child[c] = 1;
  std::vector<int> list, stack, place(all.size());  // `list`: parents before children, reversed below
  for (std::size_t root = 0; root < all.size(); ++root) {
    if (is_child[root]) continue;
    stack.push_back(int(root));
    while (!stack.empty()) {
      const int k = stack.back();
      stack.pop_back();
      list.push_back(k);
      stack.insert(stack.end(), all[k].children.begin(), all[k].children.end());
    }
  }
  std::reverse(list.begin(), list.end());
  for (std::size_t k = 0; k < list.size(); ++k) place[list[k]] = int(k);
  std::vector<Elimination> result;
  for (const int k : list) {
    result.push_back(std::move(all[k]));
    for (int& c : result.back().children) c = place[c];
  }
  return result;
}

}  // namespace

std::vector<Elimination> order_of_elimination(const std::vector<std::vector<int>>& neighbours,
                                              const std::vector<int>& rows) {
  return postordered(Merging(cover(neighbours), rows).run());
}

}  // namespace linchpin
