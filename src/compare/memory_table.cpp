#include "compare/memory_table.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <variant>

#include "omvc/error.hpp"

#include "chunk/rows.hpp"

namespace omvc {
namespace {

// Data that take more than this share of the machine's memory are refused: sparse ones are held a second time by
// columns, and the factors need room too.
constexpr double kShare = 0.4;

double machine_bytes() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

void check_bytes(double bytes, Algorithm method) {
  if (!(bytes > kShare * machine_bytes())) return;
  throw Error(ErrorKind::usage,
              fmt::format("method {} is off-line: it holds all data in memory, and these take {:.1f} GB where the "
                          "machine has {:.1f} GB; use method omvc or opimc, which read them as a stream",
                          name_of(method), bytes / 1e9, machine_bytes() / 1e9));
}

double bytes_of_block(const Block& block) {
  return std::visit(
      [](const auto& X) {
        return static_cast<double>(X.values.size() * sizeof(X.values[0])) +
               (requires { X.offsets; } ? 4.0 * static_cast<double>(X.values.size()) : 0.0);
      },
      block);
}

}  // namespace

MemoryTable::MemoryTable(const MethodContext& context) : schema_(context.schema), method_(context.options.method) {
  if (context.rows.lasting()) {
    throw Error(ErrorKind::usage, fmt::format("method {} is off-line: it holds all data in memory and keeps no "
                                              "checkpoints; leave --checkpoint out",
                                              name_of(method_)));
  }
  check_bytes(context.bytes, method_);
}

void MemoryTable::add(const Chunk& chunk) {
  for (const ChunkView& view : chunk.views) bytes_ += bytes_of_block(view.block);
  check_bytes(bytes_, method_);
  if (table_.views.empty()) {
    table_ = chunk;
  } else {
    append_chunk(table_, chunk, schema_);
  }
}

const PreparedChunk& MemoryTable::data() {
  if (!prepared_) prepared_ = std::make_unique<PreparedChunk>(table_);
  return *prepared_;
}

}  // namespace omvc
