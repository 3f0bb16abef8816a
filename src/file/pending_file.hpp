// A file in the folder where it will stand, without a name until it is complete, so that it appears whole or not at all
// and a process that is killed leaves nothing behind. Libraries that open files by name, and file systems that have no
// files without one, get a temporary name.
#pragma once

#include <string>

namespace omvc {

class PendingFile {
 public:
  enum class Naming { unnamed, temporary };

  // Creates the file, with the permissions that any new file has. Throws ErrorKind::io, naming the path and the reason,
  // if it cannot be created.
  explicit PendingFile(std::string path, Naming naming = Naming::unnamed);
  ~PendingFile();  // removes what was written unless it was committed
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

  const std::string& path() const { return path_; }
  const std::string& temporary() const { return temporary_; }  // empty without a name
  int descriptor() const { return descriptor_; }

  // Makes what was written durable and gives it its name, replacing what was there.
  void commit();
  // Throws ErrorKind::io with errno's reason.
  [[noreturn]] void fail(const char* what) const;

 private:
  void create(Naming naming);

  std::string path_;
  std::string temporary_;
  int descriptor_ = -1;
};

}  // namespace omvc
