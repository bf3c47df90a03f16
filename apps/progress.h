// A progress bar on standard error, only if that is a terminal and the bar is wanted. Drawn at most ten times a second.
#pragma once

#include <chrono>
#include <string>

namespace linchpin {

class Progress {
 public:
  explicit Progress(bool wanted);
  ~Progress() { clear(); }
  void show(double fraction, const std::string& what);
  void clear();      // before anything else is printed
  bool due() const;  // whether show() would draw now

 private:
  using Clock = std::chrono::steady_clock;
  bool on_ = false, drawn_ = false;
  Clock::time_point start_, last_;
};

}  // namespace linchpin
