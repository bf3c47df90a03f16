// Each rule of docs/viewer_serving.md from the outside: by plain sockets, and by Beast as a client.
#include "linchpin/live/live_server.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <thread>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/websocket.hpp>
#include <gtest/gtest.h>

#include "linchpin/live/live_run.h"
#include "linchpin/model/scenes.h"

namespace linchpin {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace websocket = beast::websocket;
using asio::ip::tcp;
using boost::system::error_code;

using Kind = ViewerCommand::Kind;

// Waits for a condition; a timeout fails the test. No test depends on how long it takes.
bool in_time(const std::function<bool()>& is_so) {
  for (const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);;) {
    if (is_so()) return true;
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

const ServedContent live_content{
    .page = "<html>page</html>", .scene = "{\"type\":\"scene\"}", .bodies = 5, .recording = {}};

std::unique_ptr<LiveServer> started(const ServedContent& content = live_content, const ServerOptions& options = {}) {
  auto server = LiveServer::start(content, options);
  EXPECT_TRUE(server.ok()) << (server.ok() ? "" : server.error().message);
  return server.ok() ? std::move(server).value() : nullptr;
}

tcp::socket connected(asio::io_context& context, int port) {
  tcp::socket socket(context);
  socket.connect({asio::ip::make_address("127.0.0.1"), static_cast<unsigned short>(port)});
  return socket;
}

// All bytes until the server closes the connection.
std::string answer_to(int port, const std::string& request) {
  asio::io_context context;
  tcp::socket socket = connected(context, port);
  error_code fault;
  asio::write(socket, asio::buffer(request), fault);
  std::string answer;
  char piece[4096];
  for (;;) {
    const std::size_t n = socket.read_some(asio::buffer(piece), fault);
    answer.append(piece, n);
    if (fault) return answer;
  }
}
std::string get(int port, const std::string& target, const std::string& headers = "Host: localhost\r\n") {
  return answer_to(port, "GET " + target + " HTTP/1.1\r\n" + headers + "\r\n");
}
int status_of(const std::string& answer) {
  return answer.starts_with("HTTP/1.1 ") ? std::stoi(answer.substr(9, 3)) : 0;
}
std::string body_of(const std::string& answer) {
  const std::size_t end = answer.find("\r\n\r\n");
  return end == std::string::npos ? "" : answer.substr(end + 4);
}

// The status of a websocket handshake; 101 is success.
int upgrade_status(int port, const std::string& target = "/live", const std::string& host = "localhost",
                   const std::string& origin = "") {
  asio::io_context context;
  tcp::socket socket = connected(context, port);
  error_code fault;
  asio::write(socket,
              asio::buffer("GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\n" +
                           (origin.empty() ? "" : "Origin: " + origin + "\r\n") +
                           "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                           "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"),
              fault);
  char answer[12] = {};
  const std::size_t n = asio::read(socket, asio::buffer(answer), fault);
  return status_of(std::string(answer, n));
}

class Client {
 public:
  explicit Client(int port) : socket_(context_) {
    socket_.next_layer().connect({asio::ip::make_address("127.0.0.1"), static_cast<unsigned short>(port)});
    socket_.read_message_max(1 << 26);
    socket_.handshake("localhost", "/live", fault_);
  }
  bool open() const { return !fault_; }
  // The next message, or nothing if the connection has ended.
  std::optional<std::string> read() {
    beast::flat_buffer buffer;
    socket_.read(buffer, fault_);
    if (fault_) return {};
    return std::string(static_cast<const char*>(buffer.cdata().data()), buffer.size());
  }
  bool got_text() const { return socket_.got_text(); }
  void write(const std::string& message, bool text = true) {
    error_code fault;
    socket_.text(text);
    socket_.write(asio::buffer(message), fault);
  }
  bool ends() {  // after any pending messages
    while (read()) {
    }
    return true;
  }
  int why() const { return int(socket_.reason().code); }
  tcp::socket& tcp_socket() { return socket_.next_layer(); }

 private:
  asio::io_context context_;
  websocket::stream<tcp::socket> socket_;
  error_code fault_;
};

void publish(LiveServer& server, const std::string& frame) {
  server.publish_frame(std::as_bytes(std::span(frame.data(), frame.size())));
}

// The server still works: a new viewer gets the scene.
void expect_alive(LiveServer& server) {
  Client client(server.port());
  ASSERT_TRUE(client.open());
  EXPECT_EQ(client.read(), live_content.scene);
}

// ---- HTTP -----------------------------------------------------------------------------------------------------------

TEST(LiveServer, ServesThePageAndSaysWhichKind) {
  const auto server = started();
  EXPECT_EQ(server->token(), "");
  EXPECT_EQ(server->address(), "http://127.0.0.1:" + std::to_string(server->port()) + "/");
  const std::string page = get(server->port(), "/");
  EXPECT_EQ(status_of(page), 200);
  EXPECT_EQ(body_of(page), "<html>page</html>");
  for (const char* header :
       {"Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src "
        "data: blob:; connect-src 'self';",
        "X-Content-Type-Options: nosniff\r\n", "Referrer-Policy: no-referrer\r\n", "X-Frame-Options: DENY\r\n",
        "Content-Type: text/html", "Cross-Origin-Resource-Policy: same-origin"})
    EXPECT_NE(page.find(header), std::string::npos) << header << "\n" << page;
  EXPECT_EQ(body_of(get(server->port(), "/session")), "{\"mode\": \"live\"}");
  EXPECT_EQ(status_of(get(server->port(), "/recording")), 404);
  EXPECT_EQ(status_of(get(server->port(), "/live")), 426);
  EXPECT_EQ(status_of(get(server->port(), "/etc/passwd")), 404);
  EXPECT_EQ(status_of(get(server->port(), "/../../etc/passwd")), 404);
  const std::string head = answer_to(server->port(), "HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(status_of(head), 200);
  EXPECT_EQ(body_of(head), "");
  EXPECT_NE(head.find("Content-Length: 17"), std::string::npos) << head;
}

TEST(LiveServer, ServesARecording) {
  std::string blob(3'000'000, 'x');
  for (std::size_t i = 0; i < blob.size(); ++i) blob[i] = char(i * i % 251);
  const auto server = started({.page = "page", .scene = {}, .bodies = 0, .recording = blob});
  EXPECT_EQ(body_of(get(server->port(), "/session")), "{\"mode\": \"recording\"}");
  EXPECT_EQ(body_of(get(server->port(), "/recording")), blob);
  EXPECT_EQ(upgrade_status(server->port()), 404);
}

TEST(LiveServer, OtherHostsAreRefused) {
  const auto server = started();
  const int port = server->port();
  for (const char* host : {"localhost", "localhost:80", "LocalHost:1234", "127.0.0.1", "127.0.0.1:9999", "[::1]:80"})
    EXPECT_EQ(status_of(get(port, "/", "Host: " + std::string(host) + "\r\n")), 200) << host;
  for (const char* host : {"evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1.evil.example",
                           "[::2]", "[", "", "127.0.0.2", "localhost@evil.example"})
    EXPECT_EQ(status_of(get(port, "/", "Host: " + std::string(host) + "\r\n")), 403) << host;
  EXPECT_EQ(status_of(get(port, "/", "")), 400);
  EXPECT_EQ(status_of(get(port, "/", "Host: localhost\r\nHost: evil.example\r\n")), 400);
  EXPECT_EQ(upgrade_status(port, "/live", "evil.example"), 403);
}

TEST(LiveServer, OtherOriginsAreRefused) {
  const auto server = started();
  const int port = server->port();
  const std::string host = "localhost:" + std::to_string(port);
  EXPECT_EQ(upgrade_status(port, "/live", host, "http://" + host), 101);
  for (const std::string& origin :
       {std::string("http://evil.example"), std::string("http://localhost"), std::string("null"),
        "http://" + host + ".evil.example", "http://127.0.0.1:" + std::to_string(port), "ftp://" + host})
    EXPECT_EQ(upgrade_status(port, "/live", host, origin), 403) << origin;
  EXPECT_EQ(status_of(get(port, "/session", "Host: localhost\r\nOrigin: http://evil.example\r\n")), 403);
  EXPECT_EQ(status_of(get(port, "/session", "Host: localhost\r\nOrigin: http://localhost\r\n")), 200);
  EXPECT_EQ(status_of(get(port, "/", "Host: localhost\r\nOrigin: http://localhost\r\nOrigin: http://a\r\n")), 400);
}

TEST(LiveServer, BeyondTheLoopbackATokenIsNeeded) {
  const auto server = started(live_content, {.host = "0.0.0.0"}), other = started(live_content, {.host = "0.0.0.0"});
  const int port = server->port();
  const std::string& token = server->token();
  ASSERT_EQ(token.size(), 32u);
  EXPECT_NE(token, other->token());
  EXPECT_TRUE(server->address().ends_with("/?token=" + token)) << server->address();
  std::string wrong = token;
  wrong.back() = wrong.back() == '0' ? '1' : '0';
  for (const std::string& target :
       {std::string("/"), std::string("/session"), std::string("/live"), std::string("/no")})
    for (const std::string& query :
         {std::string(), std::string("?"), std::string("?token="), "?token=" + wrong, "?token=" + token.substr(1),
          "?token=" + token + "0", "?nottoken=" + token, "?token=" + other->token()}) {
      EXPECT_EQ(status_of(get(port, target + query)), 403) << target << query;
      EXPECT_EQ(upgrade_status(port, target + query), 403) << target << query;
    }
  EXPECT_EQ(status_of(get(port, "/?token=" + token, "Host: my-machine:1234\r\n")), 200);
  EXPECT_EQ(status_of(get(port, "/session?a=b&token=" + token)), 200);
  EXPECT_EQ(upgrade_status(port, "/live?token=" + token, "my-machine:1234", "http://my-machine:1234"), 101);
  EXPECT_EQ(upgrade_status(port, "/live?token=" + token, "my-machine:1234", "http://evil.example"), 403);
}

TEST(LiveServer, BadRequestsAreRefused) {
  const auto server = started(live_content, {.patience = 1});
  const int port = server->port();
  EXPECT_EQ(status_of(answer_to(port, "POST / HTTP/1.1\r\nHost: localhost\r\n\r\n")), 405);
  EXPECT_EQ(status_of(answer_to(port, "DELETE / HTTP/1.1\r\nHost: localhost\r\n\r\n")), 405);
  EXPECT_EQ(status_of(answer_to(port, "\x16\x03\x01 hello\r\n\r\n")), 400);
  EXPECT_EQ(status_of(answer_to(port, "GET / HTTP/9.9\r\n\r\n")), 400);
  EXPECT_EQ(status_of(get(port, "/" + std::string(20000, 'a'))), 431);
  EXPECT_EQ(status_of(get(port, "/", "Host: localhost\r\nX: " + std::string(20000, 'a') + "\r\n")), 431);
  EXPECT_NE(status_of(answer_to(port, "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello")), 200);
  EXPECT_NE(
      status_of(answer_to(port, "GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello")),
      200);
  // Half a request, then silence: the server closes the connection.
  EXPECT_EQ(answer_to(port, "GET / HTTP/1.1\r\nHost: loc"), "");
  EXPECT_EQ(answer_to(port, ""), "");
  EXPECT_EQ(status_of(get(port, "/", "Host: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n")), 404);
  const std::string upgrade = "Host: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n";
  EXPECT_NE(status_of(get(port, "/live", upgrade + "Sec-WebSocket-Version: 13\r\n")), 101);
  expect_alive(*server);
}

// A client that goes before its request is complete gets no answer.
TEST(LiveServer, HalfRequestsHaveNoAnswer) {
  const auto server = started();
  for (const std::string& part : {std::string(), std::string("GET / HT"), std::string("GET / HTTP/1.1\r\nHost: loc")}) {
    asio::io_context context;
    tcp::socket socket = connected(context, server->port());
    asio::write(socket, asio::buffer(part));
    socket.shutdown(tcp::socket::shutdown_send);
    char answer[100];
    error_code fault;
    EXPECT_EQ(socket.read_some(asio::buffer(answer), fault), 0u) << part;
    EXPECT_TRUE(fault);
  }
  expect_alive(*server);
}

TEST(LiveServer, ConnectionsAreCounted) {
  const auto server = started(live_content, {.most_connections = 3});
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 3; ++i) clients.push_back(std::make_unique<Client>(server->port()));
  for (const auto& client : clients) EXPECT_TRUE(client->open());
  EXPECT_EQ(get(server->port(), "/"), "");
  EXPECT_NE(upgrade_status(server->port()), 101);
  EXPECT_TRUE(in_time([&] { return server->viewers() == 3; }));
  clients.pop_back();
  EXPECT_TRUE(in_time([&] { return status_of(get(server->port(), "/")) == 200; }));
}

// The limits that docs/viewer_serving.md states hold unless others are asked for.
TEST(LiveServer, UsualLimits) {
  const ServerOptions options;
  EXPECT_EQ(options.host, "127.0.0.1");
  EXPECT_EQ(options.port, 0);
  EXPECT_EQ(options.most_connections, 64);
  EXPECT_EQ(options.longest_head, 8192u);
  EXPECT_EQ(options.longest_message, 4096u);
  EXPECT_EQ(options.most_waiting, 256);
  EXPECT_EQ(options.patience, 10);
  EXPECT_EQ(options.silence, 30);
}

// A request's head (Beast does not count all of its first and last line) and a message have a limit.
TEST(LiveServer, LongestHeadAndMessage) {
  const auto server = started(live_content, {.longest_head = 500, .longest_message = 100});
  const auto status = [&](std::size_t size) {
    const std::string head = "GET / HTTP/1.1\r\nHost: localhost\r\nX: ", end = "\r\n\r\n";
    return status_of(answer_to(server->port(), head + std::string(size - head.size() - end.size(), 'a') + end));
  };
  EXPECT_EQ(status(480), 200);
  EXPECT_EQ(status(540), 431);
  std::vector<ViewerCommand> commands;
  Client client(server->port());
  EXPECT_EQ(client.read(), live_content.scene);
  const std::string play = R"({"type":"play"})";
  client.write(play + std::string(100 - play.size(), ' '));
  EXPECT_TRUE(in_time([&] {
    server->take(commands);
    return !commands.empty();
  }));
  client.write(play + std::string(101 - play.size(), ' '));
  EXPECT_TRUE(client.ends());
  EXPECT_EQ(client.why(), 1009);  // too big
}

// As many commands as may wait do wait; one more ends the connection.
TEST(LiveServer, AsManyCommandsAsMayWait) {
  const auto server = started(live_content, {.most_waiting = 5});
  std::vector<ViewerCommand> all, some;
  const auto take = [&](std::size_t wanted) {
    return in_time([&] {
      server->take(some);
      all.insert(all.end(), some.begin(), some.end());
      return all.size() >= wanted;
    });
  };
  Client client(server->port()), other(server->port());
  EXPECT_EQ(other.read(), live_content.scene);
  for (int i = 0; i < 5; ++i) client.write(R"({"type":"step"})");
  for (int i = 0; i < 5; ++i) other.write(R"({"type":"step"})");
  EXPECT_TRUE(take(10));
  EXPECT_EQ(server->viewers(), 2);
  all.clear();
  for (int i = 0; i < 6; ++i) client.write(R"({"type":"step"})");
  EXPECT_TRUE(client.ends());
  EXPECT_EQ(client.why(), 1008);
  EXPECT_TRUE(take(6));  // and its release
  EXPECT_EQ(all.size(), 6u);
  EXPECT_EQ(all.back().kind, Kind::release);
  EXPECT_TRUE(in_time([&] { return server->viewers() == 1; }));
}

TEST(LiveServer, SaysWhyItCannotStart) {
  const auto server = started();
  const auto again = LiveServer::start(live_content, {.port = server->port()});
  ASSERT_FALSE(again.ok());
  EXPECT_NE(again.error().message.find("port " + std::to_string(server->port())), std::string::npos);
  EXPECT_NE(again.error().message.find("in use"), std::string::npos);
  const auto nowhere = LiveServer::start(live_content, {.host = "somewhere.example"});
  ASSERT_FALSE(nowhere.ok());
  EXPECT_NE(nowhere.error().message.find("somewhere.example"), std::string::npos);
  EXPECT_FALSE(LiveServer::start(live_content, {.host = "203.0.113.7"}).ok());  // a reserved address (RFC 5737)
  EXPECT_FALSE(LiveServer::start(live_content, {.port = 65536}).ok());
}

// Connections that the server has closed are remembered by the system for a minute; they do not keep the port.
TEST(LiveServer, StartsAgainAtItsPort) {
  auto server = started();
  const int port = server->port();
  EXPECT_EQ(status_of(get(port, "/")), 200);  // the server closes it, so the server's side lingers
  server.reset();
  server = started(live_content, {.port = port});
  ASSERT_TRUE(server);
  EXPECT_EQ(server->port(), port);
  expect_alive(*server);
}

// ---- the websocket --------------------------------------------------------------------------------------------------

TEST(LiveServer, AViewerGetsTheSceneThenTheNewest) {
  const auto server = started();
  for (int i = 0; i < 10; ++i) publish(*server, "frame " + std::to_string(i));
  server->publish_status("{\"old\":1}");
  server->publish_status("{\"type\":\"status\"}");
  Client client(server->port());
  EXPECT_EQ(client.read(), live_content.scene);
  EXPECT_TRUE(client.got_text());
  EXPECT_EQ(client.read(), "{\"type\":\"status\"}");
  EXPECT_TRUE(client.got_text());
  EXPECT_EQ(client.read(), "frame 9");
  EXPECT_FALSE(client.got_text());
  publish(*server, "frame 10");
  EXPECT_EQ(client.read(), "frame 10");
  server->publish_status("{\"new\":1}");
  EXPECT_EQ(client.read(), "{\"new\":1}");
}

// The first status and the first frame are told too, before and after a viewer comes.
TEST(LiveServer, TheFirstOfEach) {
  const auto server = started();
  Client early(server->port());
  EXPECT_EQ(early.read(), live_content.scene);
  server->publish_status("{\"one\":1}");
  EXPECT_EQ(early.read(), "{\"one\":1}");
  publish(*server, "frame");
  EXPECT_EQ(early.read(), "frame");
  Client late(server->port());
  EXPECT_EQ(late.read(), live_content.scene);
  EXPECT_EQ(late.read(), "{\"one\":1}");
  EXPECT_EQ(late.read(), "frame");
}

TEST(LiveServer, CommandsArriveInOrderAndAreKnownByTheirViewer) {
  const auto server = started();
  Client one(server->port()), two(server->port());
  one.write(R"({"type":"pause"})");
  one.write(R"({"type":"step"})");
  one.write(R"({"type":"speed","value":2})");
  std::vector<ViewerCommand> all, some;
  const auto take = [&](std::size_t wanted) {
    return in_time([&] {
      server->take(some);
      all.insert(all.end(), some.begin(), some.end());
      return all.size() >= wanted;
    });
  };
  ASSERT_TRUE(take(3));
  two.write(R"({"type":"push","body":2,"at":[0,0,0],"to":[1,2,3]})");
  ASSERT_TRUE(take(4));
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].kind, Kind::pause);
  EXPECT_EQ(all[1].kind, Kind::step);
  EXPECT_EQ(all[2].kind, Kind::speed);
  EXPECT_EQ(all[2].speed, 2);
  EXPECT_EQ(all[3].kind, Kind::push);
  EXPECT_EQ(all[3].to.z, 3);
  EXPECT_EQ(all[0].viewer, all[2].viewer);
  EXPECT_NE(all[0].viewer, all[3].viewer);
  const std::uint64_t second = all[3].viewer;
  two.tcp_socket().close();  // without a close frame
  ASSERT_TRUE(take(5));
  EXPECT_EQ(all[4].kind, Kind::release);
  EXPECT_EQ(all[4].viewer, second);
}

TEST(LiveServer, OfManyPushesTheLastCounts) {
  const auto server = started(live_content, {.most_waiting = 10});
  Client client(server->port());
  for (int i = 0; i < 500; ++i)
    client.write(R"({"type":"push","body":1,"at":[0,0,0],"to":[)" + std::to_string(i) + ",0,0]}");
  client.write(R"({"type":"pause"})");
  std::vector<ViewerCommand> all, some;
  ASSERT_TRUE(in_time([&] {
    server->take(some);
    all.insert(all.end(), some.begin(), some.end());
    return !all.empty() && all.back().kind == Kind::pause;
  }));
  ASSERT_GE(all.size(), 2u);
  EXPECT_EQ(all[all.size() - 2].to.x, 499);
}

// Each of these ends the connection of its sender, and no other.
TEST(LiveServer, HostileMessagesEndTheirConnectionOnly) {
  const auto server = started();
  Client bystander(server->port());
  EXPECT_EQ(bystander.read(), live_content.scene);
  const std::pair<std::string, bool> bad[] = {
      {"", true},
      {"hello", true},
      {"{}", true},
      {R"({"type":"quit"})", true},
      {R"({"type":"speed","value":NaN})", true},
      {R"({"type":"speed","value":1e999})", true},
      {R"({"type":"push","body":5,"at":[0,0,0],"to":[0,0,0]})", true},
      {R"({"type":"push","body":-1,"at":[0,0,0],"to":[0,0,0]})", true},
      {R"({"type":"push","body":1,"at":[0,0,1e300],"to":[0,0,0]})", true},
      {R"({"type":"play"})", false},  // binary
      {std::string("\0\xff\x80", 3), false},
      {"{\"type\":\"\xff\xfe\"}", true},  // not UTF-8
      {std::string(5000, ' '), true},     // too long
      {std::string(4000, '['), true},
      {"{\"type\":\"play\",\"x\":\"" + std::string(3000, 'a') + "\"}", true},
  };
  for (const auto& [message, text] : bad) {
    Client client(server->port());
    ASSERT_TRUE(client.open());
    client.write(message, text);
    EXPECT_TRUE(client.ends()) << message.substr(0, 100);
  }
  Client polite(server->port());
  polite.write("nonsense");
  polite.ends();
  EXPECT_EQ(polite.why(), 1008);  // policy
  std::vector<ViewerCommand> commands;
  server->take(commands);
  for (const ViewerCommand& command : commands) EXPECT_EQ(command.kind, Kind::release);
  bystander.write(R"({"type":"play"})");
  publish(*server, "frame");
  EXPECT_EQ(bystander.read(), "frame");
  EXPECT_TRUE(in_time([&] { return server->viewers() == 1; }));
}

// Bytes after the handshake that are not websocket frames.
TEST(LiveServer, BrokenFramesEndTheirConnectionOnly) {
  const auto server = started();
  for (const std::string& bytes :
       {std::string("GET / HTTP/1.1\r\n\r\n"), std::string(100, '\xff'), std::string("\x81\x05hello", 7),  // not masked
        std::string("\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff\0\0\0\0", 14)}) {  // 9e18 bytes to come
    Client client(server->port());
    EXPECT_EQ(client.read(), live_content.scene);
    error_code fault;
    asio::write(client.tcp_socket(), asio::buffer(bytes), fault);
    EXPECT_TRUE(client.ends());
  }
  expect_alive(*server);
}

TEST(LiveServer, AFloodOfCommandsThatNobodyTakesEndsTheConnection) {
  const auto server = started(live_content, {.most_waiting = 50});
  Client client(server->port());
  for (int i = 0; i < 60; ++i) client.write(R"({"type":"step"})");
  EXPECT_TRUE(client.ends());
  EXPECT_EQ(client.why(), 1008);
  std::vector<ViewerCommand> commands;
  EXPECT_TRUE(in_time([&] { return server->viewers() == 0; }));
  server->take(commands);
  EXPECT_LE(commands.size(), 51u);  // and one release
  expect_alive(*server);
}

// A viewer that does not read: publishing continues, others see all frames, and when it reads at last it sees few old
// frames and the newest.
TEST(LiveServer, ASlowReaderSlowsNobody) {
  const auto server = started();
  Client slow(server->port()), quick(server->port());
  EXPECT_EQ(quick.read(), live_content.scene);
  constexpr int frames = 200;
  constexpr std::size_t size = 1 << 20;
  for (int i = 1; i <= frames; ++i) {
    std::string frame = std::to_string(i) + " ";
    frame.resize(size, 'x');
    publish(*server, frame);
    ASSERT_EQ(quick.read(), frame);
  }
  EXPECT_EQ(slow.read(), live_content.scene);
  int seen = 0, last = 0;
  while (last < frames) {
    const auto frame = slow.read();
    ASSERT_TRUE(frame);
    ASSERT_EQ(frame->size(), size);
    const int number = std::stoi(*frame);
    EXPECT_GT(number, last);
    last = number;
    ++seen;
  }
  EXPECT_LT(seen, frames / 2);  // only the frames that the system's buffers held
}

TEST(LiveServer, TheSilentAreDropped) {
  const auto server = started(live_content, {.silence = 0.4});
  Client stuck(server->port());
  ASSERT_TRUE(in_time([&] { return server->viewers() == 1; }));
  const std::string frame(1 << 22, 'x');
  EXPECT_TRUE(in_time([&] {
    publish(*server, frame);
    return server->viewers() == 0;
  }));
  expect_alive(*server);
}

// Not before the time that the options say.
TEST(LiveServer, SilenceIsAsLongAsItIsSaid) {
  const auto server = started(live_content, {.silence = 1});
  const auto start = std::chrono::steady_clock::now();
  Client stuck(server->port());  // it reads nothing, so it does not answer the ping after half of the time
  ASSERT_TRUE(in_time([&] { return server->viewers() == 1; }));
  ASSERT_TRUE(in_time([&] { return server->viewers() == 0; }));
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(950));
}

