#include "linchpin/record/recording_layout.h"

#include <cstddef>

namespace linchpin {
namespace {

static_assert(sizeof(Vec3<double>) == 3 * sizeof(double), "read and written as three numbers");
static_assert(sizeof(bool) == 1, "read and written as a byte");
static_assert(sizeof(StepStatus) == sizeof(int) && sizeof(ContactState) == sizeof(int), "read and written as an int");

// A struct of which some fields are kept.
class RowType {
 public:
  explicit RowType(std::size_t size) : id_(H5Tcreate(H5T_COMPOUND, size), H5Tclose, "making a type") {}
  RowType& field(const char* name, std::size_t offset, hid_t type) {
    hdf5_did(H5Tinsert(id_, name, offset, type), name);
    return *this;
  }
  RowType& numbers(const char* name, std::size_t offset, hid_t type, hsize_t count) {
    const Hdf5Id array(H5Tarray_create2(type, 1, &count), H5Tclose, name);
    return field(name, offset, array);
  }
  operator hid_t() const { return id_; }  // NOLINT

 private:
  Hdf5Id id_;
};

RowType energy_type() {
  RowType type(sizeof(EnergyRow));
  const std::size_t state = offsetof(EnergyRow, state), balance = offsetof(EnergyRow, balance);
  type.field("kinetic", state + offsetof(Energy, kinetic), H5T_NATIVE_DOUBLE)
      .field("gravity", state + offsetof(Energy, gravity), H5T_NATIVE_DOUBLE)
      .field("springs", state + offsetof(Energy, springs), H5T_NATIVE_DOUBLE)
      .field("start", balance + offsetof(EnergyBalance, start), H5T_NATIVE_DOUBLE)
      .field("stored", balance + offsetof(EnergyBalance, stored), H5T_NATIVE_DOUBLE)
      .field("work", balance + offsetof(EnergyBalance, work), H5T_NATIVE_DOUBLE)
      .field("dissipated", balance + offsetof(EnergyBalance, dissipated), H5T_NATIVE_DOUBLE)
      .field("lost", balance + offsetof(EnergyBalance, lost), H5T_NATIVE_DOUBLE)
      .field("projected", balance + offsetof(EnergyBalance, projected), H5T_NATIVE_DOUBLE)
      .field("largest_defect", balance + offsetof(EnergyBalance, largest_defect), H5T_NATIVE_DOUBLE)
      .field("exchanged", balance + offsetof(EnergyBalance, exchanged), H5T_NATIVE_DOUBLE)
      .field("defect", offsetof(EnergyRow, defect), H5T_NATIVE_DOUBLE);
  return type;
}

RowType report_type() {
  RowType type(sizeof(StepReport));
  type.field("status", offsetof(StepReport, status), H5T_NATIVE_INT)
      .field("body", offsetof(StepReport, body), H5T_NATIVE_INT)
      .field("evaluations", offsetof(StepReport, evaluations), H5T_NATIVE_INT)
      .field("substeps", offsetof(StepReport, substeps), H5T_NATIVE_INT)
      .field("rejected", offsetof(StepReport, rejected), H5T_NATIVE_INT)
      .field("work", offsetof(StepReport, work), H5T_NATIVE_DOUBLE)
      .field("dissipated", offsetof(StepReport, dissipated), H5T_NATIVE_DOUBLE)
      .field("constraint", offsetof(StepReport, constraint), H5T_NATIVE_INT)
      .field("loop_error", offsetof(StepReport, loop_error), H5T_NATIVE_DOUBLE)
      .field("loop_speed", offsetof(StepReport, loop_speed), H5T_NATIVE_DOUBLE)
      .field("projected", offsetof(StepReport, projected), H5T_NATIVE_DOUBLE)
      .field("contacts", offsetof(StepReport, contacts), H5T_NATIVE_INT)
      .field("problems", offsetof(StepReport, problems), H5T_NATIVE_INT)
      .field("iterations", offsetof(StepReport, iterations), H5T_NATIVE_INT)
      .field("loose", offsetof(StepReport, loose), H5T_NATIVE_INT)
      .field("halved", offsetof(StepReport, halved), H5T_NATIVE_INT)
      .field("declared_fallbacks", offsetof(StepReport, declared_fallbacks), H5T_NATIVE_INT)
      .field("impacts", offsetof(StepReport, impacts), H5T_NATIVE_INT)
      .field("residual", offsetof(StepReport, residual), H5T_NATIVE_DOUBLE)
      .field("cone_violation", offsetof(StepReport, cone_violation), H5T_NATIVE_DOUBLE)
      .field("penetration", offsetof(StepReport, penetration), H5T_NATIVE_DOUBLE)
      .field("impact_loss", offsetof(StepReport, impact_loss), H5T_NATIVE_DOUBLE)
      .field("contact_loss", offsetof(StepReport, contact_loss), H5T_NATIVE_DOUBLE)
      .field("least_release", offsetof(StepReport, least_release), H5T_NATIVE_DOUBLE)
      .field("asleep", offsetof(StepReport, asleep), H5T_NATIVE_INT)
      .field("painleve", offsetof(StepReport, painleve), H5T_NATIVE_INT);
  return type;
}

// Without its energies, which have a table of their own, and its limits, which are settings.
RowType certificate_type() {
  RowType type(sizeof(Certificate));
  type.field("finite", offsetof(Certificate, finite), H5T_NATIVE_UINT8)
      .field("status", offsetof(Certificate, status), H5T_NATIVE_INT)
      .field("body", offsetof(Certificate, body), H5T_NATIVE_INT)
      .field("steps", offsetof(Certificate, steps), H5T_NATIVE_LONG)
      .field("evaluations", offsetof(Certificate, evaluations), H5T_NATIVE_LONG)
      .field("substeps", offsetof(Certificate, substeps), H5T_NATIVE_LONG)
      .field("rejected", offsetof(Certificate, rejected), H5T_NATIVE_LONG)
      .field("loop_error", offsetof(Certificate, loop_error), H5T_NATIVE_DOUBLE)
      .field("loop_speed", offsetof(Certificate, loop_speed), H5T_NATIVE_DOUBLE)
      .field("constraint", offsetof(Certificate, constraint), H5T_NATIVE_INT)
      .field("residual", offsetof(Certificate, residual), H5T_NATIVE_DOUBLE)
      .field("cone_violation", offsetof(Certificate, cone_violation), H5T_NATIVE_DOUBLE)
      .field("penetration", offsetof(Certificate, penetration), H5T_NATIVE_DOUBLE)
      .field("most_contacts", offsetof(Certificate, most_contacts), H5T_NATIVE_INT)
      .field("problems", offsetof(Certificate, problems), H5T_NATIVE_LONG)
      .field("loose", offsetof(Certificate, loose), H5T_NATIVE_LONG)
      .field("halved", offsetof(Certificate, halved), H5T_NATIVE_LONG)
      .field("iterations", offsetof(Certificate, iterations), H5T_NATIVE_LONG)
      .field("declared_fallbacks", offsetof(Certificate, declared_fallbacks), H5T_NATIVE_LONG)
      .field("impacts", offsetof(Certificate, impacts), H5T_NATIVE_LONG)
      .field("painleve", offsetof(Certificate, painleve), H5T_NATIVE_LONG)
      .field("impact_loss", offsetof(Certificate, impact_loss), H5T_NATIVE_DOUBLE)
      .field("contact_loss", offsetof(Certificate, contact_loss), H5T_NATIVE_DOUBLE)
      .field("least_release", offsetof(Certificate, least_release), H5T_NATIVE_DOUBLE);
  return type;
}

RowType stepping_type() {
  RowType type(sizeof(SteppingRow));
  type.field("dt", offsetof(SteppingRow, dt), H5T_NATIVE_DOUBLE)
      .field("substep", offsetof(SteppingRow, substep), H5T_NATIVE_DOUBLE)
      .field("fresh", offsetof(SteppingRow, fresh), H5T_NATIVE_UINT8)
      .field("loose_steps", offsetof(SteppingRow, loose_steps), H5T_NATIVE_INT);
  return type;
}

RowType& add_ends(RowType& type, std::size_t at) {
  return type.field("contacts", at + offsetof(EndsRow, contacts), H5T_NATIVE_LLONG)
      .field("memory", at + offsetof(EndsRow, memory), H5T_NATIVE_LLONG)
      .field("still", at + offsetof(EndsRow, still), H5T_NATIVE_LLONG);
}
RowType ends_type() {
  RowType type(sizeof(EndsRow));
  add_ends(type, 0);
  return type;
}

RowType contact_type() {
  RowType type(sizeof(ContactReport));
  type.field("shape_a", offsetof(ContactReport, shape_a), H5T_NATIVE_INT)
      .field("shape_b", offsetof(ContactReport, shape_b), H5T_NATIVE_INT)
      .field("body_a", offsetof(ContactReport, body_a), H5T_NATIVE_INT)
      .field("body_b", offsetof(ContactReport, body_b), H5T_NATIVE_INT)
      .numbers("point", offsetof(ContactReport, point), H5T_NATIVE_DOUBLE, 3)
      .numbers("normal", offsetof(ContactReport, normal), H5T_NATIVE_DOUBLE, 3)
      .field("gap", offsetof(ContactReport, gap), H5T_NATIVE_DOUBLE)
      .numbers("force", offsetof(ContactReport, force), H5T_NATIVE_DOUBLE, 3)
      .field("normal_force", offsetof(ContactReport, normal_force), H5T_NATIVE_DOUBLE)
      .field("friction", offsetof(ContactReport, friction), H5T_NATIVE_DOUBLE)
      .field("mu", offsetof(ContactReport, mu), H5T_NATIVE_DOUBLE)
      .field("state", offsetof(ContactReport, state), H5T_NATIVE_INT);
  return type;
}

RowType memory_type() {
  RowType type(sizeof(RowMemory));
  type.numbers("key", offsetof(RowMemory, key), H5T_NATIVE_UINT32, 5)
      .numbers("force", offsetof(RowMemory, force), H5T_NATIVE_DOUBLE, 3);
  return type;
}

RowType block_type() {
  RowType type(sizeof(BlockRow));
  const Hdf5Id text(H5Tcopy(H5T_C_S1), H5Tclose, "making a type");
  hdf5_did(H5Tset_size(text, sizeof(BlockRow::reason)), "making a type");
  hdf5_did(H5Tset_strpad(text, H5T_STR_NULLPAD), "making a type");
  add_ends(type.field("frames", offsetof(BlockRow, frames), H5T_NATIVE_LLONG), offsetof(BlockRow, ends))
      .field("end", offsetof(BlockRow, end), H5T_NATIVE_INT)
      .field("reason", offsetof(BlockRow, reason), text);
  return type;
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

RecordingTables RecordingTables::create(hid_t file, const Model& model) {
  return tables_of(model, [&](const char* name, hid_t type, std::size_t width) {
    return Hdf5Table::create(file, name, type, width);
  });
}

RecordingTables RecordingTables::open(hid_t file, const Model& model) {
  return tables_of(
      model, [&](const char* name, hid_t type, std::size_t width) { return Hdf5Table::open(file, name, type, width); });
}

}  // namespace linchpin
