#include "linchpin/io/spec_json.h"

#include <fstream>
#include <sstream>

#include "linchpin/geometry/shapes/height_grid.h"
#include "linchpin/geometry/shapes/hull.h"
#include "linchpin/geometry/shapes/mesh.h"
#include "linchpin/geometry/shapes/shape_check.h"
#include "linchpin/io/json_archive.h"
#include "linchpin/model/spec_check.h"

namespace linchpin {
namespace json_archive {

template <>
struct NamedEnum<JointType> {
  static constexpr int count = joint_type_count;
  static std::string_view name(JointType type) { return to_string(type); }
};
template <>
struct NamedEnum<LoopType> {
  static constexpr int count = loop_type_count;
  static std::string_view name(LoopType type) { return to_string(type); }
};
template <>
struct NamedEnum<ActuatorType> {
  static constexpr int count = 3;
  static std::string_view name(ActuatorType type) { return to_string(type); }
};
template <>
struct NamedEnum<PairRule> {
  static constexpr int count = 6;
  static std::string_view name(PairRule rule) {
    constexpr std::string_view names[count] = {"minimum",        "maximum", "mean",
                                               "geometric_mean", "product", "harmonic_mean"};
    return names[int(rule)];
  }
};
template <>
struct NamedEnum<PairMaterial::Side> {
  static constexpr int count = 2;
  static std::string_view name(PairMaterial::Side side) { return side == PairMaterial::Side::a ? "a" : "b"; }
};

}  // namespace json_archive

namespace {

using json_archive::Field;
using json_archive::Json;
using json_archive::Place;
using json_archive::Reader;
using json_archive::Writer;

constexpr const char* format_name = "linchpin model";
constexpr int format_version = 1;

template <class Archive>
constexpr bool reads = std::is_same_v<Archive, Reader>;

// Which alternative of a variant it is, by its place in `names`; reading puts an empty one there.
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
    json_archive::refuse(archive.place(), kind.empty() ? "its kind is missing; there are: " + there
                                                       : "there is no kind '" + kind + "'; there are: " + there);
  } else {
    archive("kind", std::string(names[what.index()]));
  }
}

// What a Result says of the place that is being read.
template <class T>
std::shared_ptr<const T> made_at(const Place& place, Result<T> result) {
  if (!result) json_archive::refuse(place, result.error().message);
  return std::make_shared<const T>(std::move(result).value());
}

}  // namespace

// ---- shapes ---------------------------------------------------------------------------------------------------------

template <class Archive>
void fields(Archive& archive, Field<Archive, Transform<double>> X) {
  archive("R", X.R);
  archive("p", X.p);
}
template <class Archive>
void fields(Archive& archive, Field<Archive, Sphere> s) {
  archive("radius", s.radius);
}
template <class Archive>
void fields(Archive& archive, Field<Archive, Capsule> c) {
  archive("radius", c.radius);
  archive("half_length", c.half_length);
}
template <class Archive>
void fields(Archive& archive, Field<Archive, Box> b) {
  archive("half", b.half);
}
template <class Archive>
void fields(Archive& archive, Field<Archive, Cylinder> c) {
  archive("radius", c.radius);
  archive("half_length", c.half_length);
}
template <class Archive>
void fields(Archive& archive, Field<Archive, Ellipsoid> e) {
  archive("radii", e.radii);
}
template <class Archive>
void fields(Archive& archive, Field<Archive, Cone> c) {
  archive("radius", c.radius);
  archive("half_length", c.half_length);
}
template <class Archive>
void fields(Archive&, Field<Archive, HalfSpace>) {}

// Vertices and faces as they were found: to look for them again might round differently.
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
template <class Archive>
void fields(Archive& archive, Field<Archive, PlacedShape> part) {
  archive("shape", part.shape);
  archive("X_SP", part.X_SP);
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
  std::visit([&](auto& s) { fields(archive, s); }, shape);
}

// ---- surfaces -------------------------------------------------------------------------------------------------------

