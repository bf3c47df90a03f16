#include "linchpin/record/recording_layout.h"

#include <array>
#include <cstddef>
#include <utility>

#include "linchpin/record/recording.h"
#include "linchpin/spatial/message.h"

namespace linchpin {
namespace {

static_assert(sizeof(Vec3<double>) == 3 * sizeof(double), "read and written as three numbers");
static_assert(sizeof(bool) == 1, "read and written as a byte");
static_assert(sizeof(StepStatus) == sizeof(int) && sizeof(ContactState) == sizeof(int) &&
                  sizeof(Verdict) == sizeof(int),
              "read and written as an int");

// The HDF5 type of a member in memory.
hid_t native(const int&) { return H5T_NATIVE_INT; }
hid_t native(const long&) { return H5T_NATIVE_LONG; }
hid_t native(const long long&) { return H5T_NATIVE_LLONG; }
hid_t native(const double&) { return H5T_NATIVE_DOUBLE; }
hid_t native(const std::uint32_t&) { return H5T_NATIVE_UINT32; }
hid_t native(const std::uint8_t&) { return H5T_NATIVE_UINT8; }
hid_t native(const bool&) { return H5T_NATIVE_UINT8; }
hid_t native(const StepStatus&) { return H5T_NATIVE_INT; }
hid_t native(const ContactState&) { return H5T_NATIVE_INT; }
hid_t native(const Verdict&) { return H5T_NATIVE_INT; }

// The compound type of a struct, of which some members are stored: row.add("name", row->member).add(...)
template <class Struct>
class RowType {
 public:
  RowType() : id_(H5Tcreate(H5T_COMPOUND, sizeof(Struct)), H5Tclose, "creating a type") {}
  const Struct* operator->() const { return &sample_; }

  template <class Member>
  RowType& add(const char* name, const Member& member) {
    return insert(name, &member, native(member));
  }
  RowType& add(const char* name, const Vec3<double>& member) { return array(name, &member.x, 3); }
  template <class T, std::size_t n>
  RowType& add(const char* name, const std::array<T, n>& member) {
    return array(name, member.data(), n);
  }
  template <std::size_t n>
  RowType& add(const char* name, const char (&member)[n]) {
    const Hdf5Id text(H5Tcopy(H5T_C_S1), H5Tclose, "creating a type");
    hdf5_did(H5Tset_size(text, n), "creating a type");
    hdf5_did(H5Tset_strpad(text, H5T_STR_NULLPAD), "creating a type");
    return insert(name, member, text);
  }
  Hdf5Id take() { return std::move(id_); }

 private:
  RowType& insert(const char* name, const void* member, hid_t type) {
    const std::ptrdiff_t offset = static_cast<const char*>(member) - reinterpret_cast<const char*>(&sample_);
    hdf5_did(H5Tinsert(id_, name, std::size_t(offset), type), name);
    return *this;
  }
  template <class T>
  RowType& array(const char* name, const T* first, hsize_t count) {
    const Hdf5Id type(H5Tarray_create2(native(*first), 1, &count), H5Tclose, name);
    return insert(name, first, type);
  }

