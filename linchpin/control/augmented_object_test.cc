#include "linchpin/control/augmented_object.h"

#include "linchpin/base/check.h"
#include "linchpin/control/testing.h"
#include "linchpin/dynamics/loops/closed_chain.h"
#include "linchpin/model/testing.h"
#include "linchpin/spatial/quaternion.h"

namespace linchpin {
namespace {

RigidInertia<double> box_inertia() {
  return RigidInertia<double>::about_centre(4, {0.02, -0.03, 0.05},
                                            Sym3<double>{0.05, 0.08, 0.06, 0.01, -0.005, 0.002});
}

// r x, as a matrix.
DenseMatrix cross_matrix(const Vec3<double>& r) {
  return matrix_of(std::vector{0.0, -r.z, r.y, r.z, 0.0, -r.x, -r.y, r.x, 0.0}, 3, 3);
}

Vector joined(const Vector& a, const Vector& b) {
  Vector out(a.size() + b.size());
  out.head(a.size()) = a;
  out.tail(b.size()) = b;
  return out;
}

// Reference: robot and object as one system of nv + 6 coordinates, (v, object's velocity in the world's axes), with
// hands welded to the object, in dense matrices and independent of the control law.
struct Welded {
  Welded(const Model& model, const State& s, const HeldObject& o) : eq(model, s), object(o) {
    const Eigen::Index nv = model.nv(), m = Eigen::Index(o.grips.size());
    const Transform<double> X_WO = eq.pose(o.grips[0].hand) * inverse(o.grips[0].X_OH);
    const RigidInertia<double> I = inertia_to_parent(Transform<double>{X_WO.R, Vec3<double>::zero()}, o.inertia);
    own.resize(6, 6);
    for (int k = 0; k < 6; ++k) {
      double unit[6] = {};
      unit[k] = 1;
      own.col(k) = six(I * motion_from(unit));
    }
    M = DenseMatrix::Zero(nv + 6, nv + 6);
    M.topLeftCorner(nv, nv) = eq.M;
    M.bottomRightCorner(6, 6) = own;
    J = DenseMatrix::Zero(6 * m, nv + 6);
    Gt = DenseMatrix(6 * m, 6);
    for (Eigen::Index i = 0; i < m; ++i) {
      const Node& hand = o.grips[i].hand;
      r.push_back(eq.pose(hand).p - X_WO.p);
      Gt.middleRows(6 * i, 6) = DenseMatrix::Identity(6, 6);
      Gt.block(6 * i + 3, 0, 3, 3) = -cross_matrix(r.back());
      J.block(6 * i, 0, 6, nv) = eq.jacobian(hand);
    }
    J.rightCols(6) = -Gt;
    inertia = I;
  }
  // A velocity common to the hands and the object.
  Vector shared_motion(std::uint64_t seed) const {
    const SingularValues svd = singular_values(J);
    Eigen::Index rank = 0;
    while (rank < svd.values.size() && svd.values[rank] > 1e-9) ++rank;
    const DenseMatrix kernel = svd.V.rightCols(J.cols() - rank);
    const std::vector<double> x = random_numbers(kernel.cols(), seed);
    return kernel * vector_of(x);
  }
  // Accelerations and forces of hands on the object, at the velocities of `u`.
  Constrained moved(const Equations& at, const Vector& u, const Vector& tau) const {
    const Eigen::Index nv = at.M.rows();
    const Vec3<double> w{u[nv], u[nv + 1], u[nv + 2]};
    Vector c(J.rows());
    const Vector h = joined(at.h, six(Force<double>{cross(w, inertia.I * w), cross(w, cross(w, inertia.h))}) -
                                      own * six(Motion<double>{Vec3<double>::zero(), at.model.gravity()}));
    const Vector push = joined(tau, Vector::Zero(6));
    for (std::size_t i = 0; i < r.size(); ++i)
      c.segment(Eigen::Index(6 * i), 6) =
          six(Motion<double>{Vec3<double>::zero(), cross(w, cross(w, r[i]))}) - at.drift(object.grips[i].hand);
    Constrained out;
    if (is_positive_definite(M) && object.inertia.mass > 0) {
      out = constrained_motion(M, h, push, J, c);
    } else {  // a massless object: solve the whole matrix at once
      const Eigen::Index n = M.rows(), k = J.rows();
      DenseMatrix K = DenseMatrix::Zero(n + k, n + k);
      K.topLeftCorner(n, n) = M;
      K.topRightCorner(n, k) = -J.transpose();
      K.bottomLeftCorner(k, n) = J;
      const Vector x = least_squares(K, joined(push - h, c));
      out = {x.head(n), x.tail(k)};
    }
    out.lambda = -out.lambda;  // on the object
    return out;
  }

