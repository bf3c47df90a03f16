#include "linchpin/record/recording_writer.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <unistd.h>

#include "linchpin/geometry/shapes/shape_check.h"
#include "linchpin/io/spec_json.h"
#include "linchpin/model/signal_names.h"
#include "linchpin/record/build_info.h"
#include "linchpin/record/recording_layout.h"
#include "linchpin/record/recording_lock.h"
#include "linchpin/spatial/message.h"

namespace linchpin {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t block_frames = 256;                  // full chunks of the tables (hdf5_file.cc)
constexpr std::size_t block_bytes = std::size_t(4) << 20;  // bounds the memory of large models

// For readers without linchpin; linchpin itself takes the names from the model.
void write_names(hid_t file, const Model& model) {
  const Hdf5Id group(H5Gcreate2(file, "names", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose, "names");
  std::vector<std::string> bodies, shapes, constraints;
  for (const Body& body : model.bodies()) bodies.push_back(body.name);
  for (const ShapeOnBody& at : model.shapes()) {
    const Body& body = model.bodies()[at.body];
    const GeometrySpec& geometry = body.geometry[at.geometry];
    shapes.push_back(body.name + "/" + (geometry.name.empty() ? kind_name(geometry.shape) : geometry.name));
  }
  for (const Constraint& constraint : model.constraints()) constraints.push_back(constraint.name);
  write_texts(group, "q", position_names(model));
  write_texts(group, "v", velocity_names(model));
  write_texts(group, "reactions", reaction_names(model));
  write_texts(group, "bodies", bodies);
  write_texts(group, "shapes", shapes);
  write_texts(group, "constraints", constraints);
}

std::string temporary_name(const std::filesystem::path& file) { return message(file.string(), ".new-", getpid()); }

// A name for a new recording: locked from before the check that its file may be replaced until after it was replaced.
// If that does not happen, a file that was created for the lock is removed again.
class NewName {
 public:
  explicit NewName(const std::filesystem::path& file) : file_(file) {
    std::error_code fault;
    if (std::filesystem::exists(file, fault) && !std::filesystem::is_regular_file(file, fault))
      throw Hdf5Fault{"is not a regular file"};
    lock_ = RecordingLock::to_write(file, true);
    if (!std::filesystem::is_empty(file, fault) && !is_recording(file))
      throw Hdf5Fault{"exists and is not a recording; remove it first, or choose another name"};
  }
  ~NewName() {
    std::error_code fault;
    if (lock_.created() && !taken_) std::filesystem::remove(file_, fault);
  }
  NewName(const NewName&) = delete;
  NewName& operator=(const NewName&) = delete;

  void take(const std::string& temporary) {
    std::filesystem::rename(temporary, file_);
    taken_ = true;
  }

 private:
  std::filesystem::path file_;
  RecordingLock lock_;
  bool taken_ = false;
};

void start_swmr(hid_t file) { hdf5_did(H5Fstart_swmr_write(file), "cannot be switched to SWMR writing"); }

}  // namespace

struct RecordingWriter::Parts {
  std::filesystem::path path;
  RecordingLock lock;  // released after the file is closed
  Hdf5Id file;
  RecordingTables tables;
  bool broken = false;
  long long last_step = 0;  // of the frames in the file

  // Frames that are not yet in the file.
  std::size_t frames = 0;
  std::vector<double> time, q, v, reactions, vdot, still;
  std::vector<long long> step;
  std::vector<EnergyRow> energy;
  std::vector<StepReport> report;
  std::vector<CertificateRow> certificate;
  std::vector<SteppingRow> stepping;
  std::vector<EndsRow> ends;
  std::vector<ContactReport> contacts;
  std::vector<RowMemory> memory;

  BlockRow block;  // counts of all added frames and rows
  Clock::time_point began = Clock::now(), last_block = began;

