#include "linchpin/io/spec_json.h"

#include "linchpin/geometry/shapes/height_grid.h"
#include "linchpin/geometry/shapes/hull.h"
#include "linchpin/geometry/shapes/mesh.h"
#include "linchpin/geometry/shapes/shape_check.h"
#include "linchpin/io/json_archive.h"
#include "linchpin/io/read_file.h"
#include "linchpin/model/spec_check.h"

namespace linchpin {
namespace json_archive {

template <>
inline constexpr int enum_count<JointType> = joint_type_count;
template <>
inline constexpr int enum_count<LoopType> = loop_type_count;
template <>
inline constexpr int enum_count<ActuatorType> = 3;
template <>
inline constexpr int enum_count<PairRule> = 6;
template <>
inline constexpr int enum_count<PairMaterial::Side> = 2;

}  // namespace json_archive

namespace {

using json_archive::Field;
using json_archive::Json;
using json_archive::Member;
using json_archive::Place;
using json_archive::Reader;
using json_archive::visit_fields;
using json_archive::Writer;

constexpr const char* format_name = "linchpin model";
constexpr int format_version = 1;
// Longer files are refused: a chain of 100000 links fills about half of this. The parsed text takes some ten times
// as much memory.
constexpr std::size_t longest_file = std::size_t(1) << 28;

template <class Archive>
constexpr bool reads = std::is_same_v<Archive, Reader>;

// The field "kind": the name of a variant's alternative, names[index]. Reading emplaces an empty alternative.
template <class Variant, std::size_t... i>
void emplace(Variant& what, std::size_t index, std::index_sequence<i...>) {
  ((i == index ? void(what.template emplace<i>()) : void()), ...);
}
template <class Archive, class Variant, std::size_t n>
void kind_field(Archive& archive, Variant& what, const std::string_view (&names)[n]) {
  static_assert(n == std::variant_size_v<std::remove_const_t<Variant>>);
  if constexpr (reads<Archive>) {
    std::string kind, there;
    archive("kind", kind);
    for (std::size_t i = 0; i < n; ++i) {
      if (names[i] == kind) return emplace(what, i, std::make_index_sequence<n>());
      there += (i ? ", " : "") + std::string(names[i]);
    }
    json_archive::refuse(archive.place(), kind.empty() ? "the field 'kind' is missing; there are: " + there
                                                       : "there is no kind '" + kind + "'; there are: " + there);
  } else {
    archive("kind", std::string(names[what.index()]));
  }
}

// The value of a Result, shared; refuses its error at this place.
template <class T>
std::shared_ptr<const T> made_at(const Place& place, Result<T> result) {
  if (!result) json_archive::refuse(place, result.error().message);
  return std::make_shared<const T>(std::move(result).value());
}

}  // namespace

// JSON names of enums that have no to_string() of their own.
static std::string_view to_string(PairRule rule) {
  constexpr std::string_view names[] = {"minimum", "maximum", "mean", "geometric_mean", "product", "harmonic_mean"};
  return names[int(rule)];
}
static std::string_view to_string(PairMaterial::Side side) { return side == PairMaterial::Side::a ? "a" : "b"; }

// ---- shapes ---------------------------------------------------------------------------------------------------------

constexpr auto members(const Transform<double>*) {
  return std::tuple{Member{"R", &Transform<double>::R}, Member{"p", &Transform<double>::p}};
}
constexpr auto members(const Sphere*) { return std::tuple{Member{"radius", &Sphere::radius}}; }
constexpr auto members(const Capsule*) {
  return std::tuple{Member{"radius", &Capsule::radius}, Member{"half_length", &Capsule::half_length}};
}
constexpr auto members(const Box*) { return std::tuple{Member{"half", &Box::half}}; }
constexpr auto members(const Cylinder*) {
  return std::tuple{Member{"radius", &Cylinder::radius}, Member{"half_length", &Cylinder::half_length}};
}
constexpr auto members(const Ellipsoid*) { return std::tuple{Member{"radii", &Ellipsoid::radii}}; }
constexpr auto members(const Cone*) {
  return std::tuple{Member{"radius", &Cone::radius}, Member{"half_length", &Cone::half_length}};
}
template <class Archive>
void fields(Archive&, Field<Archive, HalfSpace>) {}

// Vertices and faces as stored: computing the hull again might round differently.
template <class Archive>
void fields(Archive& archive, Field<Archive, ConvexHull> h) {
  std::vector<Vec3<double>> vertices;
  std::vector<std::vector<int>> faces;
  bool flat = false;
  if constexpr (!reads<Archive>)
    if (h.hull) {
      vertices = h.hull->vertices;
      flat = h.hull->flat;
      for (const Hull::Face& face : h.hull->faces)
        faces.emplace_back(h.hull->corners.begin() + face.first, h.hull->corners.begin() + face.first + face.count);
    }
  archive("vertices", vertices);
  archive("faces", faces);
  archive("flat", flat);
  if constexpr (reads<Archive>) h.hull = made_at(archive.place(), hull_of_faces(vertices, faces, flat));
}
template <class Archive>
void fields(Archive& archive, Field<Archive, Mesh> m) {
  std::vector<Vec3<double>> vertices;
  std::vector<std::array<int, 3>> triangles;
  if constexpr (!reads<Archive>)
    if (m.mesh) vertices = m.mesh->vertices, triangles = m.mesh->triangles;
  archive("vertices", vertices);
  archive("triangles", triangles);
  if constexpr (reads<Archive>) m.mesh = made_at(archive.place(), make_mesh(vertices, triangles));
}
template <class Archive>
void fields(Archive& archive, Field<Archive, HeightField> h) {
  int columns = 0, rows = 0;
  double spacing_x = 0, spacing_y = 0, floor = 0;
  std::vector<double> heights;
  if constexpr (!reads<Archive>)
    if (h.grid) {
      columns = h.grid->columns, rows = h.grid->rows;
      spacing_x = h.grid->spacing_x, spacing_y = h.grid->spacing_y, floor = h.grid->floor;
      heights = h.grid->heights;
    }
  archive("columns", columns);
  archive("rows", rows);
  archive("spacing_x", spacing_x);
  archive("spacing_y", spacing_y);
  archive("floor", floor);
  archive("heights", heights);
  if constexpr (reads<Archive>)
    h.grid = made_at(archive.place(), make_height_grid(columns, rows, spacing_x, spacing_y, heights, floor));
}

template <class Archive>
void fields(Archive& archive, Field<Archive, Shape> shape);
constexpr auto members(const PlacedShape*) {
  return std::tuple{Member{"shape", &PlacedShape::shape}, Member{"X_SP", &PlacedShape::X_SP}};
}
template <class Archive>
void fields(Archive& archive, Field<Archive, Compound> c) {
  std::vector<PlacedShape> parts;
  if constexpr (!reads<Archive>)
    if (c.parts) parts = *c.parts;
  archive("parts", parts);
  if constexpr (reads<Archive>) c.parts = std::make_shared<const std::vector<PlacedShape>>(std::move(parts));
}
template <class Archive>
void fields(Archive& archive, Field<Archive, Shape> shape) {
  static constexpr std::string_view names[] = {"sphere",     "capsule",     "box",  "cylinder",     "ellipsoid", "cone",
                                               "half_space", "convex_hull", "mesh", "height_field", "compound"};
  kind_field(archive, shape, names);
  std::visit([&](auto& s) { visit_fields(archive, s); }, shape);
}

// ---- surfaces -------------------------------------------------------------------------------------------------------

constexpr auto members(const Friction*) {
  return std::tuple{Member{"mu_static", &Friction::mu_static}, Member{"mu_kinetic", &Friction::mu_kinetic}};
}
constexpr auto members(const Material::Directional*) {
  return std::tuple{Member{"direction", &Material::Directional::direction},
                    Member{"along", &Material::Directional::along}};
}
constexpr auto members(const Material*) {
  return std::tuple{Member{"name", &Material::name}, Member{"friction", &Material::friction},
                    Member{"restitution", &Material::restitution}, Member{"directional", &Material::directional}};
}
constexpr auto members(const PairMaterial::Directional*) {
  return std::tuple{Member{"side", &PairMaterial::Directional::side},
                    Member{"direction", &PairMaterial::Directional::direction},
                    Member{"along", &PairMaterial::Directional::along}};
}
constexpr auto members(const PairMaterial*) {
  return std::tuple{Member{"friction", &PairMaterial::friction}, Member{"restitution", &PairMaterial::restitution},
                    Member{"directional", &PairMaterial::directional}};
}
constexpr auto members(const PairRules::Override*) {
  return std::tuple{Member{"a", &PairRules::Override::a}, Member{"b", &PairRules::Override::b},
                    Member{"material", &PairRules::Override::material}};
}
constexpr auto members(const PairRules*) {
  return std::tuple{Member{"friction", &PairRules::friction}, Member{"restitution", &PairRules::restitution},
                    Member{"overrides", &PairRules::overrides}};
}
constexpr auto members(const GeometrySpec*) {
  return std::tuple{Member{"name", &GeometrySpec::name},      Member{"shape", &GeometrySpec::shape},
                    Member{"X_BG", &GeometrySpec::X_BG},      Member{"material", &GeometrySpec::material},
                    Member{"margin", &GeometrySpec::margin},  Member{"groups", &GeometrySpec::groups},
                    Member{"touches", &GeometrySpec::touches}};
}
constexpr auto members(const ContactPairSpec*) {
  return std::tuple{Member{"a", &ContactPairSpec::a}, Member{"b", &ContactPairSpec::b},
                    Member{"margin", &ContactPairSpec::margin}, Member{"material", &ContactPairSpec::material}};
}
constexpr auto members(const ContactExclusionSpec*) {
  return std::tuple{Member{"a", &ContactExclusionSpec::a}, Member{"b", &ContactExclusionSpec::b}};
}

// ---- bodies and joints ----------------------------------------------------------------------------------------------

constexpr auto members(const Sym3<double>*) {
  return std::tuple{Member{"xx", &Sym3<double>::xx}, Member{"yy", &Sym3<double>::yy}, Member{"zz", &Sym3<double>::zz},
                    Member{"xy", &Sym3<double>::xy}, Member{"xz", &Sym3<double>::xz}, Member{"yz", &Sym3<double>::yz}};
}
constexpr auto members(const InertiaSpec*) {
  return std::tuple{Member{"mass", &InertiaSpec::mass}, Member{"centre", &InertiaSpec::centre},
                    Member{"moments", &InertiaSpec::moments}};
}
constexpr auto members(const BodySpec*) {
  return std::tuple{Member{"name", &BodySpec::name}, Member{"inertia", &BodySpec::inertia},
                    Member{"geometry", &BodySpec::geometry}};
}
constexpr auto members(const DofSpec*) {
  return std::tuple{Member{"armature", &DofSpec::armature},
                    Member{"damping", &DofSpec::damping},
                    Member{"stiffness", &DofSpec::stiffness},
                    Member{"rest", &DofSpec::rest},
                    Member{"dry_friction", &DofSpec::dry_friction},
                    Member{"lower", &DofSpec::lower},
                    Member{"upper", &DofSpec::upper},
                    Member{"effort_limit", &DofSpec::effort_limit},
                    Member{"velocity_limit", &DofSpec::velocity_limit}};
}
constexpr auto members(const JointSpec*) {
  return std::tuple{Member{"name", &JointSpec::name},       Member{"type", &JointSpec::type},
                    Member{"parent", &JointSpec::parent},   Member{"child", &JointSpec::child},
                    Member{"X_PF", &JointSpec::X_PF},       Member{"X_CM", &JointSpec::X_CM},
                    Member{"axis", &JointSpec::axis},       Member{"axis2", &JointSpec::axis2},
                    Member{"pitch", &JointSpec::pitch},     Member{"dofs", &JointSpec::dofs},
                    Member{"start_q", &JointSpec::start_q}, Member{"start_v", &JointSpec::start_v}};
}
constexpr auto members(const FrameSpec*) {
  return std::tuple{Member{"name", &FrameSpec::name}, Member{"body", &FrameSpec::body},
                    Member{"X_BF", &FrameSpec::X_BF}};
}
constexpr auto members(const ActuatorSpec*) {
  return std::tuple{Member{"name", &ActuatorSpec::name},
                    Member{"joint", &ActuatorSpec::joint},
                    Member{"coordinate", &ActuatorSpec::coordinate},
                    Member{"type", &ActuatorSpec::type},
                    Member{"gear", &ActuatorSpec::gear},
                    Member{"stiffness", &ActuatorSpec::stiffness},
                    Member{"damping", &ActuatorSpec::damping},
                    Member{"lower", &ActuatorSpec::lower},
                    Member{"upper", &ActuatorSpec::upper},
                    Member{"control", &ActuatorSpec::control}};
}

// ---- constraints and springs ----------------------------------------------------------------------------------------

constexpr auto members(const TimeLaw*) {
  return std::tuple{Member{"polynomial", &TimeLaw::polynomial}, Member{"amplitude", &TimeLaw::amplitude},
                    Member{"frequency", &TimeLaw::frequency}, Member{"phase", &TimeLaw::phase}};
}
constexpr auto members(const FrameOnBody*) {
  return std::tuple{Member{"body", &FrameOnBody::body}, Member{"X_BF", &FrameOnBody::X_BF}};
}
constexpr auto members(const LoopSpec*) {
  return std::tuple{Member{"type", &LoopSpec::type}, Member{"a", &LoopSpec::a}, Member{"b", &LoopSpec::b},
                    Member{"pitch", &LoopSpec::pitch}, Member{"displacement", &LoopSpec::displacement}};
}
constexpr auto members(const RodSpec*) {
  return std::tuple{Member{"a", &RodSpec::a}, Member{"b", &RodSpec::b}, Member{"length", &RodSpec::length},
                    Member{"extension", &RodSpec::extension}};
}
constexpr auto members(const RollingSpec*) {
  return std::tuple{Member{"a", &RollingSpec::a}, Member{"b", &RollingSpec::b},
                    Member{"half_axes", &RollingSpec::half_axes}, Member{"sliding", &RollingSpec::sliding}};
}
constexpr auto members(const VelocitySpec*) {
  return std::tuple{Member{"a", &VelocitySpec::a}, Member{"b", &VelocitySpec::b},
                    Member{"angular", &VelocitySpec::angular}, Member{"linear", &VelocitySpec::linear},
                    Member{"speed", &VelocitySpec::speed}};
}
constexpr auto members(const CouplingSpec::Term*) {
  return std::tuple{Member{"joint", &CouplingSpec::Term::joint}, Member{"coordinate", &CouplingSpec::Term::coordinate},
                    Member{"polynomial", &CouplingSpec::Term::polynomial}};
}
constexpr auto members(const CouplingSpec*) {
  return std::tuple{Member{"terms", &CouplingSpec::terms}, Member{"value", &CouplingSpec::value}};
}
template <class Archive>
void fields(Archive& archive, Field<Archive, ConstraintSpec> constraint) {
  static constexpr std::string_view names[] = {"loop", "rod", "rolling", "velocity", "coupling"};
  archive("name", constraint.name);
  kind_field(archive, constraint.what, names);
  std::visit([&](auto& what) { visit_fields(archive, what); }, constraint.what);
}
constexpr auto members(const SpringSpec*) {
  return std::tuple{Member{"name", &SpringSpec::name},
                    Member{"a", &SpringSpec::a},
                    Member{"b", &SpringSpec::b},
                    Member{"stiffness", &SpringSpec::stiffness},
                    Member{"damping", &SpringSpec::damping},
                    Member{"length", &SpringSpec::length}};
}

// ---- the document ---------------------------------------------------------------------------------------------------

template <class Archive>
void fields(Archive& archive, Field<Archive, ModelSpec> spec) {
  std::string format = reads<Archive> ? "" : format_name;
  int version = reads<Archive> ? 0 : format_version;
  archive("format", format);
  archive("version", version);
  if constexpr (reads<Archive>) {
    if (format != format_name)
      json_archive::refuse(archive.place(),
                           message("this is not a linchpin model: \"format\" is not \"", format_name, "\""));
    if (version != format_version)
      json_archive::refuse(archive.place(), message("the format has version ", version,
                                                    "; this linchpin reads version ", format_version));
  }
  archive("name", spec.name);
  archive("gravity", spec.gravity);
  archive("bodies", spec.bodies);
  archive("joints", spec.joints);
  archive("world_geometry", spec.world_geometry);
  archive("frames", spec.frames);
  archive("constraints", spec.constraints);
  archive("springs", spec.springs);
  archive("contact_pairs", spec.contact_pairs);
  archive("contact_exclusions", spec.contact_exclusions);
  archive("pair_rules", spec.pair_rules);
  archive("actuators", spec.actuators);
}

std::string spec_to_json(const ModelSpec& spec) {
  const Json json = json_archive::written(spec);
  std::string text;
  for (const auto& [name, value] : json.items()) {
    text += (text.empty() ? "{\n  " : ",\n  ") + Json(name).dump() + ": ";
    if (!value.is_array() || value.empty() || !value.front().is_object()) {
      text += value.dump();
      continue;
    }
    for (std::size_t i = 0; i < value.size(); ++i) text += (i ? ",\n    " : "[\n    ") + value[i].dump();
    text += "\n  ]";
  }
  return text + "\n}\n";
}

Result<ModelSpec> spec_from_json(std::string_view text) { return json_archive::from_text<ModelSpec>(text); }

Result<ModelSpec> load_spec(const std::filesystem::path& file) {
  const Result<std::string> text = read_file(file, longest_file);
  if (!text) return text.error();
  Result<ModelSpec> spec = spec_from_json(text.value());
  if (!spec) return Error{file.string() + ": " + spec.error().message};
  return spec;
}

}  // namespace linchpin