template <class Archive>
void fields(Archive& archive, Field<Archive, Friction> f) {
  archive("mu_static", f.mu_static);
  archive("mu_kinetic", f.mu_kinetic);
}
template <class Archive>
void fields(Archive& archive, Field<Archive, Material::Directional> d) {
  archive("direction", d.direction);
  archive("along", d.along);
}
template <class Archive>
void fields(Archive& archive, Field<Archive, Material> m) {
  archive("name", m.name);
  archive("friction", m.friction);
  archive("restitution", m.restitution);
  archive("directional", m.directional);
}
template <class Archive>
void fields(Archive& archive, Field<Archive, PairMaterial::Directional> d) {
  archive("side", d.side);
  archive("direction", d.direction);
  archive("along", d.along);
}
template <class Archive>
void fields(Archive& archive, Field<Archive, PairMaterial> m) {
  archive("friction", m.friction);
  archive("restitution", m.restitution);
  archive("directional", m.directional);
}
template <class Archive>
void fields(Archive& archive, Field<Archive, PairRules::Override> o) {
  archive("a", o.a);
  archive("b", o.b);
  archive("material", o.material);
}
template <class Archive>
void fields(Archive& archive, Field<Archive, PairRules> r) {
  archive("friction", r.friction);
  archive("restitution", r.restitution);
  archive("overrides", r.overrides);
}
template <class Archive>
void fields(Archive& archive, Field<Archive, GeometrySpec> g) {
  archive("name", g.name);
  archive("shape", g.shape);
  archive("X_BG", g.X_BG);
  archive("material", g.material);
  archive("margin", g.margin);
  archive("groups", g.groups);
  archive("touches", g.touches);
}
template <class Archive>
void fields(Archive& archive, Field<Archive, ContactPairSpec> p) {
  archive("a", p.a);
  archive("b", p.b);
  archive("margin", p.margin);
  archive("material", p.material);
}
template <class Archive>
void fields(Archive& archive, Field<Archive, ContactExclusionSpec> e) {
  archive("a", e.a);
  archive("b", e.b);
}

// ---- bodies and joints ----------------------------------------------------------------------------------------------

template <class Archive>
void fields(Archive& archive, Field<Archive, Sym3<double>> I) {
  archive("xx", I.xx);
  archive("yy", I.yy);
  archive("zz", I.zz);
  archive("xy", I.xy);
  archive("xz", I.xz);
  archive("yz", I.yz);
}
template <class Archive>
void fields(Archive& archive, Field<Archive, InertiaSpec> inertia) {
  archive("mass", inertia.mass);
  archive("centre", inertia.centre);
  archive("moments", inertia.moments);
}
template <class Archive>
void fields(Archive& archive, Field<Archive, BodySpec> body) {
  archive("name", body.name);
  archive("inertia", body.inertia);
  archive("geometry", body.geometry);
}
template <class Archive>
void fields(Archive& archive, Field<Archive, DofSpec> dof) {
  archive("armature", dof.armature);
  archive("damping", dof.damping);
  archive("stiffness", dof.stiffness);
  archive("rest", dof.rest);
  archive("dry_friction", dof.dry_friction);
  archive("lower", dof.lower);
  archive("upper", dof.upper);
  archive("effort_limit", dof.effort_limit);
  archive("velocity_limit", dof.velocity_limit);
}
template <class Archive>
void fields(Archive& archive, Field<Archive, JointSpec> joint) {
  archive("name", joint.name);
  archive("type", joint.type);
  archive("parent", joint.parent);
  archive("child", joint.child);
  archive("X_PF", joint.X_PF);
  archive("X_CM", joint.X_CM);
  archive("axis", joint.axis);
  archive("axis2", joint.axis2);
  archive("pitch", joint.pitch);
  archive("dofs", joint.dofs);
  archive("start_q", joint.start_q);
  archive("start_v", joint.start_v);
}
template <class Archive>
void fields(Archive& archive, Field<Archive, FrameSpec> frame) {
  archive("name", frame.name);
  archive("body", frame.body);
  archive("X_BF", frame.X_BF);
}
template <class Archive>
void fields(Archive& archive, Field<Archive, ActuatorSpec> a) {
  archive("name", a.name);
  archive("joint", a.joint);
  archive("coordinate", a.coordinate);
  archive("type", a.type);
  archive("gear", a.gear);
  archive("stiffness", a.stiffness);
  archive("damping", a.damping);
  archive("lower", a.lower);
  archive("upper", a.upper);
  archive("control", a.control);
}