  void take(const Snapshot& snapshot, double dt);
  bool due() const;
  void write_block(RunEnd end);
  std::optional<Error> guarded(void (*work)(Parts&, RunEnd), RunEnd end);
};

void RecordingWriter::Parts::take(const Snapshot& s, double dt) {
  const State& state = s.state;
  check(state.q.size() == tables.nq && state.v.size() == tables.nv && s.reactions.size() == tables.nr,
        "the snapshot has ", state.q.size(), " positions, ", state.v.size(), " velocities and ", s.reactions.size(),
        " reactions, the recording's model ", tables.nq, ", ", tables.nv, " and ", tables.nr);
  const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  time.push_back(state.time);
  step.push_back(s.step);
  append(q, state.q);
  append(v, state.v);
  append(reactions, s.reactions);
  energy.push_back({s.energy, s.certificate.energy, s.certificate.energy.defect()});
  report.push_back(s.report);
  certificate.push_back({s.certificate, s.certificate.verdict()});
  stepping.push_back({dt, state.substep, std::uint8_t(state.fresh), state.loose_steps});
  append(contacts, s.contacts);
  append(memory, state.memory);
  append(vdot, state.vdot);
  append(still, state.still);
  block.ends.contacts += static_cast<long long>(s.contacts.size());
  block.ends.memory += static_cast<long long>(state.memory.size());
  block.ends.vdot += static_cast<long long>(state.vdot.size());
  block.ends.still += static_cast<long long>(state.still.size());
  ends.push_back(block.ends);
  ++block.frames;
  ++frames;
  std::strncpy(block.reason, s.report.ok() ? "" : s.report.reason, sizeof block.reason - 1);
}

bool RecordingWriter::Parts::due() const {
  const std::size_t bytes = sizeof(double) * (q.size() + v.size() + vdot.size() + reactions.size()) +
                            sizeof(ContactReport) * contacts.size() + sizeof(RowMemory) * memory.size();
  if (frames >= block_frames || bytes >= block_bytes) return true;
  const Clock::time_point now = Clock::now();
  return now - last_block > std::max<Clock::duration>(std::chrono::seconds(1), (now - began) / 60);
}

// First the rows, then the row of `blocks` that declares them complete. A chunk that is written again, since a block
// ended inside it, is put elsewhere by HDF5 in SWMR mode, so the data of a complete block are never overwritten.
void RecordingWriter::Parts::write_block(RunEnd end) {
  const auto rows = static_cast<long long>(frames);
  tables.time.append(time.data(), rows);
  tables.step.append(step.data(), rows);
  if (tables.nq > 0) tables.q.append(q.data(), rows);
  if (tables.nv > 0) tables.v.append(v.data(), rows);
  if (tables.nr > 0) tables.reactions.append(reactions.data(), rows);
  tables.energy.append(energy.data(), rows);
  tables.report.append(report.data(), rows);
  tables.certificate.append(certificate.data(), rows);
  tables.stepping.append(stepping.data(), rows);
  tables.ends.append(ends.data(), rows);
  tables.contacts.append(contacts.data(), static_cast<long long>(contacts.size()));
  tables.memory.append(memory.data(), static_cast<long long>(memory.size()));
  tables.vdot.append(vdot.data(), static_cast<long long>(vdot.size()));
  tables.still.append(still.data(), static_cast<long long>(still.size()));
  hdf5_did(H5Fflush(file, H5F_SCOPE_LOCAL), "cannot be written");
  block.end = int(end);
  tables.blocks.append(&block, 1);
  tables.blocks.flush();

  frames = 0;
  for (std::vector<double>* list : {&time, &q, &v, &reactions, &vdot, &still}) list->clear();
  step.clear();
  energy.clear();
  report.clear();
  certificate.clear();
  stepping.clear();
  ends.clear();
  contacts.clear();
  memory.clear();
  last_block = Clock::now();
}

std::optional<Error> RecordingWriter::Parts::guarded(void (*work)(Parts&, RunEnd), RunEnd end) {
  const QuietHdf5 quiet;
  try {
    if (broken) throw Hdf5Fault{"nothing is written after the first failure"};
    work(*this, end);
    return {};
  } catch (const Hdf5Fault& fault) {
    broken = true;
    if (file.open()) abandon_hdf5(file);
    return Error{path.string() + ": " + fault.message};
  }
}

std::optional<Error> copy_recording(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::error_code fault;
  if (std::filesystem::equivalent(from, to, fault)) return Error{to.string() + ": is the source of the copy itself"};
  const QuietHdf5 quiet;
  const std::string temporary = temporary_name(to);
  const std::filesystem::path* at = &from;  // where a fault is
  try {
    const RecordingLock source = RecordingLock::to_read(from);
    at = &to;
    NewName name(to);
    std::filesystem::copy_file(from, temporary);
    name.take(temporary);
    return {};
  } catch (const Hdf5Fault& why) {
    return Error{at->string() + ": " + why.message};
  } catch (const std::filesystem::filesystem_error& why) {
    std::filesystem::remove(temporary, fault);
    return Error{to.string() + ": " + why.code().message()};
  }
}

RecordingWriter::RecordingWriter(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
RecordingWriter::RecordingWriter(RecordingWriter&&) noexcept = default;
RecordingWriter::~RecordingWriter() {
  if (!parts_) return;
  if (parts_->file.open() && !parts_->broken && parts_->frames > 0)
    parts_->guarded([](Parts& parts, RunEnd end) { parts.write_block(end); }, RunEnd::unfinished);
  const QuietHdf5 quiet;
  parts_.reset();
}

Result<RecordingWriter> RecordingWriter::create(const std::filesystem::path& file, const ModelSpec& spec,
                                                const Model& model, const RunSettings& settings) {
  const QuietHdf5 quiet;
  std::error_code fault;
  const std::string temporary = temporary_name(file);
  std::optional<NewName> name;
  try {
    name.emplace(file);
  } catch (const Hdf5Fault& why) {
    return Error{file.string() + ": " + why.message};
  }
  try {
    auto parts = std::make_unique<Parts>();
    parts->path = file;
    parts->file = create_hdf5(temporary);
    write_attribute(parts->file, "format", recording_format);
    write_attribute(parts->file, "format_version", recording_version);
    write_attribute(parts->file, "linchpin_version", std::string(linchpin_version()));
    write_attribute(parts->file, "build", std::string(build_description()));
    write_text(parts->file, "model", spec_to_json(spec));
    write_text(parts->file, "settings", settings_to_json(settings));
    write_names(parts->file, model);
    parts->tables = RecordingTables::create(parts->file, model);
    start_swmr(parts->file);
    parts->lock = RecordingLock::to_write(temporary);
    name->take(temporary);
    return RecordingWriter(std::move(parts));
  } catch (const Hdf5Fault& why) {
    std::filesystem::remove(temporary, fault);
    return Error{file.string() + ": " + why.message};
  } catch (const std::filesystem::filesystem_error& why) {
    std::filesystem::remove(temporary, fault);
    return Error{file.string() + ": " + why.code().message()};
  }
}

Result<RecordingWriter> RecordingWriter::append(const std::filesystem::path& file, const Model& model,
                                                const RunSettings& settings) {
  const QuietHdf5 quiet;
  try {
    auto parts = std::make_unique<Parts>();
    parts->path = file;
    parts->lock = RecordingLock::to_write(file);
    parts->file = open_hdf5_to_append(file.string());
    check_links(parts->file);
    RecordingTables& t = parts->tables = RecordingTables::open(parts->file, model);
    parts->block = t.last_block(parts->file);
    t.step.read(parts->block.frames - 1, 1, &parts->last_step);
    // Remove rows that were written after the last complete block.
    for (Hdf5Table* table : t.frame_tables()) table->truncate(parts->block.frames);
    t.contacts.truncate(parts->block.ends.contacts);
    t.memory.truncate(parts->block.ends.memory);
    t.vdot.truncate(parts->block.ends.vdot);
    t.still.truncate(parts->block.ends.still);
    hdf5_did(H5Ldelete(parts->file, "settings", H5P_DEFAULT), "settings cannot be written");
    write_text(parts->file, "settings", settings_to_json(settings));
    parts->block.end = int(RunEnd::unfinished);  // no longer done or stopped
    t.blocks.append(&parts->block, 1);
    hdf5_did(H5Fflush(parts->file, H5F_SCOPE_LOCAL), "cannot be written");
    start_swmr(parts->file);
    return RecordingWriter(std::move(parts));
  } catch (const Hdf5Fault& why) {
    return Error{file.string() + ": " + why.message};
  }
}

std::optional<Error> RecordingWriter::add(const Snapshot& snapshot, double dt) {
  if (snapshot.step < parts_->last_step)
    return Error{message(parts_->path.string(), ": already has frames up to step ", parts_->last_step, ", but step ",
                         snapshot.step, " is to be added: another run has continued it")};
  parts_->last_step = snapshot.step;
  parts_->take(snapshot, dt);
  const bool first = parts_->block.frames == 1;  // so that a run killed in its first second has at least its start
  if (!first && !parts_->due()) return {};
  return parts_->guarded([](Parts& parts, RunEnd end) { parts.write_block(end); }, RunEnd::unfinished);
}

std::optional<Error> RecordingWriter::finish(RunEnd end) {
  return parts_->guarded(
      [](Parts& parts, RunEnd how) {
        parts.write_block(how);
        parts.tables = {};
        if (!parts.file.reset()) fail_hdf5("cannot be closed");
        parts.lock = {};
      },
      end);
}

}  // namespace linchpin
