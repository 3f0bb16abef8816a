#include <bit>
#include <filesystem>
#include <fmt/format.h>
#include <limits>

#include "omvc/error.hpp"

#include "pass/checkpoint.hpp"

namespace omvc {
namespace {

constexpr const char* kIdentity = "checkpoint/identity";

// Throws ErrorKind::usage if there is a file of this name that is no checkpoint, which a run must not replace.
void check_replaceable(const std::string& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return;
  const auto refuse = [&](const char* what) {
    throw Error(ErrorKind::usage,
                fmt::format("{} {}, and a checkpoint would replace it: give another name", file, what));
  };
  if (!Archive::is_archive(file)) refuse("is no checkpoint");
  bool is_model = false;
  try {
    is_model = !Archive::load(file).has("checkpoint/version");
  } catch (const Error&) {
    // A damaged one can be replaced.
  }
  if (is_model) refuse("is a model");
}

std::string checkpoint_rows(const std::string& file) { return file + ".rows"; }

}  // namespace

std::optional<Archive> open_checkpoint(const Checkpointing& wanted, RowFolder& rows) {
  const std::string folder = checkpoint_rows(wanted.file);
  std::error_code ignored;
  const bool resume = wanted.resume && std::filesystem::exists(wanted.file, ignored);
  if (!resume) {
    check_replaceable(wanted.file);
    rows = RowFolder(folder);
    return std::nullopt;
  }
  if (!std::filesystem::is_directory(folder, ignored)) {
    // What is no checkpoint is said to be none, rather than to lack a part.
    if (Archive::load(wanted.file).has("checkpoint/version")) {
      throw Error(ErrorKind::data,
                  fmt::format("the folder {} is missing, without which {} cannot be resumed: bring it back, "
                              "or start again without --resume",
                              folder, wanted.file));
    }
    throw Error(ErrorKind::data, fmt::format("cannot resume from {}: it is not a checkpoint; name the file that "
                                             "--checkpoint wrote",
                                             wanted.file));
  }
  // The folder first: once it is ours nobody replaces the archive.
  rows = RowFolder(folder);
  Archive archive = Archive::load(wanted.file);
  const std::vector<Index>& stored = archive.integers(kIdentity);
  if (stored.size() != 1) throw Error(ErrorKind::data, "the identity of the checkpoint makes no sense");
  rows.go_on(std::bit_cast<std::uint64_t>(stored[0]));
  return archive;
}

void start_checkpoint(const Checkpointing& wanted, RowFolder& rows) {
  std::error_code ignored;
  // The archive goes first: rows without it are refused by nobody, it without its rows would be.
  std::filesystem::remove(wanted.file, ignored);
  rows.start_anew();
}

void put_identity(Archive& archive, const RowFolder& rows) {
  archive.put(kIdentity, std::vector<Index>{std::bit_cast<Index>(rows.identity())});
}

void put_position(Archive& archive, const std::string& key, const RowStore& store) {
  const RowStore::Position position = store.position();
  archive.put(key, std::vector<Index>{position.generation, position.rows});
}

void restore_position(const Archive& archive, const std::string& key, RowStore& store) {
  const std::vector<Index>& position = archive.integers(key);
  constexpr Index kMostGenerations = std::numeric_limits<std::int32_t>::max();
  if (position.size() != 2 || position[0] < 1 || position[0] > kMostGenerations || position[1] < 0) {
    throw Error(ErrorKind::data, "the checkpoint's entry '" + key + "' makes no sense");
  }
  store.go_to({position[0], position[1]});
}

void remove_checkpoint(const std::string& file) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(checkpoint_rows(file), ignored)) {
    if (Archive::is_archive(file)) std::filesystem::remove(file, ignored);
    return;
  }
  try {
    RowFolder rows(checkpoint_rows(file));
    if (Archive::is_archive(file)) std::filesystem::remove(file, ignored);
    rows.remove();
  } catch (const Error&) {
    // Another run goes on from it, or the folder is somebody's own.
  }
}

}  // namespace omvc