  Equations eq;
  HeldObject object;
  DenseMatrix own, M, J, Gt;
  RigidInertia<double> inertia;
  std::vector<Vec3<double>> r;
};

HeldObject held_at(const Model& model, const State& state, const Transform<double>& X_WO, const RigidInertia<double>& I,
                   const std::vector<Node>& hands, const std::vector<Row>& rows = pose_rows()) {
  const Equations eq(model, state);
  HeldObject object;
  object.inertia = I;
  object.rows = rows;
  for (const Node& hand : hands) object.grips.push_back({hand, inverse(X_WO) * eq.pose(hand)});
  return object;
}

const Transform<double> somewhere{to_rotation(exp_rotation(Vec3<double>{0.3, -0.2, 0.5})), {0.4, 0.05, 1.1}};

std::vector<Node> both_hands(const Model& model) { return {node_at(model, "left_hand"), node_at(model, "right_hand")}; }

// A robot that moves the box with both hands, and its control.
struct Carrying {
  Carrying(const Model& model, std::uint64_t seed, const std::vector<Row>& rows = pose_rows())
      : state(bent_state(model, seed, 0, 0.3)),
        object(held_at(model, state, somewhere, box_inertia(), both_hands(model), rows)),
        at_rest(model, state, object),
        u(at_rest.shared_motion(seed)),
        eq(model, moving(state, u)),
        box(model, object),
        control(model, {{.node = object.grips[0].hand}, {.node = object.grips[1].hand}}) {
    state.v = eq.state.v;
    box.update(state.q, state.v);
  }
  static State moving(State state, const Vector& u) {
    state.v = as_vector(u.head(Eigen::Index(state.v.size())));
    return state;
  }

