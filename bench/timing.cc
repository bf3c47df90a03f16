#include "bench/timing.h"

#include <algorithm>
#include <cmath>
#include <sched.h>
#include <time.h>

namespace linchpin {

double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

namespace {

double seconds_for(const Repeated& contender, int times) {
  const double start = thread_seconds();
  contender(times);
  return thread_seconds() - start;
}

// How many calls make up a sample.
int calls_in(double sample, const Repeated& contender) {
  contender(1);
  for (int calls = 1;; calls *= 2) {
    const double taken = seconds_for(contender, calls);
    if (taken >= sample / 2 || calls >= 1 << 24)
      return std::max(1, static_cast<int>(std::ceil(calls * sample / std::max(taken, 1e-9))));
  }
}

struct Samples {
  int calls = 1;
  double spent = 0;
  std::vector<double> seconds;  // per call
};

}  // namespace

int pin_to_one_core() {
  const int core = sched_getcpu();
  if (core < 0) return -1;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<unsigned>(core), &set);
  return sched_setaffinity(0, sizeof set, &set) == 0 ? core : -1;
}

std::vector<Timing> time_together(std::span<const Repeated> contenders, const TimingOptions& options) {
  std::vector<Samples> all(contenders.size());
  for (std::size_t i = 0; i < contenders.size(); ++i) all[i].calls = calls_in(options.sample, contenders[i]);
  const auto wants_more = [&](const Samples& s) {
    const int taken = static_cast<int>(s.seconds.size());
    return taken < options.fewest || (taken < options.most && s.spent < options.budget);
  };
  for (bool more = true; more;) {
    more = false;
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      Samples& s = all[i];
      if (!wants_more(s)) continue;
      more = true;
      contenders[i](1);
      const double taken = seconds_for(contenders[i], s.calls);
      s.spent += taken;
      s.seconds.push_back(taken / s.calls);
    }
  }
  std::vector<Timing> timings;
  for (Samples& s : all) {
    std::sort(s.seconds.begin(), s.seconds.end());
    timings.push_back({s.seconds.front(), s.seconds[s.seconds.size() / 2]});
  }
  return timings;
}

}  // namespace linchpin
