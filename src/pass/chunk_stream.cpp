#include "pass/chunk_stream.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/core.h>
#include <system_error>
#include <utility>

#include "omvc/error.hpp"

#include "chunk/fingerprint.hpp"
#include "chunk/rows.hpp"

namespace omvc {
namespace {

constexpr int kThreadsPerReader = 3;  // that learn
constexpr int kMostBeside = 6;
constexpr double kMostBytes = 64 << 20;  // of chunks that are read ahead, but for two of them
constexpr double kUsualBytes = 3 << 20;  // of a chunk that may grow
constexpr int kMostGrowth = 8;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int readers_beside(const Compute& compute) {
  return compute.executor() ? 0 : std::clamp(compute.threads() / kThreadsPerReader, 1, kMostBeside);
}

ChunkStream::ChunkStream(Source& source, const Schema& schema, Index rows, const Intake* intake, ReadAhead ahead)
    : source_(source), schema_(schema), rows_(rows), intake_(intake), ahead_(std::move(ahead)) {
  most_room_ = 2 * ahead_.readers;
  for (int i = 0; i < ahead_.readers; ++i) {
    try {
      threads_.emplace_back([this] { read_ahead(); });
    } catch (const std::system_error& error) {
      if (i > 0) break;  // fewer will do
      throw Error(ErrorKind::io, fmt::format("cannot start a thread that reads ahead: {}; allow more processes (ulimit "
                                             "-u) or memory (ulimit -v), or use fewer --threads",
                                             error.code().message()));
    }
  }
}

ChunkStream::~ChunkStream() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ChunkStream::make_ready(const Source::Delivery& delivery, Item& item) const {
  const auto start = std::chrono::steady_clock::now();
  StreamedChunk& out = item.chunk;
  try {
    out.chunk = delivery.read();
    out.rows = out.chunk.size();
    Intake::check(out.chunk, schema_);
    out.fingerprint = fingerprint(out.chunk);
    if (intake_ != nullptr) {
      intake_->match(out.chunk);
      out.negatives = intake_->prepare(out.chunk);
    }
    if (ahead_.work) out.done = ahead_.work(out.chunk);
  } catch (...) {
    item.failure = std::current_exception();
  }
  out.seconds += seconds_since(start);
}

void ChunkStream::read_ahead() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stopping_ || ended_ || (!reading_ && begun_ - taken_ < room_); });
    if (stopping_ || ended_) return;
    reading_ = true;
    const Index number = begun_;
    const Index rows = rows_;
    lock.unlock();
    Item item;
    Source::Delivery delivery;
    const auto start = std::chrono::steady_clock::now();
    try {
      delivery = source_.begin_next(rows);
    } catch (...) {
      item.failure = std::current_exception();
    }
    item.chunk.seconds = seconds_since(start);
    lock.lock();
    reading_ = false;
    ended_ = delivery.rows == 0;
    if (delivery.rows > 0 || item.failure) ++begun_;
    changed_.notify_all();
    if (delivery.rows > 0) {
      lock.unlock();
      make_ready(delivery, item);
      const double bytes = std::max(bytes_of(item.chunk.chunk), 1.0);
      lock.lock();
      room_ = std::clamp<Index>(static_cast<Index>(kMostBytes / bytes), kLeastRoom, most_room_);
      if (std::exchange(ahead_.grow, false)) {
        for (int doubled = 1; doubled < kMostGrowth && 2 * doubled * bytes <= kUsualBytes; doubled *= 2) rows_ *= 2;
      }
    } else if (!item.failure) {
      return;
    }
    ready_.emplace(number, std::move(item));
    changed_.notify_all();
  }
}

std::optional<StreamedChunk> ChunkStream::read_now() {
  const auto start = std::chrono::steady_clock::now();
  Item item;
  const Source::Delivery delivery = source_.begin_next(rows_);
  if (delivery.rows > 0) make_ready(delivery, item);
  waited_ += seconds_since(start);
  if (item.failure) std::rethrow_exception(item.failure);
  if (delivery.rows == 0) return std::nullopt;
  item.chunk.seconds = seconds_since(start);
  return std::move(item.chunk);
}

std::vector<StreamedChunk> ChunkStream::next_ready() {
  std::vector<StreamedChunk> chunks;
  if (ahead_.readers == 0) {
    if (std::optional<StreamedChunk> chunk = read_now()) chunks.push_back(std::move(*chunk));
    return chunks;
  }
  for (std::optional<StreamedChunk> chunk = next(); chunk; chunk = next()) {
    chunks.push_back(std::move(*chunk));
    const std::lock_guard lock(mutex_);
    const auto found = ready_.find(taken_);
    if (static_cast<Index>(chunks.size()) >= room_ || found == ready_.end() || found->second.failure) break;
  }
  return chunks;
}

std::optional<StreamedChunk> ChunkStream::next() {
  if (ahead_.readers == 0) return read_now();
  const auto start = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return ready_.contains(taken_) || (ended_ && begun_ == taken_); });
  waited_ += seconds_since(start);
  const auto found = ready_.find(taken_);
  if (found == ready_.end()) return std::nullopt;
  Item item = std::move(found->second);
  ready_.erase(found);
  ++taken_;
  lock.unlock();
  changed_.notify_all();
  if (item.failure) std::rethrow_exception(item.failure);
  return std::move(item.chunk);
}

}  // namespace omvc
