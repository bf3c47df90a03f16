// How long a call takes, on a machine that is never quite still.
//
// Contenders take turns: each round times every one of them once, so that a clock that changes its speed, or another
// program that wakes up, hits all alike and ratios stay true. One sample is as many calls as fill some tens of
// microseconds, after a call that is not counted: it brings the contender's memory back into the caches, where short
// and long calls alike then find it. What is counted is processor time of this thread, so that being put aside by the
// system costs nothing.
#pragma once

#include <functional>
#include <span>
#include <vector>

namespace linchpin {

// Ties this thread to the core it is on. Returns that core, or -1 where the system does not let us.
int pin_to_one_core();

// Processor time of this thread.
double thread_seconds();

// What to time: must do its work this many times over.
using Repeated = std::function<void(int times)>;

// The compiler must believe that anything in memory is read here and may have been changed.
inline void keep_memory() { asm volatile("" ::: "memory"); }

// f, as often as asked, without the cost of an indirect call each time.
template <class F>
Repeated repeated(F f) {
  return [f](int times) {
    for (int i = 0; i < times; ++i) {
      f();
      keep_memory();
    }
  };
}

struct TimingOptions {
  double sample = 100e-6;  // s; reading the clock costs some 0.3 us
  double budget = 0.2;     // s for each contender, once it has the fewest samples
  int fewest = 7, most = 1000;
};

// Seconds per call.
struct Timing {
  double minimum = 0, median = 0;
};

std::vector<Timing> time_together(std::span<const Repeated> contenders, const TimingOptions& options = {});

}  // namespace linchpin