  State state;
  HeldObject object;
  Welded at_rest;
  Vector u;
  Equations eq;
  AugmentedObject box;
  OperationalSpace control;
};

// Two arms of seven joints: any motion of the box is possible, and forces between hands and box are as demanded.
TEST(AugmentedObject, TwoArmsMoveABoxAsDemandedAndPressAsTold) {
  const Model model = model_of("@dual_arm");
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Carrying carrying(model, seed);
    auto& [state, object, at_rest, u, eq, box, control] = carrying;
    EXPECT_LT((six(box.velocity()) - u.tail(6)).norm(), 1e-12);
    EXPECT_LT(norm(box.pose().p - somewhere.p), 1e-14);
    const Motion<double> demanded = motion_from(random_numbers(6, seed + 20, 3).data());
    std::vector<Force<double>> press(2);
    box.squeeze(30, press);
    std::vector<FrameDemand> hands(2);
    const ObjectReport report = box.share({demanded, press}, hands);
    ASSERT_TRUE(report.ok());
    ASSERT_EQ(report.mobility, 6) << seed;
    EXPECT_EQ(report.rank, 6);
    EXPECT_LT(report.error, 1e-9);
    std::vector<double> tau(state.v.size());
    const std::vector<double> posture = random_numbers(state.v.size(), seed, 5);
    control.update(state.q, state.v);
    ASSERT_EQ(control.torques(hands, {.posture = posture}, tau).levels[0].rank, 12) << seed;

    const Constrained moved = at_rest.moved(eq, u, vector_of(tau));
    const double scale = 10 + max_abs(moved.vdot);
    EXPECT_LT((moved.vdot.tail(6) - six(demanded)).norm(), 1e-7 * scale) << seed;
    for (int i = 0; i < 2; ++i)
      EXPECT_LT((moved.lambda.segment(6 * i, 6) - six(hands[i].exert)).norm(), 1e-7 * (100 + moved.lambda.norm()))
          << seed;
    // 30 N towards each other, in addition to the forces that carry the box
    const Vec3<double> line = at_rest.r[1] - at_rest.r[0], n = (1 / norm(line)) * line;
    std::vector<FrameDemand> relaxed(2);
    box.share({demanded, {}}, relaxed);
    EXPECT_NEAR(dot(n, hands[0].exert.f - relaxed[0].exert.f), 30, 1e-9);
    EXPECT_NEAR(dot(n, hands[1].exert.f - relaxed[1].exert.f), -30, 1e-9);
  }
}

// Two loops: a humanoid with a passive base stands on both feet and moves a box with both hands.
TEST(AugmentedObject, AFloatingHumanoidOnItsFeetMovesABox) {
  const Model model = model_of("@humanoid");
  const std::vector<Node> feet{node_at(model, "left_foot"), node_at(model, "right_foot")};
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const State state = bent_state(model, seed, 0, 0.3);
    const HeldObject object = held_at(model, state, somewhere, box_inertia(), both_hands(model));
    const Welded dense(model, state, object);
    AugmentedObject box(model, object);
    std::vector<FrameTask> tasks;
    for (const Grip& grip : object.grips) tasks.push_back({.node = grip.hand});
    for (const Node& foot : feet) tasks.push_back({.node = foot, .support = true});
    OperationalSpace control(model, tasks, {.passive = {0, 1, 2, 3, 4, 5}});
    const Motion<double> demanded = motion_from(random_numbers(6, seed, 2).data());
    std::vector<Force<double>> press(2);
    std::vector<FrameDemand> demands(4);
    std::vector<double> tau(state.v.size());
    box.update(state.q, state.v);
    box.squeeze(20, press);
    ASSERT_TRUE(box.share({demanded, press}, std::span(demands).first(2)).ok());
    control.update(state.q, state.v);
    const OperationalSpaceReport report = control.torques(demands, {}, tau);
    ASSERT_EQ(report.levels[0].rank, 12) << seed;
    EXPECT_LT(report.uncarried, 1e-8 * largest(tau)) << seed;
    for (std::size_t k = 0; k < 6; ++k) EXPECT_EQ(tau[k], 0);

    // robot, box, grips and feet in one dense system
    Welded with_feet = dense;
    const Eigen::Index n = dense.J.rows(), nv = model.nv();
    with_feet.J = DenseMatrix::Zero(n + 12, dense.J.cols());
    with_feet.J.topRows(n) = dense.J;
    for (Eigen::Index i = 0; i < 2; ++i) with_feet.J.block(n + 6 * i, 0, 6, nv) = dense.eq.jacobian(feet[i]);
    const Vector h = joined(dense.eq.h, -(dense.own * six(Motion<double>{Vec3<double>::zero(), model.gravity()})));
    const Vector push = joined(vector_of(tau), Vector::Zero(6));
    const Constrained moved = constrained_motion(dense.M, h, push, with_feet.J, Vector::Zero(n + 12));
    const double scale = 10 + max_abs(moved.vdot);
    EXPECT_LT((moved.vdot.tail(6) - six(demanded)).norm(), 1e-7 * scale) << seed;
    for (Eigen::Index i = 0; i < 2; ++i) {
      EXPECT_LT((-moved.lambda.segment(6 * i, 6) - six(demands[i].exert)).norm(), 1e-6 * (100 + moved.lambda.norm()))
          << seed;
    }
  }
}

