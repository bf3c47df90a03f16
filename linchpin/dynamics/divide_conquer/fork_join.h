// Threads that share the work of one call. What is computed does not depend on their number.
#pragma once

#include <memory>

namespace linchpin {

class ForkJoin {
 public:
  // threads: at least 1, the caller's own among them.
  explicit ForkJoin(int threads);
  ~ForkJoin();
  int threads() const { return threads_; }

  // Calls f() with all threads at hand for the two functions below, which are called within it.
  template <class F>
  void run(const F& f) {
    run_erased({&call<F>, &f});
  }
  // Calls both, one of them perhaps on another thread, and returns when both have returned.
  template <class F, class G>
  static void both(const F& f, const G& g) {
    both_erased({&call<F>, &f}, {&call<G>, &g});
  }
  // Calls f(first, last) for parts of [0, count) of at least `least` / 2 elements, if there are so many. Halves are
  // handed out as by both(), so that a thread is likely to get the part that it worked on in the stage before.
  template <class F>
  static void each(int count, int least, const F& f) {
    halve(0, count, least, f);
  }

 private:
  struct Task {
    void (*call)(const void*);
    const void* self;
  };
  template <class F>
  static void call(const void* f) {
    (*static_cast<const F*>(f))();
  }
  template <class F>
  static void halve(int first, int last, int least, const F& f) {
    if (last - first < least) return f(first, last);
    const int middle = first + (last - first) / 2;
    both([&] { halve(first, middle, least, f); }, [&] { halve(middle, last, least, f); });
  }
  void run_erased(Task task);
  static void both_erased(Task a, Task b);

  struct Arena;
  std::unique_ptr<Arena> arena_;
  int threads_;
};

}  // namespace linchpin
