// An elimination order for the nodes of a graph that keeps LU factors sparse, and the nodes to eliminate together. For
// this room's own files.
//
// The graph is covered by cliques: sets of nodes that are all coupled to each other. For contacts the cliques are the
// bodies: all contacts of a body are coupled, and a contact is in the cliques of its two bodies. Eliminating a node
// couples all nodes that share a clique with it, so its cliques merge into one. Nodes that are then in no other clique
// are eliminated together with it, without further fill.
//
// The next node is the one with the least fill per eliminated row: for cliques A and B with the intersection S,
//     (|A| - |S|) (|B| - |S|) / |S|     counted in rows                                                          (1)
// The usual minimum-degree rule ignores |S|. Compared with it, (1) saves a fifth of the factors' arithmetic on piles of
// 1000 and 2000 contacts, and a tenth on 300 (docs/newton.md).
#pragma once

#include <vector>

namespace linchpin {

// Nodes that are eliminated together, and the nodes that are coupled to them by then (`left`).
struct Elimination {
  std::vector<int> nodes, left;
  std::vector<int> children;  // earlier eliminations with a node of `left` among these `nodes`
};

// neighbours[i]: the nodes that node i is coupled to, in both directions, ascending, without itself; rows[i]: its size.
// The list is in postorder: children before parents, each subtree in one piece.
std::vector<Elimination> order_of_elimination(const std::vector<std::vector<int>>& neighbours,
                                              const std::vector<int>& rows);

}  // namespace linchpin