// The same with the loops in the model: feet welded to the ground and a free box welded to the hands, moved by the
// dynamics of closed chains, which are independent of the control law.
TEST(AugmentedObject, LoopsOfTheModelCarryWhatHandsAreToldToExert) {
  const ModelSpec alone = scene("@humanoid24:floating=1").value();
  const Model robot = compile(alone).value();
  const std::vector<std::string> ends{"left_hand", "right_hand", "left_foot", "right_foot"};
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const State at_rest = bent_state(robot, seed, 0, 0.3);
    const Equations where(robot, at_rest);
    ModelSpec spec = alone;
    const InertiaSpec inertia{4, {0.02, -0.03, 0.05}, Sym3<double>::diagonal(0.05, 0.08, 0.06)};
    spec.bodies.push_back({.name = "box", .inertia = inertia, .geometry = {}});
    JointSpec loose;
    loose.name = "loose";
    loose.type = JointType::free;
    loose.child = "box";
    loose.X_PF = somewhere;
    spec.joints.push_back(loose);
    for (const std::string& end : ends) {
      const Node node = node_at(robot, end);
      const FrameOnBody on_robot{robot.bodies()[node.body].name, node.X_BN};
      LoopSpec loop;
      loop.type = LoopType::weld;
      loop.a = end.ends_with("hand") ? on_robot : FrameOnBody{"world", where.pose(node)};
      loop.b = end.ends_with("hand") ? FrameOnBody{"box", inverse(somewhere) * where.pose(node)} : on_robot;
      spec.constraints.push_back({end, loop});
    }
    const Model model = compile(spec).value();
    State state = make_state(model);
    std::copy(at_rest.q.begin(), at_rest.q.end(), state.q.begin());
    state.v = random_numbers(model.nv(), seed);
    const Plan<double> plan(model);
    ClosedChain chain(model, plan, model.constraints());
    ASSERT_LT(project_velocity(state.q, state.v, 0, chain).unmet, 1e-10);

    const std::vector<Node> hands = both_hands(model);
    AugmentedObject box(model, held_body(model, state.q, model.find_body("box"), hands));
    OperationalSpaceOptions options;
    for (const char* name : {"free", "loose"})
      for (int k = 0; k < 6; ++k) options.passive.push_back(model.joints()[model.find_joint(name)].v + k);
    OperationalSpace control(model,
                             {{.node = hands[0]},
                              {.node = hands[1]},
                              {.node = node_at(model, "left_foot"), .support = true},
                              {.node = node_at(model, "right_foot"), .support = true}},
                             options);
    const Motion<double> demanded = motion_from(random_numbers(6, seed + 20, 3).data());
    std::vector<Force<double>> press(2);
    std::vector<FrameDemand> demands(4);
    std::vector<double> tau(state.v.size()), vdot(state.v.size());
    box.update(state.q, state.v);
    box.squeeze(30, press);
    ASSERT_TRUE(box.share({demanded, press}, std::span(demands).first(2)).ok());
    control.update(state.q, state.v);
    const std::vector<double> posture = random_numbers(state.v.size(), seed + 30, 5),
                              push = random_numbers(state.v.size(), seed + 40, 20);
    ASSERT_EQ(control.torques(demands, {.posture = posture, .posture_force = push}, tau).levels[0].rank, 12) << seed;

    ASSERT_EQ(constrained_dynamics(state.q, state.v, tau, {}, 0, chain, vdot).rank, 24) << seed;
    const Equations eq(model, state);
    const double scale = 10 + largest(vdot);
    EXPECT_LT((eq.acceleration({model.find_body("box")}, vector_of(vdot)) - six(demanded)).norm(), 1e-8 * scale)
        << seed;
    for (std::size_t i = 0; i < 2; ++i) {  // force, then moment, on the box at the hand in the hand's axes
      const double* x = chain.reactions.data() + 6 * i;
      const Mat3<double> R = eq.pose(hands[i]).R;
      EXPECT_LT(norm(R * Vec3<double>{x[0], x[1], x[2]} - demands[i].exert.f), 1e-6 * scale) << seed;
      EXPECT_LT(norm(R * Vec3<double>{x[3], x[4], x[5]} - demands[i].exert.n), 1e-6 * scale) << seed;
    }
  }
}

TEST(AugmentedObject, InertiaIsTheSumOfWhatMovesWithIt) {
  const Model model = model_of("@dual_arm");
  const State state = bent_state(model, 3, 0, 0.3);
  const HeldObject object = held_at(model, state, somewhere, box_inertia(), both_hands(model));
  const Welded dense(model, state, object);
  AugmentedObject box(model, object);
  box.update(state.q, state.v);
  std::vector<double> Lambda(36);
  box.inertia(Lambda);
  // The inverse of the compliance of the object in the welded system.
  const DenseMatrix Jh = dense.J.leftCols(model.nv());
  const DenseMatrix hands = inverse(Jh * solve_positive(dense.eq.M, DenseMatrix(Jh.transpose())));
  const DenseMatrix expected = dense.own + dense.Gt.transpose() * hands * dense.Gt;
  const DenseMatrix ours = matrix_of(Lambda, 6, 6);
  EXPECT_LT((ours - expected).norm(), 1e-8 * expected.norm());
  // Arms that share no joint: the plain sum over single hands.
  DenseMatrix sum = dense.own;
  for (int i = 0; i < 2; ++i) {
    const DenseMatrix Ji = Jh.middleRows(6 * i, 6), Gi = dense.Gt.middleRows(6 * i, 6);
    sum += Gi.transpose() * inverse(Ji * solve_positive(dense.eq.M, DenseMatrix(Ji.transpose()))) * Gi;
  }
  EXPECT_LT((ours - sum).norm(), 1e-8 * sum.norm());
}

