// ODE in double precision with its contacts. Every body has six coordinates and joints are constraints; its frame is in
// the centre of mass, parallel to the body's own.
#include <cmath>

#include <ode/ode.h>

#include "bench/engine_list.h"
#include "bench/peers/contact_peers.h"

namespace linchpin {
namespace {

constexpr int most_contacts = 8, quick_iterations = 20;

struct Way {
  const char* name;
  bool quick;
};
constexpr Way ways[] = {{"exact", false}, {"quick", true}};

// Column R.x is the first column of ODE's matrix of rows.
struct OdeRotation {
  dMatrix3 rows;
  explicit OdeRotation(const Mat3<double>& R)
      : rows{R.x.x, R.y.x, R.z.x, 0, R.x.y, R.y.y, R.z.y, 0, R.x.z, R.y.z, R.z.z, 0} {}
};

struct OdeWorld {
  OdeWorld() : world(dWorldCreate()), space(dHashSpaceCreate(nullptr)), group(dJointGroupCreate(0)) {}
  ~OdeWorld() {
    dJointGroupDestroy(group);
    dSpaceDestroy(space);
    dWorldDestroy(world);
  }
  OdeWorld(const OdeWorld&) = delete;
  OdeWorld& operator=(const OdeWorld&) = delete;
  dWorldID world;
  dSpaceID space;
  dJointGroupID group;
};

class OdeContact final : public ContactEngine {
 public:
  explicit OdeContact(const Way& way) : way_(way) {
    dInitODE2(0);
    dSetMessageHandler([](int, const char*, va_list) {});  // of its LCP solver, on the error stream, step after step
  }
  std::string name() const override { return "ODE"; }
  std::string version() const override { return dODE_VERSION; }
  std::string way() const override { return way_.name; }

  std::optional<Error> load(const ModelSpec& spec, const Model& model, double dt) override {
    ode_.reset();
    Result<PeerScene> taken = peer_scene(spec, model);
    if (!taken) return taken.error();
    scene_ = std::move(taken).value();
    dt_ = dt;
    ode_ = std::make_unique<OdeWorld>();
    dWorldSetGravity(ode_->world, scene_.gravity.x, scene_.gravity.y, scene_.gravity.z);
    dWorldSetQuickStepNumIterations(ode_->world, quick_iterations);
    dWorldSetAutoDisableFlag(ode_->world, 0);
    bodies_.clear();
    joints_.clear();
    for (std::size_t i = 0; i < scene_.nodes.size(); ++i) {
      add_body(i);
      if (auto error = add_joint(i)) return error;
    }
    for (const PeerShape& g : scene_.shapes) add_geom(g);
    return {};
  }

  void push(int body, const Vec3<double>& force) override { scene_.push = {scene_.node_of_body(body), force}; }

  std::optional<Error> step() override {
    for (const PeerSpring& s : scene_.springs) {
      const dJointID joint = joints_[s.node];
      const double q0 = scene_.q[s.node];  // ODE counts from the start
      if (scene_.nodes[s.node].type == JointType::revolute)
        dJointAddHingeTorque(joint, -s.stiffness * (q0 + dJointGetHingeAngle(joint) - s.rest) -
                                        s.damping * dJointGetHingeAngleRate(joint));
      else
        dJointAddSliderForce(joint, -s.stiffness * (q0 + dJointGetSliderPosition(joint) - s.rest) -
                                        s.damping * dJointGetSliderPositionRate(joint));
    }
    if (scene_.push) {  // forgotten after the step
      const Vec3<double>& F = scene_.push->force;
      dBodyAddForce(bodies_[scene_.push->node], F.x, F.y, F.z);
    }
    contacts_ = 0;
    dSpaceCollide(ode_->space, this, near);
    const int done = way_.quick ? dWorldQuickStep(ode_->world, dt_) : dWorldStep(ode_->world, dt_);
    dJointGroupEmpty(ode_->group);
    if (!done) return Error{"out of memory"};
    return {};
  }

  void poses(std::span<Transform<double>> X_WB) override {
    X_WB[0] = Transform<double>::identity();
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const dReal* const a = dBodyGetQuaternion(bodies_[i]);
      const Mat3<double> R = to_rotation(quaternion_at(a));
      const Vec3<double> c = vec3_at(dBodyGetPosition(bodies_[i]));
      X_WB[scene_.nodes[i].body] = {R, c - R * scene_.nodes[i].inertia.centre};
    }
  }
  int contacts() const override { return contacts_; }

