// Recordings made by hand to do harm: with links to other files, with sizes that no file has, with settings and numbers
// that no run has. Each gives an Error that names the part, before memory is asked for, and nothing else is touched.
#include <fstream>
#include <functional>
#include <limits>
#include <sstream>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "linchpin/io/child_process.h"
#include "linchpin/record/hdf5_file.h"
#include "linchpin/record/recording.h"
#include "linchpin/record/recording_layout.h"
#include "linchpin/record/replay.h"
#include "linchpin/record/testing.h"

namespace linchpin {
namespace {

using Change = std::function<void(hid_t)>;

// A recording of @bounce, 41 frames, changed with HDF5's functions.
class Crafted {
 public:
  explicit Crafted(const Change& change) : run("@bounce", {.steps = 40}) {
    run.record(file.path);
    const QuietHdf5 quiet;
    const Hdf5Id opened = open_hdf5_to_append(file.path.string());
    change(opened);
  }
  TestFile file;
  TestRun run;

  // The errors of reading and of appending, after the file's name.
  std::string reading() const {
    const Result<Recording> opened = Recording::open(file.path);
    if (!opened) return rest(opened.error().message);
    Snapshot snapshot;
    for (long long i = 0; i < opened.value().frames(); ++i)
      if (const std::optional<Error> fault = opened.value().read(i, snapshot)) return rest(fault->message);
    return "";
  }
  std::string appending() const {
    const Result<RecordingWriter> made = RecordingWriter::append(file.path, run.model, run.settings);
    return made ? "" : rest(made.error().message);
  }

