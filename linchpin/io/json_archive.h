// Structs to JSON and back, exactly. Not installed: only this header and .cc files include nlohmann/json.
//
// A struct names its fields once, for both directions, as a table of members
//
//     constexpr auto members(const Capsule*) {
//       return std::tuple{Member{"radius", &Capsule::radius}, Member{"half_length", &Capsule::half_length}};
//     }
//
// or, if a field is not simply a member, by a function that calls archive("name", value) for each:
//
//     template <class Archive>
//     void fields(Archive& archive, Field<Archive, Mesh> mesh);
//
// Both are found by argument-dependent lookup. An enum with values 0, 1, ... has enum_count and to_string().
//
// Numbers are read back to the last bit; infinities are written as "inf" and "-inf". A missing field keeps the value of
// the default-constructed struct. An unknown field is a fault, and so is a non-empty fault_of(value) if that function
// exists. Faults name the place: "bodies[3].inertia: mass is -1 kg; ...".
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include <nlohmann/json.hpp>

#include "linchpin/base/result.h"
#include "linchpin/spatial/message.h"
#include "linchpin/spatial/spatial.h"

namespace linchpin::json_archive {

using Json = nlohmann::ordered_json;

// A place in the document: a linked list on the stack of the readers, turned into text only for a fault.
struct Place {
  const Place* above = nullptr;
  std::string_view name = {};
  std::size_t index = 0;  // if there is no name
  int depth = above ? above->depth + 1 : 0;
  std::string text() const {
    if (!above) return std::string(name);
    const std::string before = above->text();
    if (name.empty()) return before + "[" + std::to_string(index) + "]";
    return before.empty() ? std::string(name) : before + "." + std::string(name);
  }
};

inline constexpr int deepest = 64;  // more than twice the depth of our structs; bounds the recursion of the reader
inline constexpr int deepest_text = 4096;  // lists and objects of a text; bounds the recursion of nlohmann's dump()

// Thrown by the reader; caught in the .cc file that started it.
struct Fault {
  std::string message;
};
[[noreturn]] inline void refuse(const Place& place, const std::string& why) {
  const std::string where = place.text();
  throw Fault{where.empty() ? why : where + ": " + why};
}

// Number of enumerators of E; to be specialised.
template <class E>
inline constexpr int enum_count = 0;

// One field of a struct: its name in JSON and the member.
template <class T, class M>
struct Member {
  const char* name;
  M T::*member;
};
template <class T, class M>
Member(const char*, M T::*) -> Member<T, M>;

template <class T>
concept HasMembers = requires {
  members(static_cast<const T*>(nullptr));
};

class Writer;
class Reader;
template <class Archive, class T>
using Field = std::conditional_t<std::is_same_v<Archive, Writer>, const T&, T&>;

// Passes all fields of a struct to the archive.
template <class Archive, class T>
void visit_fields(Archive& archive, T& value) {
  if constexpr (HasMembers<T>)
    std::apply([&](const auto&... field) { (archive(field.name, value.*field.member), ...); },
               members(static_cast<const T*>(nullptr)));
  else
    fields(archive, value);
}

// ---- writing --------------------------------------------------------------------------------------------------------

inline Json written(bool x) { return x; }
inline Json written(int x) { return x; }
inline Json written(std::uint32_t x) { return x; }
inline Json written(long long x) { return x; }
inline Json written(const std::string& x) { return x; }
inline Json written(double x) {
  if (std::isfinite(x)) return x;
  return std::isnan(x) ? "nan" : x > 0 ? "inf" : "-inf";
}
inline Json written(const Vec3<double>& v) { return {written(v.x), written(v.y), written(v.z)}; }
inline Json written(const Mat3<double>& R) {  // row by row
  return {written(Vec3<double>{R.x.x, R.y.x, R.z.x}), written(Vec3<double>{R.x.y, R.y.y, R.z.y}),
          written(Vec3<double>{R.x.z, R.y.z, R.z.z})};
}
template <class E>
requires std::is_enum_v<E> Json written(E value) { return std::string(to_string(value)); }

// Declared here because they use each other.
template <class T>
Json written(const std::vector<T>& list);
template <class T, std::size_t n>
Json written(const std::array<T, n>& list);
template <class T>
Json written(const std::optional<T>& value);
template <class T>
requires std::is_class_v<T> Json written(const T& value);

class Writer {
 public:
  template <class T>
  void operator()(const char* name, const T& value) {
    object_[name] = written(value);
  }
  Json take() { return std::move(object_); }

