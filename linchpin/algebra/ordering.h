// Which nodes of a graph to eliminate together, and in which order, so that factors stay sparse. For this room's own
// files.
//
// A graph is seen as cliques: sets of nodes that are all coupled to each other. For contacts those are the bodies: all
// contacts of a body are coupled, and a contact is in the cliques of its two bodies. To eliminate a node couples all that
// share a clique with it, so its cliques become one. What then is in no other clique goes with it, at no further cost.
//
// Of all nodes the next is the one with the least fill for each row that goes: of cliques A and B that share S,
//     (|A| - |S|) (|B| - |S|) / |S|     counted in rows                                                          (1)
// The usual minimum degree is blind to |S|. On piles of 1000 and 2000 contacts (1) saves a fifth of the factors'
// arithmetic, on 300 a tenth (docs/newton.md).
#pragma once

#include <vector>

namespace linchpin {

// Nodes to be eliminated together, and those that are coupled to them by then.
struct Elimination {
  std::vector<int> nodes, left;
  std::vector<int> children;  // whose `left` is eliminated here at least in part: earlier ones of the list
};

// neighbours[i]: the nodes that node i is coupled to, both ways, ascending, without itself; rows[i]: its size. Children
// come before parents, all of a subtree one after the other.
std::vector<Elimination> order_of_elimination(const std::vector<std::vector<int>>& neighbours,
                                              const std::vector<int>& rows);

}  // namespace linchpin