 private:
  std::string rest(const std::string& message) const {
    EXPECT_TRUE(message.starts_with(file.path.string() + ": ")) << message;
    return message.substr(file.path.string().size() + 2);
  }
};

void expect_refused(const Change& change, const std::string& why) {
  const Crafted crafted(change);
  EXPECT_EQ(crafted.reading(), why);
  EXPECT_EQ(crafted.appending(), why);
}

// Reading fails; the writer does not read that part.
std::string error_of_reading(const Change& change) { return Crafted(change).reading(); }

// Replaces a data set of doubles, one per frame, by one that `creation` describes.
void replace_time(hid_t file, hsize_t rows, const std::function<void(hid_t)>& describe) {
  H5Ldelete(file, "frames/time", H5P_DEFAULT);
  const hsize_t most = H5S_UNLIMITED;
  const Hdf5Id creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "list");
  describe(creation);
  const bool chunked = H5Pget_layout(creation) == H5D_CHUNKED;
  const Hdf5Id space(H5Screate_simple(1, &rows, chunked ? &most : nullptr), H5Sclose, "space");
  const Hdf5Id set(H5Dcreate2(file, "frames/time", H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT), H5Dclose,
                   "set");
}
void in_chunks(hid_t creation, hsize_t rows = 256) { H5Pset_chunk(creation, 1, &rows); }

TEST(HostileRecording, TheHarmlessOneIsRead) {
  const Crafted crafted([](hid_t) {});
  EXPECT_EQ(crafted.reading(), "");
  EXPECT_EQ(crafted.appending(), "");
}

// The file that a link leads to is neither read nor changed.
TEST(HostileRecording, Links) {
  const TestFile other;
  TestRun("@bounce", {.steps = 40}).record(other.path);
  const std::string before = bytes_of(other.path);
  for (const char* name : {"frames/time", "frames/q", "blocks", "contacts", "still", "frames"}) {
    SCOPED_TRACE(name);
    expect_refused(
        [&](hid_t file) {
          H5Ldelete(file, name, H5P_DEFAULT);
          H5Lcreate_external(other.path.c_str(), name, file, name, H5P_DEFAULT, H5P_DEFAULT);
        },
        std::string("'") + name + "' is a link to another file, which linchpin does not follow");
  }
  for (const char* name : {"model", "settings", "names"})
    EXPECT_EQ(error_of_reading([&](hid_t file) {
                H5Ldelete(file, name, H5P_DEFAULT);
                H5Lcreate_external(other.path.c_str(), name, file, name, H5P_DEFAULT, H5P_DEFAULT);
              }),
              std::string("'") + name + "' is a link to another file, which linchpin does not follow");
  EXPECT_EQ(bytes_of(other.path), before) << "the other file was changed";
  expect_refused(
      [](hid_t file) {
        H5Ldelete(file, "frames/v", H5P_DEFAULT);
        H5Lcreate_soft("/frames/q", file, "frames/v", H5P_DEFAULT, H5P_DEFAULT);
      },
      "'frames/v' is a soft link, which linchpin does not follow");
  expect_refused([](hid_t file) { H5Lcreate_soft("/nowhere", file, "more", H5P_DEFAULT, H5P_DEFAULT); },
                 "'more' is a soft link, which linchpin does not follow");
  expect_refused([](hid_t file) { H5Lcreate_soft("/nowhere", file, "names/more", H5P_DEFAULT, H5P_DEFAULT); },
                 "'names/more' is a soft link, which linchpin does not follow");
  // Two tables in one data set would overwrite each other.
  expect_refused(
      [](hid_t file) {
        H5Ldelete(file, "still", H5P_DEFAULT);
        H5Lcreate_hard(file, "frames/time", file, "still", H5P_DEFAULT, H5P_DEFAULT);
      },
      "'frames/time' is a second name of another object");
}

TEST(HostileRecording, DataElsewhere) {
  const TestFile other;
  std::ofstream(other.path) << std::string(1000, 'x');
  expect_refused(
      [&](hid_t file) {
        replace_time(file, 41, [&](hid_t creation) { H5Pset_external(creation, other.path.c_str(), 0, 41 * 8); });
      },
      "frames/time has its data in another file");
  expect_refused(
      [&](hid_t file) {
        const hsize_t rows = 41;
        const Hdf5Id space(H5Screate_simple(1, &rows, nullptr), H5Sclose, "space");
        replace_time(file, 41, [&](hid_t creation) {
          H5Pset_virtual(creation, space, other.path.c_str(), "frames/time", space);
        });
      },
      "frames/time is a virtual data set, whose data are in other files");
  EXPECT_EQ(bytes_of(other.path), std::string(1000, 'x'));
}

TEST(HostileRecording, Filters) {
  constexpr H5Z_filter_t nobodys = 300;
  expect_refused(
      [](hid_t file) {
        replace_time(file, 41, [](hid_t creation) {
          in_chunks(creation);
          H5Pset_filter(creation, nobodys, H5Z_FLAG_OPTIONAL, 0, nullptr);
        });
      },
      "frames/time uses filter 300, which recordings do not have, or have only once");
  expect_refused(
      [](hid_t file) {
        replace_time(file, 41, [](hid_t creation) {
          in_chunks(creation);
          H5Pset_deflate(creation, 1);
          H5Pset_deflate(creation, 1);
        });
      },
      "frames/time uses filter 1, which recordings do not have, or have only once");
}

// All tables declare so many frames; none of them is stored.
void declare_frames(hid_t file, hsize_t frames) {
  const Model model = compile(scene("@bounce").value()).value();
  RecordingTables tables = RecordingTables::open(file, model);
  for (Hdf5Table* table : tables.frame_tables()) table->truncate((long long)(frames));
  BlockRow row;
  tables.blocks.read(tables.blocks.rows() - 1, 1, &row);
  row.frames = (long long)(frames);
  tables.blocks.append(&row, 1);
}

// The limit of memory shows that nothing large is asked for.
TEST(HostileRecording, SizesThatNoFileHas) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  if (memory_of_children_is_limited()) {  // not by sanitizers
    const rlimit little{rlim_t(1) << 30, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_AS, &little), 0);
  }
  for (const hsize_t frames : {hsize_t(1'000'000'000'000), hsize_t(1) << 60}) {
    const Crafted crafted([&](hid_t file) { declare_frames(file, frames); });
    const std::string begin = "frames: " + std::to_string(frames) + " rows of ";
    EXPECT_EQ(crafted.reading().substr(0, begin.size()), begin) << crafted.reading();
    EXPECT_EQ(crafted.appending().substr(0, begin.size()), begin) << crafted.appending();
    EXPECT_NE(crafted.reading().find(" bytes cannot hold them"), std::string::npos);
  }
  // Few enough for the file if they were compressed, but never stored.
  EXPECT_EQ(error_of_reading([&](hid_t file) { declare_frames(file, 20000); }),
            "frames/time: row 256 is declared, but not stored");
  // A list of one frame.
  const auto declare_contacts = [](long long rows) {
    return [rows](hid_t file) {
      const Model model = compile(scene("@bounce").value()).value();
      RecordingTables tables = RecordingTables::open(file, model);
      EndsRow ends;
      tables.ends.read(40, 1, &ends);
      tables.ends.truncate(40);
      ends.contacts = rows;
      tables.ends.append(&ends, 1);
      tables.contacts.truncate(rows);
      BlockRow row;
      tables.blocks.read(tables.blocks.rows() - 1, 1, &row);
      row.ends.contacts = rows;
      tables.blocks.append(&row, 1);
    };
  };
  const std::string many = error_of_reading(declare_contacts(1'000'000'000'000));
  EXPECT_TRUE(many.starts_with("contacts: 1000000000000 rows of ")) << many;
  const std::string some = error_of_reading(declare_contacts(200'000));
  EXPECT_TRUE(some.starts_with("contacts: row ") && some.ends_with(" is declared, but not stored")) << some;
  // One data set alone.
  EXPECT_EQ(error_of_reading([](hid_t file) { replace_time(file, 1'000'000'000'000, [](hid_t c) { in_chunks(c); }); }),
            "frames/time: row 0 is declared, but not stored");
  expect_refused([](hid_t file) { replace_time(file, 41, [](hid_t) {}); },
                 "frames/time is not stored in chunks, so linchpin did not write it");
  expect_refused(
      [](hid_t file) { replace_time(file, 41, [](hid_t creation) { in_chunks(creation, hsize_t(1) << 28); }); },
      "frames/time has chunks of 268435456 rows, so linchpin did not write it");
  ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
}

// A chunk of 2048 bytes that is stored as a longer stream, which inflates to any size.
TEST(HostileRecording, AChunkThatInflates) {
  const std::string why = error_of_reading([](hid_t file) {
    replace_time(file, 41, [](hid_t creation) {
      in_chunks(creation);
      H5Pset_deflate(creation, 1);
    });
    const Hdf5Id set(H5Dopen2(file, "frames/time", H5P_DEFAULT), H5Dclose, "set");
    const std::string stream(2200, '\x78');
    const hsize_t first = 0;
    ASSERT_GE(H5Dwrite_chunk(set, H5P_DEFAULT, 0, &first, stream.size(), stream.data()), 0);
  });
  EXPECT_EQ(why, "frames/time: the chunk of row 0 has 2200 bytes; it can have 2048");
}

TEST(HostileRecording, Texts) {
  const auto text = [](const char* name, std::size_t size) {
    return [=](hid_t file) {
      H5Ldelete(file, name, H5P_DEFAULT);
      const Hdf5Id type(H5Tcopy(H5T_C_S1), H5Tclose, "type"), creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "list");
      H5Tset_size(type, size);
      H5Tset_strpad(type, H5T_STR_NULLPAD);
      const hsize_t one = 1;
      in_chunks(creation, 1);
      H5Pset_deflate(creation, 1);
      const Hdf5Id space(H5Screate_simple(1, &one, nullptr), H5Sclose, "space");
      const Hdf5Id set(H5Dcreate2(file, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT), H5Dclose, "set");
    };
  };
  EXPECT_EQ(error_of_reading(text("model", std::size_t(2) << 30)),
            "model declares 2147483648 bytes; at most 536870912 are read");
  const std::string large = error_of_reading(text("model", std::size_t(500) << 20));
  EXPECT_TRUE(large.starts_with("model: 1 rows of 524288000 bytes are declared; a file of ")) << large;
  EXPECT_EQ(error_of_reading(text("settings", 5000)), "settings: row 0 is declared, but not stored");
  // In one piece, as other programs write it.
  const auto in_one_piece = [](H5D_layout_t layout, bool stored) {
    return [=](hid_t file) {
      const std::string settings = read_text(file, "settings");
      H5Ldelete(file, "settings", H5P_DEFAULT);
      const Hdf5Id type(H5Tcopy(H5T_C_S1), H5Tclose, "type"), creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "list");
      H5Tset_size(type, settings.size());
      H5Tset_cset(type, H5T_CSET_UTF8);
      H5Tset_strpad(type, H5T_STR_NULLPAD);
      H5Pset_layout(creation, layout);
      const hsize_t one = 1;
      const Hdf5Id space(H5Screate_simple(1, &one, nullptr), H5Sclose, "space");
      const Hdf5Id set(H5Dcreate2(file, "settings", type, space, H5P_DEFAULT, creation, H5P_DEFAULT), H5Dclose, "set");
      if (stored) H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, settings.data());
    };
  };
  EXPECT_EQ(error_of_reading(in_one_piece(H5D_CONTIGUOUS, true)), "");
  EXPECT_EQ(error_of_reading(in_one_piece(H5D_COMPACT, true)), "");
  const std::string empty = error_of_reading(in_one_piece(H5D_CONTIGUOUS, false));
  EXPECT_TRUE(empty.starts_with("settings: ") && empty.ends_with(" bytes are declared, but not stored")) << empty;
  EXPECT_EQ(error_of_reading([](hid_t file) {
              H5Adelete(file, "build");
              write_attribute(file, "build", std::string(5000, 'x'));
            }),
            "the attribute 'build' declares 5000 bytes");
}