// The 24-link humanoid of 001: ten joints move two hands, so with both on one box four motions of it are left.
TEST(AugmentedObject, HumanoidWithFewJointsMovesWhatCanBeMoved) {
  const Model model = model_of("@humanoid24");
  int regular = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Carrying carrying(model, seed, position_rows());
    auto& [state, object, at_rest, u, eq, box, control] = carrying;
    const Motion<double> demanded = motion_from(random_numbers(6, seed + 20, 2).data());
    std::vector<FrameDemand> hands(2);
    const ObjectReport report = box.share({demanded, {}}, hands);
    ASSERT_TRUE(report.ok());
    EXPECT_EQ(report.mobility, 4) << seed;
    EXPECT_EQ(report.rows, 3);
    if (report.rank < 3) continue;
    ++regular;
    std::vector<double> tau(state.v.size());
    control.update(state.q, state.v);
    const OperationalSpaceReport done = control.torques(hands, {}, tau);
    EXPECT_EQ(done.levels[0].rank, 10);
    // the hands' accelerations are possible ones
    EXPECT_LT(done.levels[0].error, 1e-6 * (10 + largest(tau))) << seed;
    const Constrained moved = at_rest.moved(eq, u, vector_of(tau));
    const double scale = 10 + max_abs(moved.vdot);
    EXPECT_LT((moved.vdot.tail(3) - six(demanded).tail(3)).norm(), 1e-6 * scale) << seed;
    EXPECT_LT((moved.vdot.tail(6) - six(report.acceleration)).norm(), 1e-6 * scale) << seed;
  }
  EXPECT_GE(regular, 4);
}

// A box that is a body of the model: free, or welded to the left hand. Both are the same box.
TEST(AugmentedObject, ABodyOfTheModelIsTheSameObject) {
  const Model robot = model_of("@dual_arm");
  const State start = bent_state(robot, 2, 0, 0.3);
  const std::vector<Node> hands = both_hands(robot);
  const Equations eq(robot, start);
  const Motion<double> demanded{{0.5, -1, 0.3}, {1, 2, -0.5}};
  const Vec3<double> centre{0.02, -0.03, 0.05};
  const InertiaSpec inertia{4, centre, Sym3<double>{0.05, 0.08, 0.06, 0.01, -0.005, 0.002}};

  const auto torques = [&](const Model& model, const HeldObject& object, const OperationalSpaceOptions& options,
                           const State& state) {
    AugmentedObject box(model, object);
    OperationalSpace control(model, {{.node = object.grips[0].hand}, {.node = object.grips[1].hand}}, options);
    std::vector<FrameDemand> told(2);
    box.update(state.q, state.v);
    EXPECT_TRUE(box.share({demanded, {}}, told).ok());
    std::vector<double> tau(state.v.size());
    control.update(state.q, state.v);
    EXPECT_TRUE(control.torques(told, {}, tau).ok());
    return tau;
  };
  const HeldObject apart = held_at(robot, start, somewhere, box_inertia(), hands);
  const std::vector<double> expected = torques(robot, apart, {}, start);

  ModelSpec spec = scene("@dual_arm").value();
  spec.bodies.push_back({.name = "box", .inertia = inertia, .geometry = {}});
  spec.joints.push_back(joint("loose", JointType::free, "world", "box"));
  const Model with_free = compile(spec).value();
  State state = make_state(with_free);
  const Joint& loose = with_free.joints()[with_free.find_joint("loose")];
  std::copy(start.q.begin(), start.q.end(), state.q.begin());
  const Quaternion<double> turn = from_rotation(somewhere.R);
  const double at[7] = {turn.w, turn.x, turn.y, turn.z, somewhere.p.x, somewhere.p.y, somewhere.p.z};
  std::copy(at, at + 7, state.q.begin() + loose.q);
  OperationalSpaceOptions options;
  for (int k = 0; k < 6; ++k) options.passive.push_back(loose.v + k);
  const HeldObject found = held_body(with_free, state.q, with_free.find_body("box"), both_hands(with_free));
  EXPECT_LT(norm(found.grips[1].X_OH.p - apart.grips[1].X_OH.p), 1e-14);
  std::vector<double> tau = torques(with_free, found, options, state);
  for (int k = 0; k < 6; ++k) EXPECT_EQ(tau[loose.v + k], 0);
  tau.resize(expected.size());
  EXPECT_LT(largest_difference(tau, expected), 1e-9 * largest(expected));

  // Welded to the left palm, the left hand carries all; so it gets the whole load in the first case, too.
  ModelSpec carrying = scene("@dual_arm").value();
  carrying.bodies.push_back({.name = "box", .inertia = inertia, .geometry = {}});
  JointSpec weld;
  weld.name = "held";
  weld.type = JointType::weld;
  weld.parent = robot.bodies()[hands[0].body].name;
  weld.child = "box";
  weld.X_PF = hands[0].X_BN * inverse(apart.grips[0].X_OH);
  carrying.joints.push_back(weld);
  const Model with_weld = compile(carrying).value();
  const HeldObject part = held_body(with_weld, start.q, with_weld.find_body("box"), both_hands(with_weld));
  EXPECT_EQ(part.inertia.mass, 0);
  HeldObject one_sided = apart;
  one_sided.grips[0].share = 1e12;
  EXPECT_LT(largest_difference(torques(with_weld, part, {}, start), torques(robot, one_sided, {}, start)),
            1e-6 * largest(expected));

  // and in the welded system it moves as demanded
  State still = start;
  const Welded dense(with_weld, still, part);
  const Constrained moved =
      dense.moved(dense.eq, Vector::Zero(with_weld.nv() + 6), vector_of(torques(with_weld, part, {}, start)));
  EXPECT_LT((moved.vdot.tail(6) - six(demanded)).norm(), 1e-6);
}

