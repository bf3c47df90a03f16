// Files that are not recordings, or damaged ones: each gives an Error that names the fault, never a crash.
#include <cerrno>
#include <fstream>
#include <random>
#include <sstream>

#include <gtest/gtest.h>

#include "linchpin/record/hdf5_file.h"
#include "linchpin/record/recording.h"
#include "linchpin/record/recording_layout.h"
#include "linchpin/record/testing.h"

// If a checksum is wrong, HDF5 1.10 leaks memory; we cannot repair that.
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5\n"; }

namespace linchpin {
namespace {

[[maybe_unused]] const bool quiet_at_exit = (leave_hdf5_at_exit(), true);

void write_bytes(const std::filesystem::path& file, std::string_view bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}
// The error of open() or read() after the file's name; empty if all is read.
std::string error_of(const std::filesystem::path& file, std::vector<std::vector<std::uint64_t>>* frames = nullptr) {
  const auto rest = [&](const std::string& message) {
    EXPECT_TRUE(message.starts_with(file.string() + ": ")) << message;
    return message.substr(file.string().size() + 2);
  };
  const Result<Recording> opened = Recording::open(file);
  if (!opened) return rest(opened.error().message);
  Snapshot snapshot;
  for (long long i = 0; i < opened.value().frames(); ++i) {
    if (const std::optional<Error> fault = opened.value().read(i, snapshot)) return rest(fault->message);
    if (frames) frames->push_back(bits_of(snapshot));
  }
  return "";
}

// Changes one element of a recording with HDF5 functions.
template <class Change>
std::string after(const std::string& good, const Change& change) {
  const TestFile file;
  write_bytes(file.path, good);
  {
    const QuietHdf5 quiet;
    const Hdf5Id opened = open_hdf5_to_append(file.path.string());
    change(hid_t(opened));
  }
  return error_of(file.path);
}

std::string small_recording(RunEnd end = RunEnd::done) {
  const TestFile file;
  TestRun("@bounce", {.steps = 40}).record(file.path, end);
  return bytes_of(file.path);
}

TEST(RecordingFaults, NoRecordings) {
  const TestFile file;
  EXPECT_EQ(error_of(file.path), "there is no such file");
  EXPECT_EQ(error_of(std::filesystem::temp_directory_path()), "is a directory");
  write_bytes(file.path, "");
  EXPECT_EQ(error_of(file.path), "is empty, so it is not a recording");
  write_bytes(file.path, "time,q:hinge\n0,1\n");
  EXPECT_EQ(error_of(file.path), "is not an HDF5 file, so it is not a recording");
  std::filesystem::remove(file.path);
  {
    const QuietHdf5 quiet;
    const Hdf5Id other = create_hdf5(file.path.string());
    write_text(other, "poem", "of somebody else");
  }
  EXPECT_EQ(error_of(file.path), "is an HDF5 file, but not a recording of linchpin");
  EXPECT_FALSE(is_recording(file.path));
}

// A file that we may not read, or that is no file at all.
TEST(RecordingFaults, FilesThatCannotBeRead) {
  const TestFile file;
  TestRun("@pendulum", {.steps = 2}).record(file.path);
  std::string error;
  if (with_failing_calls(SYS_openat, {}, EACCES, [&] { error = error_of(file.path); })) {
    EXPECT_EQ(error, "cannot be read");
  }
  EXPECT_EQ(error_of(file.path), "");
  EXPECT_EQ(error_of("/dev/null"), "is not a regular file");
  EXPECT_TRUE(is_recording(file.path));
}

TEST(RecordingFaults, ThingsMissingOrWrong) {
  const std::string good = small_recording();
  EXPECT_EQ(after(good, [](hid_t) {}), "");
  const auto without = [&](const char* name) {
    return after(good, [&](hid_t file) { H5Ldelete(file, name, H5P_DEFAULT); });
  };
  for (const char* name :
       {"model", "settings", "blocks", "contacts", "memory", "vdot", "still", "frames/time", "frames/step", "frames/q",
        "frames/v", "frames/energy", "frames/report", "frames/certificate", "frames/stepping", "frames/ends"})
    EXPECT_EQ(without(name).substr(0, 22 + std::string(name).size()), std::string("there is no data set '") + name)
        << name;
  EXPECT_EQ(after(good,
                  [](hid_t file) {
                    H5Adelete(file, "format_version");
                    write_attribute(file, "format_version", 1LL);
                  })
                .substr(0, 60),
            "has version 1 of the format, written by linchpin 0.1.0; this");
  EXPECT_EQ(after(good,
                  [](hid_t file) {
                    H5Ldelete(file, "model", H5P_DEFAULT);
                    write_text(file, "model", "{}");
                  }),
            "model: this is not a linchpin model: \"format\" is not \"linchpin model\"");
  EXPECT_EQ(after(good,
                  [](hid_t file) {
                    H5Ldelete(file, "settings", H5P_DEFAULT);
                    write_text(file, "settings", "{\"simulation\": {\"stepper\": \"rk4\", \"dt\": 0}}");
                  })
                .substr(0, 34),
            "settings: simulation: dt is 0 s; i");
  EXPECT_EQ(after(good,
                  [](hid_t file) {
                    H5Ldelete(file, "frames/q", H5P_DEFAULT);
                    Hdf5Table::create(file, "frames/q", H5T_NATIVE_DOUBLE, 3);
                  }),
            "frames/q has rows of 3 numbers; the model needs 7");
  EXPECT_EQ(after(good,
                  [](hid_t file) {
                    H5Ldelete(file, "contacts", H5P_DEFAULT);
                    Hdf5Table::create(file, "contacts", H5T_NATIVE_DOUBLE, 0);
                  }),
            "contacts has an unexpected type");
  EXPECT_EQ(after(good, [](hid_t file) { Hdf5Table::open(file, "frames/v", H5T_NATIVE_DOUBLE, 6).truncate(5); }),
            "frames/v has 5 rows, but according to blocks 41");
  EXPECT_EQ(after(good, [](hid_t file) { Hdf5Table::open(file, "frames/step", H5T_NATIVE_LLONG, 0).truncate(0); }),
            "frames/step has 0 rows, but according to blocks 41");
}

// A recording cut anywhere is refused.
TEST(RecordingFaults, CutAnywhere) {
  for (const RunEnd end : {RunEnd::done, RunEnd::unfinished}) {
    const std::string good = small_recording(end);
    const TestFile file;
    int refused = 0, cuts = 0;
    for (std::size_t n = 0; n < good.size(); n += n < 3000 ? 37 : 613) {
      write_bytes(file.path, std::string_view(good).substr(0, n));
      refused += error_of(file.path) != "";
      ++cuts;
    }
    EXPECT_EQ(refused, cuts);  // a closed file is as long as its header says, so HDF5 notices that it is shorter
  }
}

// With some bytes changed, it is refused, or its frames are unchanged: all parts have checksums.
TEST(RecordingFaults, SpoiltBytes) {
  const std::string good = small_recording();
  const TestFile file;
  write_bytes(file.path, good);
  std::vector<std::vector<std::uint64_t>> truth;
  ASSERT_EQ(error_of(file.path, &truth), "");
  std::mt19937_64 random(5);
  int refused = 0;
  constexpr int rounds = 400;
  for (int round = 0; round < rounds; ++round) {
    std::string bytes = good;
    for (int k = 0; k <= round % 4; ++k) bytes[random() % bytes.size()] ^= char(1 + random() % 255);
    write_bytes(file.path, bytes);
    std::vector<std::vector<std::uint64_t>> frames;
    if (error_of(file.path, &frames) != "")
      ++refused;
    else
      EXPECT_EQ(frames, truth) << "round " << round;
  }
  EXPECT_GT(refused, rounds / 4);  // most of the file is read
}

TEST(RecordingFaults, WhatMayBeReplaced) {
  const TestFile file;
  const TestRun run("@pendulum", {.steps = 5});
  const auto create = [&] { return RecordingWriter::create(file.path, run.spec, run.model, run.settings); };
  write_bytes(file.path, "precious");
  EXPECT_EQ(create().error().message,
            file.path.string() + ": exists and is not a recording; remove it first, or choose another name");
  EXPECT_EQ(bytes_of(file.path), "precious");
  write_bytes(file.path, "");
  EXPECT_TRUE(create().ok());
  run.record(file.path);
  run.record(file.path);  // another recording may replace it
  EXPECT_EQ(error_of(file.path), "");
  EXPECT_FALSE(RecordingWriter::create("/nowhere/at/all.h5", run.spec, run.model, run.settings));
  EXPECT_FALSE(RecordingWriter::create(std::filesystem::temp_directory_path(), run.spec, run.model, run.settings));
  EXPECT_FALSE(RecordingWriter::append("/nowhere/at/all.h5", run.model, run.settings));
}

// Texts have a checksum as tables do: whichever of its stored bytes is spoilt, a text is not read as another one.
TEST(RecordingFaults, SpoiltTexts) {
  const TestFile file;
  const std::string text = "a text that cannot be guessed from its neighbours: 0.1234567";
  haddr_t at = 0;
  hsize_t bytes = 0;
  {
    const QuietHdf5 quiet;
    const Hdf5Id made = create_hdf5(file.path.string());
    write_text(made, "text", text);
    const Hdf5Id set(H5Dopen2(made, "text", H5P_DEFAULT), H5Dclose, "text");
    const hsize_t first = 0;
    unsigned mask = 0;
    hdf5_did(H5Dflush(set), "flushing");
    hdf5_did(H5Dget_chunk_info_by_coord(set, &first, &mask, &at, &bytes), "the chunk of the text");
    EXPECT_EQ(read_text(made, "text"), text);
  }
  const std::string good = bytes_of(file.path);
  ASSERT_LE(at + bytes, good.size());
  for (hsize_t i = at; i < at + bytes; ++i) {
    std::string spoilt = good;
    spoilt[i] = char(spoilt[i] ^ 0x10);
    write_bytes(file.path, spoilt);
    const QuietHdf5 quiet;
    const OpenedHdf5 opened = open_hdf5_to_read(file.path.string());
    EXPECT_THROW(read_text(opened.file, "text"), Hdf5Fault) << "byte " << i - at << " of " << bytes;
  }
}

// After a failure the file stays as if the program had been killed: what HDF5 writes when it closes it, goes nowhere.
TEST(RecordingFaults, AnAbandonedFileStaysAsItIs) {
  const TestFile file;
  const QuietHdf5 quiet;
  std::string before;
  {
    const Hdf5Id made = create_hdf5(file.path.string());
    write_text(made, "first", "text");
    hdf5_did(H5Fflush(made, H5F_SCOPE_GLOBAL), "flushing");
    before = bytes_of(file.path);
    abandon_hdf5(made);
    write_text(made, "second", std::string(100'000, 'x'));
    H5Fflush(made, H5F_SCOPE_GLOBAL);
  }
  EXPECT_GT(before.size(), 1000u);
  EXPECT_EQ(bytes_of(file.path), before);
}

// A text in one piece, as other programs write it, in a file that ends within it: HDF5 would return zeros for the rest.
TEST(RecordingFaults, ATextThatTheFileEndsIn) {
  const TestFile file;
  const std::string text(20'000, 'x');
  haddr_t at = 0;
  {
    const QuietHdf5 quiet;
    const Hdf5Id made = create_hdf5(file.path.string());
    const Hdf5Id type(H5Tcopy(H5T_C_S1), H5Tclose, "type");
    H5Tset_size(type, text.size());
    H5Tset_cset(type, H5T_CSET_UTF8);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    const hsize_t one = 1;
    const Hdf5Id space(H5Screate_simple(1, &one, nullptr), H5Sclose, "space");
    const Hdf5Id set(H5Dcreate2(made, "text", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose, "set");
    hdf5_did(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()), "writing");
    at = H5Dget_offset(set);
  }
  const std::string good = bytes_of(file.path);
  ASSERT_EQ(good.substr(at, text.size()), text);
  for (const bool whole : {true, false}) {
    write_bytes(file.path, good.substr(0, at + text.size() - (whole ? 0 : 1)));
    const QuietHdf5 quiet;
    const Hdf5Id opened = open_hdf5_to_append(file.path.string());  // does not compare the length of the file
    std::string got;
    try {
      got = read_text(opened, "text");
    } catch (const Hdf5Fault& fault) {
      got = fault.message;
    }
    EXPECT_EQ(got, whole ? text : "text: 20000 bytes are declared, but not stored");
    abandon_hdf5(opened);
  }
}

}  // namespace
}  // namespace linchpin