// A text that is stored as something else: as numbers, as two texts, as a text of any length.
TEST(HostileRecording, TextsOfOtherTypes) {
  const auto settings_of = [](const std::function<hid_t()>& type_of, hsize_t count) {
    return [=](hid_t file) {
      H5Ldelete(file, "settings", H5P_DEFAULT);
      const Hdf5Id type(type_of(), H5Tclose, "type"), space(H5Screate_simple(1, &count, nullptr), H5Sclose, "space");
      const Hdf5Id set(H5Dcreate2(file, "settings", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose,
                       "set");
      const std::string zeros(1000, '\0');
      if (H5Tis_variable_str(type) <= 0) H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, zeros.data());
    };
  };
  const auto text_of_size = [](std::size_t size) {
    return [size] {
      const hid_t type = H5Tcopy(H5T_C_S1);
      H5Tset_size(type, size);
      return type;
    };
  };
  EXPECT_EQ(error_of_reading(settings_of([] { return H5Tcopy(H5T_NATIVE_INT); }, 1)), "settings is not a text");
  EXPECT_EQ(error_of_reading(settings_of([] { return H5Tcopy(H5T_NATIVE_DOUBLE); }, 1)), "settings is not a text");
  EXPECT_EQ(error_of_reading(settings_of(text_of_size(H5T_VARIABLE), 1)), "settings is not a text");
  EXPECT_EQ(error_of_reading(settings_of(text_of_size(100), 2)), "settings is not a text");
}

