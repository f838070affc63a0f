// Any bytes as a message: the same is found however they come in, it stands in the bytes, and what is
// said of it cannot drive a terminal.
#include "soresolve/catalogue.h"

#include <algorithm>
#include <utility>

#include "catalogue/named_files.h"
#include "fuzz/fuzz_target.h"
#include "report/explain_report.h"
#include "soresolve/report.h"

namespace soresolve::test::explain_target {
namespace {

/// In an input this stands for a run that is longer than the reader's window (once; a file of 70 kB costs 20 ms).
constexpr char kLongRun = '\x1e';

std::string expanded(std::string_view input) {
  std::string message(input);
  const std::size_t at = message.find(kLongRun);
  if (at != std::string::npos) message.replace(at, 1, std::string(70000, 'x'));
  return message;
}

/// Every pattern of the catalogue with something captured, some dozen together, and a traceback.
std::vector<std::string> seeds() {
  constexpr std::size_t kTogetherBytes = 1500;
  std::vector<std::string> all;
  std::string together;
  for (const KnownMessage& known : known_messages()) {
    for (std::string_view pattern : known.patterns) {
      if (pattern.empty()) break;
      std::string text = "OSError: ";
      for (std::size_t open = pattern.find('{'); open != std::string_view::npos; open = pattern.find('{')) {
        const std::size_t close = pattern.find('}');
        const std::string_view inside = pattern.substr(open + 1, close - open - 1);
        const std::size_t equals = inside.find('=');
        std::string captured = equals == std::string_view::npos
                                   ? "/a b/libx.so.1"
                                   : std::string(inside.substr(equals + 1, inside.find('|') - equals - 1));
        std::replace(captured.begin(), captured.end(), '*', '1');
        text += std::string(pattern.substr(0, open)) + captured;
        pattern.remove_prefix(close + 1);
      }
      text += pattern;
      together += text + "\r\n";
      if (together.size() > kTogetherBytes) all.push_back(std::exchange(together, {}));
    }
  }
  all.push_back(together);
  all.push_back(
      "\x1b[31mTraceback (most recent call last):\x1b[0m\n  File \"/a/b.py\", line 1, in f\n    from ._C import x\n"
      "ImportError: libcudart.so.11.0: cannot open shared object file: No such file or directory\n");
  // An answer below what was asked, also where that is a long line.
  all.push_back(std::string(">>> torch.cuda.is_available()\nFalse\n") + kLongRun +
                "torch.cuda.is_available()\nFalse\n");
  all.push_back(std::string("p: symbol lookup error: /a b/c.so: undefined symbol: f, version V\rlib.so: ") + kLongRun +
                " liby.so: cannot open shared object file");
  return all;
}

bool is_equal(const Recognised& a, const Recognised& b) {
  return a.known == b.known && a.text == b.text && a.captures == b.captures && a.line == b.line && a.count == b.count &&
         a.frames.size() == b.frames.size();
}

bool can_drive_terminal(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7f; });
}

void run(const std::uint8_t* data, std::size_t size) {
  const std::string text = expanded({reinterpret_cast<const char*>(data), size});
  const std::string_view message = text;
  const std::vector<Recognised> found = recognise(message);
  require(found.size() <= MessageReader::kMaxRecognised, "what is found is bounded");

  MessageReader reader;
  for (std::size_t at = 0, part = 1; at < message.size(); at += part, part = part * 2 + 1)
    reader.read(message.substr(at, part));
  const std::vector<Recognised> in_parts = reader.finish();
  require(std::equal(found.begin(), found.end(), in_parts.begin(), in_parts.end(), is_equal),
          "the parts in which a message comes do not matter");

  MemoryFileSystem files;
  files.add_file("/a/_C.so", "");
  for (const Recognised& one : found) {
    require(one.line > 0 && one.count > 0, "it appears somewhere");
    require(one.text.size() <= 8192 && one.frames.size() <= 16, "what is shown is bounded");
    for (const Capture& capture : one.captures) {
      require(!capture.text.empty() && capture.text.size() <= 2048, "a capture is something, and bounded");
    }
    require(named_files(files, "/a", one).size() <= 32, "files are bounded");
  }
  const std::vector<LookupAnswer> answers;
  // One of four forms for each input.
  const std::size_t form = form_of(data, size, 4);
  const Language language = form % 2 == 0 ? Language::English : Language::Chinese;
  const ExplainReport report{found, answers, false, language};
  const Document document = document_of(report);
  if (form < 2) {
    require(!can_drive_terminal(to_text(document, {.language = language})), "text drives no terminal");
  } else {
    touch(to_json(document));
  }
}

}  // namespace
}  // namespace soresolve::test::explain_target

const soresolve::test::FuzzTarget soresolve::test::kExplainTarget = {"explain", explain_target::run,
                                                                     explain_target::seeds};
