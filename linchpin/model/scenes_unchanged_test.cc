// The numbers of the built-in scenes are fixed: documents, reference motions and benchmarks of other engines name the
// scenes by their text. A scene that is changed on purpose gets its new line from the message of the failed test.
#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

#include <gtest/gtest.h>

#include "linchpin/geometry/shapes/hull.h"
#include "linchpin/model/scenes.h"

namespace linchpin {
namespace {

// A sum of all numbers that it is given, each with a weight that depends on its place: cos(1), cos(2), ...
class Sum {
 public:
  void add(double x) {
    if (std::isinf(x)) x = x > 0 ? 1e3 : -1e3;  // unlimited
    const double weighted = std::cos(++count_) * x;
    sum_ += weighted;
    size_ += std::abs(weighted);
  }
  void add(const Vec3<double>& v) {
    for (const double x : {v.x, v.y, v.z}) add(x);
  }
  void add(const Transform<double>& X) {
    for (const Vec3<double>& v : {X.R.x, X.R.y, X.R.z, X.p}) add(v);
  }
  void add(const std::string& name) {
    for (const char c : name) add(0.01 * c);
  }
  void add(const std::vector<double>& list) {
    for (const double x : list) add(x);
  }
  void add(const FrameOnBody& frame) {
    add(frame.body);
    add(frame.X_BF);
  }
  void add(const TimeLaw& u) {
    add(u.polynomial);
    for (const double x : {u.amplitude, u.frequency, u.phase}) add(x);
  }
  void add(const Friction& friction) {
    add(friction.mu_static);
    add(friction.mu_kinetic);
  }
  double value() const { return sum_; }
  // Fused operations and another libm move each number by some units of its last place.
  double rounding() const { return 1e-13 * size_; }

