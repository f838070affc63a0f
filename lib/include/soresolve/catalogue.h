// What is said, in each language: sentences of problems, words of codes, messages that are recognised.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/api.h"
#include "soresolve/command_text.h"
#include "soresolve/file_system.h"
#include "soresolve/problem_codes.h"
#include "soresolve/statement.h"

// The languages in which soresolve explains: those that people meet these errors in.

namespace soresolve SORESOLVE_API {

enum class Language : std::uint8_t { English, Chinese };

/// The same thing said in each language.
struct Phrase {
  std::string_view en;
  std::string_view zh;  ///< empty: as in English, such as a product's name
  [[nodiscard]] constexpr std::string_view in(Language language) const {
    return language == Language::Chinese && !zh.empty() ? zh : en;
  }
};

/// "en", "zh".
std::string_view name_of(Language language);
std::optional<Language> find_language(std::string_view name);

/// The language of a POSIX locale name such as "zh_CN.UTF-8"; English unless it is Chinese.
Language language_of_locale(std::string_view locale);

// Statements in words: what is to be said becomes text here, and nowhere else. The sentences are those of
// lib/catalogue/*.toml; a value stands in its place as it is.

/// In this language; empty for an empty statement. Values stand in it as they are: escape the whole for a terminal.
std::string sentence(const Statement& statement, Language language);

// Which known error texts are in a message, a traceback or a log, and what each of them means.
//
// The texts are those of glibc's loader (elf/dl-*.c), of Python's importer, and of CUDA and the
// frameworks on top of it. They stand in lib/catalogue/messages_*.toml; nothing is guessed about any
// other text.

/// The question whose answer confirms the message or shows that it is fixed.
enum class Lookup : std::uint8_t {
  None,     ///< files do not tell
  Search,   ///< `why FILE LIBRARY`, or `why LIBRARY` as long as nobody knows who asks
  Open,     ///< `why LIBRARY`: who prints it opens the library by name
  Version,  ///< `symvers OBJECT --need VERSION`
  Start,    ///< `check OBJECT`
  Program,  ///< `why PROGRAM`: execve refused it, or what it names as its interpreter
  Machine,  ///< `doctor`
  Plugin,   ///< `why FILE` of the plug-in that is named without its file
};

/// How much a text says by itself.
enum class Weight : std::uint8_t {
  Cause,    ///< it names what is wrong
  Summary,  ///< it frames or follows a text that does
};

/// One entry of the catalogue.
struct KnownMessage {
  std::string_view id;                        ///< stable, kebab-case: "cudart-11-missing"
  std::optional<ProblemCode> problem = {};    ///< under which `why` and `check` report what it is about
  Phrase printer;                             ///< who writes it
  std::array<std::string_view, 14> patterns;  ///< see catalogue/pattern.h; unused ones are empty
  Phrase cause;                               ///< "{library}" and the like stand for what was captured
  Phrase proof;                               ///< what proves it, or what to look at
  Phrase next;                                ///< what to do
  std::string_view command;                   ///< what to type, a line each; may be empty
  std::string_view fix = {};                  ///< the one line that cures it, where there is one
  std::string_view variable = {};             ///< of the environment, whose value here shows whether it is the cause
  Lookup lookup = Lookup::None;
  Weight weight = Weight::Cause;
  bool is_of_cuda = false;  ///< CUDA or its driver prints it; AMD's runtime prints some of these texts as well
  bool is_general = false;  ///< it says no more of a file that is here than the file's own proof does
  std::string_view source;  ///< the function that writes it, or reports of it
};

/// The whole catalogue, the more specific entries first.
std::span<const KnownMessage> known_messages();

struct Capture {
  std::string name;
  std::string text;
  bool operator==(const Capture&) const = default;
};

/// One `File "…", line N, in F` of a Python traceback.
struct TracebackFrame {
  std::string file;
  std::string function;
  std::string code;  ///< the source line; may be empty
};

/// One known text that was found.
struct Recognised {
  const KnownMessage* known = nullptr;
  std::string text;                    ///< the line that it stands in, or the part of a long one
  std::vector<Capture> captures;       ///< "library", "version", …; "object" and "program" of ld.so
  std::vector<TracebackFrame> frames;  ///< the traceback that it ends, innermost first
  std::uint64_t line = 0;              ///< of its last appearance, from 1
  std::uint64_t count = 1;             ///< appearances with the same captures
  bool is_explained = false;           ///< it says what was tried, and the loader's text just above it says why

  /// The text captured as `name`; empty when there is none.
  [[nodiscard]] std::string_view captured(std::string_view name) const;
};

/// Reads a message in parts of any size. Escape sequences of terminals and other control characters
/// are passed over. Memory is bounded whatever comes: lines are looked through in windows, and of
/// more than kMaxRecognised different texts the last are kept.
class MessageReader {
 public:
  static constexpr std::size_t kMaxRecognised = 64;

  MessageReader();
  ~MessageReader();
  MessageReader(const MessageReader&) = delete;
  MessageReader& operator=(const MessageReader&) = delete;

  void read(std::string_view bytes);
  /// Ends the message. Causes before summaries, the last one first.
  std::vector<Recognised> finish();

 private:
  class State;
  std::unique_ptr<State> state_;
};

/// All of it at once.
std::vector<Recognised> recognise(std::string_view message);

/// `phrase` with "{name}" replaced by what was captured; "FILE" and the like, in capitals, where
/// nothing was.
std::string filled(std::string_view phrase, const Recognised& message);
/// The same for a command, each line of it a command: what was captured is quoted.
CommandText filled_command(std::string_view command, const Recognised& message);

}  // namespace SORESOLVE_API