  const Struct sample_{};  // to find the offsets of members
  Hdf5Id id_;
};

Hdf5Id energy_type() {
  RowType<EnergyRow> row;
  row.add("kinetic", row->state.kinetic)
      .add("gravity", row->state.gravity)
      .add("springs", row->state.springs)
      .add("start", row->balance.start)
      .add("stored", row->balance.stored)
      .add("work", row->balance.work)
      .add("dissipated", row->balance.dissipated)
      .add("lost", row->balance.lost)
      .add("projected", row->balance.projected)
      .add("created", row->balance.created)
      .add("largest_defect", row->balance.largest_defect)
      .add("largest_projection", row->balance.largest_projection)
      .add("exchanged", row->balance.exchanged)
      .add("unresolved", row->balance.unresolved)
      .add("defect", row->defect);
  return row.take();
}

Hdf5Id report_type() {
  RowType<StepReport> row;
  row.add("status", row->status)
      .add("body", row->body)
      .add("evaluations", row->evaluations)
      .add("substeps", row->substeps)
      .add("rejected", row->rejected)
      .add("work", row->work)
      .add("dissipated", row->dissipated)
      .add("unresolved", row->unresolved)
      .add("constraint", row->constraint)
      .add("loop_error", row->loop_error)
      .add("loop_speed", row->loop_speed)
      .add("projected", row->projected)
      .add("contacts", row->contacts)
      .add("problems", row->problems)
      .add("iterations", row->iterations)
      .add("loose", row->loose)
      .add("halved", row->halved)
      .add("declared_fallbacks", row->declared_fallbacks)
      .add("impacts", row->impacts)
      .add("unsplit", row->unsplit)
      .add("residual", row->residual)
      .add("cone_violation", row->cone_violation)
      .add("penetration", row->penetration)
      .add("overrun", row->overrun)
      .add("impact_loss", row->impact_loss)
      .add("contact_loss", row->contact_loss)
      .add("least_release", row->least_release)
      .add("restituted", row->restituted)
      .add("restitution_gain", row->restitution_gain)
      .add("pushed_out", row->pushed_out)
      .add("friction_gain", row->friction_gain)
      .add("asleep", row->asleep)
      .add("painleve", row->painleve)
      .add("events", row->events)
      .add("ambiguous", row->ambiguous)
      .add("handed_over", row->handed_over);
  return row.take();
}

Hdf5Id certificate_type() {
  RowType<CertificateRow> row;
  row.add("finite", row->figures.finite)
      .add("status", row->figures.status)
      .add("body", row->figures.body)
      .add("steps", row->figures.steps)
      .add("evaluations", row->figures.evaluations)
      .add("substeps", row->figures.substeps)
      .add("rejected", row->figures.rejected)
      .add("loop_error", row->figures.loop_error)
      .add("loop_speed", row->figures.loop_speed)
      .add("constraint", row->figures.constraint)
      .add("residual", row->figures.residual)
      .add("cone_violation", row->figures.cone_violation)
      .add("penetration", row->figures.penetration)
      .add("overrun", row->figures.overrun)
      .add("most_contacts", row->figures.most_contacts)
      .add("problems", row->figures.problems)
      .add("loose", row->figures.loose)
      .add("halved", row->figures.halved)
      .add("iterations", row->figures.iterations)
      .add("declared_fallbacks", row->figures.declared_fallbacks)
      .add("impacts", row->figures.impacts)
      .add("unsplit", row->figures.unsplit)
      .add("painleve", row->figures.painleve)
      .add("events", row->figures.events)
      .add("ambiguous", row->figures.ambiguous)
      .add("handed_over", row->figures.handed_over)
      .add("impact_loss", row->figures.impact_loss)
      .add("contact_loss", row->figures.contact_loss)
      .add("least_release", row->figures.least_release)
      .add("restituted", row->figures.restituted)
      .add("restitution_gain", row->figures.restitution_gain)
      .add("pushed_out", row->figures.pushed_out)
      .add("friction_gain", row->figures.friction_gain)
      .add("verdict", row->verdict);
  return row.take();
}

Hdf5Id stepping_type() {
  RowType<SteppingRow> row;
  row.add("dt", row->dt).add("substep", row->substep).add("fresh", row->fresh).add("loose_steps", row->loose_steps);
  return row.take();
}

Hdf5Id ends_type() {
  RowType<EndsRow> row;
  row.add("contacts", row->contacts).add("memory", row->memory).add("vdot", row->vdot).add("still", row->still);
  return row.take();
}

Hdf5Id contact_type() {
  RowType<ContactReport> row;
  row.add("shape_a", row->shape_a)
      .add("shape_b", row->shape_b)
      .add("body_a", row->body_a)
      .add("body_b", row->body_b)
      .add("point", row->point)
      .add("normal", row->normal)
      .add("gap", row->gap)
      .add("force", row->force)
      .add("normal_force", row->normal_force)
      .add("friction", row->friction)
      .add("mu", row->mu)
      .add("state", row->state);
  return row.take();
}

Hdf5Id memory_type() {
  RowType<RowMemory> row;
  row.add("key", row->key).add("force", row->force).add("approach", row->approach);
  return row.take();
}

Hdf5Id block_type() {
  RowType<BlockRow> row;
  row.add("frames", row->frames)
      .add("contacts", row->ends.contacts)
      .add("memory", row->ends.memory)
      .add("vdot", row->ends.vdot)
      .add("still", row->ends.still)
      .add("end", row->end)
      .add("reason", row->reason);
  return row.take();
}

template <class Table>
RecordingTables tables_of(const Model& model, const Table& table) {
  RecordingTables t;
  t.nq = std::size_t(model.nq());
  t.nv = std::size_t(model.nv());
  t.nr = reaction_count(model);
  t.time = table("frames/time", H5T_NATIVE_DOUBLE, 0);
  t.step = table("frames/step", H5T_NATIVE_LLONG, 0);
  if (t.nq > 0) t.q = table("frames/q", H5T_NATIVE_DOUBLE, t.nq);
  if (t.nv > 0) t.v = table("frames/v", H5T_NATIVE_DOUBLE, t.nv);
  if (t.nr > 0) t.reactions = table("frames/reactions", H5T_NATIVE_DOUBLE, t.nr);
  t.energy = table("frames/energy", energy_type(), 0);
  t.report = table("frames/report", report_type(), 0);
  t.certificate = table("frames/certificate", certificate_type(), 0);
  t.stepping = table("frames/stepping", stepping_type(), 0);
  t.ends = table("frames/ends", ends_type(), 0);
  t.contacts = table("contacts", contact_type(), 0);
  t.memory = table("memory", memory_type(), 0);
  t.vdot = table("vdot", H5T_NATIVE_DOUBLE, 0);
  t.still = table("still", H5T_NATIVE_DOUBLE, 0);
  t.blocks = table("blocks", block_type(), 0);
  return t;
}

}  // namespace

std::size_t reaction_count(const Model& model) {
  std::size_t rows = 0;
  for (const Constraint& constraint : model.constraints()) rows += std::size_t(row_count(constraint));
  return rows;
}

std::vector<Hdf5Table*> RecordingTables::frame_tables() {
  std::vector<Hdf5Table*> list{&time, &step, &energy, &report, &certificate, &stepping, &ends};
  if (nq > 0) list.push_back(&q);
  if (nv > 0) list.push_back(&v);
  if (nr > 0) list.push_back(&reactions);
  return list;
}

BlockRow RecordingTables::last_block(hid_t file) {
  const long long count = blocks.rows();
  if (count == 0) throw Hdf5Fault{"has no complete block: its run ended before the start was written"};
  BlockRow last;
  blocks.read(count - 1, 1, &last);
  last.reason[sizeof last.reason - 1] = '\0';
  if (last.end < 0 || last.end >= run_end_count) throw Hdf5Fault{message("blocks: unknown end of run ", last.end)};
  if (last.frames < 1) throw Hdf5Fault{message("blocks: the last one ends at frame ", last.frames)};
  const auto check_rows = [](const Hdf5Table& table, long long rows) {
    if (rows < 0 || table.rows() < rows)
      throw Hdf5Fault{message(table.name(), " has ", table.rows(), " rows, but according to blocks ", rows)};
  };
  unsigned long long frame_bytes = 0;
  for (const Hdf5Table* table : frame_tables()) {
    check_rows(*table, last.frames);
    frame_bytes += table->row_bytes();
  }
  check_declared_bytes(file, (unsigned long long)(last.frames), frame_bytes, "frames");
  for (const auto& [table, rows] : {std::pair{&contacts, last.ends.contacts},
                                    {&memory, last.ends.memory},
                                    {&vdot, last.ends.vdot},
                                    {&still, last.ends.still}}) {
    check_rows(*table, rows);
    check_declared_bytes(file, (unsigned long long)(rows), table->row_bytes(), table->name());
  }
  return last;
}

RecordingTables RecordingTables::create(hid_t file, const Model& model) {
  return tables_of(model, [&](const char* name, hid_t type, std::size_t width) {
    return Hdf5Table::create(file, name, type, width);
  });
}

// `blocks` first: while another program writes, the other tables then have at least the rows that it declares.
RecordingTables RecordingTables::open(hid_t file, const Model& model) {
  Hdf5Table blocks = Hdf5Table::open(file, "blocks", block_type(), 0);
  RecordingTables tables = tables_of(
      model, [&](const char* name, hid_t type, std::size_t width) { return Hdf5Table::open(file, name, type, width); });
  tables.blocks = std::move(blocks);
  return tables;
}

}  // namespace linchpin