 private:
  double sum_ = 0, size_ = 0;
  int count_ = 0;
};

void add_dof(const DofSpec& dof, Sum& sum) {
  for (const double x : {dof.armature, dof.damping, dof.stiffness, dof.rest, dof.dry_friction, dof.lower, dof.upper,
                         dof.effort_limit, dof.velocity_limit})
    sum.add(x);
}
void add_constraint(const ConstraintSpec& constraint, Sum& sum) {
  sum.add(constraint.name);
  sum.add(double(constraint.what.index()));
  if (const auto* coupling = std::get_if<CouplingSpec>(&constraint.what)) {
    for (const CouplingSpec::Term& term : coupling->terms) {
      sum.add(term.joint);
      sum.add(term.coordinate);
      sum.add(term.polynomial);
    }
    sum.add(coupling->value);
  } else if (const auto* loop = std::get_if<LoopSpec>(&constraint.what)) {
    sum.add(double(loop->type));
    sum.add(loop->a);
    sum.add(loop->b);
    sum.add(loop->pitch);
    for (const TimeLaw& u : loop->displacement) sum.add(u);
  } else if (const auto* rod = std::get_if<RodSpec>(&constraint.what)) {
    sum.add(rod->a);
    sum.add(rod->b);
    sum.add(rod->length);
    sum.add(rod->extension);
  } else if (const auto* roll = std::get_if<RollingSpec>(&constraint.what)) {
    sum.add(roll->a);
    sum.add(roll->b);
    sum.add(roll->half_axes);
    sum.add(roll->sliding);
  } else {
    ADD_FAILURE() << "no scene has a constraint of this kind";
  }
}
// What moves: masses, joints, constraints, springs, actuators and the start.
Sum sum_of_mechanism(const ModelSpec& spec) {
  Sum sum;
  sum.add(spec.gravity);
  for (const BodySpec& body : spec.bodies) {
    const InertiaSpec& inertia = body.inertia;
    sum.add(body.name);
    sum.add(inertia.mass);
    sum.add(inertia.centre);
    const Sym3<double>& m = inertia.moments;
    for (const double x : {m.xx, m.yy, m.zz, m.xy, m.xz, m.yz}) sum.add(x);
  }
  for (const JointSpec& joint : spec.joints) {
    for (const std::string& name : {joint.name, joint.parent, joint.child}) sum.add(name);
    sum.add(double(joint.type));
    sum.add(joint.X_PF);
    sum.add(joint.X_CM);
    sum.add(joint.axis);
    sum.add(joint.axis2);
    sum.add(joint.pitch);
    for (const DofSpec& dof : joint.dofs) add_dof(dof, sum);
    sum.add(joint.start_q);
    sum.add(joint.start_v);
  }
  for (const FrameSpec& frame : spec.frames) {
    sum.add(frame.name);
    sum.add(FrameOnBody{frame.body, frame.X_BF});
  }
  for (const ConstraintSpec& constraint : spec.constraints) add_constraint(constraint, sum);
  for (const SpringSpec& spring : spec.springs) {
    sum.add(spring.name);
    sum.add(spring.a);
    sum.add(spring.b);
    for (const double x : {spring.stiffness, spring.damping, spring.length}) sum.add(x);
  }
  for (const ActuatorSpec& actuator : spec.actuators) {
    sum.add(actuator.name);
    sum.add(actuator.joint);
    sum.add(double(actuator.type));
    for (const double x : {double(actuator.coordinate), actuator.gear, actuator.stiffness, actuator.damping,
                           actuator.lower, actuator.upper, actuator.control})
      sum.add(x);
  }
  return sum;
}

void add_shape(const Shape& shape, Sum& sum) {
  sum.add(double(shape.index()));
  if (const auto* sphere = std::get_if<Sphere>(&shape)) {
    sum.add(sphere->radius);
  } else if (const auto* capsule = std::get_if<Capsule>(&shape)) {
    sum.add(capsule->radius);
    sum.add(capsule->half_length);
  } else if (const auto* box = std::get_if<Box>(&shape)) {
    sum.add(box->half);
  } else if (const auto* cylinder = std::get_if<Cylinder>(&shape)) {
    sum.add(cylinder->radius);
    sum.add(cylinder->half_length);
  } else if (const auto* ellipsoid = std::get_if<Ellipsoid>(&shape)) {
    sum.add(ellipsoid->radii);
  } else if (const auto* cone = std::get_if<Cone>(&shape)) {
    sum.add(cone->radius);
    sum.add(cone->half_length);
  } else if (const auto* hull = std::get_if<ConvexHull>(&shape)) {
    for (const Vec3<double>& vertex : hull->hull->vertices) sum.add(vertex);
  } else {
    EXPECT_TRUE(std::holds_alternative<HalfSpace>(shape)) << "no scene has a shape of this kind";
  }
}
void add_geometry(const std::vector<GeometrySpec>& shapes, Sum& sum) {
  for (const GeometrySpec& g : shapes) {
    sum.add(g.name);
    add_shape(g.shape, sum);
    sum.add(g.X_BG);
    sum.add(g.material.name);
    sum.add(g.material.friction);
    sum.add(g.material.restitution);
    for (const double x : {g.margin, std::min(double(g.groups), 99.0), std::min(double(g.touches), 99.0)}) sum.add(x);
  }
}
// What touches: shapes, their materials, and which pairs are tested.
Sum sum_of_shapes(const ModelSpec& spec) {
  Sum sum;
  add_geometry(spec.world_geometry, sum);
  for (const BodySpec& body : spec.bodies) add_geometry(body.geometry, sum);
  for (const ContactPairSpec& pair : spec.contact_pairs) {
    sum.add(pair.a);
    sum.add(pair.b);
  }
  for (const ContactExclusionSpec& exclusion : spec.contact_exclusions) {
    sum.add(exclusion.a);
    sum.add(exclusion.b);
  }
  for (const PairRules::Override& rule : spec.pair_rules.overrides) {
    sum.add(rule.a);
    sum.add(rule.b);
    sum.add(rule.material.friction);
    sum.add(rule.material.restitution);
  }
  return sum;
}

struct Fixed {
  const char* text;
  double mechanism, shapes;
};
const Fixed fixed_numbers[] = {
    {"pendulum", 0.70689646968156294, -30.848422729477189},
    {"pendulum:links=3", 12.960932967449525, -32.255625771706214},
    {"planar_chain", 8.0460773382744186, 0.18833887750556894},
    {"planar_chain:links=2,length=3,mass=2", 14.640210727504885, -1.3815215459673027},
    {"simple_pendulum", 6.6435795878962454, -1.7974398700802312},
    {"double_pendulum", 12.794798497170653, 5.675211825378546},
    {"double_pendulum:rods=1", 12.911663382471346, -1.5003474068892571},
    {"chain", 12.222640042188461, 0.027577127655523226},
    {"chain:links=3000,seed=2", 90.28406823234377, 60.876553611422388},
    {"heavy_light", -713711.32073197199, -1.3433266790773084},
    {"heavy_light:ratio=100,links=5", 112.39546319918718, -2.3342395587768938},
    {"cart_pole", -1650.1623056859646, -1.3248028474989939},
    {"cart_pole:pole=0.3,length=0.7", -1650.2100810871916, -1.4444267494815308},
    {"planar_arm", 3.6336912785601898, -0.4271960129156141},
    {"planar_arm:links=5", 14.347915218099855, -3.8787599525428798},
    {"planar_walker", 5062.4866190893827, 1.2020870572771782},
    {"humanoid24", 2498.8254106936197, -2.1845230352402307},
    {"humanoid24:floating=1", -79.933273119655638, -1.2545594666932147},
    {"humanoid", 1036.1921747904355, 0.6309426015536268},
    {"quadruped", 3843.7201200910404, 12.443535148989659},
    {"dual_arm", -3407.9184128290976, -0.12349560396552459},
    {"top", 12.471533979962439, -0.058878709637688459},
    {"free_body", 11.353866458131135, 1.3847114067485129},
    {"free_body:symmetric=1", 10.309682458473103, 0.79764265955078373},
    {"random_tree", -1395.7328501715153, -0.60394904843836195},
    {"random_tree:bodies=1000,seed=2,floating=1", 3165.9216377004559, -86.609999709845937},
    {"forest", -1933.7858104223956, -3.884596379709524},
    {"forest:trees=14", 4060.7828190642444, -26.090711494913084},
    {"four_bar", 6.7905148638992987, -1.907547264095045},
    {"four_bar:loops=3", 10.537736131968582, -0.59283559720353041},
    {"squeezer", 4533.4641480647688, 2.3345857476598511},
    {"bricard", 11.712728278880155, -5.7565238113913502},
    {"bricard:section=0.1", 11.714948110972001, 2.5620402736094627},
    {"governor", 152073.26762903901, -2.8619481441895402},
    {"slider_crank", 4.3637117367547953, 0.65748376764786265},
    {"rolling_disc", 20.090485232485751, -0.37973050629984373},
    {"rolling_disc:radius=0.3,hoop=1,tilt=30", 19.566958497363494, -0.13950113347039947},
    {"rattleback", 18.742127274567082, -1.4627242411401045},
    {"linkage_biped", -5335.022743402792, 2.0096793701210212},
    {"stewart", 5157.2977765874366, 0.65846123206259599},
    {"gripper", -1865.4920216140722, -12.782995011399731},
    {"swing", 2.7367624584748187, 2.5152933380155389},
    {"swing:links=5,mu=0.3,restitution=0.4", 13.169584742633175, -62.921281016040325},
    {"slope", 6.2531293491628128, 76.53491433053189},
    {"slope:angle=35,mu=0.4,heading=50,turn=70,speed=3", 9.9571420542110385, 76.867956885549148},
    {"roll", 15.912471152442253, -17.418232904310919},
    {"roll:speed=3,radius=0.2,mu=0.4", 14.030685685769537, -16.812459101288489},
    {"painleve", 6.5062711541974334, -11.697593960673302},
    {"painleve:angle=60,mu=1.5,speed=2", 5.0719186340764075, -13.173465605757478},
    {"bounce", 17.180314284459772, -16.548395007244977},
    {"bounce:radius=0.2,height=3,restitution=0.4,speed=2", 15.899713905274332, -16.52624768083426},
    {"cradle", 18.276341594358435, -85.146777498676983},
    {"cradle:balls=3,gap=0.01,angle=30,speed=2,restitution=0.6", 11.221532136928738, 59.532727131173949},
    {"falling_chain", 15.821812123038443, 101.00026899285785},
    {"falling_chain:links=4,height=3,angle=40,spatial=1", 2.0478897613229501, 108.87607193536452},
    {"loose_slider", -35.109098856214054, 18.299465736877281},
    {"loose_slider:clearance=0.002,mu=0.1,restitution=0.7", -35.109098856214054, 18.975876530786991},
    {"billiard", 41.724498337835293, -254.52539329477736},
    {"billiard:speed=3,gap=0.001,mu=0.1,restitution=0.8", 40.375575481450213, -253.63212917040244},
    {"thin_wall", -88.592440539169615, 43.314944983545651},
    {"thin_wall:speed=50,radius=0.02,thickness=0.003,restitution=0.7", -40.219761206228988, 43.273361756519513},
    {"stack", 25.088405924121602, 105.40664202954663},
    {"stack:boxes=4,ratio=10,mu=0.3", -7.5564634284886623, 110.82956002842953},
    {"dominoes", -26.942291800388499, 113.92224089906118},
    {"dominoes:count=5,spacing=0.03,mu=0.2", 11.702973720067016, 59.246119004896528},
    {"pile", 66.526766334451494, 119.46866938640693},
    {"pile:count=30,seed=2", 84.536079067897276, 79.023069732796245},
    {"balls", 89.05169292132264, 82.508914468186987},
    {"balls:count=200,seed=2", 95.414530181247201, 155.87343831913483},
    {"arch", 53.262196042323929, -450.35928423275777},
    {"arch:stones=8,thickness=0.2,mu=0.6", -24.660847182609601, -358.07764292887441},
    {"grip", 281.02575570685735, -33.525195198583489},
    {"grip:hold=3,mu=0.4", 281.01010167066511, -33.1731305214782},
    {"stand", 3150.8648940470316, 47.25532881896693},
    {"stand:feet_only=1", 3150.8648940470316, 59.34681320516853},
    {"stand4", 3541.7660124209237, 51.19562562420851},
    {"stand4:feet_only=1", 3541.7660124209237, 53.54835037855581},
    {"workshop", -6570.1263434676566, 195.59556273708773},
};

TEST(ScenesUnchanged, HaveTheNumbersThatTheyAlwaysHad) {
  for (const Fixed& fixed : fixed_numbers) {
    const Result<ModelSpec> spec = scene(fixed.text);
    ASSERT_TRUE(spec.ok()) << fixed.text;
    const Sum mechanism = sum_of_mechanism(spec.value()), shapes = sum_of_shapes(spec.value());
    std::ostringstream line;
    line << std::setprecision(17) << "{\"" << fixed.text << "\", " << mechanism.value() << ", " << shapes.value()
         << "},";
    EXPECT_NEAR(mechanism.value(), fixed.mechanism, mechanism.rounding()) << line.str();
    EXPECT_NEAR(shapes.value(), fixed.shapes, shapes.rounding()) << line.str();
  }
}

// Defaults and ranges of the parameters: texts that were accepted stay so, and mean the same.
TEST(ScenesUnchanged, ParametersHaveTheRangesThatTheyAlwaysHad) {
  Sum sum;
  for (const SceneInfo& info : scene_catalogue())
    for (const SceneParameter& p : info.parameters) {
      sum.add(info.name);
      sum.add(p.name);
      for (const double x : {p.value, p.lowest, p.highest}) sum.add(std::cbrt(x));  // some ranges end at 1e15
    }
  EXPECT_NEAR(sum.value(), -357378.66120263544, sum.rounding());
}

}  // namespace
}  // namespace linchpin
