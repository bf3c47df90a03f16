// A model's constants in the order and the scalar type in which the recursions read them.
//
// T is double, float, Double4, Double8 or Float16. One-axis links (revolute, axial) are numbered by `slot` in tree
// order and stored Lanes<T>::joints to a block; ball and free links are few and stored apart.
#pragma once

#include <type_traits>
#include <vector>

#include "linchpin/base/aligned.h"
#include "linchpin/dynamics/tree/articulated.h"
#include "linchpin/dynamics/tree/lanes.h"
#include "linchpin/model/model.h"
#include "linchpin/spatial/spatial.h"

namespace linchpin {

// Constants of Lanes<T>::joints one-axis links: the common normal, X_PF = Rz(phi) Tz(t) Rx(alpha) Tx(a) with phi and t
// in RunPlan; the joint's motion, Rz(angle0 + turn q) Tz(slide0 + slide q); the inertia. They are in the order in which
// passes over hinges read them, since memory bounds long chains; constants of axial joints only come last. Unused lanes
// of the last block are zero.
template <class C>
struct LinkBlock {
  C angle0, cos_alpha, sin_alpha, a, slide0;
  C mass, h_x, h_y, h_z, I_xx, I_yy, I_zz, I_xy, I_xz, I_yz;
  C turn, slide, armature;
};

// Where a block's joints have their coordinates, and whether any of them is axial or heads a run.
struct BlockLayout {
  int count = 0;     // joints in use
  int q = 0, v = 0;  // first coordinates; the joints' coordinates follow one another if contiguous
  bool contiguous = true;
  bool axial = false;
  int heads = -1;  // index into Plan::heads, if a joint heads a run and its normal starts away from the parent's origin
};

// The vector from the parent's origin to the start of the common normal, in F's axes. Zero within runs, where it starts
// at the origin, and for runs on the world, which does not rotate.
template <class C>
struct HeadBlock {
  C x, y, z;
};

// How the first link of a run is placed on its parent.
enum class Head {
  aligned,  // phi = t = 0, as within a run
  screwed,  // Rz(phi) Tz(t) comes before the common normal
  general,  // E and r, no common normal
};

template <class S>
struct RunPlan {
  LinkKind kind;
  Head head;
  int slot, end;  // slots of a one-axis run; for ball and free slot is the index into Plan::wide_links
  int parent;     // run, 0 for the world
  bool has_children;
  bool opens_sum;            // first of its siblings in the inward pass: sets the parent's sum, the others add to it
  int limbs = -1, lane = 0;  // for a limb: its Limbs in Plan::limbs, and its lane there
  int last_child = 0;        // run, 0 for none; the others by `sibling`
  int sibling = 0;           // the next run before this one on the same parent, 0 for none
  Mat3<S> E;                 // R_PF of the first link
  Vec3<S> r, rF;             // p_PF, in the parent's and in F's axes
  Turn<S> phi;
  S t;
};

// A ball or free link.
template <class S>
struct WideLink {
  LinkKind kind;
  int q, v;
  RigidInertia<S> inertia;
  S armature;
};

// A body's frame in its link, for external forces.
template <class S>
struct BodyPlan {
  int link = 0;
  int slot = -1;  // or:
  int wide_link = -1;
  Mat3<S> R_LB;
  Vec3<S> p_LB;
};

// Limbs of one world side by side: runs of hinges without children, one per lane. Computed one after another they would
// leave most of every register empty. A lane has the same bits as a single run. Position 0 is next to the parent.
// Unused lanes repeat the first limb; positions beyond a limb's tip have links of unit inertia, whose results are not
// used.
struct Limbs {
  static constexpr int most = 4;
  using V = Pack<double, most>;
  int count = 0, length = 0;  // lanes in use, positions
  int first = 0;              // index of its first position among the positions of all Limbs
  int run[most] = {}, parent[most] = {}, size[most] = {};
  // `size`, to compare with positions
  V sizes{};
  bool on_world = false, one_parent = true, has_children = false;  // all on the world; on the same run; of some run
  struct Position {
    int slot[most], v[most];  // beyond a tip: those of the tip
    bool tip;                 // some limb has its tip here
  };
  std::vector<Position> position;
  AlignedArray<LinkBlock<V>> link;  // per position
  HeadBlock<V> before_normal{};
  // same_head: all heads are general, or none is. `screwed` and `general` are 1 in the lanes with such a head.
  bool same_head = true, some_aligned = false, some_screwed = false, some_general = false;
  Head head = Head::aligned;
  V screwed{}, general{};
  Mat3<V> E{};
  Vec3<V> r{};
  Turn<V> phi{};
  V t{};
};

// The order in which crba() computes runs. It puts more of them side by side than aba(): also limbs on the world, and
// runs of hinges with children.
struct CrbaOrder {
  struct Step {
    int run = 0;     // one run alone,
    int limbs = -1;  // or all of these
  };
  std::vector<Step> inward;  // outward in reverse
  std::vector<Limbs> limbs;  // for one world of doubles; none otherwise. Either all of their runs are on the world
  int positions = 0;         // of all of them
  struct Place {
    int limbs = -1, lane = 0;
  };
  std::vector<Place> place;  // per run
  // Where a run keeps the axes on its path to the base, in registers: the first one, and how many axes are those of its
  // ancestors. They are in the parent's path already, or copied from there.
  struct Path {
    std::size_t start = 0;
    int before = 0;
    bool copied = false;
  };
  std::vector<Path> path;     // per run
  std::size_t path_size = 0;  // registers of all paths
};

template <class T>
struct Plan {
  using Real = typename Lanes<T>::Real;
  using Block = LinkBlock<typename Lanes<T>::Constant>;

  explicit Plan(const Model& model);

  int nq = 0, nv = 0;
  int bodies = 0;     // with the world
  int slots = 0;      // one-axis links
  Vec3<Real> upward;  // -gravity: recursions replace gravity by an upward acceleration of the world
  AlignedArray<Block> blocks;
  std::vector<BlockLayout> layout;                             // per block
  AlignedArray<HeadBlock<typename Lanes<T>::Constant>> heads;  // not in blocks, since few have one
  std::vector<int> q_of_slot, v_of_slot;
  std::vector<int> link_of_slot, link_of_wide;
  std::vector<int> last_link;       // per run
  std::vector<RunPlan<Real>> runs;  // [0] is the world
  std::vector<WideLink<Real>> wide_links;
  std::vector<BodyPlan<Real>> body;
  std::vector<Limbs> limbs;  // for T = double; other T have none
  int limb_positions = 0;    // of all of them
  CrbaOrder crba_order;
};

extern template struct Plan<double>;
extern template struct Plan<float>;
extern template struct Plan<Double4>;
extern template struct Plan<Double8>;
extern template struct Plan<Float16>;

}  // namespace linchpin
