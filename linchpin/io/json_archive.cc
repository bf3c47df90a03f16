#include "linchpin/io/json_archive.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>

namespace linchpin::json_archive {
namespace {

std::string place_of(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const std::size_t last = before.rfind('\n');
  return message("line ", 1 + std::count(before.begin(), before.end(), '\n'), ", column ",
                 before.size() - (last == before.npos ? 0 : last + 1) + 1);
}

// An iterator that writes down how far the parser has read.
struct Tracking {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;
  const char* at;
  const char** read;
  const char& operator*() const { return *at; }
  Tracking& operator++() {
    *read = ++at;
    return *this;
  }
  Tracking operator++(int) {
    const Tracking before = *this;
    ++*this;
    return before;
  }
  bool operator==(const Tracking& other) const { return at == other.at; }
};

// Builds the document from the events of nlohmann's parser.
class Builder : public nlohmann::json_sax<Json> {
 public:
  Builder(std::string_view text, const char* const& read) : text_(text), read_(read) {}
  Json take() { return std::move(root_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool x) override { return add(x); }
  bool number_integer(number_integer_t x) override { return add(x); }
  bool number_unsigned(number_unsigned_t x) override { return add(x); }
  bool number_float(number_float_t x, const string_t&) override { return add(x); }
  bool string(string_t& x) override { return add(std::move(x)); }
  bool binary(binary_t&) override { return false; }  // not in a text
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    Level& level = levels_.back();
    if (has(level, name)) refuse_here(message("the key '", name, "' occurs twice in one object"));
    level.key = std::move(name);
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const Json::exception& error) override {
    const std::size_t at = position == 0 ? 0 : position - 1;
    if (dynamic_cast<const Json::out_of_range*>(&error))
      throw Fault{place_of(text_, at) + ": a number is too large for a double"};
    throw Fault{place_of(text_, at) + (position > text_.size() ? ": unexpected end of text" : ": this is not JSON")};
  }

 private:
  using Object = Json::object_t;  // a vector of keys and values in the order of the text
  static constexpr std::size_t few = 64;

  struct Level {
    Json* container;
    std::string key;                        // of the next value
    std::unordered_set<std::string> known;  // keys of an object that has more than a few
  };

  [[noreturn]] void refuse_here(const std::string& why) const {
    throw Fault{place_of(text_, std::size_t(read_ - text_.data()) - 1) + ": " + why};
  }
  // True if the object has the key already. Objects with many keys remember them, so that the time stays linear.
  static bool has(Level& level, const std::string& name) {
    const Object& object = level.container->get_ref<const Object&>();
    if (object.size() < few)
      return std::any_of(object.begin(), object.end(), [&](const auto& entry) { return entry.first == name; });
    if (level.known.empty())
      for (const auto& entry : object) level.known.insert(entry.first);
    return !level.known.insert(name).second;
  }
  Json* place(Json&& value) {
    if (levels_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Level& level = levels_.back();
    if (level.container->is_array()) {
      level.container->push_back(std::move(value));
      return &level.container->back();
    }
    Object& object = level.container->get_ref<Object&>();
    object.emplace_back(std::move(level.key), std::move(value));
    return &object.back().second;
  }
  bool add(Json value) {
    place(std::move(value));
    return true;
  }
  bool open(Json container) {
    if (levels_.size() == std::size_t(deepest_text))
      refuse_here(message("lists and objects are nested more than ", deepest_text, " deep"));
    levels_.push_back({place(std::move(container)), {}, {}});
    return true;
  }
  bool close() {
    levels_.pop_back();
    return true;
  }

  std::string_view text_;
  const char* const& read_;
  Json root_;
  std::vector<Level> levels_;
};

}  // namespace

Json parsed(std::string_view text) {
  // nlohmann takes a NUL byte for the end of the text.
  if (const std::size_t nul = text.find('\0'); nul != text.npos) throw Fault{place_of(text, nul) + ": a NUL byte"};
  const char* read = text.data();
  Builder builder(text, read);
  Json::sax_parse(Tracking{text.data(), &read}, Tracking{text.data() + text.size(), &read}, &builder);
  return builder.take();
}

}  // namespace linchpin::json_archive
