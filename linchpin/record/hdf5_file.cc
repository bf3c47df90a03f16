#include "linchpin/record/hdf5_file.h"

#include <algorithm>
#include <bit>
#include <fcntl.h>
#include <optional>
#include <set>
#include <unistd.h>

#include <sys/stat.h>

#include "linchpin/spatial/message.h"

namespace linchpin {
namespace {

// The innermost message of HDF5's error stack, in one line; of a failed read or write only the system's message.
herr_t keep_first(unsigned, const H5E_error2_t* error, void* text) {
  auto& kept = *static_cast<std::string*>(text);
  if (!kept.empty() || !error->desc) return 0;
  kept = error->desc;
  const std::string mark = "error message = '";
  if (const std::size_t at = kept.find(mark); at != kept.npos) {
    const std::size_t begin = at + mark.size();
    kept = kept.substr(begin, kept.find('\'', begin) - begin);
  }
  std::ranges::replace(kept, '\n', ' ');
  return 0;
}

std::recursive_mutex one_at_a_time;

constexpr std::size_t chunk_bytes = 32768;
constexpr hsize_t most_chunk_rows = 256;  // the frames of a block (recording_writer.cc)

// Limits when reading, which no recording of ours reaches.
constexpr std::size_t most_row_bytes = 65536;              // of a struct in a table
constexpr std::size_t most_text = std::size_t(512) << 20;  // bytes; also a limit when writing
constexpr std::size_t most_attribute = 4096;               // bytes of a text
constexpr unsigned long long most_inflation = 1032;        // the highest compression that deflate reaches [RFC 1951]

Hdf5Id property_list(hid_t kind) { return {H5Pcreate(kind), H5Pclose, "creating a property list"}; }

// HDF5 converts rows in a buffer, by default of 1 MB, which it clears at each call; a smaller one is faster.
Hdf5Id transfer() {
  Hdf5Id list = property_list(H5P_DATASET_XFER);
  hdf5_did(H5Pset_buffer(list, 16384, nullptr, nullptr), "setting the buffer");
  return list;
}

// HDF5's own locks end when SWMR begins, and on network file systems they would collide with ours (recording_lock.h).
void leave_locks_to_us(hid_t access) { hdf5_did(H5Pset_file_locking(access, false, true), "setting the locks"); }

// The format with checksums, and with the flags of SWMR (single writer, multiple readers).
Hdf5Id file_access() {
  Hdf5Id access = property_list(H5P_FILE_ACCESS);
  hdf5_did(H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_LATEST), "setting the format");
  leave_locks_to_us(access);
  return access;
}

// Shuffled, compressed if the library can, with a checksum of each chunk.
void set_filters(hid_t creation) {
  if (H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) {
    hdf5_did(H5Pset_shuffle(creation), "setting filters");
    hdf5_did(H5Pset_deflate(creation, 1), "setting filters");
  }
  hdf5_did(H5Pset_fletcher32(creation), "setting filters");
}

Hdf5Id text_type(std::size_t size) {
  Hdf5Id type(H5Tcopy(H5T_C_S1), H5Tclose, "creating a type");
  hdf5_did(H5Tset_size(type, std::max<std::size_t>(size, 1)), "creating a type");
  hdf5_did(H5Tset_cset(type, H5T_CSET_UTF8), "creating a type");
  hdf5_did(H5Tset_strpad(type, H5T_STR_NULLPAD), "creating a type");
  return type;
}

// ---- what a file may ask for ----------------------------------------------------------------------------------------

// Size of the file on the disk. (H5Fget_filesize() would return the size that the file declares, if that is larger.)
unsigned long long bytes_on_disk(hid_t object) {
  const Hdf5Id file(H5Iget_file_id(object), H5Fclose, "is damaged");
  void* handle = nullptr;
  hdf5_did(H5Fget_vfd_handle(file, H5P_DEFAULT, &handle), "is damaged");
  struct stat status {};
  if (fstat(*static_cast<int*>(handle), &status) != 0) throw Hdf5Fault{"its size cannot be read"};
  return static_cast<unsigned long long>(status.st_size);
}

// HDF5 follows soft and external links, to other objects and to other files, also for writing.
void check_hard_link(hid_t group, const char* name, const std::string& shown) {
  H5L_info_t info;
  hdf5_did(H5Lget_info(group, name, &info, H5P_DEFAULT), message("'", shown, "' is damaged"));
  if (info.type == H5L_TYPE_HARD) return;
  const char* const kind = info.type == H5L_TYPE_SOFT       ? "a soft link"
                           : info.type == H5L_TYPE_EXTERNAL ? "a link to another file"
                                                            : "a user-defined link";
  throw Hdf5Fault{message("'", shown, "' is ", kind, ", which linchpin does not follow")};
}

// Opens a data set; distinguishes a missing one from a damaged one.
Hdf5Id open_set(hid_t file, const std::string& name) {
  const auto check_link = [&](const std::string& link) {
    const htri_t found = H5Lexists(file, link.c_str(), H5P_DEFAULT);
    if (found < 0) fail_hdf5(message("'", link, "' is damaged"));
    if (found == 0) throw Hdf5Fault{"there is no data set '" + name + "'"};
    check_hard_link(file, link.c_str(), link);
  };
  if (const std::size_t slash = name.find('/'); slash != name.npos) check_link(name.substr(0, slash));
  check_link(name);
  return {H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose, "the data set '" + name + "' is damaged"};
}

std::vector<hsize_t> extent_of(hid_t set, const std::string& name) {
  const Hdf5Id space(H5Dget_space(set), H5Sclose, name);
  const int rank = H5Sget_simple_extent_ndims(space);
  if (rank < 0) fail_hdf5(name);
  std::vector<hsize_t> extent(static_cast<std::size_t>(rank));
  if (rank > 0) hdf5_did(H5Sget_simple_extent_dims(space, extent.data(), nullptr), name);
  return extent;
}

// The filters of set_filters(), each at most once: no others, which HDF5 would load as plugins, and no deflate of
// deflated data, which would not be bounded by most_inflation.
void check_filters(hid_t creation, const std::string& name) {
  std::set<H5Z_filter_t> known{H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE, H5Z_FILTER_FLETCHER32};
  const int count = H5Pget_nfilters(creation);
  if (count < 0) fail_hdf5(name);
  for (unsigned i = 0; i < unsigned(count); ++i) {
    unsigned flags = 0, config = 0;
    std::size_t values = 0;
    const H5Z_filter_t filter = H5Pget_filter2(creation, i, &flags, &values, nullptr, 0, nullptr, &config);
    if (filter < 0) fail_hdf5(name);
    if (known.erase(filter) == 0)
      throw Hdf5Fault{message(name, " uses filter ", filter, ", which recordings do not have, or have only once")};
  }
}

// The data are in this file. Returns how.
H5D_layout_t check_storage(const std::string& name, hid_t creation) {
  const H5D_layout_t layout = H5Pget_layout(creation);
  if (layout == H5D_VIRTUAL) throw Hdf5Fault{name + " is a virtual data set, whose data are in other files"};
  const int external = layout == H5D_CONTIGUOUS ? H5Pget_external_count(creation) : 0;
  if (external < 0) fail_hdf5(name);
  if (external > 0) throw Hdf5Fault{name + " has its data in another file"};
  if (layout == H5D_CHUNKED) check_filters(creation, name);
  return layout;
}

// Stored data of this size, with the little that deflate adds to data that it cannot compress, and the checksum.
hsize_t most_stored(hsize_t bytes) { return bytes + bytes / 1000 + 64; }

// A chunk that was never written has no storage, and HDF5 would return zeros. One that is too long would be inflated to
// any size.
void check_chunk(hid_t set, const std::string& name, const hsize_t* offset, hsize_t bytes) {
  hsize_t stored = 0;
  if (H5Dget_chunk_storage_size(set, offset, &stored) < 0) {
    H5Eclear2(H5E_DEFAULT);
    stored = 0;
  }
  if (stored == 0) throw Hdf5Fault{message(name, ": row ", offset[0], " is declared, but not stored")};
  if (stored > most_stored(bytes))
    throw Hdf5Fault{message(name, ": the chunk of row ", offset[0], " has ", stored, " bytes; it can have ", bytes)};
}

// A text is in one chunk, as we write it, or in one piece, as other programs do that change one.
void check_text_storage(hid_t set, const std::string& name, std::size_t bytes) {
  const Hdf5Id creation(H5Dget_create_plist(set), H5Pclose, name);
  const H5D_layout_t layout = check_storage(name, creation);
  const hsize_t first = 0;
  if (layout == H5D_CHUNKED) return check_chunk(set, name, &first, bytes);
  if (layout == H5D_COMPACT) return;
  const haddr_t offset = H5Dget_offset(set);
  if (offset == HADDR_UNDEF || H5Dget_storage_size(set) != bytes || offset > bytes_on_disk(set) - bytes) {
    H5Eclear2(H5E_DEFAULT);
    throw Hdf5Fault{message(name, ": ", bytes, " bytes are declared, but not stored")};
  }
}

// ---- types ----------------------------------------------------------------------------------------------------------

// True if a stored value has the type in which it is read, apart from the order of its bytes: HDF5 would convert other
// numbers, and clip those that do not fit.
bool same_type(hid_t stored, hid_t wanted) {
  const H5T_class_t kind = H5Tget_class(wanted);
  if (H5Tget_class(stored) != kind) return false;
  if (kind == H5T_ARRAY) {
    const Hdf5Id a(H5Tget_super(stored), H5Tclose, "an array"), b(H5Tget_super(wanted), H5Tclose, "an array");
    hsize_t na = 0, nb = 0;
    return H5Tget_array_ndims(stored) == 1 && H5Tget_array_dims2(stored, &na) == 1 &&
           H5Tget_array_dims2(wanted, &nb) == 1 && na == nb && same_type(a, b);
  }
  if (kind == H5T_STRING && H5Tis_variable_str(stored) != 0) return false;
  if (kind == H5T_INTEGER && H5Tget_sign(stored) != H5Tget_sign(wanted)) return false;
  return H5Tget_size(stored) == H5Tget_size(wanted);
}

void check_fields(hid_t stored, hid_t wanted, const std::string& name) {
  const H5T_class_t kind = H5Tget_class(wanted);
  if (kind != H5T_COMPOUND) {
    if (!same_type(stored, wanted)) throw Hdf5Fault{name + " has an unexpected type"};
    return;
  }
  if (H5Tget_class(stored) != H5T_COMPOUND) throw Hdf5Fault{name + " has an unexpected type"};
  if (H5Tget_size(stored) > most_row_bytes)
    throw Hdf5Fault{message(name, " has rows of ", H5Tget_size(stored), " bytes")};
  for (int i = 0; i < H5Tget_nmembers(wanted); ++i) {
    char* const field = H5Tget_member_name(wanted, unsigned(i));
    const std::string text(field);
    H5free_memory(field);
    const int index = H5Tget_member_index(stored, text.c_str());
    if (index < 0) throw Hdf5Fault{name + " has no field '" + text + "'"};
    const Hdf5Id there(H5Tget_member_type(stored, unsigned(index)), H5Tclose, name),
        here(H5Tget_member_type(wanted, unsigned(i)), H5Tclose, name);
    if (!same_type(there, here)) throw Hdf5Fault{name + ": the field '" + text + "' has an unexpected type"};
  }
}

}  // namespace

