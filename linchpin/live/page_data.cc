#include "linchpin/live/page_data.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <utility>

#include <nlohmann/json.hpp>

#include "linchpin/geometry/shapes/height_grid.h"
#include "linchpin/geometry/shapes/hull.h"
#include "linchpin/geometry/shapes/mesh.h"
#include "linchpin/model/signal_names.h"
#include "linchpin/record/build_info.h"
#include "linchpin/record/certificate_json.h"
#include "linchpin/spatial/quaternion.h"

namespace linchpin {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json list(const Vec3<double>& v) { return {v.x, v.y, v.z}; }

Json place_of(const Transform<double>& X) {
  const Quaternion<double> r = from_rotation(X.R);
  return {X.p.x, X.p.y, X.p.z, r.w, r.x, r.y, r.z};
}

// ---- signals --------------------------------------------------------------------------------------------------------

// The signals other than coordinates and reactions. Names and values are in one table, so that they stay together.
struct Signal {
  const char *name, *unit, *group;
  double (*value)(const Snapshot&);
};
using S = const Snapshot&;
constexpr Signal signals[] = {
    {"kinetic energy", "J", "energy", [](S s) { return s.energy.kinetic; }},
    {"gravity's energy", "J", "energy", [](S s) { return s.energy.gravity; }},
    {"springs' energy", "J", "energy", [](S s) { return s.energy.springs; }},
    {"stored energy", "J", "energy", [](S s) { return s.energy.total(); }},
    {"work done", "J", "energy", [](S s) { return s.certificate.energy.work; }},
    {"dissipated", "J", "energy", [](S s) { return s.certificate.energy.dissipated; }},
    {"lost in contact", "J", "energy", [](S s) { return s.certificate.energy.lost; }},
    {"energy defect", "J", "certificate", [](S s) { return s.certificate.energy.defect(); }},
    {"residual", "", "certificate", [](S s) { return s.report.residual; }},
    {"penetration", "m", "certificate", [](S s) { return s.report.penetration; }},
    {"friction beyond its cone", "N s", "certificate", [](S s) { return s.report.cone_violation; }},
    {"loop error", "m or rad", "certificate", [](S s) { return s.report.loop_error; }},
    {"contacts", "", "certificate", [](S s) { return double(s.report.contacts); }},
    {"iterations", "", "certificate", [](S s) { return double(s.report.iterations); }},
};

int coordinate_signals(const Model& model) {
  int count = model.nq() + model.nv();
  for (const Constraint& c : model.constraints()) count += row_count(c);
  return count;
}
bool has_coordinates(const Model& model) { return coordinate_signals(model) <= most_coordinate_signals; }

Json signal_list(const Model& model) {
  Json out = Json::array();
  for (const Signal& s : signals) out.push_back({{"name", s.name}, {"unit", s.unit}, {"group", s.group}});
  if (!has_coordinates(model)) return out;
  const auto add = [&](const std::vector<std::string>& names, const std::vector<std::string>& units,
                       const char* group) {
    for (std::size_t i = 0; i < names.size(); ++i)
      out.push_back({{"name", names[i]}, {"unit", i < units.size() ? units[i] : "N or N m"}, {"group", group}});
  };
  add(position_names(model), position_units(model), "position");
  add(velocity_names(model), velocity_units(model), "velocity");
  add(reaction_names(model), {}, "reaction");
  return out;
}

// ---- shapes ---------------------------------------------------------------------------------------------------------

// Shapes as the page draws them. Triangles are in `meshes`, once for all shapes that share them.
class ShapeList {
 public:
  void add(const GeometrySpec& geometry, int body, int index) {
    name_ = &geometry.name;
    body_ = body;
    index_ = index;
    collides_ = geometry.groups != 0 || geometry.touches != 0;
    add(geometry.shape, geometry.X_BG);
  }
  Json shapes = Json::array(), meshes = Json::array();