// A part of the last of two rods in a plane: no inertia of its own, and two of six motions. The remaining error of the
// demand is in directions that no joint can move.
TEST(AugmentedObject, APartOfAHandThatCanHardlyMove) {
  const Model model = model_of("@double_pendulum:rods=1");
  State state = random_state(model, 3);
  const Node tip{2, {to_rotation(exp_rotation(Vec3<double>{0.2, 0.5, 1})), {0.1, 0.2, -0.1}}};
  HeldObject object;
  object.grips = {{tip, translation(0.1, 0.1, 0.1)}};
  AugmentedObject part(model, object);
  OperationalSpace control(model, {{.node = tip}});
  part.update(state.q, state.v);
  control.update(state.q, state.v);
  std::vector<FrameDemand> hand(1);
  const ObjectReport report = part.share({{{1, 2, 3}, {-1, 2, 5}}, {}}, hand);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report.mobility, 2);
  EXPECT_EQ(report.rank, 2);
  EXPECT_GT(report.error, 0.1);
  std::vector<double> tau(state.v.size());
  EXPECT_LT(control.torques(hand, {}, tau).levels[0].error, 1e-9);  // the demand is possible
  const Equations eq(model, state);
  const Vector a = eq.acceleration(tip, vector_of(moved_by(model, state, tau)));
  EXPECT_LT((a - six(hand[0].acceleration)).norm(), 1e-9 * (1 + a.norm()));
}

TEST(AugmentedObject, SharesAsItIsTold) {
  const Model model = model_of("@dual_arm");
  const State state = bent_state(model, 4, 0, 0.3);
  HeldObject object = held_at(model, state, somewhere, box_inertia(), both_hands(model));
  for (const double share : {1.0, 3.0}) {
    object.grips[0].share = share;
    AugmentedObject box(model, object);
    box.update(state.q, state.v);
    std::vector<FrameDemand> hands(2);
    const ObjectReport report = box.share({}, hands);
    EXPECT_NEAR(report.load.f.z, 4 * 9.81, 1e-9);  // at rest, it carries the weight
    Force<double> sum = Force<double>::zero();
    const Equations eq(model, state);
    for (std::size_t i = 0; i < 2; ++i) {
      const Vec3<double> r = eq.pose(object.grips[i].hand).p - somewhere.p;
      sum = sum + Force<double>{hands[i].exert.n + cross(r, hands[i].exert.f), hands[i].exert.f};
    }
    EXPECT_LT((six(sum) - six(report.load)).norm(), 1e-10);
  }
  // One hand carries it alone: press forces have no effect.
  object.grips.pop_back();
  AugmentedObject box(model, object);
  box.update(state.q, state.v);
  std::vector<FrameDemand> hand(1);
  const std::vector<Force<double>> press{{{1, 2, 3}, {4, 5, 6}}};
  box.share({Motion<double>::zero(), press}, hand);
  EXPECT_NEAR(hand[0].exert.f.z, 4 * 9.81, 1e-9);
  EXPECT_NEAR(hand[0].exert.f.x, 0, 1e-9);
}

