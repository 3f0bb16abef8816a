// A file under a temporary name in the folder where it will stand, until it is complete: then it gets its name, so that
// it appears whole or not at all.
#pragma once

#include <string>

namespace omvc {

class PendingFile {
 public:
  // Creates the temporary file, with the permissions that any new file has. Throws ErrorKind::io, naming the path and
  // the reason, if it cannot be created.
  explicit PendingFile(std::string path);
  ~PendingFile();  // removes the temporary file unless it was committed
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

  const std::string& path() const { return path_; }
  const std::string& temporary() const { return temporary_; }  // for libraries that open files by name
  int descriptor() const { return descriptor_; }

  // Makes what was written durable and gives it its name, replacing what was there.
  void commit();
  // Throws ErrorKind::io with errno's reason.
  [[noreturn]] void fail(const char* what) const;

 private:
  std::string path_;
  std::string temporary_;
  int descriptor_ = -1;
};

}  // namespace omvc
