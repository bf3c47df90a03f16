#include "linchpin/record/certificate_json.h"

#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "linchpin/model/scenes.h"

namespace linchpin {
namespace {

using Json = nlohmann::json;

TEST(CertificateJson, SaysWhyItDoesNotPass) {
  const Model model = compile(scene("@four_bar").value()).value();
  Certificate c;
  EXPECT_EQ(why_not_passed(model, c), "");
  Json json = Json::parse(certificate_json(model, c));
  EXPECT_EQ(json["passed"], true);
  EXPECT_EQ(json["reason"], "");
  EXPECT_EQ(json["energy"]["tolerance"], 0.1);
  c.limits.energy = unlimited;
  EXPECT_TRUE(Json::parse(certificate_json(model, c))["energy"]["tolerance"].is_null());

  c.limits.energy = 1e-3;
  c.energy.largest_defect = 1;
  c.energy.exchanged = 100;
  EXPECT_EQ(
      why_not_passed(model, c),
      "energy defect 1.00e+00 J, 1.00e-02 of the energy exchanged, above the limit 1.00e-03: take a smaller dt or "
      "another stepper");
  c.penetration = 2e-3;
  EXPECT_EQ(why_not_passed(model, c), "shapes penetrate by 2.00e-03 m, above the limit 1.00e-04 m");
  c.finite = false;
  c.energy.stored = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(why_not_passed(model, c), "the energy is not finite");
  json = Json::parse(certificate_json(model, c));
  EXPECT_TRUE(json["energy"]["stored"].is_null());
  EXPECT_EQ(json["energy"]["exchanged"], 100);

  c.status = StepStatus::constraints_unmet;
  c.reason = "no state near";
  c.constraint = 0;
  EXPECT_EQ(why_not_passed(model, c), "no state near (constraint '" + model.constraints()[0].name + "')");
  EXPECT_EQ(Json::parse(certificate_json(model, c))["constraint"], model.constraints()[0].name);
  EXPECT_TRUE(Json::parse(certificate_json(model, c))["body"].is_null());
  c.constraint = -1;
  EXPECT_EQ(why_not_passed(model, c), "no state near");
  EXPECT_TRUE(Json::parse(certificate_json(model, c))["constraint"].is_null());
  c.body = 1;
  EXPECT_EQ(why_not_passed(model, c), "no state near (body '" + model.bodies()[1].name + "')");
  json = Json::parse(certificate_json(model, c));
  EXPECT_EQ(json["passed"], false);
  EXPECT_EQ(json["status"], to_string(StepStatus::constraints_unmet));
  EXPECT_EQ(json["body"], model.bodies()[1].name);
}

TEST(CertificateJson, ThreeVerdicts) {
  const Model model = compile(scene("@stack:boxes=1").value()).value();
  Certificate c;
  c.problems = 1200;
  c.residual = 9e-11;
  const auto json_of = [&] { return Json::parse(certificate_json(model, c)); };
  EXPECT_EQ(json_of()["verdict"], "passed");
  EXPECT_EQ(why_loosely(c), "");

  c.loose = 3;
  c.residual = 2.5e-7;
  EXPECT_EQ(json_of()["passed"], true);
  EXPECT_EQ(json_of()["verdict"], "passed_loosely");
  EXPECT_EQ(json_of()["status"], "done");
  EXPECT_EQ(json_of()["reason"],
            "3 of 1200 contact problems were not solved to the tolerance; the largest residual is 2.50e-07");
  EXPECT_EQ(why_not_passed(model, c), "");

  const Json early = Json::parse(certificate_json(model, c, EarlyEnd{"unfinished", "still running"}));
  EXPECT_EQ(early["passed"], false);
  EXPECT_EQ(early["verdict"], "unfinished");
  EXPECT_EQ(early["reason"], "still running");

  c.penetration = 1;
  EXPECT_EQ(json_of()["verdict"], "failed");
  EXPECT_EQ(json_of()["passed"], false);
  EXPECT_EQ(why_loosely(c), "");
}

TEST(CertificateJson, NamesTheContactsWithoutMode) {
  const Model model = compile(scene("@stack:boxes=2").value()).value();
  Certificate c;
  c.status = StepStatus::no_mode;
  c.reason = "no mode";
  c.body = 1;
  const std::vector<ContactReport> contacts{{.shape_a = 0, .shape_b = 1, .point = {1, 2, 3}, .normal = {0, 0, 1}},
                                            {.shape_a = 0, .shape_b = 1},
                                            {.shape_a = 1, .shape_b = 2}};
  const std::string pairs = "world/floor and box_1/box_1 (2 points), box_1/box_1 and box_2/box_2";
  EXPECT_EQ(touching_pairs(model, contacts), pairs);
  EXPECT_EQ(why_not_passed(model, c, contacts), "no mode (body 'box_1'; in touch: " + pairs + ")");
  const Json json = Json::parse(certificate_json(model, c, {}, contacts));
  EXPECT_EQ(json["reason"], why_not_passed(model, c, contacts));
  ASSERT_EQ(json["contact"]["without_mode"].size(), 3u);
  const Json first = {{"a", "world/floor"}, {"b", "box_1/box_1"}, {"point", {1, 2, 3}}, {"normal", {0, 0, 1}}};
  EXPECT_EQ(json["contact"]["without_mode"][0], first);
  EXPECT_EQ(Json::parse(certificate_json(model, c))["contact"]["without_mode"], Json::array());
}

// Body 0 is the world: a failure may name it like any other.
TEST(CertificateJson, NamesTheWorld) {
  const Model model = compile(scene("@four_bar").value()).value();
  Certificate c;
  c.status = StepStatus::not_finite;
  c.reason = "not finite";
  c.constraint = 0;
  c.body = 0;
  EXPECT_EQ(why_not_passed(model, c), "not finite (body '" + model.bodies()[0].name + "')");
}

TEST(CertificateJson, NamesTheLastConstraint) {
  const Model model = compile(scene("@four_bar:loops=3").value()).value();
  ASSERT_GT(model.constraints().size(), 1u);
  Certificate c;
  c.status = StepStatus::constraints_unmet;
  c.reason = "no state near";
  c.constraint = int(model.constraints().size()) - 1;
  EXPECT_EQ(why_not_passed(model, c), "no state near (constraint '" + model.constraints().back().name + "')");
}

// Contacts alone, without a body.
TEST(CertificateJson, NamesContactsWithoutABody) {
  const Model model = compile(scene("@stack:boxes=1").value()).value();
  Certificate c;
  c.status = StepStatus::no_mode;
  c.reason = "no mode";
  const std::vector<ContactReport> contacts{{.shape_a = 0, .shape_b = 1}};
  EXPECT_EQ(why_not_passed(model, c, contacts), "no mode (in touch: world/floor and box_1/box_1)");
}

// Each limit has its own reason. A figure at its limit is within it.
TEST(CertificateJson, AReasonForEachLimit) {
  const Model model = compile(scene("@pendulum").value()).value();
  const auto why = [&](void (*change)(Certificate&)) {
    Certificate c;
    c.energy.exchanged = 10;
    c.limits = {.energy = 0.125, .projection = 0.1875, .penetration = 0.25, .overrun = 0.5};
    change(c);
    EXPECT_EQ(c.passed(), why_not_passed(model, c).empty());
    return why_not_passed(model, c);
  };
  EXPECT_EQ(why([](Certificate& c) {
              c.penetration = 0.25;
              c.overrun = 0.5;
              c.energy.largest_defect = 1.25;
              c.energy.largest_projection = 1.875;
            }),
            "");
  // A state that was NaN for a while, though every figure is a number.
  EXPECT_EQ(why([](Certificate& c) { c.finite = false; }), "the energy is not finite");
  EXPECT_EQ(why([](Certificate& c) { c.overrun = 1; }),
            "a joint is 1.00e+00 rad or m beyond its range, above the limit 5.00e-01");
  EXPECT_EQ(why([](Certificate& c) { c.energy.largest_projection = 2; }),
            "corrections of positions added or took 2.00e+00 J, 2.00e-01 of the energy exchanged, above the limit "
            "1.88e-01: take a smaller dt");
  EXPECT_EQ(why([](Certificate& c) { c.penetration = std::numeric_limits<double>::infinity(); }),
            "the penetration is not finite");
}

TEST(CertificateJson, AReasonForEachLooseness) {
  Certificate c;
  c.steps = 500;
  c.unsplit = 2;
  const std::string unsplit =
      "in 2 of 500 steps there were more impacts than max_splits, the others had no restitution";
  EXPECT_EQ(why_loosely(c), unsplit);
  c.handed_over = 7;
  const std::string handed =
      "7 of 500 steps were taken by time_stepping (too many events or substeps, or no contact mode)";
  EXPECT_EQ(why_loosely(c), unsplit + "; " + handed);
  c.loose = 1;
  c.problems = 9;
  EXPECT_EQ(why_loosely(c),
            "1 of 9 contact problems were not solved to the tolerance; the largest residual is 0.00e+00; " + unsplit +
                "; " + handed);
  c.loose = c.unsplit = 0;
  EXPECT_EQ(why_loosely(c), handed);
}

// One line, whatever bytes a name has.
TEST(CertificateJson, IsOneLineOfUtf8) {
  ModelSpec spec;
  spec.bodies = {{.name = "ro\xff\nck", .inertia = {.mass = 1}, .geometry = {}}};
  spec.joints = {{.name = "ground", .type = JointType::weld, .child = "ro\xff\nck"}};
  const auto model = compile(spec);
  ASSERT_TRUE(model) << model.error().message;
  Certificate c;
  c.status = StepStatus::not_finite;
  c.reason = "not finite";
  c.body = 1;
  const std::string text = certificate_json(model.value(), c);
  EXPECT_EQ(text.find('\n'), text.npos);
  EXPECT_EQ(Json::parse(text)["body"], "ro\uFFFD\nck");
}

}  // namespace
}  // namespace linchpin