QuietHdf5::QuietHdf5() : alone_(one_at_a_time) {
  H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}
QuietHdf5::~QuietHdf5() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }

void fail_hdf5(const std::string& doing) {
  std::string why;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &why);
  H5Eclear2(H5E_DEFAULT);
  throw Hdf5Fault{why.empty() ? doing : doing + " (HDF5: " + why + ")"};
}

// File space in pages of the system's size: a process that is killed during a write leaves whole pages of it, so
// metadata, each piece with a checksum, must not straddle two pages. (A torn piece was seen once in some thousand
// kills.)
Hdf5Id create_hdf5(const std::string& path) {
  constexpr hsize_t page = 4096;
  const Hdf5Id access = file_access(), creation = property_list(H5P_FILE_CREATE);
  hdf5_did(H5Pset_file_space_strategy(creation, H5F_FSPACE_STRATEGY_PAGE, false, 1), "setting pages");
  hdf5_did(H5Pset_file_space_page_size(creation, page), "setting pages");
  return {H5Fcreate(path.c_str(), H5F_ACC_EXCL, creation, access), H5Fclose, "cannot be created"};
}

void abandon_hdf5(hid_t file) {
  void* handle = nullptr;
  if (H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) < 0 || !handle) return;
  const int nowhere = ::open("/dev/null", O_RDWR);
  if (nowhere < 0) return;
  ::dup2(nowhere, *static_cast<int*>(handle));
  ::close(nowhere);
}

