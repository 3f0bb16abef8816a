// The ground of this folder: a handle that closes itself, and the lock under which libhdf5 is called.
//
// libhdf5 as Debian builds it is not safe for threads, whereas a source may be read by a thread of its own. So every
// call into it holds one lock for the whole process (`Call`), which also keeps the library from printing: what went
// wrong becomes an omvc::Error that names the file and the object.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

#include "omvc/error.hpp"

namespace omvc::h5 {

using Id = std::int64_t;  // hid_t, without its header

// Holds the lock and silences the library while it lives. Calls may nest.
class Call {
 public:
  Call();
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

 private:
  std::lock_guard<std::recursive_mutex> lock_;
  void* printer_ = nullptr;  // what was set before, put back at the end
  void* printer_data_ = nullptr;
};

// How often a handle could not be closed in this process. What an object still had to write is lost then, which a file
// that was being written has to know of.
long close_failures();

// Owns one identifier of the library, whatever it stands for.
class Handle {
 public:
  Handle() = default;
  explicit Handle(Id id) : id_(id) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  ~Handle() { close(); }

  Id get() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }
  // Returns false where the library could not finish what the handle stands for, as when the disk is full.
  bool close() noexcept;

 private:
  Id id_ = -1;
};

// The kinds of what can go wrong: a file that cannot be read is damaged, one that cannot be written lacks room.
inline constexpr ErrorKind kRead = ErrorKind::data;
inline constexpr ErrorKind kWrite = ErrorKind::io;

// Throws an error of this kind: where, what, and the reason that the library gives.
[[noreturn]] void fail(ErrorKind kind, const std::string& where, const std::string& what);

// The same where the library answers with a negative number, else the answer.
template <class T>
T check(T answer, ErrorKind kind, const std::string& where, const char* what) {
  if (answer < 0) fail(kind, where, what);
  return answer;
}

inline Handle own(Id id, ErrorKind kind, const std::string& where, const char* what) {
  return Handle(check(id, kind, where, what));
}

}  // namespace omvc::h5
