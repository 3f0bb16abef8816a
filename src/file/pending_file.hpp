// A file in the folder where it will stand, without a name until it is complete, so that it appears whole or not at all
// and a process that is killed leaves nothing behind. Where the system has no files without a name, or no way to name
// them later (/proc is missing), the file has a passing name, `.omvc-part-` and more. It is locked while its process
// lives; what a killed one left behind is removed when the same file is written again.
//
// What another process has of the same file (sink/join.hpp) is a *part*: it is in TMPDIR, and never gets a name.
#pragma once

#include <string>

namespace omvc {

class PendingFile {
 public:
  // Creates the file, with the permissions of the one that it will replace, or those that any new file has; where the
  // name is a link, it is what the link leads to that is replaced. Throws ErrorKind::io, naming the path and the
  // reason, if it cannot be created.
  explicit PendingFile(const std::string& path, bool part = false);
  ~PendingFile();  // removes what was written unless it was committed
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

  const std::string& path() const { return path_; }
  int descriptor() const { return descriptor_; }

  // Gives it a passing name, under which other processes may write to it. Empty where that is impossible.
  std::string share();
  // Makes what was written durable, so that of all that can fail little is left for commit().
  void sync();
  // The same where it has not been done, and gives the file its name, replacing what was there.
  void commit();
  // Throws ErrorKind::io with errno's reason.
  [[noreturn]] void fail(const char* what) const;

 private:
  void create();
  bool name();
  std::string passing_name() const;
  void remove_abandoned() const;

  std::string path_;
  bool part_;
  std::string temporary_;  // empty without a name
  int descriptor_ = -1;
  bool synced_ = false;
};

}  // namespace omvc
