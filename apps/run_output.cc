#include "apps/run_output.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/document.h"
#include "apps/terminal_text.h"
#include "linchpin/model/signal_names.h"

namespace linchpin {
namespace {

constexpr int strip_width = 48;
constexpr std::size_t strip_joints = 4, strip_candidates = 100;  // joints shown, of the first hundred

}  // namespace

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

RowWriter::RowWriter(const Model& model, OutputFile& csv, bool keep)
    : csv_(csv), keep_(keep), rows_(std::make_unique<Json>(Json::array())) {
  if (!csv_) return;
  std::string head = "time";
  for (const std::string& name : position_names(model)) head += "," + csv_field("q:" + name);
  for (const std::string& name : velocity_names(model)) head += "," + csv_field("v:" + name);
  for (const std::string& name : reaction_names(model)) head += "," + csv_field("r:" + name);
  csv_.write(head + ",kinetic,gravity,springs,energy,defect\n");
}

RowWriter::~RowWriter() = default;

void RowWriter::add(const State& state, std::span<const double> reactions, const Energy& e,
                    const EnergyBalance& balance) {
  if (csv_) {
    fmt::memory_buffer line;
    const auto out = std::back_inserter(line);
    fmt::format_to(out, "{:.12g}", state.time);  // a sum of many dt
    for (const double x : state.q) fmt::format_to(out, ",{}", x);
    for (const double x : state.v) fmt::format_to(out, ",{}", x);
    for (const double x : reactions) fmt::format_to(out, ",{}", x);
    fmt::format_to(out, ",{},{},{},{},{}\n", e.kinetic, e.gravity, e.springs, e.total(), balance.defect());
    csv_.write({line.data(), line.size()});
  }
  if (keep_)
    rows_->push_back({{"time", state.time},
                      {"q", state.q},
                      {"v", state.v},
                      {"reactions", std::vector<double>(reactions.begin(), reactions.end())},
                      {"kinetic", e.kinetic},
                      {"gravity", e.gravity},
                      {"springs", e.springs},
                      {"energy", e.total()},
                      {"defect", balance.defect()}});
}

ContactWriter::ContactWriter(const Model& model, OutputFile& file) : model_(model), file_(file) {
  if (file_)
    file_.write(
        "time,body_a,body_b,x,y,z,normal_x,normal_y,normal_z,gap,force_x,force_y,force_z,normal_force,friction,"
        "state\n");
}

void ContactWriter::add(double time, std::span<const ContactReport> contacts) {
  for (const ContactReport& c : contacts)
    file_.write(fmt::format("{:.12g},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", time,
                            csv_field(model_.bodies()[c.body_a].name), csv_field(model_.bodies()[c.body_b].name),
                            c.point.x, c.point.y, c.point.z, c.normal.x, c.normal.y, c.normal.z, c.gap, c.force.x,
                            c.force.y, c.force.z, c.normal_force, c.friction, to_string(c.state)));
}

Strips::Strips(const Model& model, long long steps) : model_(model), every_(std::max(1LL, steps / (4 * strip_width))) {
  for (const Joint& joint : model.joints())
    if (joint.nq == 1 && joints_.size() < strip_candidates)
      joints_.push_back({printable(joint.name), joint.type == JointType::prismatic ? "m" : "rad", joint.q, {}});
}

void Strips::add(const State& state, const Energy& e) {
  kinetic_.values.push_back(e.kinetic);
  potential_.values.push_back(e.gravity + e.springs);
  for (Curve& curve : joints_) curve.values.push_back(state.q[curve.q]);
}

double Strips::Curve::range() const {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return *high - *low;
}

std::string Strips::text() const {
  if (kinetic_.values.size() < 2) return "";
  std::vector<const Curve*> shown;
  for (const Curve& curve : joints_) shown.push_back(&curve);
  if (shown.size() > strip_joints) {  // those that move most, in the order of the model
    std::ranges::stable_sort(shown, std::greater{}, &Curve::range);
    shown.resize(strip_joints);
    std::ranges::sort(shown, {}, &Curve::q);
  }
  shown.insert(shown.begin(), {&kinetic_, &potential_});
  std::size_t space = 0;
  for (const Curve* curve : shown) space = std::max(space, curve->name.size());
  std::string out;
  for (const Curve* curve : shown) {
    const auto [low, high] = std::minmax_element(curve->values.begin(), curve->values.end());
    out += fmt::format("  {:<{}}  {}  {:.4g} .. {:.4g} {}\n", curve->name, space, strip(curve->values, strip_width),
                       *low, *high, curve->unit);
  }
  if (const std::size_t joints = shown.size() - 2; model_.nq() > static_cast<int>(joints))
    out += fmt::format("  ({} of {} coordinates; --csv FILE has them all)\n", joints, model_.nq());
  return out;
}

}  // namespace linchpin
