#include "linchpin/geometry/shapes/manifold.h"

#include <gtest/gtest.h>

namespace linchpin {
namespace {

// As collide() fills it: where there is room, without the call that makes room. What is not kept is overwritten.
TEST(ManifoldList, HoldsWhatIsKeptInOrder) {
  ManifoldList list;
  for (int round = 0; round < 2; ++round) {
    list.clear();
    EXPECT_TRUE(list.empty());
    for (int i = 0; i < 100; ++i) {
      if (list.is_full()) list.grow();
      list.next_unless_full().distance = -1;
      list.keep(false);
      (i % 2 ? list.next() : list.next_unless_full()).distance = i;
      list.keep();
    }
    ASSERT_EQ(list.size(), 100u);
    for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(list[i].distance, double(i));
  }
  const Manifold* const first = &list[0];
  list.shrink_to(3);
  EXPECT_EQ(list.all().size(), 3u);
  EXPECT_EQ(list.all().data(), first);
}

// Exchanging A and B turns the normal, and exchanges the pieces and the two halves of each feature.
TEST(Manifold, SidesAreSwapped) {
  Manifold m{};
  m.normal = {0, 0.6, -0.8};
  m.distance = -0.25;
  m.count = 2;
  m.piece_a = 3, m.piece_b = 8;
  m.points[0] = {{1, 2, 3}, -0.25, 0x00010002};
  m.points[1] = {{4, 5, 6}, 0.5, 0xfffe8000};
  const Manifold before = m;
  swap_sides(m);
  EXPECT_EQ(m.normal.y, -0.6);
  EXPECT_EQ(m.normal.z, 0.8);
  EXPECT_EQ(m.distance, -0.25);
  EXPECT_EQ(m.piece_a, 8u);
  EXPECT_EQ(m.piece_b, 3u);
  EXPECT_EQ(m.points[0].feature, 0x00020001u);
  EXPECT_EQ(m.points[1].feature, 0x8000fffeu);
  for (int i = 0; i < 2; ++i) {
    // what was the end on A is the end on B
    EXPECT_NEAR(norm(on_b(m, m.points[i]) - on_a(before, before.points[i])), 0, 1e-15);
    EXPECT_NEAR(norm(on_a(m, m.points[i]) - on_b(before, before.points[i])), 0, 1e-15);
  }
}

}  // namespace
}  // namespace linchpin
