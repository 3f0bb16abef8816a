// A checkpoint with a right checksum: looked into, and resumed from with the row stores of a sound one.
#include <filesystem>

#include "archive_mutator.hpp"
#include "checkpoint_run.hpp"
#include "file/archive.hpp"
#include "fuzz.hpp"

namespace {

// The row stores as they are when the run is stopped in its second pass.
class Rows {
 public:
  Rows() {
    omvc::fuzz::run_checkpointed(dir_.path("sound"), false, 4);
    identity_ = omvc::Archive::load(dir_.path("sound")).integers(kIdentity);
  }

  // A checkpoint of any other identity is refused before anything else is looked at.
  void make_theirs(const std::string& file) const {
    omvc::Archive archive = omvc::Archive::load(file);
    if (!archive.has(kIdentity)) return;
    archive.put(kIdentity, identity_);
    archive.save(file);
  }

  void copy_to(const std::string& folder) const {
    using std::filesystem::copy_options;
    std::filesystem::create_directories(folder);
    std::error_code failure;
    do {  // the fuzzer's clock interrupts it
      std::filesystem::copy(dir_.path("sound.rows"), folder, copy_options::overwrite_existing | copy_options::recursive,
                            failure);
    } while (failure == std::errc::interrupted);
    omvc::fuzz::require(!failure, "the sound rows can be copied");
  }

 private:
  static constexpr const char* kIdentity = "checkpoint/identity";

  omvc::test::TempDir dir_;
  std::vector<omvc::Index> identity_;
};

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Rows rows;
  static const omvc::test::TempDir dir;
  const std::string file = dir.write_file("run", omvc::fuzz::with_checksum(omvc::fuzz::as_text(data, size)));
  try {
    if (!omvc::read_checkpoint(file)) return 0;
  } catch (const omvc::Error&) {
    // It must be refused when it is resumed from, too, or be of use.
  }
  rows.copy_to(file + ".rows");
  try {
    rows.make_theirs(file);
    omvc::fuzz::run_checkpointed(file, true, 100);
  } catch (const omvc::Error&) {
  }
  return 0;
}