 private:
  void add(const Shape& shape, const Transform<double>& X_BS) {
    std::visit([&](const auto& s) { add(s, X_BS); }, shape);
  }
  void add(const Compound& compound, const Transform<double>& X_BS) {
    for (const PlacedShape& part : *compound.parts) add(part.shape, X_BS * part.X_SP);
  }
  void add(const Sphere& s, const Transform<double>& X) { put(X, "sphere", {{"radius", s.radius}}); }
  void add(const Capsule& s, const Transform<double>& X) { put_round("capsule", s, X); }
  void add(const Cylinder& s, const Transform<double>& X) { put_round("cylinder", s, X); }
  void add(const Cone& s, const Transform<double>& X) { put_round("cone", s, X); }
  void add(const Box& s, const Transform<double>& X) { put(X, "box", {{"half", list(s.half)}}); }
  void add(const Ellipsoid& s, const Transform<double>& X) { put(X, "ellipsoid", {{"radii", list(s.radii)}}); }
  void add(const HalfSpace&, const Transform<double>& X) { put(X, "half_space", Json::object()); }
  void add(const ConvexHull& s, const Transform<double>& X) { put_mesh(s.hull.get(), X); }
  void add(const Mesh& s, const Transform<double>& X) { put_mesh(s.mesh.get(), X); }
  void add(const HeightField& s, const Transform<double>& X) { put_mesh(s.grid.get(), X); }

  template <class Round>
  void put_round(const char* kind, const Round& s, const Transform<double>& X) {
    put(X, kind, {{"radius", s.radius}, {"half_length", s.half_length}});
  }
  template <class Triangles>
  void put_mesh(const Triangles* triangles, const Transform<double>& X) {
    const auto [found, is_new] = mesh_of_.try_emplace(triangles, meshes.size());
    if (is_new) meshes.push_back(mesh_of(*triangles));
    put(X, "mesh", {{"mesh", found->second}});
  }
  void put(const Transform<double>& X, const char* kind, Json numbers) {
    Json shape = {{"name", *name_},       {"index", index_},       {"body", body_},
                  {"place", place_of(X)}, {"collides", collides_}, {"kind", kind}};
    shape.update(numbers);
    shapes.push_back(std::move(shape));
  }

  // Seven digits: the page draws in single precision.
  static void add_vertex(const Vec3<double>& v, Json& vertices) {
    for (const double x : {v.x, v.y, v.z}) {
      char digits[32];
      std::snprintf(digits, sizeof digits, "%.7g", x);
      vertices.push_back(std::strtod(digits, nullptr));
    }
  }
  static Json mesh_of(const Hull& hull) {
    Json vertices = Json::array(), triangles = Json::array();
    for (const Vec3<double>& v : hull.vertices) add_vertex(v, vertices);
    for (const Hull::Face& face : hull.faces)
      for (int k = 2; k < face.count; ++k)
        for (const int corner : {0, k - 1, k}) triangles.push_back(hull.corners[face.first + corner]);
    return {{"vertices", std::move(vertices)}, {"triangles", std::move(triangles)}};
  }
  static Json mesh_of(const TriangleMesh& mesh) {
    Json vertices = Json::array(), triangles = Json::array();
    for (const Vec3<double>& v : mesh.vertices) add_vertex(v, vertices);
    for (const std::array<int, 3>& t : mesh.triangles)
      for (const int corner : t) triangles.push_back(corner);
    return {{"vertices", std::move(vertices)}, {"triangles", std::move(triangles)}};
  }
  static Json mesh_of(const HeightGrid& grid) {
    Json vertices = Json::array(), triangles = Json::array();
    for (int j = 0; j < grid.rows; ++j)
      for (int i = 0; i < grid.columns; ++i) add_vertex(grid.point(i, j), vertices);
    for (int j = 0; j < grid.cell_rows(); ++j)
      for (int i = 0; i < grid.cell_columns(); ++i) {
        const int a = j * grid.columns + i, b = a + 1, c = a + grid.columns + 1, d = a + grid.columns;
        for (const int corner : {a, b, c, a, c, d}) triangles.push_back(corner);
      }
    return {{"vertices", std::move(vertices)}, {"triangles", std::move(triangles)}};
  }

