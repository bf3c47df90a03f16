#include "linchpin/model/constraint_spec.h"

#include <cmath>
#include <utility>

#include "linchpin/base/check.h"

namespace linchpin {
namespace {

struct LoopInfo {
  LoopType type;
  std::string_view name;
  LoopHold hold;
};

using Turn = LoopHold::Turn;
constexpr std::array<bool, 3> nowhere{false, false, false}, everywhere{true, true, true}, off_axis{true, true, false},
    on_plane{false, false, true};

constexpr std::array<LoopInfo, loop_type_count> loops{
    {{LoopType::weld, "weld", {everywhere, Turn::all}},
     {LoopType::pin, "pin", {everywhere, Turn::but_z}},
     {LoopType::slider, "slider", {off_axis, Turn::all}},
     {LoopType::screw, "screw", {off_axis, Turn::but_z, true}},
     {LoopType::cylinder, "cylinder", {off_axis, Turn::but_z}},
     {LoopType::universal, "universal", {everywhere, Turn::cross}},
     {LoopType::ball, "ball", {everywhere, Turn::none}},
     {LoopType::plane, "plane", {on_plane, Turn::but_z}},
     {LoopType::parallel, "parallel", {nowhere, Turn::all}},
     {LoopType::point_on_line, "point_on_line", {off_axis, Turn::none}},
     {LoopType::point_on_plane, "point_on_plane", {on_plane, Turn::none}}}};

const LoopInfo& info_of(LoopType type) {
  for (const LoopInfo& info : loops)
    if (info.type == type) return info;
  fail_check("loop type number ", static_cast<int>(type), " of ", loop_type_count);
}

}  // namespace

void add_polynomial(std::span<const double> c, double x, TimeLaw::Value& to) {
  TimeLaw::Value p{0, 0, 0};
  for (std::size_t k = c.size(); k-- > 0;) {  // Horner, for all three at once
    p.acceleration = p.acceleration * x + 2 * p.rate;
    p.rate = p.rate * x + p.value;
    p.value = p.value * x + c[k];
  }
  to.value += p.value;
  to.rate += p.rate;
  to.acceleration += p.acceleration;
}

TimeLaw::Value TimeLaw::at(double time) const {
  Value u{0, 0, 0};
  add_polynomial(polynomial, time, u);
  if (amplitude != 0) {
    const double angle = frequency * time + phase;
    u.value += amplitude * std::sin(angle);
    u.rate += amplitude * frequency * std::cos(angle);
    u.acceleration -= amplitude * frequency * frequency * std::sin(angle);
  }
  return u;
}

std::string_view to_string(LoopType type) { return info_of(type).name; }

std::optional<LoopType> loop_type_from(std::string_view name) {
  for (const LoopInfo& info : loops)
    if (info.name == name) return info.type;
  return std::nullopt;
}

LoopHold hold_of(LoopType type) { return info_of(type).hold; }

int row_count(LoopType type) {
  const LoopHold hold = hold_of(type);
  int rows = hold.screw ? 1 : 0;
  for (const bool held : hold.along) rows += held ? 1 : 0;
  switch (hold.turn) {
    case Turn::none:
      return rows;
    case Turn::all:
      return rows + 3;
    case Turn::but_z:
      return rows + 2;
    case Turn::cross:
      return rows + 1;
  }
  fail_check("turn number ", static_cast<int>(hold.turn));
}

ConstraintSpec gear(std::string name, std::string y, std::string x, std::vector<double> c) {
  for (double& coefficient : c) coefficient = -coefficient;
  CouplingSpec coupling;
  coupling.terms = {{std::move(y), 0, {0, 1}}, {std::move(x), 0, std::move(c)}};
  return {std::move(name), std::move(coupling)};
}

ConstraintSpec prescribed(std::string name, std::string joint, TimeLaw u) {
  CouplingSpec coupling;
  coupling.terms = {{std::move(joint), 0, {0, 1}}};
  coupling.value = std::move(u);
  return {std::move(name), std::move(coupling)};
}

}  // namespace linchpin