// Numbers are read in the type in which they were written, not converted.
TEST(HostileRecording, TypesOfNumbers) {
  const auto step_of = [](hid_t type) {
    return [type](hid_t file) {
      H5Ldelete(file, "frames/step", H5P_DEFAULT);
      Hdf5Table::create(file, "frames/step", type, 0);
    };
  };
  for (const hid_t type : {H5T_NATIVE_DOUBLE, H5T_NATIVE_INT, H5T_NATIVE_ULLONG})
    expect_refused(step_of(type), "frames/step has an unexpected type");
  struct Row {
    double dt, substep;
    float fresh;
    long long loose_steps;
  };
  const auto stepping_of = [](bool real, bool wide) {
    return [=](hid_t file) {
      H5Ldelete(file, "frames/stepping", H5P_DEFAULT);
      const Hdf5Id type(H5Tcreate(H5T_COMPOUND, sizeof(Row)), H5Tclose, "type");
      H5Tinsert(type, "dt", offsetof(Row, dt), H5T_NATIVE_DOUBLE);
      H5Tinsert(type, "substep", offsetof(Row, substep), H5T_NATIVE_DOUBLE);
      H5Tinsert(type, "fresh", offsetof(Row, fresh), real ? H5T_NATIVE_FLOAT : H5T_NATIVE_UINT8);
      H5Tinsert(type, "loose_steps", offsetof(Row, loose_steps), wide ? H5T_NATIVE_LLONG : H5T_NATIVE_INT);
      Hdf5Table::create(file, "frames/stepping", type, 0);
    };
  };
  expect_refused(stepping_of(true, false), "frames/stepping: the field 'fresh' has an unexpected type");
  expect_refused(stepping_of(false, true), "frames/stepping: the field 'loose_steps' has an unexpected type");
  expect_refused(stepping_of(false, false), "frames/stepping has 0 rows, but according to blocks 41");
  // Fields that are arrays have as many elements as ours.
  expect_refused(
      [](hid_t file) {
        H5Ldelete(file, "memory", H5P_DEFAULT);
        const hsize_t five = 5, two = 2;
        const Hdf5Id type(H5Tcreate(H5T_COMPOUND, 64), H5Tclose, "type"),
            key(H5Tarray_create2(H5T_NATIVE_UINT32, 1, &five), H5Tclose, "type"),
            force(H5Tarray_create2(H5T_NATIVE_DOUBLE, 1, &two), H5Tclose, "type");
        H5Tinsert(type, "key", 0, key);
        H5Tinsert(type, "force", 24, force);
        Hdf5Table::create(file, "memory", type, 0);
      },
      "memory: the field 'force' has an unexpected type");
}