Hdf5Id open_hdf5_to_append(const std::string& path) {
  const Hdf5Id access = file_access();
  // A killed writer leaves its flag in the file, so that HDF5 refuses to write to it; and the stored length of the file
  // may be out of date. HDF5's tool h5clear repairs both in this way; there are no functions for these properties.
  const hbool_t yes = 1;
  hdf5_did(H5Pset(access, "clear_status_flags", &yes), "clearing status flags");
  hdf5_did(H5Pset(access, "skip_eof_check", &yes), "skipping the check of the length");
  Hdf5Id file(H5Fopen(path.c_str(), H5F_ACC_RDWR, access), H5Fclose, "cannot be opened for writing");
  hdf5_did(H5Fincrement_filesize(file, 0), "cannot be opened for writing");
  return file;
}

OpenedHdf5 open_hdf5_to_read(const std::string& path) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file >= 0) return {Hdf5Id(file, H5Fclose, ""), true};
  // If a writer's flag is set, HDF5 opens the file only for SWMR reading. Other errors are those of a plain open.
  const Hdf5Id access = property_list(H5P_FILE_ACCESS);
  // Metadata with a wrong checksum may be in the middle of a write: HDF5 reads it again after 1, 2, 4, ... ns. Its
  // default of a hundred attempts would never end on a damaged file; twenty take a millisecond.
  hdf5_did(H5Pset_metadata_read_attempts(access, 20), "setting the read attempts");
  leave_locks_to_us(access);
  const hid_t followed = H5Fopen(path.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access);
  if (followed >= 0) return {Hdf5Id(followed, H5Fclose, ""), false};
  return {Hdf5Id(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, "is damaged"), false};
}

