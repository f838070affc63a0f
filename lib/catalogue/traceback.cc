// Collects the frames of the last traceback as its lines go by, for the messages that follow it. Format: CPython
// Lib/traceback.py:StackSummary.format. At most 16 frames; carets and notes below a source line are passed over.
#include "catalogue/traceback.h"

#include "base/pieces.h"

namespace soresolve {
namespace {

constexpr std::size_t kMaxFrames = 16;
constexpr std::size_t kMaxText = 1024;  ///< bytes of a path or a source line
/// An exception's message may have several lines, but what stands far below is another matter.
constexpr std::size_t kMaxLinesBehind = 6;

}  // namespace

void Traceback::read(std::string_view line) {
  constexpr std::string_view kFile = "File \"";
  constexpr std::string_view kLine = "\", line ";
  if (line.find("Traceback (most recent call last)") != std::string_view::npos) {
    frames_.clear();
    lines_behind_ = 0;
    return;
  }
  const std::size_t file = line.substr(0, kMaxText).find(kFile);
  const std::size_t end = file == std::string_view::npos ? file : line.find(kLine, file);
  if (end != std::string_view::npos && end - file <= kMaxText) {
    TracebackFrame frame;
    frame.file = std::string(line.substr(file + kFile.size(), end - file - kFile.size()));
    const std::string_view rest = line.substr(end + kLine.size(), kMaxText);
    if (const std::size_t in = rest.find(", in "); in != std::string_view::npos) {
      frame.function = std::string(trimmed(rest.substr(in + 5)));
    }
    prefix_ = std::string(line.substr(0, file));
    frames_.push_back(std::move(frame));
    if (frames_.size() > kMaxFrames) frames_.pop_front();
    lines_behind_ = 0;
    return;
  }
  if (frames_.empty()) return;
  ++lines_behind_;
  const std::string_view code = trimmed(line.starts_with(prefix_) ? line.substr(prefix_.size()) : "");
  if (lines_behind_ == 1 && !code.empty()) frames_.back().code = std::string(code.substr(0, kMaxText));
  if (lines_behind_ > kMaxLinesBehind) frames_.clear();
}

std::vector<TracebackFrame> Traceback::frames() const { return {frames_.rbegin(), frames_.rend()}; }

}  // namespace soresolve