 private:
  void add_body(std::size_t i) {
    const InertiaSpec& inertia = scene_.nodes[i].inertia;
    const Sym3<double>& I = inertia.moments;
    const Transform<double>& X_WB = scene_.X_WB[i];
    const Motion<double>& V = scene_.V_WB[i];
    const dBodyID body = dBodyCreate(ode_->world);
    dMass mass;
    dMassSetParameters(&mass, inertia.mass, 0, 0, 0, I.xx, I.yy, I.zz, I.xy, I.xz, I.yz);
    dBodySetMass(body, &mass);
    const Vec3<double> p = X_WB * inertia.centre, v = V.v + cross(V.w, p - X_WB.p);
    dBodySetPosition(body, p.x, p.y, p.z);
    dBodySetRotation(body, OdeRotation(X_WB.R).rows);
    dBodySetLinearVel(body, v.x, v.y, v.z);
    dBodySetAngularVel(body, V.w.x, V.w.y, V.w.z);
    bodies_.push_back(body);
  }

  std::optional<Error> add_joint(std::size_t i) {
    const PeerNode& node = scene_.nodes[i];
    const Transform<double> X_WM = scene_.X_WB[i] * node.X_CM;
    const Vec3<double> axis = X_WM.R * node.axis;  // a turn about it, or a slide along it, leaves it where it was in F
    const dBodyID parent = node.parent < 0 ? nullptr : bodies_[node.parent];
    dJointID joint = nullptr;
    if (node.type == JointType::revolute) {
      joint = dJointCreateHinge(ode_->world, nullptr);
      dJointAttach(joint, bodies_[i], parent);
      dJointSetHingeAnchor(joint, X_WM.p.x, X_WM.p.y, X_WM.p.z);
      dJointSetHingeAxis(joint, axis.x, axis.y, axis.z);
    } else if (node.type == JointType::prismatic) {
      joint = dJointCreateSlider(ode_->world, nullptr);
      dJointAttach(joint, bodies_[i], parent);
      dJointSetSliderAxis(joint, axis.x, axis.y, axis.z);
    } else if (node.type != JointType::free || node.parent >= 0) {
      return Error{"joint '" + node.joint + "' is not driven"};
    }
    joints_.push_back(joint);
    return {};
  }

  void add_geom(const PeerShape& g) {
    dGeomID geom = nullptr;
    if (std::holds_alternative<HalfSpace>(g.shape)) {
      const Vec3<double> n = g.X_BG.R.z;
      geom = dCreatePlane(ode_->space, n.x, n.y, n.z, dot(n, g.X_BG.p));
    }
    if (const auto* s = std::get_if<Sphere>(&g.shape)) geom = dCreateSphere(ode_->space, s->radius);
    if (const auto* s = std::get_if<Capsule>(&g.shape))
      geom = dCreateCapsule(ode_->space, s->radius, 2 * s->half_length);
    if (const auto* s = std::get_if<Box>(&g.shape))
      geom = dCreateBox(ode_->space, 2 * s->half.x, 2 * s->half.y, 2 * s->half.z);
    dGeomSetData(geom, const_cast<PeerShape*>(&g));
    if (std::holds_alternative<HalfSpace>(g.shape)) return;
    if (g.node < 0) {
      dGeomSetPosition(geom, g.X_BG.p.x, g.X_BG.p.y, g.X_BG.p.z);
      dGeomSetRotation(geom, OdeRotation(g.X_BG.R).rows);
      return;
    }
    const Vec3<double> p = g.X_BG.p - scene_.nodes[g.node].inertia.centre;
    dGeomSetBody(geom, bodies_[g.node]);
    dGeomSetOffsetPosition(geom, p.x, p.y, p.z);
    dGeomSetOffsetRotation(geom, OdeRotation(g.X_BG.R).rows);
  }

  static void near(void* self, dGeomID a, dGeomID b) { static_cast<OdeContact*>(self)->touch(a, b); }
  void touch(dGeomID a, dGeomID b) {
    const dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
    if (body_a == body_b) return;
    if (!scene_.wanted(*static_cast<const PeerShape*>(dGeomGetData(a)),
                       *static_cast<const PeerShape*>(dGeomGetData(b))))
      return;
    dContact points[most_contacts];
    const int n = dCollide(a, b, most_contacts, &points[0].geom, sizeof(dContact));
    for (int k = 0; k < n; ++k) {
      dSurfaceParameters& surface = points[k].surface;
      surface.mode = dContactApprox1 | (scene_.restitution > 0 ? dContactBounce : 0);
      surface.mu = scene_.mu;
      surface.bounce = scene_.restitution;
      surface.bounce_vel = 1e-3;
      dJointAttach(dJointCreateContact(ode_->world, ode_->group, &points[k]), body_a, body_b);
    }
    contacts_ += n;
  }

  Way way_;
  PeerScene scene_;
  double dt_ = 0;
  std::unique_ptr<OdeWorld> ode_;
  std::vector<dBodyID> bodies_;   // by node
  std::vector<dJointID> joints_;  // by node; none for free ones
  int contacts_ = 0;
};

}  // namespace

ContactEngines make_ode_contact() { return engines_of<ContactEngines, OdeContact>(ways); }

}  // namespace linchpin
