#include "linchpin/dynamics/divide_conquer/fork_join.h"

#include <optional>

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_invoke.h>
#include <tbb/task_arena.h>

#include "linchpin/base/check.h"

namespace linchpin {

struct ForkJoin::Arena {
  // More threads than processors only by this control, which counts for the whole program while it lives, as the
  // smallest of all.
  explicit Arena(int threads) : own(threads) {
    if (threads > tbb::info::default_concurrency())
      more.emplace(tbb::global_control::max_allowed_parallelism, std::size_t(threads));
  }
  std::optional<tbb::global_control> more;
  tbb::task_arena own;
};

ForkJoin::ForkJoin(int threads) : threads_(threads) {
  check(threads >= 1, "a run needs at least one thread, not ", threads);
  arena_ = std::make_unique<Arena>(threads);
}
ForkJoin::~ForkJoin() = default;

void ForkJoin::run_erased(Task task) {
  arena_->own.execute([&] { task.call(task.self); });
}

void ForkJoin::both_erased(Task a, Task b) {
  tbb::parallel_invoke([&] { a.call(a.self); }, [&] { b.call(b.self); });
}

}  // namespace linchpin
