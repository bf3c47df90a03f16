// The data sets of a recording, shared by its writer and reader (docs/recordings.md is for users). Not installed.
//
// Rows are the structs of the simulation themselves: HDF5 gets the offset of each field.
#pragma once

#include <cstdint>
#include <vector>

#include "linchpin/record/hdf5_file.h"
#include "linchpin/record/snapshot.h"

namespace linchpin {

inline constexpr const char* recording_format = "linchpin recording";
inline constexpr long long recording_version = 3;

// Energies of a frame: of its state, and the energy balance of the run so far.
struct EnergyRow {
  Energy state{0, 0, 0};
  EnergyBalance balance;
  double defect = 0;  // follows from the balance; for plotting
};

// A certificate without its energies, which have a table of their own, and its limits, which are settings.
struct CertificateRow {
  Certificate figures;
  Verdict verdict = Verdict::passed;  // follows from the figures; for other readers than linchpin
};

// The size of the step that led to a frame, and the scalars of its State other than q, v and time.
struct SteppingRow {
  double dt = 0, substep = 0;
  std::uint8_t fresh = 0;
  int loose_steps = 0;
};

// The end of a frame's rows in the tables contacts, memory, vdot and still; they begin at the end of those of the
// previous frame.
struct EndsRow {
  long long contacts = 0, memory = 0, vdot = 0, still = 0;
};

// A block is complete if its row exists. The row has the number of complete frames and rows, and how the run ended.
struct BlockRow {
  long long frames = 0;
  EndsRow ends;
  int end = 0;  // RunEnd
  char reason[200] = {};
};

// All tables of a file. Tables of width zero (reactions of a model without constraints) do not exist.
struct RecordingTables {
  Hdf5Table time, step, q, v, reactions, energy, report, certificate, stepping, ends, contacts, memory, vdot, still,
      blocks;
  std::size_t nq = 0, nv = 0, nr = 0;

  // The tables with one row per frame.
  std::vector<Hdf5Table*> frame_tables();

  static RecordingTables create(hid_t file, const Model& model);
  static RecordingTables open(hid_t file, const Model& model);

  // The last row of `blocks`, checked: the tables have the rows that it declares, and the file can hold them.
  BlockRow last_block(hid_t file);
};

// Width of a row of reactions.
std::size_t reaction_count(const Model& model);

}  // namespace linchpin