TEST(LiveServer, GoingInMidFrameHarmsNobody) {
  const auto server = started();
  Client bystander(server->port());
  EXPECT_EQ(bystander.read(), live_content.scene);
  for (int i = 0; i < 20; ++i) {
    Client client(server->port());
    EXPECT_EQ(client.read(), live_content.scene);
    publish(*server, std::string(1 << 22, 'x'));
    char some[1000];
    client.tcp_socket().read_some(asio::buffer(some));
    client.tcp_socket().set_option(asio::socket_base::linger(true, 0));  // ends by a reset
    client.tcp_socket().close();
  }
  publish(*server, "last");
  for (;;) {
    const auto frame = bystander.read();
    ASSERT_TRUE(frame);
    if (*frame == "last") break;
  }
  EXPECT_TRUE(in_time([&] { return server->viewers() == 1; }));
}

TEST(LiveServer, ManyViewersSeeTheSame) {
  const auto server = started();
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 40; ++i) clients.push_back(std::make_unique<Client>(server->port()));
  ASSERT_TRUE(in_time([&] { return server->viewers() == 40; }));
  publish(*server, "frame");
  for (const auto& client : clients) {
    EXPECT_EQ(client->read(), live_content.scene);
    EXPECT_EQ(client->read(), "frame");
  }
  clients.clear();
  EXPECT_TRUE(in_time([&] { return server->viewers() == 0; }));
}

