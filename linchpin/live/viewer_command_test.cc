#include "linchpin/live/viewer_command.h"

#include <string>

#include <gtest/gtest.h>

namespace linchpin {
namespace {

using Kind = ViewerCommand::Kind;

TEST(ViewerCommand, TheProtocolsMessages) {
  const std::pair<const char*, Kind> plain[] = {{R"({"type": "play"})", Kind::play},
                                                {R"({"type": "pause"})", Kind::pause},
                                                {R"({"type": "step"})", Kind::step},
                                                {R"({"type": "reset"})", Kind::reset},
                                                {R"({"type": "release"})", Kind::release}};
  for (const auto& [text, kind] : plain) {
    const auto command = viewer_command_from(text, 5);
    ASSERT_TRUE(command) << text;
    EXPECT_EQ(command->kind, kind) << text;
    // what is not in the message has its default
    EXPECT_EQ(command->viewer, 0u);
    EXPECT_EQ(command->speed, 1);
    EXPECT_EQ(command->body, 0);
    for (const Vec3<double>& v : {command->at, command->to}) EXPECT_TRUE(v.x == 0 && v.y == 0 && v.z == 0);
  }
  const auto speed = viewer_command_from(R"({"type": "speed", "value": 0.5})", 5);
  ASSERT_TRUE(speed);
  EXPECT_EQ(speed->kind, Kind::speed);
  EXPECT_EQ(speed->speed, 0.5);
  const auto push = viewer_command_from(R"({"type":"push","body":4,"at":[1,2.5,-3],"to":[4e1,5,6]})", 5);
  ASSERT_TRUE(push);
  EXPECT_EQ(push->kind, Kind::push);
  EXPECT_EQ(push->body, 4);
  EXPECT_EQ(push->at.x, 1);
  EXPECT_EQ(push->at.y, 2.5);
  EXPECT_EQ(push->at.z, -3);
  EXPECT_EQ(push->to.x, 40);
  EXPECT_EQ(push->to.y, 5);
  EXPECT_EQ(push->to.z, 6);
}

// Numbers at their limits are taken, beyond them refused. The limits are those of docs/viewer_data.md.
TEST(ViewerCommand, LimitsOfNumbers) {
  const auto speed = [](const char* value) {
    const auto command = viewer_command_from(R"({"type":"speed","value":)" + std::string(value) + "}", 5);
    return command ? command->speed : -1;
  };
  EXPECT_EQ(speed("0.001"), 0.001);
  EXPECT_EQ(speed("1000"), 1000);
  EXPECT_EQ(speed("0.00099"), -1);
  EXPECT_EQ(speed("1001"), -1);
  const auto reaches = [](const char* x) {
    const std::string point = "[" + std::string(x) + ",0,0]";
    return bool(viewer_command_from(R"({"type":"push","body":1,"at":[0,0,0],"to":)" + point + "}", 5)) &&
           bool(viewer_command_from(R"({"type":"push","body":1,"to":[0,0,0],"at":)" + point + "}", 5));
  };
  EXPECT_TRUE(reaches("1e6"));
  EXPECT_TRUE(reaches("-1e6"));
  EXPECT_FALSE(reaches("1000001"));
  EXPECT_FALSE(reaches("-1000001"));
  for (const int body : {1, 2}) {
    const auto push =
        viewer_command_from(R"({"type":"push","body":)" + std::to_string(body) + R"(,"at":[0,0,0],"to":[0,0,0]})", 2);
    EXPECT_EQ(push.has_value(), body == 1) << "there are the world and one body";
  }
}

TEST(ViewerCommand, AnythingElseIsNone) {
  const std::string deep(2000, '[');
  const std::string bad[] = {
      "",
      "play",
      "{",
      "null",
      "[]",
      "{}",
      "\"play\"",
      R"({"type": "quit"})",
      R"({"type": 3})",
      R"({"type": null})",
      R"({"Type": "play"})",
      R"({"type": "play", "now": true})",
      R"({"type": "play"} {"type": "play"})",
      R"({"type": "speed"})",
      R"({"type": "speed", "value": "1"})",
      R"({"type": "speed", "value": 0})",
      R"({"type": "speed", "value": -1})",
      R"({"type": "speed", "value": 1e9})",
      R"({"type": "speed", "value": 1e999})",
      R"({"type": "speed", "value": NaN})",
      R"({"type": "speed", "value": null})",
      R"({"type": "push", "body": 1, "at": [0, 0, 0]})",
      R"({"type": "push", "body": 0, "at": [0, 0, 0], "to": [0, 0, 0]})",
      R"({"type": "push", "body": -1, "at": [0, 0, 0], "to": [0, 0, 0]})",
      R"({"type": "push", "body": 5, "at": [0, 0, 0], "to": [0, 0, 0]})",
      R"({"type": "push", "body": 4294967297, "at": [0, 0, 0], "to": [0, 0, 0]})",
      R"({"type": "push", "body": 18446744073709551615, "at": [0, 0, 0], "to": [0, 0, 0]})",
      R"({"type": "push", "body": 1.5, "at": [0, 0, 0], "to": [0, 0, 0]})",
      R"({"type": "push", "body": "1", "at": [0, 0, 0], "to": [0, 0, 0]})",
      R"({"type": "push", "body": 1, "at": [0, 0], "to": [0, 0, 0]})",
      R"({"type": "push", "body": 1, "at": [0, 0, 0, 0], "to": [0, 0, 0]})",
      R"({"type": "push", "body": 1, "at": [0, null, 0], "to": [0, 0, 0]})",
      R"({"type": "push", "body": 1, "at": [0, NaN, 0], "to": [0, 0, 0]})",
      R"({"type": "push", "body": 1, "at": [0, 0, 0], "to": [0, 0, 1e7]})",
      R"({"type": "push", "body": 1, "at": [0, 0, 0], "to": [0, 0, 1e400]})",
      R"({"type": "push", "body": 1, "at": {"x": 0}, "to": [0, 0, 0]})",
      R"({"type": "push", "body": 1, "at": [0, 0, 0], "to": [0, 0, 0], "force": 3})",
      "{\"type\": \"pl\xff\xfe\"}",
      std::string("{\"type\": \"play\"}\0", 17),
      deep,
      "{\"type\": " + deep,
  };
  for (const std::string& text : bad) EXPECT_FALSE(viewer_command_from(text, 5)) << text.substr(0, 200);
}

}  // namespace
}  // namespace linchpin