std::string error_with_settings(const std::string& from, const std::string& to) {
  return error_of_reading([&](hid_t file) {
    std::string text = read_text(file, "settings");
    const std::size_t at = text.find(from);
    ASSERT_NE(at, text.npos) << text;
    text.replace(at, from.size(), to);
    H5Ldelete(file, "settings", H5P_DEFAULT);
    write_text(file, "settings", text);
  });
}

TEST(HostileRecording, Settings) {
  EXPECT_EQ(error_with_settings("\"directions\":0", "\"directions\":1000000000"),
            "settings: simulation.contact.directions: 1000000000 must be at most 1000");
  EXPECT_EQ(error_with_settings("\"directions\":0", "\"directions\":1000"), "");
  EXPECT_EQ(error_with_settings("\"directions\":0", "\"directions\":2"),
            "settings: simulation.contact.directions: 2 is for models that move in one plane, and this one does not");
  EXPECT_EQ(error_with_settings("\"max_substeps\":100000", "\"max_substeps\":\"nan\""),
            "settings: simulation.max_substeps: \"nan\" is not a whole number from -2147483648 to 2147483647");
  EXPECT_EQ(error_with_settings("\"tau\":[]", "\"tau\":[1,2]"),
            "settings: inputs.tau has 2 numbers; the model needs none or 6, one for each velocity");
  EXPECT_EQ(error_with_settings("\"f_ext\":[]", "\"f_ext\":[1]"),
            "settings: inputs.f_ext has 1 numbers; the model needs none or 12, six for each body");
  EXPECT_EQ(error_with_settings("\"controls\":[]", "\"controls\":[1]"),
            "settings: inputs.controls has 1 numbers; the model needs none or 0, one for each actuator");
  EXPECT_EQ(error_with_settings("\"tau\":[]", "\"tau\":[1,2,3,4,5,\"inf\"]"),
            "settings: inputs.tau[5]: inf is not finite");
  EXPECT_EQ(error_with_settings("\"tau\":[]", "\"tau\":[1,2,3,4,5,6]"), "");
  EXPECT_EQ(error_with_settings("\"time\":0.04", "\"time\":\"inf\""),
            "settings: time: inf s must be finite and at least 0");
}

// Numbers of the frames: changes the last of the 41.
template <class Row>
std::string error_with_last(Hdf5Table RecordingTables::*table, void (*change)(Row&)) {
  return error_of_reading([&](hid_t file) {
    const Model model = compile(scene("@bounce").value()).value();
    RecordingTables tables = RecordingTables::open(file, model);
    Row row;
    (tables.*table).read(40, 1, &row);
    change(row);
    (tables.*table).truncate(40);
    (tables.*table).append(&row, 1);
  });
}