TEST(LiveServer, WaitEndsWhenThereIsSomething) {
  const auto server = started();
  std::thread viewer([&] { Client client(server->port()); });
  std::vector<ViewerCommand> commands;
  EXPECT_TRUE(in_time([&] {
    server->wait(std::chrono::seconds(20));  // longer than in_time() waits, so it must be notified
    server->take(commands);
    return !commands.empty();  // its release
  }));
  viewer.join();
}

TEST(LiveServer, EndsWithViewersStillThere) {
  auto server = started();
  Client reading(server->port()), stuck(server->port());
  EXPECT_EQ(reading.read(), live_content.scene);
  publish(*server, std::string(1 << 24, 'x'));
  server.reset();
  EXPECT_TRUE(reading.ends());
}

// End to end: a push on the page moves a body of the run, and the page sees it.
TEST(LiveServer, APushReachesTheSimulation) {
  const Model model = compile(scene("@stack:boxes=1").value()).value();
  const SimulationOptions options{.dt = 1e-3};
  const auto server = started({.page = "page",
                               .scene = scene_json(model, options, "@stack:boxes=1"),
                               .bodies = int(model.bodies().size()),
                               .recording = {}});
  std::atomic<bool> done = false;
  std::thread running([&] {
    LiveRun run(model, options, make_state(model));
    std::vector<ViewerCommand> commands;
    while (!done) {
      server->take(commands);
      const LiveRun::Turn turn = run.turn(commands, server->viewers() > 0);
      if (!turn.frame.empty()) server->publish_frame(turn.frame);
      if (!turn.status.empty()) server->publish_status(turn.status);
      server->wait(std::chrono::duration<double>(turn.idle));
    }
  });
  Client client(server->port());
  client.write(R"({"type":"push","body":1,"at":[0,0,0],"to":[0.3,0,1]})");
  float x = 0;
  EXPECT_TRUE(in_time([&] {
    const auto message = client.read();
    if (message && !client.got_text()) std::memcpy(&x, message->data() + 40 + 4 * 7, 4);  // body 1's
    return !message || x > 0.25;
  }));
  EXPECT_GT(x, 0.25f);
  done = true;
  running.join();
}

}  // namespace
}  // namespace linchpin
