// The live server: messages of viewers, and bytes on its socket.
#include <cmath>
#include <cstring>
#include <unistd.h>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "linchpin/live/live_server.h"
#include "linchpin/live/viewer_command.h"
#include "tests/fuzz/fuzz.h"

namespace linchpin {
namespace {

constexpr int bodies = 5;

const std::vector<std::string> messages = {R"({"type":"play"})",
                                           R"({"type":"pause"})",
                                           R"({"type":"step"})",
                                           R"({"type":"reset"})",
                                           R"({"type":"release"})",
                                           R"({"type":"speed","value":0.5})",
                                           R"({"type":"push","body":4,"at":[1,2.5,-3],"to":[4e1,5,6]})"};
const std::vector<std::string> words = {"play",  "pause", "step", "reset", "release", "speed", "push", "type",
                                        "value", "body",  "at",   "to",    "GET",     "Host",  "HTTP", "Upgrade"};

void check_command(const ViewerCommand& command) {
  const auto near = [](const Vec3<double>& p) {
    return std::abs(p.x) <= farthest_push && std::abs(p.y) <= farthest_push && std::abs(p.z) <= farthest_push;
  };
  if (command.kind == ViewerCommand::Kind::speed)
    promise(command.speed >= slowest_speed && command.speed <= fastest_speed, "a speed out of its range");
  if (command.kind == ViewerCommand::Kind::push)
    promise(command.body >= 1 && command.body < bodies && near(command.at) && near(command.to), "a push out of range");
}

TEST(Fuzz, ViewerCommand) {
  FuzzTarget target{.name = "viewer command", .seeds = messages, .words = words, .inputs = 30000};
  target.read = [](const std::string& text) {
    const std::optional<ViewerCommand> command = viewer_command_from(text, bodies);
    if (command) check_command(*command);
    return command.has_value();
  };
  fuzz(target);
}

// A text message as a websocket frame of a client, whose mask is zero so that the text stays readable.
std::string frame(const std::string& text) {
  std::string bytes = "\x81";
  bytes += char(0x80 | text.size());
  return bytes + std::string(4, '\0') + text;
}

// All that the server answers to these bytes until it closes the connection.
std::string answer_to(int port, const std::string& bytes) {
  struct Socket {
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    ~Socket() { close(fd); }
  } s;
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(std::uint16_t(port));
  inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
  promise(connect(s.fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0, "the server takes no connection");
  const timeval patience{9, 0};
  setsockopt(s.fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  (void)send(s.fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  shutdown(s.fd, SHUT_WR);
  std::string answer;
  char piece[4096];
  for (;;) {
    const ssize_t n = recv(s.fd, piece, sizeof piece, 0);
    promise(n >= 0 || errno == ECONNRESET, "the server keeps a connection open that the client has ended");
    if (n <= 0) return answer;
    answer.append(piece, std::size_t(n));
  }
}

TEST(Fuzz, LiveServer) {
  Result<std::unique_ptr<LiveServer>> started =
      LiveServer::start({.page = "<html>page</html>", .scene = "{}", .bodies = bodies, .recording = {}}, {});
  ASSERT_TRUE(started.ok()) << started.error().message;
  LiveServer& server = *started.value();
  const std::string page = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const std::string upgrade =
      "GET /live HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
  FuzzTarget target{.name = "live server", .seeds = {page, upgrade}, .words = words, .inputs = 1000};
  for (const std::string& message : messages) target.seeds.push_back(upgrade + frame(message));
  std::vector<ViewerCommand> commands;
  int tried = 0;
  target.read = [&](const std::string& bytes) {
    const std::string answer = answer_to(server.port(), bytes);
    server.take(commands);
    for (const ViewerCommand& command : commands) check_command(command);
    if (++tried % 100 == 0) promise(answer_to(server.port(), page).starts_with("HTTP/1.1 200"), "no page any more");
    return answer.starts_with("HTTP/1.1 200") || answer.starts_with("HTTP/1.1 101");
  };
  fuzz(target);
}

}  // namespace
}  // namespace linchpin
