// Result<T>: a value of type T, or an Error.
//
// Invalid input (a file, a spec, a command line) is returned as an Error whose message names the faulty item, so that
// the user can correct it. A mistake of the calling program is a failed check (check.h) instead.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "linchpin/base/check.h"

namespace linchpin {

struct Error {
  std::string message;
};

template <class T>
class Result {
 public:
  Result(T value) : content_(std::move(value)) {}      // NOLINT: implicit by design, as in std::expected
  Result(Error error) : content_(std::move(error)) {}  // NOLINT
  bool ok() const { return std::holds_alternative<T>(content_); }
  explicit operator bool() const { return ok(); }

  const T& value() const& {
    check(ok(), "Result::value() of an error: ", ok() ? std::string() : std::get<Error>(content_).message);
    return std::get<T>(content_);
  }
  // Of a temporary: by value, so that `const T& value = f().value();` is safe.
  T value() && {
    check(ok(), "Result::value() of an error: ", ok() ? std::string() : std::get<Error>(content_).message);
    return std::move(std::get<T>(content_));
  }
  T value() const&& = delete;
  const Error& error() const& {
    check(!ok(), "Result::error() of a success");
    return std::get<Error>(content_);
  }
  Error error() && {
    check(!ok(), "Result::error() of a success");
    return std::move(std::get<Error>(content_));
  }

 private:
  std::variant<T, Error> content_;
};

}  // namespace linchpin
