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

}  // namespace
}  // namespace linchpin