 private:
  Json object_ = Json::object();
};

template <class T>
Json written(const std::vector<T>& list) {
  Json out = Json::array();
  for (const T& element : list) out.push_back(written(element));
  return out;
}
template <class T, std::size_t n>
Json written(const std::array<T, n>& list) {
  Json out = Json::array();
  for (const T& element : list) out.push_back(written(element));
  return out;
}
template <class T>
Json written(const std::optional<T>& value) {
  return value ? written(*value) : Json(nullptr);
}
template <class T>
requires std::is_class_v<T> Json written(const T& value) {
  Writer archive;
  visit_fields(archive, value);
  return archive.take();
}

// Parses a text strictly: lists and objects nested more than deepest_text deep, a key that an object has already, a NUL
// byte and a number beyond the range of a double are refused. A Fault names the line and column.
Json parsed(std::string_view text);

// ---- reading --------------------------------------------------------------------------------------------------------

inline std::string short_text(const Json& json) {
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() > 40 ? text.substr(0, 37) + "..." : text;
}

inline void read(const Json& json, const Place& place, bool& x) {
  if (!json.is_boolean()) refuse(place, short_text(json) + " is neither true nor false");
  x = json.get<bool>();
}
template <class Integer>
requires(std::is_integral_v<Integer> && !std::is_same_v<Integer, bool>) void read(const Json& json, const Place& place,
                                                                                  Integer& x) {
  using Limits = std::numeric_limits<Integer>;
  const bool fits = json.is_number_unsigned()
                        ? json.get<std::uint64_t>() <= std::uint64_t(Limits::max())
                        : json.is_number_integer() && json.get<std::int64_t>() >= std::int64_t(Limits::min());
  if (!fits)
    refuse(place, message(short_text(json), " is not a whole number from ", Limits::min(), " to ", Limits::max()));
  x = json.get<Integer>();
}
inline void read(const Json& json, const Place& place, double& x) {
  if (json.is_number())
    x = json.get<double>();
  else if (json == "inf")
    x = std::numeric_limits<double>::infinity();
  else if (json == "-inf")
    x = -std::numeric_limits<double>::infinity();
  else
    refuse(place, short_text(json) + " is not a number");
}
inline void read(const Json& json, const Place& place, std::string& x) {
  if (!json.is_string()) refuse(place, short_text(json) + " is not a string");
  x = json.get<std::string>();
}
inline const Json& list_of(const Json& json, const Place& place, std::optional<std::size_t> size = {}) {
  if (!json.is_array()) refuse(place, short_text(json) + " is not a list");
  if (size && json.size() != *size) refuse(place, message("has ", json.size(), " elements, not ", *size));
  return json;
}
inline void read(const Json& json, const Place& place, Vec3<double>& v) {
  list_of(json, place, 3);
  double* const to[] = {&v.x, &v.y, &v.z};
  for (std::size_t i = 0; i < 3; ++i) read(json[i], Place{&place, {}, i}, *to[i]);
}
inline void read(const Json& json, const Place& place, Mat3<double>& R) {
  list_of(json, place, 3);
  Vec3<double> row[3];
  for (std::size_t i = 0; i < 3; ++i) read(json[i], Place{&place, {}, i}, row[i]);
  R = {{row[0].x, row[1].x, row[2].x}, {row[0].y, row[1].y, row[2].y}, {row[0].z, row[1].z, row[2].z}};
}
template <class E>
requires std::is_enum_v<E>
void read(const Json& json, const Place& place, E& value) {
  static_assert(enum_count<E> > 0);
  std::string name, there;
  read(json, place, name);
  for (int i = 0; i < enum_count<E>; ++i) {
    if (to_string(E(i)) == name) {
      value = E(i);
      return;
    }
    there += (i ? ", " : "") + std::string(to_string(E(i)));
  }
  refuse(place, "there is no '" + name + "'; there are: " + there);
}

template <class T>
void read(const Json& json, const Place& place, std::vector<T>& list);
template <class T, std::size_t n>
void read(const Json& json, const Place& place, std::array<T, n>& list);
template <class T>
void read(const Json& json, const Place& place, std::optional<T>& value);
template <class T>
requires std::is_class_v<T>
void read(const Json& json, const Place& place, T& value);

// The fields of one object.
class Reader {
 public:
  Reader(const Json& json, const Place& place) : json_(json), place_(place) {
    if (!json.is_object()) refuse(place, short_text(json) + " is not an object {...}");
    if (place.depth > deepest) refuse(place, message("objects are nested more than ", deepest, " deep"));
  }
  template <class T>
  void operator()(const char* name, T& value) {
    known_.emplace_back(name);
    if (const auto found = json_.find(name); found != json_.end()) read(*found, Place{&place_, name}, value);
  }
  // To be called after the last field: refuses unknown fields.
  void finish() const {
    for (const auto& [name, value] : json_.items()) {
      bool known = false;
      for (const std::string_view k : known_) known |= k == name;
      if (known) continue;
      std::string there;
      for (const std::string_view k : known_) there += (there.empty() ? "" : ", ") + std::string(k);
      refuse(place_, "there is no field '" + name + "'; there are: " + there);
    }
  }
  const Place& place() const { return place_; }

 private:
  const Json& json_;
  const Place& place_;
  std::vector<std::string_view> known_;
};

template <class T>
void read(const Json& json, const Place& place, std::vector<T>& list) {
  list_of(json, place);
  list.clear();
  list.reserve(json.size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    T element{};
    read(json[i], Place{&place, {}, i}, element);
    list.push_back(std::move(element));
  }
}
template <class T, std::size_t n>
void read(const Json& json, const Place& place, std::array<T, n>& list) {
  list_of(json, place, n);
  for (std::size_t i = 0; i < n; ++i) read(json[i], Place{&place, {}, i}, list[i]);
}
template <class T>
void read(const Json& json, const Place& place, std::optional<T>& value) {
  value.reset();
  if (json.is_null()) return;
  read(json, place, value.emplace());
}
template <class T>
requires std::is_class_v<T>
void read(const Json& json, const Place& place, T& value) {
  Reader archive(json, place);
  visit_fields(archive, value);
  archive.finish();
  if constexpr (requires { std::string(fault_of(value)); })
    if (const std::string fault = fault_of(value); !fault.empty()) refuse(place, fault);
}

// Reads a whole document.
template <class T>
Result<T> from_text(std::string_view text) {
  try {
    T value;
    read(parsed(text), Place{}, value);
    return value;
  } catch (const Fault& fault) {
    return Error{fault.message};
  }
}

}  // namespace linchpin::json_archive