namespace {

// The links of a group, visited one by one.
struct LinkWalk {
  std::string prefix;
  std::optional<Hdf5Fault> fault;
  std::set<std::string> objects;  // addresses seen so far
};

herr_t visit_link(hid_t group, const char* name, const H5L_info_t* info, void* data) {
  LinkWalk& walk = *static_cast<LinkWalk*>(data);
  const std::string shown = walk.prefix + name;
  try {
    check_hard_link(group, name, shown);
  } catch (const Hdf5Fault& why) {  // exceptions must not pass through HDF5
    walk.fault = why;
    return -1;
  }
#if H5_VERSION_GE(1, 12, 0)
  const auto& address = info->u.token;
#else
  const auto& address = info->u.address;
#endif
  const std::string object(reinterpret_cast<const char*>(&address), sizeof address);
  if (walk.objects.insert(object).second) return 0;
  walk.fault = Hdf5Fault{message("'", shown, "' is a second name of another object")};
  return -1;
}

}  // namespace

void check_links(hid_t file) {
  LinkWalk walk;
  for (const std::string group : {"/", "frames", "names"}) {
    if (group != "/" && H5Lexists(file, group.c_str(), H5P_DEFAULT) <= 0) continue;
    walk.prefix = group == "/" ? "" : group + "/";
    const herr_t visited =
        H5Literate_by_name(file, group.c_str(), H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, visit_link, &walk, H5P_DEFAULT);
    if (walk.fault) throw *walk.fault;
    if (visited < 0) fail_hdf5(message("'", group, "' is damaged"));
  }
}

