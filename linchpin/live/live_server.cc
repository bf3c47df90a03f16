// The only file that includes Boost.Beast.
#include "linchpin/live/live_server.h"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/host_name.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <sys/random.h>

namespace linchpin {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using asio::ip::tcp;
using boost::system::error_code;

using Bytes = std::shared_ptr<const std::string>;

std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(std::llround(1e3 * seconds));
}

// 128 bits of the system's generator, in hexadecimal.
std::string random_token() {
  unsigned char bits[16];
  for (std::size_t got = 0; got < sizeof bits;) {
    const ssize_t n = getrandom(bits + got, sizeof bits - got, 0);
    check(n > 0 || errno == EINTR, "the system's random generator fails: ", std::strerror(errno));
    if (n > 0) got += std::size_t(n);
  }
  std::string token;
  for (const unsigned char byte : bits)
    for (const int digit : {byte >> 4, byte & 15}) token += "0123456789abcdef"[digit];
  return token;
}

// Compares in a time that does not depend on how many characters are equal.
bool same_secret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference |= unsigned(a[i] ^ b[i]);
  return difference == 0;
}

// The value of name=value in a query string, or nothing.
std::string_view query_value(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    const std::string_view part = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), part.size() + 1));
    if (part.size() > name.size() && part.starts_with(name) && part[name.size()] == '=')
      return part.substr(name.size() + 1);
  }
  return {};
}

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }

// The name in "name:port" or "[address]:port".
std::string host_name_of(std::string_view host) {
  const std::size_t end = host.starts_with('[') ? host.find(']') + 1 : host.find(':');
  std::string name(host.substr(0, end));
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  return name;
}

// Scripts and styles are inside the page; it connects only to this server, and no other site may frame it. The token is
// part of the address, so the address is never sent as a referrer.
constexpr const char* page_policy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

void listen(const tcp::endpoint& endpoint, tcp::acceptor& acceptor, error_code& fault) {
  acceptor.open(endpoint.protocol(), fault);
  if (!fault) acceptor.set_option(asio::socket_base::reuse_address(true), fault);
  if (!fault) acceptor.bind(endpoint, fault);
  if (!fault) acceptor.listen(asio::socket_base::max_listen_connections, fault);
}

class Viewer;

}  // namespace

struct LiveServer::Parts {
  Parts(ServedContent content_, const ServerOptions& options_)
      : content(std::move(content_)), options(options_), scene(std::make_shared<const std::string>(content.scene)) {}

  const ServedContent content;
  const ServerOptions options;
  const Bytes scene;
  std::string token;
  std::set<std::string> hosts;  // accepted names in the Host field; empty: any, since a token protects us
  std::string address;
  int port = 0;

  // Shared with callers; the mutex is held for a few instructions at a time.
  std::mutex mutex;
  std::condition_variable changed;
  bool has_changed = false;
  Bytes frame, status;
  std::uint64_t frame_number = 0, status_number = 0;
  std::vector<ViewerCommand> commands;

  std::atomic<int> viewer_count = 0;
  std::atomic<bool> waking = false;

  // Used by the thread only.
  int connections = 0;
  std::uint64_t last_viewer = 0;
  std::set<Viewer*> viewers;
  asio::io_context context{1};
  tcp::acceptor acceptor{context};
  asio::steady_timer pause{context};  // after a failed accept
  std::thread thread;

  void notify() {
    {
      const std::lock_guard lock(mutex);
      has_changed = true;
    }
    changed.notify_all();
  }
  void accept();
  void wake();
  void run();
  void start_thread();
};

namespace {

using Parts = LiveServer::Parts;

// Counts one connection.
class Seat {
 public:
  explicit Seat(Parts& server) : server_(server) { ++server_.connections; }
  ~Seat() { --server_.connections; }
  Seat(const Seat&) = delete;
  Seat& operator=(const Seat&) = delete;

 private:
  Parts& server_;
};

// A websocket. It writes one message at a time, then the newest one.
class Viewer : public std::enable_shared_from_this<Viewer> {
 public:
  Viewer(Parts& server, std::shared_ptr<Seat> seat, beast::tcp_stream stream)
      : server_(server), seat_(std::move(seat)), socket_(std::move(stream)), number_(++server.last_viewer) {}
  ~Viewer() {
    if (!open_) return;
    server_.viewers.erase(this);
    --server_.viewer_count;
    {
      const std::lock_guard lock(server_.mutex);
      server_.commands.push_back({.kind = ViewerCommand::Kind::release, .viewer = number_});
    }
    server_.notify();
  }

