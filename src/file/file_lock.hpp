// Says that a process is at work on a file, so that no other one is at the same time. The file itself is replaced when
// it is written, so the lock is on another one beside it, FILE.lock. It ends with the process, however that ends, and
// what a killed one left behind is taken over.
#pragma once

#include <string>

namespace omvc {

class FileLock {
 public:
  // Throws ErrorKind::usage if another process has it, or FILE.lock is somebody's file, which is left alone (a lock is
  // empty), and ErrorKind::io if the lock cannot be made.
  explicit FileLock(const std::string& file);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  bool take(const std::string& file);

  std::string path_;
  int descriptor_ = -1;
};

}  // namespace omvc
