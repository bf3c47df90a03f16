#include "linchpin/record/signals.h"

#include <algorithm>
#include <numeric>

#include "linchpin/model/signal_names.h"

namespace linchpin {
namespace {

// * matches any text, ? any character. On a mismatch, the last star takes one character more.
bool matches(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0, star = pattern.npos, from = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      from = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p, ++n;
    } else if (star != pattern.npos) {
      p = star + 1;
      n = ++from;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == pattern.npos;
}

// Number of characters to change, insert or delete [Levenshtein 1966].
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t(0));
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, diagonal + 1});
    }
  }
  return row[b.size()];
}

std::string nearest(std::span<const std::string> names, const std::string& to) {
  std::vector<std::size_t> order(names.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  const auto key = [&](std::size_t i) { return distance(names[i], to); };
  const std::size_t few = std::min<std::size_t>(3, order.size());
  std::partial_sort(order.begin(), order.begin() + std::ptrdiff_t(few), order.end(), [&](std::size_t i, std::size_t j) {
    const std::size_t a = key(i), b = key(j);
    return a < b || (a == b && i < j);
  });
  std::string text;
  for (std::size_t i = 0; i < few; ++i) text += (i ? ", " : "") + names[order[i]];
  return text;
}

}  // namespace

Signals::Signals(const Model& model) : place_(model.bodies().size(), -1) {
  for (const std::string& name : position_names(model)) names_.push_back("q:" + name);
  for (const std::string& name : velocity_names(model)) names_.push_back("v:" + name);
  for (const std::string& name : reaction_names(model)) names_.push_back("r:" + name);
  for (const char* name :
       {"kinetic", "gravity", "springs", "energy", "defect", "work", "dissipated", "lost", "projected", "created",
        "residual", "cone_violation", "penetration", "loop_error", "loop_speed", "contacts", "iterations", "impacts"})
    names_.emplace_back(name);
  for (std::size_t b = 0; b < model.bodies().size(); ++b) {
    if (model.bodies()[b].geometry.empty()) continue;
    place_[b] = int(touched_.size());
    touched_.push_back(int(b));
    for (const char* axis : {".x", ".y", ".z"}) names_.push_back("contact:" + model.bodies()[b].name + axis);
  }
}

void Signals::values(const Snapshot& s, std::vector<double>& out) const {
  out.clear();
  for (const std::span<const double> list :
       {std::span<const double>(s.state.q), std::span<const double>(s.state.v), std::span<const double>(s.reactions)})
    out.insert(out.end(), list.begin(), list.end());
  const EnergyBalance& e = s.certificate.energy;
  const StepReport& r = s.report;
  for (const double x : {s.energy.kinetic, s.energy.gravity, s.energy.springs, s.energy.total(), e.defect(), e.work,
                         e.dissipated, e.lost, e.projected, e.created, r.residual, r.cone_violation, r.penetration,
                         r.loop_error, r.loop_speed, double(r.contacts), double(r.iterations), double(r.impacts)})
    out.push_back(x);
  const std::size_t first = out.size();
  out.resize(first + 3 * touched_.size(), 0.0);
  const auto add = [&](int body, const Vec3<double>& f, double sign) {
    if (place_[body] < 0) return;
    double* const to = out.data() + first + 3 * std::size_t(place_[body]);
    to[0] += sign * f.x, to[1] += sign * f.y, to[2] += sign * f.z;
  };
  for (const ContactReport& c : s.contacts) add(c.body_a, c.force, 1), add(c.body_b, c.force, -1);
}

Result<std::vector<std::size_t>> select_signals(std::span<const std::string> names,
                                                std::span<const std::string> patterns) {
  std::vector<char> chosen(names.size(), 0);
  for (const std::string& pattern : patterns) {
    bool any = false;
    for (std::size_t i = 0; i < names.size(); ++i)
      if (pattern == names[i] || matches(pattern, names[i])) any = true, chosen[i] = 1;
    if (!any) return Error{"there is no signal '" + pattern + "'; nearest are: " + nearest(names, pattern)};
  }
  std::vector<std::size_t> list;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (chosen[i]) list.push_back(i);
  return list;
}

}  // namespace linchpin