  void start(http::request<http::empty_body> request) {
    beast::get_lowest_layer(socket_).expires_never();  // the websocket has timers of its own
    error_code ignored;  // a small send buffer: frames that wait in it are outdated when they arrive
    beast::get_lowest_layer(socket_).socket().set_option(asio::socket_base::send_buffer_size(1 << 16), ignored);
    // Beast pings after half of its idle timeout, and drops the viewer at its end.
    socket_.set_option(websocket::stream_base::timeout{milliseconds(server_.options.patience),
                                                       milliseconds(server_.options.silence), true});
    socket_.read_message_max(server_.options.longest_message);
    socket_.auto_fragment(false);
    request_ = std::move(request);
    socket_.async_accept(request_, [self = shared_from_this()](error_code fault) {
      if (fault) return;
      self->open_ = true;
      self->server_.viewers.insert(self.get());
      ++self->server_.viewer_count;
      self->server_.notify();
      self->write_next();
      self->read_next();
    });
  }

  void write_next() {
    if (writing_ || closing_) return;
    bool text = true;
    if (!greeted_) {
      message_ = server_.scene;
      greeted_ = true;
    } else {
      const std::lock_guard lock(server_.mutex);
      if (status_sent_ < server_.status_number) {
        message_ = server_.status;
        status_sent_ = server_.status_number;
      } else if (frame_sent_ < server_.frame_number) {
        message_ = server_.frame;
        frame_sent_ = server_.frame_number;
        text = false;
      } else {
        return;
      }
    }
    writing_ = true;
    socket_.text(text);
    socket_.async_write(asio::buffer(*message_), [self = shared_from_this()](error_code fault, std::size_t) {
      self->writing_ = false;
      self->message_.reset();
      if (fault)
        self->drop();
      else
        self->write_next();
    });
  }

 private:
  void read_next() {
    socket_.async_read(incoming_, [self = shared_from_this()](error_code fault, std::size_t) {
      if (fault) return self->drop();  // gone, silent, or a protocol error, for which Beast has sent the close frame
      const std::string_view text(static_cast<const char*>(self->incoming_.cdata().data()), self->incoming_.size());
      const std::optional<ViewerCommand> command =
          self->socket_.got_text() ? viewer_command_from(text, self->server_.content.bodies) : std::nullopt;
      self->incoming_.clear();
      if (!command) return self->refuse("unknown message");
      if (!self->hand_over(*command)) return self->refuse("too many messages");
      self->read_next();
    });
  }

  // A push that was not taken yet is replaced by the next one.
  bool hand_over(ViewerCommand command) {
    command.viewer = number_;
    {
      const std::lock_guard lock(server_.mutex);
      std::vector<ViewerCommand>& waiting = server_.commands;
      const auto mine = std::find_if(waiting.rbegin(), waiting.rend(),
                                     [&](const ViewerCommand& other) { return other.viewer == number_; });
      if (mine != waiting.rend() && command.kind == ViewerCommand::Kind::push && mine->kind == command.kind) {
        *mine = command;
      } else {
        if (std::ranges::count(waiting, number_, &ViewerCommand::viewer) >= server_.options.most_waiting) return false;
        waiting.push_back(command);
      }
    }
    server_.notify();
    return true;
  }

  void refuse(const char* why) {
    closing_ = true;
    socket_.async_close({websocket::close_code::policy_error, why}, [self = shared_from_this()](error_code) {});
  }
  // Pending operations end with an error, and the last handler destroys this object.
  void drop() {
    closing_ = true;
    beast::get_lowest_layer(socket_).close();
  }

  Parts& server_;
  std::shared_ptr<Seat> seat_;
  websocket::stream<beast::tcp_stream> socket_;
  http::request<http::empty_body> request_;
  beast::flat_buffer incoming_;
  std::uint64_t number_;
  bool open_ = false, greeted_ = false, writing_ = false, closing_ = false;
  Bytes message_;  // being written
  std::uint64_t frame_sent_ = 0, status_sent_ = 0;
};

// A connection with one request and its response, or with the handshake of a websocket.
class Request : public std::enable_shared_from_this<Request> {
 public:
  Request(Parts& server, tcp::socket socket)
      : server_(server), seat_(std::make_shared<Seat>(server)), stream_(std::move(socket)) {
    parser_.header_limit(std::uint32_t(server.options.longest_head));
  }

