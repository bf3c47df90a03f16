#include "linchpin/sim/batch.h"

#include "linchpin/model/scenes.h"
#include "linchpin/sim/testing.h"

namespace linchpin {
namespace {

// Different worlds: each has its own initial velocity.
std::vector<State> worlds_of(const Model& model, int count) {
  std::vector<State> worlds(count, make_state(model));
  for (int i = 0; i < count; ++i) worlds[i].v[0] += 0.1 * i;
  return worlds;
}

TEST(Batch, SameBitsForAnyNumberOfThreads) {
  for (const char* text : {"swing:links=4", "stack:boxes=2", "stand4", "@pendulum:links=3"}) {
    const Model model = compiled(scene(text).value());
    std::vector<State> single = worlds_of(model, 7);
    for (State& state : single) state = advanced(model, state, {}, 150);
    for (const int threads : {1, 2, 3, 16}) {
      Batch batch(model, {}, threads);
      std::vector<State> worlds = worlds_of(model, 7);
      std::vector<StepReport> reports(worlds.size());
      batch.advance(worlds, 100, {}, reports);
      batch.advance(worlds, 50, {}, reports);
      for (std::size_t i = 0; i < worlds.size(); ++i) {
        EXPECT_TRUE(reports[i].ok());
        EXPECT_TRUE(same_bits(worlds[i], single[i])) << text << " world " << i << ", " << threads << " threads";
      }
    }
  }
}

TEST(Batch, AWorldThatFailsStopsAloneAndNoneIsNoWork) {
  const Model model = compiled(scene("stack:boxes=2").value());
  Batch batch(model, {}, 2);
  std::vector<State> worlds = worlds_of(model, 3);
  worlds[1].v[4] = std::numeric_limits<double>::infinity();
  std::vector<StepReport> reports(3);
  batch.advance(worlds, 10, {}, reports);
  EXPECT_TRUE(reports[0].ok() && reports[2].ok());
  EXPECT_EQ(reports[1].status, StepStatus::not_finite);
  EXPECT_EQ(worlds[1].time, 0);
  EXPECT_NEAR(worlds[0].time, 0.01, 1e-12);
  batch.advance({}, 5, {}, {});
}

}  // namespace
}  // namespace linchpin
