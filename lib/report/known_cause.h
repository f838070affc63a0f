// What the rows of messages say of the line that a host prints: one row serves a text that was pasted and a file that
// was judged. Not here: which text is which (catalogue/message_reader.cc).
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diagnose/hosts.h"
#include "report/page.h"
#include "soresolve/catalogue.h"
#include "soresolve/diagnose.h"
#include "soresolve/link_map.h"
#include "soresolve/python.h"

namespace soresolve {

/// The row of a line that the loader, or the host that opens a file, prints; nullopt: it has none, or no next step.
std::optional<Recognised> known_cause(std::string_view line);

/// A phrase of a message's row with what the message captured in it.
Words filled_words(const Phrase& phrase, const Recognised& message);

/// "next: " and what leads on, broken at the reader's width.
Prose next_line(Words next);

/// "next: " with what leads on from a warning of something that works; nullopt: nothing is known.
std::optional<Block> next_of_warning(const Problem& problem);

/// Python's message without its guess of the reason.
std::string without_guess(std::string text);

/// The exception of an import as pages show it: without Python's guess where the cause is known.
std::string shown_exception(const PythonImport& import);

/// Is it a row of a module that was built for another release of its host?
bool is_of_other_release(const Recognised& message);

/// What builds the package of `file` again for what is here. Empty: it has no such installer, or the file is the
/// distribution's, and what it lacks, `library`, is known to come with a package or product.
std::string installer_for(const HostRow* host, std::string_view file, std::string_view library);

/// The commands of a fix, as they are typed: without sudo(8) in a root.
CommandText typed_in(const std::string& root, const Remedy& fix);
/// "   # inside the root ROOT", behind what changes that root; empty for the host, and for what starts the container.
Words root_remark(const Remedy& fix, const std::string& root);

/// The lines below a verdict: "try: " with the fix that comes first; else "next: " with what leads on, as the diagnosis
/// or the row of the line that the host prints says it, or where a library depends on its process, how to name that.
/// Then the cause that the row knows. Empty: nothing is wrong, or nothing is known.
/// `host_line`: Answer::host_line(). `import` may be nullptr.
std::vector<Block> step_lines(const Diagnosis& diagnosis, std::string_view host_line, std::string_view file,
                              const std::string& root, const PythonImport* import);

}  // namespace soresolve