  void start() {
    stream_.expires_after(milliseconds(server_.options.patience));
    http::async_read(stream_, incoming_, parser_, [self = shared_from_this()](error_code fault, std::size_t) {
      if (!fault) return self->answer();
      if (fault == http::error::header_limit || fault == http::error::buffer_overflow)
        return self->refuse(http::status::request_header_fields_too_large, "The request is too long.");
      if (fault.category() == http::make_error_code(http::error::bad_method).category() &&
          fault != http::error::end_of_stream && fault != http::error::partial_message)
        return self->refuse(http::status::bad_request, "This is not a valid HTTP request.");
    });
  }

 private:
  void answer() {
    const auto& request = parser_.get();
    const std::string_view target = view(request.target());
    const std::size_t mark = std::min(target.find('?'), target.size());
    const std::string_view path = target.substr(0, mark), query = target.substr(std::min(mark + 1, target.size()));

    // A page of another site may make the user's browser send us requests, to our address or to a name that it has
    // resolved to it (DNS rebinding).
    if (request.count(http::field::host) != 1 || request.count(http::field::origin) > 1)
      return refuse(http::status::bad_request, "The request needs exactly one Host and at most one Origin.");
    const std::string_view host = view(request[http::field::host]), origin = view(request[http::field::origin]);
    if (!server_.hosts.empty() && !server_.hosts.contains(host_name_of(host)))
      return refuse(http::status::forbidden, "Unknown Host.");
    if (!origin.empty() && origin != "http://" + std::string(host) && origin != "https://" + std::string(host))
      return refuse(http::status::forbidden, "Requests from other sites are refused.");
    if (!server_.token.empty() && !same_secret(query_value(query, "token"), server_.token))
      return refuse(http::status::forbidden, "The token is missing or wrong: open the whole address that was printed.");

    const bool live = server_.content.recording.empty();
    if (websocket::is_upgrade(request)) {
      if (path != "/live" || !live) return refuse(http::status::not_found, "There is no websocket here.");
      return std::make_shared<Viewer>(server_, seat_, std::move(stream_))->start(parser_.release());
    }
    if (request.method() != http::verb::get && request.method() != http::verb::head)
      return refuse(http::status::method_not_allowed, "Only GET and HEAD.");
    if (path == "/") return send(http::status::ok, "text/html; charset=utf-8", server_.content.page);
    if (path == "/session")
      return send(http::status::ok, "application/json", live ? "{\"mode\": \"live\"}" : "{\"mode\": \"recording\"}");
    if (path == "/recording" && !live)
      return send(http::status::ok, "application/octet-stream", server_.content.recording);
    if (path == "/live" && live) return refuse(http::status::upgrade_required, "This is a websocket.");
    refuse(http::status::not_found, "There is nothing here.");
  }

  void refuse(http::status status, std::string_view why) { send(status, "text/plain; charset=utf-8", why); }

  // body: owned by the server, or a literal.
  void send(http::status status, const char* type, std::string_view body) {
    response_.result(status);
    response_.version(11);
    response_.keep_alive(false);
    response_.set(http::field::content_type, type);
    response_.set(http::field::cache_control, "no-store");
    response_.set("Content-Security-Policy", page_policy);
    response_.set("X-Content-Type-Options", "nosniff");
    response_.set("X-Frame-Options", "DENY");
    response_.set("Referrer-Policy", "no-referrer");
    response_.set("Cross-Origin-Resource-Policy", "same-origin");
    response_.set("Cross-Origin-Opener-Policy", "same-origin");
    if (status == http::status::method_not_allowed) response_.set(http::field::allow, "GET, HEAD");
    if (status == http::status::upgrade_required) response_.set(http::field::upgrade, "websocket");
    response_.content_length(body.size());
    const bool head = parser_.is_header_done() && parser_.get().method() == http::verb::head;
    if (!head) response_.body() = {body.data(), body.size()};
    constexpr double slowest = 1e5;  // bytes per second: a slower client is dropped
    stream_.expires_after(milliseconds(server_.options.patience + double(body.size()) / slowest));
    serializer_.emplace(response_);
    const auto done = [self = shared_from_this()](error_code, std::size_t) {
      error_code ignored;
      self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    };
    if (head)
      http::async_write_header(stream_, *serializer_, done);
    else
      http::async_write(stream_, *serializer_, done);
  }

  Parts& server_;
  std::shared_ptr<Seat> seat_;
  beast::tcp_stream stream_;
  beast::flat_buffer incoming_;
  http::request_parser<http::empty_body> parser_;  // a request with a body is an error
  http::response<http::span_body<const char>> response_;
  std::optional<http::response_serializer<http::span_body<const char>>> serializer_;
};

}  // namespace

