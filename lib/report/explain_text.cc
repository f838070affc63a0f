// The text of `explain`: what each recognised message means, its cause, proof and next step, in the chosen language.
// The analysis of a file that follows is the text of `why`, `check` or `symvers`.
#include <algorithm>

#include "report/paint.h"
#include "report/wrapped.h"
#include "soresolve/report.h"

namespace soresolve {
namespace {

class ExplainPrinter {
 public:
  ExplainPrinter(const ExplainReport& report, Colour colour, std::size_t width)
      : report_(report), language_(report.language), paint_(colour), width_(width) {}

  Text print() {
    for (const Recognised& message : report_.messages) {
      print_head(message);
      const bool is_told = std::any_of(report_.messages.data(), &message,
                                       [&](const Recognised& before) { return before.known == message.known; });
      if (is_told)
        entry({"cause", "原因"}, say({"as above", "同上"}));
      else
        print_words(message);
    }
    for (const LookupAnswer& answer : report_.answers) print_answer(answer);
    print_end();
    return std::move(text_);
  }

 private:
  static constexpr std::size_t kColumn = 12;

  /// Our own words, in the language that is asked for.
  [[nodiscard]] Text say(Phrase phrase) const { return Text::escaped(phrase.in(language_)); }

  void entry(Phrase head, const Text& content) {
    text_ += padded("  " + say(head), kColumn) + wrapped(content, kColumn, width_) + "\n";
  }

  void print_head(const Recognised& message) {
    const KnownMessage& known = *message.known;
    if (!text_.empty()) text_ += "\n";
    text_ += paint_.strong(Text::escaped(message.text)) + "\n";
    entry({"from", "来源"}, say(known.printer) + " [" + Text::escaped(known.id) + "]" + seen(message));
  }

  void print_words(const Recognised& message) {
    const KnownMessage& known = *message.known;
    const auto words = [&](Phrase phrase) { return Text::escaped(filled(phrase.in(language_), message)); };
    entry({"cause", "原因"}, words(known.cause));
    entry({"proof", "依据"}, words(known.proof));
    entry({"next", "处理"}, words(known.next));
    std::string_view commands = known.command;
    while (!commands.empty()) {
      const std::size_t end = commands.find('\n');
      print_command(filled_command(commands.substr(0, end), message));
      commands.remove_prefix(end == std::string_view::npos ? commands.size() : end + 1);
    }
  }

  /// Unless it is answered below, or asks about a file that is found out below.
  void print_command(const std::string& command) {
    const bool is_open = command.find(" FILE") != std::string::npos;
    const bool is_answered =
        std::any_of(report_.answers.begin(), report_.answers.end(), [&](const LookupAnswer& answer) {
          return answer.command == command || (is_open && command.starts_with("soresolve "));
        });
    if (is_answered) return;
    text_ += Text::spaces(kColumn) + paint_.name("$ " + Text::escaped(command)) + "\n";
  }

  [[nodiscard]] Text seen(const Recognised& message) const {
    if (message.count == 1) return {};
    const Text count = Text::number(message.count);
    const Text line = Text::number(message.line);
    return language_ == Language::Chinese ? " 共 " + count + " 次，最后一次在第 " + line + " 行"
                                          : " " + count + " times, last in line " + line;
  }

  void print_answer(const LookupAnswer& answer) {
    text_ += "\n" + paint_.strong(say({"Here: ", "本机情况："}) + Text::escaped(answer.command)) + "\n";
    if (answer.is_needer_unknown) print_how_to_find_needer(answer);
    if (!answer.error.empty()) {
      text_ += paint_.bad(Text::escaped(answer.error)) + "\n";
      return;
    }
    text_ += Text::trusted(answer.report);  // as its own renderer made it
  }

  void print_end() {
    if (report_.is_mended) {
      text_ += "\n" +
               paint_.good(say({"Nothing wrong is found any more: the message came from other files, "
                                "another environment, or "
                                "has been fixed since.",
                                "现在没有发现问题：这条消息来自别的文件、别的环境，或者之后已经修复。"})) +
               "\n";
    }
  }

  void print_how_to_find_needer(const LookupAnswer& answer) {
    const Phrase start = {
        "The message does not name the file that needs {library}, so the search is shown as for a "
        "program "
        "without search paths of its own. The loader shows which file needs it:",
        "这条消息没有写出是哪个文件需要 {library}，因此下面按没有自带搜索路径的程序来展示搜索过程。"
        "想知道是谁需要它，可以让动态链接器说出来："};
    std::string words(start.in(language_));
    words.replace(words.find("{library}"), 9, answer.library);
    text_ += "  " + wrapped(Text::escaped(words), 2, width_) + "\n";
    text_ +=
        "    " +
        paint_.name("$ LD_DEBUG=files PROGRAM 2>&1 | grep 'file=" + Text::escaped(answer.library) + " .*needed by'") +
        "\n";
    text_ += "  " +
             wrapped(say({"Then: soresolve why FILE ", "然后：soresolve why 文件 "}) + Text::escaped(answer.library), 2,
                     width_) +
             "\n";
  }

  const ExplainReport& report_;
  Language language_;
  Paint paint_;
  std::size_t width_;
  Text text_;
};

}  // namespace

std::string explain_text(const ExplainReport& report, Colour colour, std::size_t width) {
  return ExplainPrinter(report, colour, width).print().str();
}

std::string nothing_known_text(Language language, std::size_t width) {
  const Phrase phrase = {
      "Nothing in this text is a message that soresolve knows. It knows those of the dynamic "
      "linker (ld.so), and of Python, "
      "PyTorch, TensorFlow, onnxruntime, CUDA, cuDNN and NCCL about libraries and devices that do "
      "not fit; and it does not guess. "
      "Give the whole output, with standard error (PROGRAM 2>&1 | soresolve explain), or ask about "
      "the file itself: soresolve "
      "check FILE, soresolve why FILE.",
      "这段文字里没有 soresolve 认识的消息。它认识动态链接器（ld.so）以及 "
      "Python、PyTorch、TensorFlow、onnxruntime、CUDA、cuDNN、"
      "NCCL 关于共享库和设备不匹配的消息，不认识的不会乱猜。请提供包括标准错误在内的完整输出（程序 "
      "2>&1 | soresolve explain），"
      "或直接检查文件：soresolve check 文件、soresolve why 文件。"};
  return wrapped(phrase.in(language), 0, width) + "\n";
}

}  // namespace soresolve