TEST(HostileRecording, NumbersOfFrames) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  using T = RecordingTables;
  EXPECT_EQ(error_with_last<double>(&T::time, [](double& t) { t = nan; }).substr(0, 25), "frames/time[40] is nan af");
  EXPECT_EQ(error_with_last<double>(&T::time, [](double& t) { t = 0.001; }), "frames/time[40] is 0.001 after 0.039");
  EXPECT_EQ(error_with_last<long long>(&T::step, [](long long& s) { s = 9'000'000'000'000'000'000; }),
            "frames/step[40] is 9000000000000000000, above 9007199254740992");
  EXPECT_EQ(error_with_last<long long>(&T::step, [](long long& s) { s = 38; }), "frames/step[40] is 38 after 39");
  EXPECT_EQ(error_with_last<SteppingRow>(&T::stepping, [](SteppingRow& s) { s.dt = 0; }),
            "frames/stepping[40]: dt is 0");
  EXPECT_EQ(error_with_last<SteppingRow>(&T::stepping, [](SteppingRow& s) { s.dt = nan; }),
            "frames/stepping[40]: dt is nan");
  const std::string stepping = "frames/stepping: frame 40 has substep ";
  EXPECT_EQ(error_with_last<SteppingRow>(&T::stepping, [](SteppingRow& s) { s.substep = nan; }).substr(0, 41),
            stepping + "nan");
  EXPECT_EQ(error_with_last<SteppingRow>(&T::stepping, [](SteppingRow& s) { s.substep = -1; }).substr(0, 40),
            stepping + "-1");
  EXPECT_EQ(error_with_last<SteppingRow>(&T::stepping, [](SteppingRow& s) { s.fresh = 2; }).substr(0, 48),
            stepping + "0, fresh 2");
  EXPECT_EQ(error_with_last<SteppingRow>(&T::stepping, [](SteppingRow& s) { s.loose_steps = -1; }).substr(0, 38),
            stepping);
  EXPECT_EQ(error_with_last<StepReport>(&T::report, [](StepReport& r) { r.status = StepStatus(99); }),
            "frames/report: frame 40 is invalid");
  EXPECT_EQ(error_with_last<StepReport>(&T::report, [](StepReport& r) { r.body = 2; }),
            "frames/report: frame 40 is invalid");
  EXPECT_EQ(error_with_last<StepReport>(&T::report, [](StepReport& r) { r.constraint = 0; }),
            "frames/report: frame 40 is invalid");
  using C = CertificateRow;
  EXPECT_EQ(error_with_last<C>(&T::certificate, [](C& c) { c.figures.status = StepStatus(-1); }),
            "frames/certificate: frame 40 is invalid");
  EXPECT_EQ(error_with_last<C>(&T::certificate, [](C& c) { c.figures.body = -2; }),
            "frames/certificate: frame 40 is invalid");
  EXPECT_EQ(error_with_last<C>(&T::certificate, [](C& c) { c.figures.constraint = 0; }),
            "frames/certificate: frame 40 is invalid");
  EXPECT_EQ(error_with_last<EndsRow>(&T::ends, [](EndsRow& e) { e.memory = -5; }).substr(0, 35),
            "frames/ends: memory of frame 40 are");
  EXPECT_EQ(error_with_last<EndsRow>(&T::ends, [](EndsRow& e) { e.contacts += 1; }).substr(0, 37),
            "frames/ends: contacts of frame 40 are");
  EXPECT_EQ(error_with_last<EndsRow>(&T::ends, [](EndsRow& e) { e.still += 1; }).substr(0, 34),
            "frames/ends: still of frame 40 are");
  EXPECT_EQ(error_with_last<EndsRow>(&T::ends, [](EndsRow& e) { e.vdot += 1; }).substr(0, 33),
            "frames/ends: vdot of frame 40 are");
  EXPECT_EQ(error_with_last<EndsRow>(&T::ends, [](EndsRow& e) { e.vdot -= 1; }),
            "frames/ends: vdot of frame 40 has 11 numbers; none or 12 are expected");
}