  const std::string* name_ = nullptr;
  int body_ = 0, index_ = 0;
  bool collides_ = true;
  std::map<const void*, std::size_t> mesh_of_;
};

// ---- the rest of the scene ------------------------------------------------------------------------------------------

Json body_list(const Model& model) {
  Json out = Json::array();
  for (const Body& body : model.bodies()) {
    const double mass = body.inertia.mass;
    const Vec3<double> centre = mass > 0 ? (1 / mass) * body.inertia.h : Vec3<double>::zero();
    out.push_back({{"name", body.name},
                   {"parent", body.joint >= 0 ? model.joints()[body.joint].parent : -1},
                   {"mass", mass},
                   {"centre", list(centre)}});
  }
  return out;
}

Json joint_list(const Model& model) {
  Json out = Json::array();
  for (const Joint& joint : model.joints()) {
    Json lower = Json::array(), upper = Json::array();
    for (int k = 0; k < joint.nv; ++k) {
      const DofSpec& dof = model.dofs()[joint.v + k];
      lower.push_back(dof.lower);
      upper.push_back(dof.upper);
    }
    out.push_back({{"name", joint.name},
                   {"type", to_string(joint.type)},
                   {"parent", joint.parent},
                   {"child", joint.child},
                   {"place", place_of(joint.spec.X_PF)},
                   {"axis", list(joint.spec.axis)},
                   {"axis2", list(joint.spec.axis2)},
                   {"lower", std::move(lower)},
                   {"upper", std::move(upper)}});
  }
  return out;
}

const char* kind_of(const Rod&) { return "rod"; }
const char* kind_of(const Rolling&) { return "rolling"; }
const char* kind_of(const VelocityCondition&) { return "velocity"; }
std::string_view kind_of(const Loop& loop) { return to_string(loop.type); }

// Constraints and springs between two points; couplings have no points and are left out.
Json loop_list(const Model& model) {
  Json out = Json::array();
  const auto add = [&](const std::string& name, std::string_view kind, const Attachment& a, const Attachment& b) {
    out.push_back({{"name", name},
                   {"kind", kind},
                   {"a", a.body},
                   {"at_a", list(a.X_BF.p)},
                   {"b", b.body},
                   {"at_b", list(b.X_BF.p)}});
  };
  for (const Constraint& constraint : model.constraints())
    std::visit(
        [&](const auto& what) {
          if constexpr (requires { what.a; }) add(constraint.name, kind_of(what), what.a, what.b);
        },
        constraint.what);
  for (const Spring& spring : model.springs()) add(spring.name, "spring", spring.a, spring.b);
  return out;
}

Json scene_of(const Model& model, const SimulationOptions& options, std::string_view source) {
  const Stepper stepper = options.stepper.value_or(default_stepper(model));
  ShapeList shapes;
  int index = 0;
  for (const ShapeOnBody& shape : model.shapes())
    shapes.add(model.bodies()[shape.body].geometry[shape.geometry], shape.body, index++);
  Json frames = Json::array();
  for (const Frame& frame : model.frames())
    frames.push_back({{"name", frame.name}, {"body", frame.body}, {"place", place_of(frame.X_BF)}});
  return {{"type", "scene"},
          {"version", 1},
          {"linchpin", linchpin_version()},
          {"name", model.name()},
          {"source", source},
          {"gravity", list(model.gravity())},
          {"dt", options.dt},
          {"method", has_contact(stepper) ? Json(to_string(options.contact.method)) : Json(nullptr)},
          {"stepper", to_string(stepper)},
          {"bodies", body_list(model)},
          {"shapes", std::move(shapes.shapes)},
          {"meshes", std::move(shapes.meshes)},
          {"joints", joint_list(model)},
          {"loops", loop_list(model)},
          {"frames", std::move(frames)},
          {"signals", signal_list(model)},
          {"signals_left_out", has_coordinates(model) ? 0 : coordinate_signals(model)}};
}

// ---- frames ---------------------------------------------------------------------------------------------------------

static_assert(std::endian::native == std::endian::little, "frames are little-endian and copied from memory");
constexpr std::uint32_t frame_mark = 0x3146504c, recording_mark = 0x3152504c;  // LPF1, LPR1
constexpr std::size_t head_size = 40, contact_size = 56;

constexpr std::size_t padded(std::size_t size) { return (size + 7) / 8 * 8; }

class ByteWriter {
 public:
  explicit ByteWriter(std::byte* to) : to_(to) {}
  template <class Number>
  void put(Number number) {
    std::memcpy(to_, &number, sizeof number);
    to_ += sizeof number;
  }
  void put_float(double number) { put(static_cast<float>(number)); }
  void put_vector(const Vec3<double>& v) {
    put_float(v.x);
    put_float(v.y);
    put_float(v.z);
  }
  std::byte* at() const { return to_; }

 private:
  std::byte* to_;
};

}  // namespace

