// What is in a recording, and its signals as a table.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "apps/json_output.h"
#include "linchpin/record/recording.h"

namespace linchpin {

// By its ending, .h5 or .hdf5, or by what it holds.
bool names_recording(const std::string& text);

// UsageError that begins with `option` (or nothing) where it cannot be read.
Recording recording_from(const std::string& option, const std::string& file);

// Prints what it holds; the same as JSON. all: every signal by name.
Json inspect_recording(const Recording& recording, bool all, std::FILE* out);

// Time and the chosen signals (signals.h) of every frame. signals: as typed, names and patterns with commas between
// them; empty for all.
void export_csv(const Recording& recording, const std::string& signals, OutputFile& csv);

}  // namespace linchpin
