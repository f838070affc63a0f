// Makes a snapshot: passes questions on to the files of a machine, notes them, and then takes down what was asked for.
//
// While questions run, only paths and ranges are noted, which costs little. finish() goes through the paths once more:
// each step of each path becomes a node, and of each file that was read the ranges are read again.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "place/snapshot.h"
#include "place/snapshot_data.h"

namespace soresolve {

class SnapshotRecorder {
 public:
  explicit SnapshotRecorder(std::shared_ptr<const FileSystem> files);
  ~SnapshotRecorder();
  SnapshotRecorder(const SnapshotRecorder&) = delete;
  SnapshotRecorder& operator=(const SnapshotRecorder&) = delete;

  /// The same files, noted. Several threads may ask.
  [[nodiscard]] std::shared_ptr<const FileSystem> files() const;
  /// The files themselves.
  [[nodiscard]] const FileSystem& unrecorded_files() const;

  /// What was asked for, as data. Nobody may ask meanwhile. Equal questions about equal files give equal data.
  [[nodiscard]] SnapshotData finish(MachineFacts machine, unsigned jobs) const;

 private:
  struct Log;
  class Files;
  class OpenFile;
  class Collection;
  std::shared_ptr<Log> log_;
  std::shared_ptr<const FileSystem> base_;
};

}  // namespace soresolve