std::string scene_json(const Model& model, const SimulationOptions& options, std::string_view source) {
  return text_of(scene_of(model, options, source));
}

FrameWriter::FrameWriter(const Model& model)
    : model_(model), plan_(model), kin_(plan_), coordinates_(has_coordinates(model)) {}

std::span<const std::byte> FrameWriter::operator()(const Snapshot& snapshot) {
  const State& state = snapshot.state;
  const std::size_t bodies = model_.bodies().size(), contacts = snapshot.contacts.size();
  std::size_t count = std::size(signals);
  if (coordinates_) count += state.q.size() + state.v.size() + snapshot.reactions.size();
  const std::size_t size = padded(head_size + 4 * (7 * bodies + count) + contact_size * contacts);
  bytes_.resize(size);

  ByteWriter out(bytes_.data());
  out.put(frame_mark);
  out.put(std::uint32_t(size));
  out.put(state.time);
  out.put(double(snapshot.step));
  out.put(std::uint32_t(bodies));
  out.put(std::uint32_t(count));
  out.put(std::uint32_t(contacts));
  out.put(std::uint32_t(snapshot.report.ok() ? 0 : 1));
  kinematics<double>(plan_, state.q, kin_);
  for (std::size_t i = 0; i < bodies; ++i) {
    const Transform<double> X_WB = body_pose(model_, kin_, int(i));
    const Quaternion<double> r = from_rotation(X_WB.R);
    out.put_vector(X_WB.p);
    for (const double x : {r.w, r.x, r.y, r.z}) out.put_float(x);
  }
  for (const Signal& s : signals) out.put_float(s.value(snapshot));
  if (coordinates_)
    for (const std::vector<double>* numbers : {&state.q, &state.v, &snapshot.reactions})
      for (const double x : *numbers) out.put_float(x);
  for (const ContactReport& c : snapshot.contacts) {
    out.put(std::uint32_t(c.shape_a));
    out.put(std::uint32_t(c.shape_b));
    out.put(std::uint32_t(c.state));
    out.put_float(c.mu);
    out.put_vector(c.point);
    out.put_vector(c.normal);
    out.put_vector(c.force);
    out.put_float(c.gap);
  }
  std::fill(out.at(), bytes_.data() + size, std::byte(0));
  return bytes_;
}

PageRecording::PageRecording(const Model& model, const SimulationOptions& options, std::string_view source)
    : model_(model), scene_(scene_json(model, options, source)), write_(model) {}

void PageRecording::add(const Snapshot& snapshot) {
  const std::span<const std::byte> frame = write_(snapshot);
  frames_.append(reinterpret_cast<const char*>(frame.data()), frame.size());
  ++count_;
}

std::string PageRecording::blob(const Certificate& certificate, const std::optional<EarlyEnd>& early) const {
  std::string scene = scene_;
  check(scene.ends_with('}'), "the scene is not a JSON object");
  scene.pop_back();
  scene += ",\"frames_count\":" + std::to_string(count_) +
           ",\"certificate\":" + certificate_json(model_, certificate, early) + "}";
  scene.resize(padded(scene.size()), ' ');  // the header has 8 bytes itself
  std::string out(8, '\0');
  ByteWriter head(reinterpret_cast<std::byte*>(out.data()));
  head.put(recording_mark);
  head.put(std::uint32_t(scene.size()));
  out.reserve(out.size() + scene.size() + frames_.size());
  return out.append(scene).append(frames_);
}

namespace {

std::string base64(std::string_view bytes) {
  constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k) three = three << 8 | (k < n ? std::uint8_t(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) out += k <= n ? digits[three >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

}  // namespace

std::string page_with_recording(std::string_view page, std::string_view blob) {
  constexpr std::string_view mark = "<!--linchpin-recording-->";
  const std::size_t at = page.find(mark);
  check(at != std::string_view::npos && page.find(mark, at + 1) == std::string_view::npos, "the viewer's page needs ",
        mark, " once, where its recording goes");
  const std::string data = base64(blob);
  std::string out;
  out.reserve(page.size() + data.size() + 100);
  out.append(page.substr(0, at));
  out.append("<script type=\"application/octet-stream\" id=\"linchpin-recording\">").append(data).append("</script>");
  return out.append(page.substr(at + mark.size()));
}

}  // namespace linchpin
