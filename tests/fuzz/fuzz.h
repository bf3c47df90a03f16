// Random damage to the inputs of a reader. It needs no compiler with a fuzzer of its own: the inputs are drawn by a
// seed, so that each run of ./test tries the same ones.
//
//     FuzzTarget target{.name = "mesh", .seeds = {good_stl, good_obj}, .words = {"facet"}, .inputs = 2000};
//     target.read = [](const std::string& input) { ...; return is_accepted; };
//     fuzz(target);
//
// An input is one of the seeds with one to four changes: bits, bytes, pieces, lines, numbers and words. The reader must
// either accept or refuse it. A fault is an exception, a signal, more than 10 s of processor time, more than 2 GiB of
// memory, or a FuzzFault that `read` throws because the result breaks a promise. The faulty input is kept in a file.
//
// LINCHPIN_FUZZ_SECONDS=60   for so long, instead of target.inputs
// LINCHPIN_FUZZ_SEED=7       other inputs; 1 by default
// LINCHPIN_FUZZ_INPUT=FILE   this input alone
//
// Prints "fuzz: NAME: N inputs of seed S, N accepted, N refused, N faults".
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "linchpin/base/splitmix.h"

namespace linchpin {

struct FuzzFault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct FuzzTarget {
  std::string name;
  std::vector<std::string> seeds = {};  // good inputs
  std::vector<std::string> words = {};  // that mean something to the reader; numbers out of range are known anyway
  int inputs = 1000;
  std::function<bool(const std::string&)> read = {};  // true: accepted, false: refused
};

void fuzz(const FuzzTarget& target);

// One input, from a seed or two.
std::string damaged(const FuzzTarget& target, SplitMix& random);

// Throws a FuzzFault with this text unless the promise is kept.
inline void promise(bool kept, std::string_view text) {
  if (!kept) throw FuzzFault(std::string(text));
}

}  // namespace linchpin