void LiveServer::Parts::accept() {
  acceptor.async_accept([this](error_code fault, tcp::socket socket) {
    if (fault == asio::error::operation_aborted) return;
    if (fault) {  // for example out of descriptors: wait until some connection ends
      pause.expires_after(std::chrono::milliseconds(100));
      pause.async_wait([this](error_code) { accept(); });
      return;
    }
    if (connections < options.most_connections) {
      error_code ignored;
      socket.set_option(tcp::no_delay(true), ignored);
      std::make_shared<Request>(*this, std::move(socket))->start();
    }
    accept();
  });
}

// Makes the thread visit all viewers; several calls before it does so count as one.
void LiveServer::Parts::wake() {
  if (waking.exchange(true)) return;
  asio::post(context, [this] {
    waking = false;
    for (Viewer* viewer : viewers) viewer->write_next();
  });
}

// With all signals blocked: they go to the caller's threads.
void LiveServer::Parts::start_thread() {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void LiveServer::Parts::run() {
  for (;;) {
    try {
      context.run();
      return;
    } catch (const std::exception&) {
      // out of memory for one connection, which ended with its handler; the others continue
    }
  }
}

Result<std::unique_ptr<LiveServer>> LiveServer::start(ServedContent content, const ServerOptions& options) {
  error_code fault;
  const auto address = asio::ip::make_address(options.host == "localhost" ? "127.0.0.1" : options.host, fault);
  if (fault)
    return Error{"'" + options.host + "' is not an IP address to listen at (such as 127.0.0.1, ::1 or 0.0.0.0)"};
  if (options.port < 0 || options.port > 65535)
    return Error{"port " + std::to_string(options.port) + " must be between 0 and 65535"};
  auto parts = std::make_unique<Parts>(std::move(content), options);
  listen({address, static_cast<unsigned short>(options.port)}, parts->acceptor, fault);
  if (fault == asio::error::address_in_use)
    return Error{"port " + std::to_string(options.port) + " of " + options.host + " is in use by another program"};
  if (fault)
    return Error{"cannot listen at port " + std::to_string(options.port) + " of " + options.host + ": " +
                 fault.message()};
  parts->port = parts->acceptor.local_endpoint().port();
  const std::string shown = address.is_v6() ? "[" + address.to_string() + "]" : address.to_string();
  if (address.is_loopback())
    parts->hosts = {"localhost", "127.0.0.1", "[::1]", shown};
  else
    parts->token = random_token();
  parts->address = "http://" + (address.is_unspecified() ? asio::ip::host_name() : shown) + ":" +
                   std::to_string(parts->port) + "/" + (parts->token.empty() ? "" : "?token=" + parts->token);
  parts->accept();
  parts->start_thread();
  return std::unique_ptr<LiveServer>(new LiveServer(std::move(parts)));
}

LiveServer::LiveServer(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

LiveServer::~LiveServer() {
  parts_->context.stop();
  parts_->thread.join();
}

int LiveServer::port() const { return parts_->port; }
const std::string& LiveServer::token() const { return parts_->token; }
std::string LiveServer::address() const { return parts_->address; }
int LiveServer::viewers() const { return parts_->viewer_count; }

void LiveServer::publish_frame(std::span<const std::byte> frame) {
  auto bytes = std::make_shared<const std::string>(reinterpret_cast<const char*>(frame.data()), frame.size());
  {
    const std::lock_guard lock(parts_->mutex);
    parts_->frame.swap(bytes);  // the old one is freed after unlocking
    ++parts_->frame_number;
  }
  parts_->wake();
}

void LiveServer::publish_status(std::string_view json) {
  auto text = std::make_shared<const std::string>(json);
  {
    const std::lock_guard lock(parts_->mutex);
    parts_->status.swap(text);
    ++parts_->status_number;
  }
  parts_->wake();
}

void LiveServer::take(std::vector<ViewerCommand>& commands) {
  commands.clear();
  const std::lock_guard lock(parts_->mutex);
  commands.swap(parts_->commands);
  parts_->has_changed = false;
}

void LiveServer::wait(std::chrono::duration<double> longest) {
  std::unique_lock lock(parts_->mutex);
  parts_->changed.wait_for(lock, longest, [&] { return parts_->has_changed; });
  parts_->has_changed = false;
}

}  // namespace linchpin
