// The contents of a recording, and its signals as a table.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "apps/json_output.h"
#include "linchpin/record/recording.h"

namespace linchpin {

// True for a file with the extension .h5 or .hdf5, or with the contents of a recording.
bool names_recording(const std::string& text);

// Throws a UsageError if the file cannot be read; its message begins with `option`, if that is not empty.
Recording recording_from(const std::string& option, const std::string& file);

// Prints a summary and returns it as JSON. all: with every signal by name.
Json inspect_recording(const Recording& recording, bool all, std::FILE* out);

// Time and the chosen signals (signals.h) of every frame. signals: as typed, names and patterns with commas between
// them; empty for all.
void export_csv(const Recording& recording, const std::string& signals, OutputFile& csv);

}  // namespace linchpin
