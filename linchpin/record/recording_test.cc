#include "linchpin/record/recording.h"

#include <bit>

#include <gtest/gtest.h>

#include "linchpin/record/record_testing.h"
#include "linchpin/record/recording_writer.h"

namespace linchpin {
namespace {

// What was written is what is read, every bit of every frame, for models with contacts, loops, sleep and many substeps.
TEST(Recording, EveryBit) {
  for (const char* name : {"@stack", "@swing", "@four_bar", "@pendulum:links=3", "@humanoid"}) {
    SCOPED_TRACE(name);
    const TestFile file;
    const TestRun run(name, {.steps = 300, .every = 3});
    const std::vector<Snapshot> kept = run.record(file.path);
    const Result<Recording> opened = Recording::open(file.path);
    ASSERT_TRUE(opened) << opened.error().message;
    const Recording& recording = opened.value();
    ASSERT_EQ(recording.frames(), static_cast<long long>(kept.size()));
    EXPECT_EQ(recording.end(), RunEnd::done);
    EXPECT_EQ(recording.settings().source, name);
    Snapshot snapshot;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      const std::optional<Error> fault = recording.read(static_cast<long long>(i), snapshot);
      ASSERT_FALSE(fault) << fault->message;
      EXPECT_EQ(bits_of(snapshot), bits_of(kept[i])) << "frame " << i;
      EXPECT_EQ(recording.step_sizes()[i], run.settings.simulation.dt);
      EXPECT_EQ(recording.times()[i], kept[i].state.time);
    }
  }
}

}  // namespace
}  // namespace linchpin