TEST(AugmentedObject, SaysWhatDoesNotFitAndWhatIsNotFinite) {
  const Model model = model_of("@dual_arm");
  State state = bent_state(model, 4, 0, 0.3);
  const HeldObject object = held_at(model, state, somewhere, box_inertia(), both_hands(model));
  AugmentedObject box(model, object);
  std::vector<FrameDemand> two(2), one(1);
  EXPECT_THROW(box.share({}, two), CheckFailed);  // before update()
  EXPECT_THROW(box.pose(), CheckFailed);
  EXPECT_THROW(box.velocity(), CheckFailed);
  std::vector<Force<double>> press(2), presses(3);
  EXPECT_THROW(box.squeeze(1, press), CheckFailed);
  std::vector<double> Lambda(36);
  EXPECT_THROW(box.inertia(Lambda), CheckFailed);
  box.update(state.q, state.v);
  EXPECT_THROW(box.share({}, one), CheckFailed);
  EXPECT_THROW(AugmentedObject(model, {}), CheckFailed);
  EXPECT_THROW(box.squeeze(1, presses), CheckFailed);
  EXPECT_THROW(box.share({.press = presses}, two), CheckFailed);
  EXPECT_THROW(box.inertia(std::span(Lambda).first(35)), CheckFailed);
  EXPECT_THROW(box.update(std::span(state.q).first(3), state.v), CheckFailed);
  EXPECT_THROW(box.update(state.q, std::span(state.v).first(3)), CheckFailed);
  const auto refused = [&](const auto& change) {
    HeldObject bad = object;
    change(bad);
    try {
      AugmentedObject(model, bad);
    } catch (const CheckFailed&) {
      return true;
    }
    return false;
  };
  EXPECT_FALSE(refused([](HeldObject&) {}));
  EXPECT_TRUE(refused([](HeldObject& o) { o.inertia.mass = std::nan(""); }));
  EXPECT_TRUE(refused([](HeldObject& o) { o.inertia.mass = -1; }));
  EXPECT_TRUE(refused([](HeldObject& o) { o.inertia.h.y = unlimited; }));
  EXPECT_TRUE(refused([](HeldObject& o) { o.inertia.I.xz = std::nan(""); }));
  EXPECT_TRUE(refused([](HeldObject& o) { o.rows.push_back(o.rows[0]); })) << "seven rows";
  for (const std::size_t i : {0u, 1u}) {  // either hand
    EXPECT_TRUE(refused([i](HeldObject& o) { o.grips[i].share = 0; }));
    EXPECT_TRUE(refused([i](HeldObject& o) { o.grips[i].share = unlimited; }));
    EXPECT_TRUE(refused([i](HeldObject& o) { o.grips[i].hand.body = 99; }));
    EXPECT_TRUE(refused([i](HeldObject& o) { o.grips[i].X_OH.R.x = {2, 0, 0}; }));
    EXPECT_TRUE(refused([i](HeldObject& o) { o.grips[i].X_OH.p.z = std::nan(""); }));
  }
  for (const double tolerance : {0.0, 1.0}) EXPECT_THROW(AugmentedObject(model, object, tolerance), CheckFailed);
  EXPECT_THROW(held_body(model, state.q, 0, both_hands(model)), CheckFailed);
  std::vector<FrameDemand> good(2);
  EXPECT_TRUE(box.share({}, good).ok());
  std::vector<double> q = state.q;
  q[5] = std::nan("");
  box.update(q, state.v);
  EXPECT_EQ(box.share({}, two).status, ControlStatus::not_finite);
  box.update(state.q, state.v);
  EXPECT_TRUE(box.share({}, two).ok());
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ((six(two[i].exert) - six(good[i].exert)).norm(), 0);
  Motion<double> demand = Motion<double>::zero();
  demand.w.y = std::nan("");
  EXPECT_EQ(box.share({demand, {}}, two).status, ControlStatus::not_finite);
}

}  // namespace
}  // namespace linchpin
