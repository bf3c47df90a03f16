#include "apps/inspect_recording.h"

#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/command.h"
#include "apps/run_output.h"
#include "apps/run_report.h"
#include "apps/terminal_text.h"
#include "linchpin/record/signals.h"

namespace linchpin {
namespace {

void must_read(const Recording& recording, long long frame, Snapshot& snapshot) {
  if (const std::optional<Error> fault = recording.read(frame, snapshot)) throw UsageError(fault->message);
}

RunOutcome outcome_of(const Recording& recording) {
  RunOutcome outcome;
  Snapshot snapshot;
  must_read(recording, 0, snapshot);
  outcome.mobility = mobility_at(recording.model(), snapshot.state);
  must_read(recording, recording.frames() - 1, snapshot);
  outcome.certificate = recording.certificate();
  outcome.time = snapshot.state.time;
  outcome.stopped = recording.end() == RunEnd::stopped;
  outcome.early = recording.early_end();
  outcome.end = std::move(snapshot.state);
  return outcome;
}

// "q: 24 (hinge_1, hinge_2, hinge_3, ...)", one for each kind; those without a kind by name.
std::vector<std::string> signal_lines(std::span<const std::string> names, bool all) {
  constexpr std::size_t few = 4;
  std::vector<std::string> lines, plain;
  std::map<std::string, std::vector<std::string>> kinds;
  for (const std::string& name : names) {
    const std::size_t colon = name.find(':');
    if (colon == name.npos)
      plain.push_back(name);
    else
      kinds[name.substr(0, colon + 1)].push_back(name.substr(colon + 1));
  }
  for (auto& [kind, list] : kinds) {
    const std::size_t count = list.size();
    if (!all && count > few + 1) {
      list.resize(few);
      list.push_back("...");
    }
    lines.push_back(fmt::format("{:<9} {}: {}", kind, count, fmt::join(list, ", ")));
  }
  for (std::size_t i = 0; i < plain.size(); i += 9)
    lines.push_back(fmt::format("{}", fmt::join(plain.begin() + std::ptrdiff_t(i),
                                                plain.begin() + std::ptrdiff_t(std::min(i + 9, plain.size())), ", ")));
  return lines;
}

std::string ending(const Recording& recording, const std::string& why) {
  switch (recording.end()) {
    case RunEnd::done:
      return "done";
    case RunEnd::failed:
    case RunEnd::stopped:
      return fmt::format("{}: {}", to_string(recording.end()), why);
    case RunEnd::unfinished:
      break;
  }
  return fmt::format("unfinished at {:g} s of {:g} s: {}", recording.times().back(), recording.settings().time,
                     recording.being_written() ? "still running" : "killed, or ended by an error (simulate --resume)");
}

}  // namespace

bool names_recording(const std::string& text) {
  const std::string extension = std::filesystem::path(text).extension().string();
  if (extension == ".h5" || extension == ".hdf5") return true;
  std::error_code fault;  // a pipe must not be read twice
  return !text.starts_with('@') && std::filesystem::is_regular_file(text, fault) && is_recording(text);
}

Recording recording_from(const std::string& option, const std::string& file) {
  Result<Recording> opened = Recording::open(file);
  if (!opened) throw UsageError((option.empty() ? "" : option + " ") + opened.error().message);
  return std::move(opened).value();
}

Json inspect_recording(const Recording& recording, bool all, std::FILE* out) {
  const Model& model = recording.model();
  const RunSettings& settings = recording.settings();
  const SimulationOptions& options = settings.simulation;
  const RunOutcome outcome = outcome_of(recording);
  const Signals signals(model);
  const std::string why = trouble(model, outcome);
  const bool contact = has_contact(*options.stepper);
  fmt::print(out, "{}\n", printable(recording.file().string()));
  fmt::print(out, "  model         {}: {} degrees of freedom, {} bodies, {:.4g} kg\n", printable(settings.source),
             model.nv(), model.bodies().size() - 1, model.total_mass());
  fmt::print(out, "  written by    linchpin {} ({})\n", printable(recording.version()), printable(recording.build()));
  fmt::print(out, "  run           {}{}, dt {:g} s, {} steps\n", to_string(*options.stepper),
             contact ? fmt::format(" ({})", to_string(options.contact.method)) : "", options.dt,
             outcome.certificate.steps);
  fmt::print(out, "  frames        {}, from {:g} to {:g} s, every {} steps\n", recording.frames(),
             recording.times().front(), recording.times().back(), settings.every);
  fmt::print(out, "  end           {}\n", printable(ending(recording, why)));
  fmt::print(out, "  certificate   {}: energy defect {:.1e} J, {:.1e} of the energy exchanged{}\n", verdict(outcome),
             outcome.certificate.energy.largest_defect, outcome.certificate.energy.relative_defect(),
             contact ? fmt::format(", residual {:.1e}, penetration {:.1e} m", outcome.certificate.residual,
                                   outcome.certificate.penetration)
                     : "");
  const char* head = "  signals       ";
  for (const std::string& line : signal_lines(signals.names(), all)) {
    fmt::print(out, "{}{}\n", head, printable(line));
    head = "                ";
  }
  return {{"recording", recording.file().string()},
          {"linchpin", recording.version()},
          {"build", recording.build()},
          {"model", settings.source},
          {"degrees_of_freedom", model.nv()},
          {"stepper", to_string(*options.stepper)},
          {"dt", options.dt},
          {"frames", recording.frames()},
          {"every", settings.every},
          {"start", recording.times().front()},
          {"time", recording.times().back()},
          {"planned", settings.time},
          {"end", to_string(recording.end())},
          {"certificate", certificate_json(model, outcome)},
          {"signals", std::vector<std::string>(signals.names().begin(), signals.names().end())}};
}

void export_csv(const Recording& recording, const std::string& signals, OutputFile& csv) {
  const Signals all(recording.model());
  std::vector<std::string> patterns;
  for (std::size_t begin = 0; begin <= signals.size() && !signals.empty();) {
    const std::size_t comma = std::min(signals.find(',', begin), signals.size());
    patterns.push_back(signals.substr(begin, comma - begin));
    begin = comma + 1;
  }
  if (patterns.empty()) patterns.emplace_back("*");
  const Result<std::vector<std::size_t>> chosen = select_signals(all.names(), patterns);
  if (!chosen) throw UsageError("--signals: " + chosen.error().message);
  std::string head = "time";
  for (const std::size_t i : chosen.value()) head += "," + csv_field(all.names()[i]);
  csv.write(head + "\n");
  Snapshot snapshot;
  std::vector<double> values;
  for (long long frame = 0; frame < recording.frames(); ++frame) {
    must_read(recording, frame, snapshot);
    all.values(snapshot, values);
    fmt::memory_buffer line;
    fmt::format_to(std::back_inserter(line), "{:.12g}", snapshot.state.time);  // as simulate --csv has it
    for (const std::size_t i : chosen.value()) fmt::format_to(std::back_inserter(line), ",{}", values[i]);
    line.push_back('\n');
    csv.write({line.data(), line.size()});
  }
  csv.commit();
}

}  // namespace linchpin
