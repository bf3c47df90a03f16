// What is where in a recording, for its writer and its reader alike (docs/recordings.md tells users). Not installed.
//
// Rows are the structs of the simulation themselves: HDF5 is told where in them each field stands.
#pragma once

#include <cstdint>
#include <vector>

#include "linchpin/record/hdf5_file.h"
#include "linchpin/record/snapshot.h"

namespace linchpin {

inline constexpr const char* recording_format = "linchpin recording";
inline constexpr long long recording_version = 1;

// Energies of a frame: of its state, and where they came from and went.
struct EnergyRow {
  Energy state{0, 0, 0};
  EnergyBalance balance;
  double defect = 0;  // follows from the balance; for those who plot
};

// What of a state is neither position nor velocity, and the step that led to it.
struct SteppingRow {
  double dt = 0, substep = 0;
  std::uint8_t fresh = 0;
  int loose_steps = 0;
};

// Where a frame's rows end in the tables of contacts, memory and stillness; they begin where those of the last one end.
struct EndsRow {
  long long contacts = 0, memory = 0, still = 0;
};

// A block is there when its row is: the frames and rows that are whole, and how the run ended, if it did.
struct BlockRow {
  long long frames = 0;
  EndsRow ends;
  int end = 0;  // RunEnd
  char reason[200] = {};
};

// All tables of a file. Those with nothing in a row (reactions of a model without constraints) are not there.
struct RecordingTables {
  Hdf5Table time, step, q, v, reactions, energy, report, certificate, stepping, ends, contacts, memory, still, blocks;
  std::size_t nq = 0, nv = 0, nr = 0;

  static RecordingTables create(hid_t file, const Model& model);
  static RecordingTables open(hid_t file, const Model& model);
};

// Numbers in a row of reactions.
std::size_t reaction_count(const Model& model);

}  // namespace linchpin