void check_declared_bytes(hid_t file, unsigned long long rows, unsigned long long row_bytes, const std::string& name) {
  const unsigned long long there = bytes_on_disk(file);
  if (row_bytes == 0 || rows <= there * most_inflation / row_bytes) return;
  throw Hdf5Fault{message(name, ": ", rows, " rows of ", row_bytes, " bytes are declared; a file of ", there,
                          " bytes cannot hold them")};
}

void write_attribute(hid_t file, const char* name, const std::string& value) {
  const Hdf5Id type = text_type(value.size()), space(H5Screate(H5S_SCALAR), H5Sclose, name);
  const Hdf5Id attribute(H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose, name);
  hdf5_did(H5Awrite(attribute, type, value.empty() ? "" : value.data()), name);
}

void write_attribute(hid_t file, const char* name, long long value) {
  const Hdf5Id space(H5Screate(H5S_SCALAR), H5Sclose, name);
  const Hdf5Id attribute(H5Acreate2(file, name, H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose, name);
  hdf5_did(H5Awrite(attribute, H5T_NATIVE_LLONG, &value), name);
}

bool has_attribute(hid_t file, const char* name) {
  const htri_t there = H5Aexists(file, name);
  if (there < 0) fail_hdf5("is damaged");
  return there > 0;
}

namespace {

Hdf5Id open_attribute(hid_t file, const char* name) {
  if (!has_attribute(file, name)) throw Hdf5Fault{std::string("there is no attribute '") + name + "'"};
  return {H5Aopen(file, name, H5P_DEFAULT), H5Aclose, std::string("the attribute '") + name + "' is damaged"};
}

}  // namespace

std::string read_text_attribute(hid_t file, const char* name) {
  const Hdf5Id attribute = open_attribute(file, name);
  const std::string doing = std::string("the attribute '") + name + "' cannot be read";
  const Hdf5Id type(H5Aget_type(attribute), H5Tclose, doing), space(H5Aget_space(attribute), H5Sclose, doing);
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0 || H5Sget_simple_extent_npoints(space) != 1)
    throw Hdf5Fault{std::string("the attribute '") + name + "' is not a text"};
  if (H5Tget_size(type) > most_attribute)
    throw Hdf5Fault{message("the attribute '", name, "' declares ", H5Tget_size(type), " bytes")};
  std::string text(H5Tget_size(type), '\0');
  const Hdf5Id as = text_type(text.size());
  hdf5_did(H5Aread(attribute, as, text.data()), doing);
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

long long read_number_attribute(hid_t file, const char* name) {
  const Hdf5Id attribute = open_attribute(file, name);
  const std::string doing = std::string("the attribute '") + name + "' cannot be read";
  const Hdf5Id type(H5Aget_type(attribute), H5Tclose, doing), space(H5Aget_space(attribute), H5Sclose, doing);
  if (H5Tget_class(type) != H5T_INTEGER || H5Sget_simple_extent_npoints(space) != 1)
    throw Hdf5Fault{std::string("the attribute '") + name + "' is not an integer"};
  long long value = 0;
  hdf5_did(H5Aread(attribute, H5T_NATIVE_LLONG, &value), doing);
  return value;
}

void write_text(hid_t file, const char* name, const std::string& text) { write_texts(file, name, {text}); }

// In one chunk, since only chunked data sets have checksums.
void write_texts(hid_t file, const char* name, const std::vector<std::string>& texts) {
  std::size_t longest = 1;
  for (const std::string& text : texts) longest = std::max(longest, text.size());
  if (longest > most_text)
    throw Hdf5Fault{message(name, " has ", longest, " bytes; at most ", most_text, " are stored")};
  std::string all;
  for (const std::string& text : texts) all += text + std::string(longest - text.size(), '\0');
  const hsize_t count = texts.size(), chunk = std::max<hsize_t>(count, 1);
  const Hdf5Id type = text_type(longest), space(H5Screate_simple(1, &count, nullptr), H5Sclose, name),
               creation = property_list(H5P_DATASET_CREATE);
  if (count > 0) {
    hdf5_did(H5Pset_chunk(creation, 1, &chunk), name);
    set_filters(creation);
  }
  const Hdf5Id set(H5Dcreate2(file, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT), H5Dclose, name);
  if (count > 0) hdf5_did(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()), name);
}

