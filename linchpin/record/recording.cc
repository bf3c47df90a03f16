#include "linchpin/record/recording.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>

#include "linchpin/base/names.h"
#include "linchpin/io/spec_json.h"
#include "linchpin/record/build_info.h"
#include "linchpin/record/recording_layout.h"
#include "linchpin/record/recording_lock.h"
#include "linchpin/spatial/message.h"

namespace linchpin {
namespace {

// Refuses files that are not HDF5, with clearer messages than those of HDF5.
void check_file(const std::filesystem::path& file) {
  std::error_code fault;
  const std::filesystem::file_status status = std::filesystem::status(file, fault);
  if (status.type() == std::filesystem::file_type::not_found) throw Hdf5Fault{"there is no such file"};
  if (status.type() == std::filesystem::file_type::directory) throw Hdf5Fault{"is a directory"};
  if (status.type() != std::filesystem::file_type::regular) throw Hdf5Fault{"is not a regular file"};
  if (!std::ifstream(file)) throw Hdf5Fault{"cannot be read"};
  if (std::filesystem::is_empty(file, fault)) throw Hdf5Fault{"is empty, so it is not a recording"};
  if (H5Fis_hdf5(file.c_str()) <= 0) {
    H5Eclear2(H5E_DEFAULT);
    throw Hdf5Fault{"is not an HDF5 file, so it is not a recording"};
  }
}

void check_format(hid_t file) {
  std::string format;
  if (has_attribute(file, "format")) format = read_text_attribute(file, "format");
  if (format != recording_format) throw Hdf5Fault{"is an HDF5 file, but not a recording of linchpin"};
  const long long version = read_number_attribute(file, "format_version");
  if (version != recording_version)
    throw Hdf5Fault{message("has version ", version, " of the format, written by linchpin ",
                            read_text_attribute(file, "linchpin_version"), "; this one, ", linchpin_version(),
                            ", reads version ", recording_version)};
}

template <class T>
T taken(const char* what, Result<T> result) {
  if (!result) throw Hdf5Fault{message(what, ": ", result.error().message)};
  return std::move(result).value();
}

// Of the lists of one frame in memory: five million contacts, a thousand times the limit of a step.
constexpr unsigned long long most_frame_bytes = 1ull << 30;

constexpr long long most_steps = 1ll << 53;  // 300 years of a million steps a second

// Checks the byte of a bool that was read from a file.
bool is_bool(const bool& value) {
  unsigned char byte = 0;
  std::memcpy(&byte, &value, 1);
  return byte <= 1;
}
bool is_status(StepStatus status) { return int(status) >= 0 && int(status) <= int(StepStatus::no_mode); }

}  // namespace

std::string_view to_string(RunEnd end) {
  static constexpr EnumNames<RunEnd::stopped> names{"end of a run", {"unfinished", "done", "failed", "stopped"}};
  return names.of(end);
}

struct Recording::Parts {
  std::filesystem::path path;
  Hdf5Id file;
  std::string version, build, reason;
  ModelSpec spec;
  std::optional<Model> model;
  RunSettings settings;
  RecordingTables tables;
  BlockRow last;  // the last complete block
  bool being_written = false;
  std::vector<double> times, step_sizes;
  Certificate certificate;

  explicit Parts(const std::filesystem::path& where);
  void read_times();
  void read(long long frame, Snapshot& to) const;

