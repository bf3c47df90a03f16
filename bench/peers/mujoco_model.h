// A mechanism as MJCF text in memory, for the drivers of MuJoCo.
//
// Bodies are handed over in their joint frames M, so that MuJoCo's body frame, joint anchor and linchpin's M are one.
#pragma once

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <functional>

#include <mujoco/mujoco.h>

#include "bench/peers/drivers.h"

namespace linchpin {

// Point masses and thin rods: MuJoCo refuses moments up to mjMINVAL, so it gets this, kg m^2, instead of zero.
inline constexpr double least_moment = 2 * mjMINVAL;
// tinyxml2 gives up at about 100 nested elements, so deeper bodies go to further files, each included by the one
// above.
inline constexpr int levels_per_file = 60;

__attribute__((format(printf, 2, 3))) inline void append(std::string& text, const char* format, ...) {
  char buffer[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(buffer, sizeof buffer, format, arguments);
  va_end(arguments);
  text += buffer;
}

inline void append_pose(std::string& text, const Transform<double>& X) {
  const Quaternion<double> a = from_rotation(X.R);
  append(text, " pos='%.17g %.17g %.17g' quat='%.17g %.17g %.17g %.17g'", X.p.x, X.p.y, X.p.z, a.w, a.x, a.y, a.z);
}

// What differs from one use to the next.
struct MjcfParts {
  std::string options;                                  // the rest of <option ...>, up to </option>
  std::string sizes = {};                               // <size .../>
  std::string world = {};                               // elements of the world, before the bodies
  std::function<std::string(std::size_t)> inside = {};  // elements of the body of a node
};

// Joints and bodies are named by the number of their node.
class MjcfWriter {
 public:
  MjcfWriter(const std::vector<PeerNode>& nodes, const Vec3<double>& gravity, const MjcfParts& parts)
      : nodes_(nodes), inside_(parts.inside), children_(nodes.size() + 1) {
    for (std::size_t i = 0; i < nodes.size(); ++i) children_[nodes[i].parent + 1].push_back(i);
    std::string text = "<mujoco><compiler angle='radian' inertiafromgeom='false'/>" + parts.sizes + "<option ";
    append(text, "gravity='%.17g %.17g %.17g' ", gravity.x, gravity.y, gravity.z);
    text += parts.options + "</option><worldbody>" + parts.world;
    for (const std::size_t child : children_[0]) write_body(child, 0, text);
    text += "</worldbody></mujoco>";
    files_.insert(files_.begin(), std::move(text));
  }
  // The first is the one to load; file k > 0 is called file_name(k).
  const std::vector<std::string>& files() const { return files_; }
  static std::string file_name(std::size_t k) { return "part" + std::to_string(k) + ".xml"; }

 private:
  void write_body(std::size_t i, int level, std::string& text) {
    if (level == levels_per_file) {
      files_.emplace_back();
      const std::size_t k = files_.size();  // the main file will stand before it
      text += "<include file='" + file_name(k) + "'/>";
      std::string part = "<mujoco>";
      write_body(i, 0, part);
      files_[k - 1] = part + "</mujoco>";
      return;
    }
    const PeerNode& node = nodes_[i];
    const Transform<double> X_MpP = node.parent < 0 ? Transform<double>::identity() : inverse(nodes_[node.parent].X_CM);
    append(text, "<body name='b%zu'", i);
    append_pose(text, X_MpP * node.X_PF);
    text += ">";
    if (node.type == JointType::free) {
      append(text, "<freejoint name='j%zu'/>", i);
    } else if (node.type != JointType::weld) {
      append(text, "<joint name='j%zu' type='%s' armature='%.17g' axis='%.17g %.17g %.17g'/>", i,
             mujoco_type(node.type), node.armature, node.axis.x, node.axis.y, node.axis.z);
    }
    const InertiaSpec inertia = inertia_in_joint_frame(node);
    if (inertia.mass > 0) {
      // Not fullinertia: the principal axes that MuJoCo 2.2 finds give the moments back to six digits only.
      const PrincipalMoments principal = principal_moments(inertia.moments);
      const Vec3<double>& I = principal.moments;
      append(text, "<inertial mass='%.17g' diaginertia='%.17g %.17g %.17g'", inertia.mass, std::max(I.x, least_moment),
             std::max(I.y, least_moment), std::max(I.z, least_moment));
      append_pose(text, {principal.R, inertia.centre});
      text += "/>";
    }
    if (inside_) text += inside_(i);
    for (const std::size_t child : children_[i + 1]) write_body(child, level + 1, text);
    text += "</body>";
  }

  static const char* mujoco_type(JointType type) {
    return type == JointType::revolute ? "hinge" : type == JointType::prismatic ? "slide" : "ball";
  }

  const std::vector<PeerNode>& nodes_;
  std::function<std::string(std::size_t)> inside_;
  std::vector<std::vector<std::size_t>> children_;  // [0] the world's, [i + 1] those of node i
  std::vector<std::string> files_;
};

struct DeleteModel {
  void operator()(mjModel* m) const { mj_deleteModel(m); }
};
struct DeleteData {
  void operator()(mjData* d) const { mj_deleteData(d); }
};
struct DeleteVfs {
  void operator()(mjVFS* vfs) const {
    mj_deleteVFS(vfs);
    delete vfs;
  }
};

using MujocoModel = std::unique_ptr<mjModel, DeleteModel>;
using MujocoData = std::unique_ptr<mjData, DeleteData>;

inline Result<MujocoModel> load_mjcf(const MjcfWriter& mjcf) {
  if (mjcf.files().size() > mjMAXVFS) return Error{"MuJoCo takes no more than " + std::to_string(mjMAXVFS) + " files"};
  const std::unique_ptr<mjVFS, DeleteVfs> vfs(new mjVFS);
  mj_defaultVFS(vfs.get());
  for (std::size_t k = 0; k < mjcf.files().size(); ++k) {
    const std::string& text = mjcf.files()[k];
    mj_makeEmptyFileVFS(vfs.get(), MjcfWriter::file_name(k).c_str(), static_cast<int>(text.size()));
    std::memcpy(vfs->filedata[vfs->nfile - 1], text.data(), text.size());
  }
  char message[1000] = "";
  MujocoModel model(mj_loadXML(MjcfWriter::file_name(0).c_str(), vfs.get(), message, sizeof message));
  if (!model) return Error{std::string("MuJoCo: ") + message};
  return model;
}

}  // namespace linchpin