// ---- constraints and springs ----------------------------------------------------------------------------------------

template <class Archive>
void fields(Archive& archive, Field<Archive, TimeLaw> law) {
  archive("polynomial", law.polynomial);
  archive("amplitude", law.amplitude);
  archive("frequency", law.frequency);
  archive("phase", law.phase);
}
template <class Archive>
void fields(Archive& archive, Field<Archive, FrameOnBody> frame) {
  archive("body", frame.body);
  archive("X_BF", frame.X_BF);
}
template <class Archive>
void fields(Archive& archive, Field<Archive, LoopSpec> loop) {
  archive("type", loop.type);
  archive("a", loop.a);
  archive("b", loop.b);
  archive("pitch", loop.pitch);
  archive("displacement", loop.displacement);
}
template <class Archive>
void fields(Archive& archive, Field<Archive, RodSpec> rod) {
  archive("a", rod.a);
  archive("b", rod.b);
  archive("length", rod.length);
  archive("extension", rod.extension);
}
template <class Archive>
void fields(Archive& archive, Field<Archive, RollingSpec> rolling) {
  archive("a", rolling.a);
  archive("b", rolling.b);
  archive("half_axes", rolling.half_axes);
  archive("sliding", rolling.sliding);
}
template <class Archive>
void fields(Archive& archive, Field<Archive, VelocitySpec> velocity) {
  archive("a", velocity.a);
  archive("b", velocity.b);
  archive("angular", velocity.angular);
  archive("linear", velocity.linear);
  archive("speed", velocity.speed);
}
template <class Archive>
void fields(Archive& archive, Field<Archive, CouplingSpec::Term> term) {
  archive("joint", term.joint);
  archive("coordinate", term.coordinate);
  archive("polynomial", term.polynomial);
}
template <class Archive>
void fields(Archive& archive, Field<Archive, CouplingSpec> coupling) {
  archive("terms", coupling.terms);
  archive("value", coupling.value);
}
template <class Archive>
void fields(Archive& archive, Field<Archive, ConstraintSpec> constraint) {
  static constexpr std::string_view names[] = {"loop", "rod", "rolling", "velocity", "coupling"};
  archive("name", constraint.name);
  kind_field(archive, constraint.what, names);
  std::visit([&](auto& what) { fields(archive, what); }, constraint.what);
}
template <class Archive>
void fields(Archive& archive, Field<Archive, SpringSpec> spring) {
  archive("name", spring.name);
  archive("a", spring.a);
  archive("b", spring.b);
  archive("stiffness", spring.stiffness);
  archive("damping", spring.damping);
  archive("length", spring.length);
}

// ---- the whole ------------------------------------------------------------------------------------------------------

template <class Archive>
void fields(Archive& archive, Field<Archive, ModelSpec> spec) {
  std::string format = reads<Archive> ? "" : format_name;
  int version = reads<Archive> ? 0 : format_version;
  archive("format", format);
  archive("version", version);
  if constexpr (reads<Archive>) {
    if (format != format_name)
      json_archive::refuse(archive.place(),
                           message("this is no linchpin model: \"format\" is not \"", format_name, "\""));
    if (version != format_version)
      json_archive::refuse(archive.place(), message("it is of version ", version,
                                                    " of the format; this linchpin reads ", format_version));
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

Result<ModelSpec> spec_from_json(std::string_view text) {
  try {
    ModelSpec spec;
    json_archive::read(json_archive::parsed(text), Place{}, spec);
    return spec;
  } catch (const json_archive::Fault& fault) {
    return Error{fault.message};
  }
}

Result<ModelSpec> load_spec(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) return Error{file.string() + ": cannot be read"};
  Result<ModelSpec> spec = spec_from_json(text.view());
  if (!spec) return Error{file.string() + ": " + spec.error().message};
  return spec;
}

}  // namespace linchpin
