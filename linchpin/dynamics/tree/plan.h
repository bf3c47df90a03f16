// A model's constants as the recursions read them: in their order, in their scalar, nothing else in between.
//
// T is double, float, Double4, Double8 or Float16. One-axis links (revolute, axial) are numbered by `slot` in tree order
// and stored Lanes<T>::joints to a block; ball and free links are few and stored apart.
#pragma once

#include <type_traits>
#include <vector>

#include "linchpin/base/aligned.h"
#include "linchpin/dynamics/tree/articulated.h"
#include "linchpin/dynamics/tree/lanes.h"
#include "linchpin/model/model.h"
#include "linchpin/spatial/spatial.h"

namespace linchpin {

// Constants of Lanes<T>::joints one-axis links: the common normal, X_PF = Rz(phi) Tz(t) Rx(alpha) Tx(a) with phi and t in
// RunPlan; the joint's motion, Rz(angle0 + turn q) Tz(slide0 + slide q); the inertia. In the order in which passes over
// hinges want them, for where chains are long it is memory that they wait for: what only other joints need comes last.
// Empty lanes at the end repeat zeros.
template <class C>
struct LinkBlock {
  C angle0, cos_alpha, sin_alpha, a, slide0;
  C mass, h_x, h_y, h_z, I_xx, I_yy, I_zz, I_xy, I_xz, I_yz;
  C turn, slide, armature;
};

// How a block's joints find their coordinates, and whether any of them does more than turn about a common normal's end.
struct BlockLayout {
  int count = 0;     // joints in use
  int q = 0, v = 0;  // first coordinates; the joints' coordinates follow one another if contiguous
  bool contiguous = true;
  bool axial = false;
  int heads = -1;  // into Plan::heads, where a joint heads a run and its normal begins elsewhere than at the parent
};

// From the parent's origin to where the common normal begins, in F's axes; zero where it begins there, as it does within
// runs, and for runs on the world, which does not turn.
template <class C>
struct HeadBlock {
  C x, y, z;
};

// How the first link of a run sits on its parent.
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
  bool opens_sum;            // first of its siblings on the way inward: sets what the others add to
  int limbs = -1, lane = 0;  // where it is one of several limbs: which of Plan::limbs, and its lane there
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

// Limbs of one world side by side: runs of hinges with nothing beyond their tips, a lane each. One after another they
// would leave most of every register empty; lane by lane they are the numbers of a run alone. Position 0 is next to the
// parent. Lanes that are not in use repeat the first limb, and beyond a limb's tip there are links of unit inertia that
// nobody looks at.
struct Limbs {
  static constexpr int most = 4;
  using V = Pack<double, most>;
  int count = 0, length = 0;  // lanes in use, positions
  int first = 0;              // of all positions of all Limbs
  int run[most] = {}, parent[most] = {}, size[most] = {};
  V sizes{};  // to compare with positions
  struct Position {
    int slot[most], v[most];  // beyond a tip: the tip's
    bool tip;                 // of one of them
  };
  std::vector<Position> position;
  AlignedArray<LinkBlock<V>> link;  // per position
  HeadBlock<V> before_normal{};
  // All heads are alike: general, or none of them is. Where only some are screwed, `screwed` is one for those.
  bool same_head = true, some_aligned = false;
  Head head = Head::aligned;
  V screwed{};
  Mat3<V> E{};
  Vec3<V> r{};
  Turn<V> phi{};
  V t{};
};

template <class T>
struct Plan {
  using Real = typename Lanes<T>::Real;
  using Block = LinkBlock<typename Lanes<T>::Constant>;

  explicit Plan(const Model& model);

  int nq = 0, nv = 0;
  int bodies = 0;     // with the world
  int slots = 0;      // one-axis links
  Vec3<Real> upward;  // -gravity: a mechanism at rest feels the world accelerate upwards
  AlignedArray<Block> blocks;
  std::vector<BlockLayout> layout;                             // per block
  AlignedArray<HeadBlock<typename Lanes<T>::Constant>> heads;  // apart from blocks: few have one, and memory is time
  std::vector<int> q_of_slot, v_of_slot;
  std::vector<int> link_of_slot, link_of_wide;
  std::vector<int> last_link;       // per run
  std::vector<RunPlan<Real>> runs;  // [0] is the world
  std::vector<WideLink<Real>> wide_links;
  std::vector<BodyPlan<Real>> body;
  std::vector<Limbs> limbs;  // of double; other T have none
  int limb_positions = 0;    // of all of them
};

extern template struct Plan<double>;
extern template struct Plan<float>;
extern template struct Plan<Double4>;
extern template struct Plan<Double8>;
extern template struct Plan<Float16>;

}  // namespace linchpin
