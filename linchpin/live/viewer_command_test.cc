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
  }
  const auto speed = viewer_command_from(R"({"type": "speed", "value": 0.5})", 5);
  ASSERT_TRUE(speed);
  EXPECT_EQ(speed->kind, Kind::speed);
  EXPECT_EQ(speed->speed, 0.5);
  const auto push = viewer_command_from(R"({"type":"push","body":4,"at":[1,2.5,-3],"to":[4e1,5,6]})", 5);
  ASSERT_TRUE(push);
  EXPECT_EQ(push->kind, Kind::push);
  EXPECT_EQ(push->body, 4);
  EXPECT_EQ(push->at.y, 2.5);
  EXPECT_EQ(push->at.z, -3);
  EXPECT_EQ(push->to.x, 40);
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