std::string read_text(hid_t file, const char* name) {
  const Hdf5Id set = open_set(file, name), type(H5Dget_type(set), H5Tclose, name);
  const std::vector<hsize_t> extent = extent_of(set, name);
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0 || extent.size() != 1 || extent[0] != 1)
    throw Hdf5Fault{std::string(name) + " is not a text"};
  const std::size_t size = H5Tget_size(type);
  if (size > most_text) throw Hdf5Fault{message(name, " declares ", size, " bytes; at most ", most_text, " are read")};
  check_declared_bytes(file, 1, size, name);
  check_text_storage(set, name, size);
  std::string text(size, '\0');
  const Hdf5Id as = text_type(text.size());
  hdf5_did(H5Dread(set, as, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()), std::string(name) + " cannot be read");
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

Hdf5Table::Hdf5Table(const char* name, hid_t type, std::size_t width)
    : name_(name), type_(H5Tcopy(type), H5Tclose, name), transfer_(transfer()), width_(width) {}

Hdf5Table Hdf5Table::create(hid_t file, const char* name, hid_t type, std::size_t width) {
  Hdf5Table table(name, type, width);
  const std::size_t bytes = H5Tget_size(type) * std::max<std::size_t>(width, 1);
  // A power of two, so that full blocks fill whole chunks.
  const hsize_t rows = std::clamp<hsize_t>(std::bit_floor(chunk_bytes / bytes), 1, most_chunk_rows);
  const int rank = width > 0 ? 2 : 1;
  const hsize_t none[] = {0, width}, most[] = {H5S_UNLIMITED, width}, chunk[] = {rows, width};
  const Hdf5Id space(H5Screate_simple(rank, none, most), H5Sclose, name), creation = property_list(H5P_DATASET_CREATE),
                                                                          links = property_list(H5P_LINK_CREATE);
  hdf5_did(H5Pset_chunk(creation, rank, chunk), name);
  set_filters(creation);
  hdf5_did(H5Pset_create_intermediate_group(links, 1), name);
  const Hdf5Id packed(H5Tcopy(type), H5Tclose, name);  // without the padding that structs have in memory
  if (H5Tget_class(type) == H5T_COMPOUND) hdf5_did(H5Tpack(packed), name);
  table.set_ = Hdf5Id(H5Dcreate2(file, name, packed, space, links, creation, H5P_DEFAULT), H5Dclose, name);
  table.row_bytes_ = H5Tget_size(packed) * std::max<std::size_t>(width, 1);
  table.chunk_rows_ = rows;
  return table;
}