 private:
  void read_lists(long long frame, Snapshot& to) const;
};

Recording::Parts::Parts(const std::filesystem::path& where) : path(where) {
  check_file(path);
  being_written = is_locked_to_write(path);
  file = open_hdf5_to_read(path.string()).file;
  check_format(file);
  check_links(file);
  version = read_text_attribute(file, "linchpin_version");
  build = read_text_attribute(file, "build");
  spec = taken("model", spec_from_json(read_text(file, "model")));
  model = taken("model", compile(spec));
  settings = taken("settings", settings_from_json(read_text(file, "settings")));
  if (const std::string fault = fault_for(settings, *model); !fault.empty()) throw Hdf5Fault{"settings: " + fault};
  tables = RecordingTables::open(file, *model);
  last = tables.last_block(file);
  if (being_written) last.end = int(RunEnd::unfinished);
  reason = last.reason;
  read_times();
  Snapshot end;
  read(last.frames - 1, end);
  certificate = end.certificate;
}

// In pieces, so that a file cannot make us reserve memory for rows that it does not have.
void Recording::Parts::read_times() {
  constexpr long long piece = 4096;
  std::vector<SteppingRow> stepping(piece);
  std::vector<long long> steps(piece);
  long long before = 0;
  for (long long from = 0; from < last.frames; from += piece) {
    const long long count = std::min(piece, last.frames - from);
    times.resize(from + count);
    tables.time.read(from, count, times.data() + from);
    tables.stepping.read(from, count, stepping.data());
    tables.step.read(from, count, steps.data());
    for (long long k = 0; k < count; ++k) {
      const long long i = from + k;
      step_sizes.push_back(stepping[k].dt);
      if (!std::isfinite(times[i]) || (i > 0 && times[i] < times[i - 1]))
        throw Hdf5Fault{message("frames/time[", i, "] is ", times[i], i > 0 ? message(" after ", times[i - 1]) : "")};
      if (!(stepping[k].dt > 0) || !std::isfinite(stepping[k].dt))
        throw Hdf5Fault{message("frames/stepping[", i, "]: dt is ", stepping[k].dt)};
      if (steps[k] > most_steps) throw Hdf5Fault{message("frames/step[", i, "] is ", steps[k], ", above ", most_steps)};
      if (steps[k] < before) throw Hdf5Fault{message("frames/step[", i, "] is ", steps[k], " after ", before)};
      before = steps[k];
    }
  }
}

// The lists contacts, memory, vdot and still.
void Recording::Parts::read_lists(long long frame, Snapshot& to) const {
  EndsRow ends[2];  // of the previous frame, where our rows begin, and of this frame
  if (frame > 0)
    tables.ends.read(frame - 1, 2, ends);
  else
    tables.ends.read(0, 1, ends + 1);
  const auto [from, end] = ends;
  const auto check_range = [&](const char* name, long long first, long long past, long long all) {
    if (first < 0 || past < first || past > all)
      throw Hdf5Fault{message("frames/ends: ", name, " of frame ", frame, " are ", first, " to ", past, " of ", all)};
  };
  check_range("contacts", from.contacts, end.contacts, last.ends.contacts);
  check_range("memory", from.memory, end.memory, last.ends.memory);
  check_range("vdot", from.vdot, end.vdot, last.ends.vdot);
  check_range("still", from.still, end.still, last.ends.still);
  const unsigned long long bytes = sizeof(ContactReport) * (unsigned long long)(end.contacts - from.contacts) +
                                   sizeof(RowMemory) * (unsigned long long)(end.memory - from.memory) +
                                   sizeof(double) * (unsigned long long)(end.vdot - from.vdot) +
                                   sizeof(double) * (unsigned long long)(end.still - from.still);
  if (bytes > most_frame_bytes)
    throw Hdf5Fault{message("frames/ends: frame ", frame, " declares ", bytes,
                            " bytes of contacts, memory, vdot and still; at most ", most_frame_bytes, " are read")};
  tables.contacts.check_stored(from.contacts, end.contacts - from.contacts);
  tables.memory.check_stored(from.memory, end.memory - from.memory);
  tables.vdot.check_stored(from.vdot, end.vdot - from.vdot);
  tables.still.check_stored(from.still, end.still - from.still);
  to.contacts.resize(end.contacts - from.contacts);
  tables.contacts.read(from.contacts, end.contacts - from.contacts, to.contacts.data());
  to.state.memory.resize(end.memory - from.memory);
  tables.memory.read(from.memory, end.memory - from.memory, to.state.memory.data());
  if (end.vdot != from.vdot && end.vdot - from.vdot != (long long)(2 * tables.nv))
    throw Hdf5Fault{message("frames/ends: vdot of frame ", frame, " has ", end.vdot - from.vdot,
                            " numbers; none or ", 2 * tables.nv, " are expected")};
  to.state.vdot.resize(end.vdot - from.vdot);
  tables.vdot.read(from.vdot, end.vdot - from.vdot, to.state.vdot.data());
  to.state.still.resize(end.still - from.still);
  tables.still.read(from.still, end.still - from.still, to.state.still.data());
}

void Recording::Parts::read(long long frame, Snapshot& to) const {
  State& state = to.state;
  state.time = times[frame];
  state.q.resize(tables.nq);
  state.v.resize(tables.nv);
  to.reactions.resize(tables.nr);
  if (tables.nq > 0) tables.q.read(frame, 1, state.q.data());
  if (tables.nv > 0) tables.v.read(frame, 1, state.v.data());
  if (tables.nr > 0) tables.reactions.read(frame, 1, to.reactions.data());
  tables.step.read(frame, 1, &to.step);
  SteppingRow stepping;
  tables.stepping.read(frame, 1, &stepping);
  if (!(stepping.substep >= 0) || !std::isfinite(stepping.substep) || stepping.fresh > 1 || stepping.loose_steps < 0)
    throw Hdf5Fault{message("frames/stepping: frame ", frame, " has substep ", stepping.substep, ", fresh ",
                            int(stepping.fresh), " and loose_steps ", stepping.loose_steps,
                            "; substep must be finite and at least 0, fresh 0 or 1, loose_steps at least 0")};
  state.substep = stepping.substep;
  state.fresh = stepping.fresh != 0;
  state.loose_steps = stepping.loose_steps;
  read_lists(frame, to);

  EnergyRow energy;
  tables.energy.read(frame, 1, &energy);
  CertificateRow certificate;
  tables.certificate.read(frame, 1, &certificate);
  to.certificate = certificate.figures;
  tables.report.read(frame, 1, &to.report);
  to.energy = energy.state;
  to.certificate.energy = energy.balance;
  to.certificate.limits = settings.limits;
  to.certificate.reason = to.certificate.status == StepStatus::done ? "" : reason.c_str();
  to.report.reason = to.report.status == StepStatus::done ? "" : reason.c_str();

  const auto fits = [](int index, std::size_t count) { return index >= -1 && index < int(count); };
  const std::size_t bodies = model->bodies().size(), constraints = model->constraints().size();
  if (!is_bool(to.certificate.finite) || !is_status(to.certificate.status) || !fits(to.certificate.body, bodies) ||
      !fits(to.certificate.constraint, constraints))
    throw Hdf5Fault{message("frames/certificate: frame ", frame, " is invalid")};
  if (!is_status(to.report.status) || !fits(to.report.body, bodies) || !fits(to.report.constraint, constraints))
    throw Hdf5Fault{message("frames/report: frame ", frame, " is invalid")};
  const int shapes = int(model->shapes().size());
  for (const ContactReport& c : to.contacts)
    if (c.shape_a < 0 || c.shape_a >= shapes || c.shape_b < 0 || c.shape_b >= shapes || c.body_a < 0 ||
        c.body_a >= int(bodies) || c.body_b < 0 || c.body_b >= int(bodies) || int(c.state) < 0 ||
        int(c.state) > int(ContactState::sliding))
      throw Hdf5Fault{message("contacts of frame ", frame, " name shapes or bodies that are not in the model")};
}

Recording::Recording(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Recording::Recording(Recording&&) noexcept = default;
Recording::~Recording() {
  const QuietHdf5 quiet;
  parts_.reset();
}

Result<Recording> Recording::open(const std::filesystem::path& file) {
  const QuietHdf5 quiet;
  try {
    return Recording(std::make_unique<Parts>(file));
  } catch (const Hdf5Fault& fault) {
    return Error{file.string() + ": " + fault.message};
  } catch (const std::bad_alloc&) {
    return Error{file.string() + ": not enough memory to read it"};
  } catch (const std::length_error&) {
    return Error{file.string() + ": not enough memory to read it"};
  }
}

std::optional<Error> Recording::read(long long frame, Snapshot& snapshot) const {
  check(frame >= 0 && frame < frames(), "frame ", frame, " of ", frames());
  const QuietHdf5 quiet;
  try {
    parts_->read(frame, snapshot);
    return {};
  } catch (const Hdf5Fault& fault) {
    return Error{message(parts_->path.string(), ": frame ", frame, ": ", fault.message)};
  } catch (const std::bad_alloc&) {
    return Error{message(parts_->path.string(), ": frame ", frame, ": not enough memory to read it")};
  }
}

const std::filesystem::path& Recording::file() const { return parts_->path; }
const std::string& Recording::version() const { return parts_->version; }
const std::string& Recording::build() const { return parts_->build; }
const ModelSpec& Recording::spec() const { return parts_->spec; }
const Model& Recording::model() const& { return *parts_->model; }
const RunSettings& Recording::settings() const { return parts_->settings; }
bool Recording::being_written() const { return parts_->being_written; }
std::optional<EarlyEnd> Recording::early_end() const {
  const double reached = times().back();
  switch (end()) {
    case RunEnd::done:
      return {};
    case RunEnd::failed:
      return EarlyEnd{"failed", message("recorded as failed at ", reached, " s")};
    case RunEnd::stopped:
      return EarlyEnd{"interrupted", message("stopped by the user at t = ", reached, " s")};
    case RunEnd::unfinished:
      break;
  }
  return EarlyEnd{"unfinished",
                  message(being_written() ? "still running" : "ended without a verdict (killed, or an error)", ", at ",
                          reached, " s of ", settings().time, " s")};
}
RunEnd Recording::end() const { return RunEnd(parts_->last.end); }
long long Recording::frames() const { return parts_->last.frames; }
const std::vector<double>& Recording::times() const { return parts_->times; }
const std::vector<double>& Recording::step_sizes() const { return parts_->step_sizes; }
const Certificate& Recording::certificate() const { return parts_->certificate; }

void leave_hdf5_at_exit() { H5dont_atexit(); }

bool is_recording(const std::filesystem::path& file) {
  const QuietHdf5 quiet;
  try {
    check_file(file);
    const OpenedHdf5 opened = open_hdf5_to_read(file.string());
    return has_attribute(opened.file, "format") && read_text_attribute(opened.file, "format") == recording_format;
  } catch (const Hdf5Fault&) {
    return false;
  }
}

}  // namespace linchpin