std::string error_with_block(void (*change)(BlockRow&)) {
  return error_of_reading([&](hid_t file) {
    const Model model = compile(scene("@bounce").value()).value();
    RecordingTables tables = RecordingTables::open(file, model);
    BlockRow row;
    tables.blocks.read(tables.blocks.rows() - 1, 1, &row);
    change(row);
    tables.blocks.append(&row, 1);
  });
}

TEST(HostileRecording, Blocks) {
  EXPECT_EQ(error_with_block([](BlockRow& b) { b.end = 4; }), "blocks: unknown end of run 4");
  EXPECT_EQ(error_with_block([](BlockRow& b) { b.end = -1; }), "blocks: unknown end of run -1");
  EXPECT_EQ(error_with_block([](BlockRow& b) { b.frames = 0; }), "blocks: the last one ends at frame 0");
  EXPECT_EQ(error_with_block([](BlockRow& b) { b.frames = 42; }),
            "frames/time has 41 rows, but according to blocks 42");
  EXPECT_EQ(error_with_block([](BlockRow& b) { b.ends.memory = -1; }).substr(0, 7), "memory ");
  EXPECT_EQ(error_with_block([](BlockRow& b) { b.ends.vdot = 1'000'000; }).substr(0, 5), "vdot ");
  EXPECT_EQ(error_with_block([](BlockRow& b) { b.ends.still = 1'000'000; }).substr(0, 6), "still ");
  EXPECT_EQ(error_with_block([](BlockRow& b) { std::fill(std::begin(b.reason), std::end(b.reason), 'x'); }), "");
}

// Each field of a contact that is an index is checked.
TEST(HostileRecording, Contacts) {
  const auto error_with = [](void (*change)(ContactReport&)) {
    const TestFile file;
    TestRun("@stack:boxes=1", {.steps = 10}).record(file.path);
    {
      const QuietHdf5 quiet;
      const Hdf5Id opened = open_hdf5_to_append(file.path.string());
      const Model model = compile(scene("@stack:boxes=1").value()).value();
      RecordingTables tables = RecordingTables::open(opened, model);
      const long long rows = tables.contacts.rows();
      check(rows > 0, "no contact");
      ContactReport contact;
      tables.contacts.read(rows - 1, 1, &contact);
      change(contact);
      tables.contacts.truncate(rows - 1);
      tables.contacts.append(&contact, 1);
    }
    const Result<Recording> opened = Recording::open(file.path);
    return opened ? "" : opened.error().message.substr(file.path.string().size() + 2);
  };
  EXPECT_EQ(error_with([](ContactReport&) {}), "");
  const std::string why = "contacts of frame 10 name shapes or bodies that are not in the model";
  for (const auto change : std::initializer_list<void (*)(ContactReport&)>{
           [](ContactReport& c) { c.shape_a = -1; }, [](ContactReport& c) { c.shape_a = 2; },
           [](ContactReport& c) { c.shape_b = -1; }, [](ContactReport& c) { c.shape_b = 2; },
           [](ContactReport& c) { c.body_a = -1; }, [](ContactReport& c) { c.body_a = 2; },
           [](ContactReport& c) { c.body_b = -1; }, [](ContactReport& c) { c.body_b = 2; },
           [](ContactReport& c) { c.state = ContactState(-1); }, [](ContactReport& c) { c.state = ContactState(3); }})
    EXPECT_EQ(error_with(change), why);
}

// A number of steps that does not fit the time would make the replay step for ever.
TEST(HostileRecording, MoreStepsThanTime) {
  const Crafted crafted([](hid_t file) {
    const Model model = compile(scene("@bounce").value()).value();
    RecordingTables tables = RecordingTables::open(file, model);
    const long long steps = 1'000'000'000'000'000;
    tables.step.truncate(40);
    tables.step.append(&steps, 1);
  });
  const Result<Recording> opened = Recording::open(crafted.file.path);
  ASSERT_TRUE(opened) << opened.error().message;
  const Result<Replay> done = replay(opened.value());
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find("frames/step[40]: 999999999999961 steps of 0.001 s in 0.001 s"),
            std::string::npos)
      << done.error().message;
}

}  // namespace
}  // namespace linchpin
