// The numbers of a block: a vector, or memory that belongs to somebody else and is not copied until it is written to.
//
//     omvc::Buffer<float> own(std::vector<float>{1, 2, 3});
//     auto lent = omvc::Buffer<float>::borrow({data, size}, owner);   // the owner is kept alive, the memory only read
//
// To readers both are the same. Whatever can write makes a borrowed buffer own a copy first; what was lent is never
// changed. The lender must leave the memory as it is while it is borrowed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace omvc {

template <class T>
class Buffer {
 public:
  using value_type = T;

  Buffer() = default;
  Buffer(std::vector<T> values) : own_(std::move(values)) {}  // NOLINT(google-explicit-constructor)
  Buffer(std::initializer_list<T> values) : own_(values) {}   // NOLINT(google-explicit-constructor)
  static Buffer borrow(std::span<const T> lent, std::shared_ptr<const void> owner) {
    Buffer out;
    out.lent_ = lent;
    out.owner_ = std::move(owner);
    out.borrowed_ = true;
    return out;
  }

  bool borrowed() const { return borrowed_; }

  // Reading.
  const T* data() const { return borrowed_ ? lent_.data() : own_.data(); }
  std::size_t size() const { return borrowed_ ? lent_.size() : own_.size(); }
  bool empty() const { return size() == 0; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size(); }
  const T& operator[](std::size_t i) const { return data()[i]; }
  const T& back() const { return data()[size() - 1]; }

  // Writing. `own` is the vector itself.
  std::vector<T>& own() {
    if (borrowed_) {
      own_.assign(lent_.begin(), lent_.end());
      lent_ = {};
      owner_.reset();
      borrowed_ = false;
    }
    return own_;
  }
  T* data() { return own().data(); }
  T* begin() { return data(); }
  T* end() { return data() + size(); }
  T& operator[](std::size_t i) { return own()[i]; }
  void push_back(T value) { own().push_back(value); }
  void pop_back() { own().pop_back(); }
  void reserve(std::size_t size) { own().reserve(size); }
  void resize(std::size_t size, T value = {}) { own().resize(size, value); }
  template <class... Arguments>
  void assign(Arguments&&... arguments) {
    own().assign(std::forward<Arguments>(arguments)...);
  }
  template <class Iterator>
  void append(Iterator first, Iterator last) {
    own().insert(own_.end(), first, last);
  }

  friend bool operator==(const Buffer& one, const Buffer& other) {
    return std::equal(one.begin(), one.end(), other.begin(), other.end());
  }

 private:
  std::vector<T> own_;
  std::span<const T> lent_;
  std::shared_ptr<const void> owner_;
  bool borrowed_ = false;
};

}  // namespace omvc