Hdf5Table Hdf5Table::open(hid_t file, const char* name, hid_t type, std::size_t width) {
  Hdf5Table table(name, type, width);
  table.set_ = open_set(file, name);
  const std::vector<hsize_t> extent = extent_of(table.set_, name);
  if (extent.size() != (width > 0 ? 2u : 1u))
    throw Hdf5Fault{message(name, " has ", extent.size(), " dimensions, not ", width > 0 ? 2 : 1)};
  if (width > 0 && extent[1] != width)
    throw Hdf5Fault{message(name, " has rows of ", extent[1], " numbers; the model needs ", width)};
  const Hdf5Id stored(H5Dget_type(table.set_), H5Tclose, name);
  check_fields(stored, type, name);
  const Hdf5Id creation(H5Dget_create_plist(table.set_), H5Pclose, name);
  if (check_storage(name, creation) != H5D_CHUNKED)
    throw Hdf5Fault{table.name_ + " is not stored in chunks, so linchpin did not write it"};
  hsize_t chunk[2] = {0, 0};
  hdf5_did(H5Pget_chunk(creation, int(extent.size()), chunk), name);
  table.row_bytes_ = H5Tget_size(stored) * std::max<std::size_t>(width, 1);
  table.chunk_rows_ = chunk[0];
  if (chunk[0] > most_chunk_rows || (width > 0 && chunk[1] != width))
    throw Hdf5Fault{message(name, " has chunks of ", chunk[0], " rows, so linchpin did not write it")};
  return table;
}

long long Hdf5Table::rows() const { return static_cast<long long>(extent_of(set_, name_)[0]); }

void Hdf5Table::truncate(long long rows) {
  const hsize_t extent[] = {hsize_t(rows), width_};
  hdf5_did(H5Dset_extent(set_, extent), name_ + " cannot be shortened");
}

void Hdf5Table::append(const void* data, long long rows) {
  if (rows == 0) return;
  const std::string doing = name_ + " cannot be written";
  const int rank = width_ > 0 ? 2 : 1;
  const hsize_t before = hsize_t(this->rows());
  const hsize_t extent[] = {before + hsize_t(rows), width_}, start[] = {before, 0}, count[] = {hsize_t(rows), width_};
  hdf5_did(H5Dset_extent(set_, extent), doing);
  const Hdf5Id target(H5Dget_space(set_), H5Sclose, doing),
      source(H5Screate_simple(rank, count, nullptr), H5Sclose, doing);
  hdf5_did(H5Sselect_hyperslab(target, H5S_SELECT_SET, start, nullptr, count, nullptr), doing);
  hdf5_did(H5Dwrite(set_, type_, source, target, transfer_, data), doing);
}

void Hdf5Table::check_stored(long long first, long long rows) const {
  const hsize_t end = hsize_t(first + rows);
  for (hsize_t at = hsize_t(first) / chunk_rows_ * chunk_rows_; at < end; at += chunk_rows_) {
    const hsize_t offset[] = {at, 0};
    check_chunk(set_, name_, offset, chunk_rows_ * row_bytes_);
  }
}

void Hdf5Table::read(long long first, long long rows, void* data) const {
  if (rows == 0) return;
  check_stored(first, rows);
  const std::string doing = name_ + " cannot be read";
  const int rank = width_ > 0 ? 2 : 1;
  const hsize_t start[] = {hsize_t(first), 0}, count[] = {hsize_t(rows), width_};
  const Hdf5Id source(H5Dget_space(set_), H5Sclose, doing),
      target(H5Screate_simple(rank, count, nullptr), H5Sclose, doing);
  hdf5_did(H5Sselect_hyperslab(source, H5S_SELECT_SET, start, nullptr, count, nullptr), doing);
  hdf5_did(H5Dread(set_, type_, target, source, transfer_, data), doing);
}

void Hdf5Table::flush() { hdf5_did(H5Dflush(set_), name_ + " cannot be written"); }

}  // namespace linchpin
