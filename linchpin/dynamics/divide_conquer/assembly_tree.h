// How a mechanism is divided for divide_and_conquer.h, and in which order its parts are assembled.
//
// A segment is a few successive links with their joints. Segments are the leaves of a binary tree, and an inner node
// joins two assemblies that meet at one link: `upper`, nearer to the base, and `lower`. So a chain of n links takes
// n / segment segments and a depth of log2(n / segment) [002 s.3.3; Featherstone 1999].
//
// Branches. Each link with several children goes on into the child with the most links below it, so that the mechanism
// becomes paths; all other children begin paths of their own. The assembly of such a path has no outer end and acts on
// the link that it hangs on as an inertia, which is added before the link's segment is computed. From a tip to the base
// the number of links at least doubles with each change of path. A path is divided where the numbers of links on both
// sides, with all that hangs on them, are as equal as possible. Both together make the depth O(log n) for every tree:
// for chains, combs and stars alike.
//
// Within a segment every joint must have an inertia D to move, whatever the configuration, with the links of the
// segment alone. That is so
// - for all joints inward of a link with mass and with inertia about all axes;
// - for a joint whose own link has inertia about the joint's axis (a thin rod on a hinge across it), or armature;
// - for slides without mass inward of a link with mass that turns about its centre of mass too (a planar joint).
// A segment goes on until it is so: other links without mass, such as those between the axes of a universal joint, are
// in the segment of a later link.
#pragma once

#include <span>
#include <vector>

#include "linchpin/dynamics/tree/plan.h"
#include "linchpin/model/model.h"

namespace linchpin {

class AssemblyTree {
 public:
  // The length of segments that the engine of contact and the elimination of loops use, in links: 8, and longer where
  // the factors of all joins would no longer fit the caches (bench hybrid).
  static int usual_segment(const Model& model);

  // longest: the most links of a segment, at least 1, unless links without inertia follow one another.
  AssemblyTree(const Model& model, const Plan<double>& plan, int longest);

  // Joints of one run, from slot `from` inward to slot `to`; if `head`, on to the parent of the run. Ball and free
  // joints are runs of their own.
  struct Piece {
    int run, from, to;
    bool head;
    int first_limb, last_limb;  // limbs()[first_limb .. last_limb) hang on its outer end
  };
  struct Node {
    int upper = -1, lower = -1;           // nodes; -1 for a segment
    int first_piece = 0, last_piece = 0;  // of a segment: pieces()[first_piece .. last_piece), the outermost first
    int first_below = 0;                  // the nodes of this subtree, with all that hangs on it, end with this one
    int links = 0;                        // in this subtree
    bool open = false;                    // something is joined to its outer end later
    bool on_world = false;                // begins at a joint of the world
    bool is_segment() const { return upper < 0; }
  };

  std::span<const Node> nodes() const { return nodes_; }  // a node comes after all that it is made of
  std::span<const Piece> pieces() const { return pieces_; }
  std::span<const int> limbs() const { return limbs_; }  // nodes
  std::span<const int> roots() const { return roots_; }  // nodes, one for each tree of the mechanism

  int segments() const { return segments_; }
  // The costs of an assembly by stages, in any unit: one link of a segment, one join, and starting one node elsewhere.
  struct Costs {
    double link = 1, join = 1, start = 0;
  };
  // The longest succession of nodes from a tip to a root: how long an assembly takes at least, on any number of
  // processors.
  double critical_path(const Costs& costs) const;
  int depth() const;  // in nodes

 private:
  class Builder;
  std::vector<Node> nodes_;
  std::vector<Piece> pieces_;
  std::vector<int> limbs_, roots_;
  int segments_ = 0;
};

}  // namespace linchpin
