// The detectors of problems: each is a function of the diagnosis input, and detect_all() has them in one list. What
// each is about, and which rule of the loader it holds, stands at the top of its source.
#pragma once
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "diagnose/diagnosis_input.h"
#include "soresolve/diagnose.h"
#include "soresolve/symbols.h"

namespace soresolve {

/// What each detector finds, in the order in which they are reported. Without a check nothing is said of symbols.
std::vector<Problem> detect_all(const DiagnosisInput& input, const Check* check);

/// CpuLevel problems: objects that ask for more than the processor has, in the loader's order.
std::vector<Problem> find_above_cpu(const DiagnosisInput& input);

/// WouldCrash, if the start ends over something that is neither a missing symbol nor the processor: a
/// crash, an assertion, a relocation that the loader does not know.
std::vector<Problem> find_other_end(const DiagnosisInput& input, const Check& check);

/// SymbolMissing problems of a start that has been judged, one for each object and file that its
/// symbols are required from. In a library that is judged on its own, references without a version are
/// left to the process that opens it: a Note.
std::vector<Problem> find_missing_symbols(const DiagnosisInput& input, const Check& check);

/// One TwoCopies problem for each family with more than one file: which object asked for which, and,
/// with `bindings`, whose symbols end where. `bindings` may be null.
std::vector<Problem> find_two_copies(const DiagnosisInput& input, const Bindings* bindings);

/// One TwoCopies problem for each library whose references to its own symbols are bound to another library's. For an
/// answer about one file; lists do without.
std::vector<Problem> find_symbols_taken_over(const LinkMap& map);

/// DlopenMissing problems for required and recommended libraries, StubLibrary for those that are opened
/// from a directory of stubs, and a Note for each damaged note.
std::vector<Problem> find_missing_dlopens(const DiagnosisInput& input);

/// WouldCrash where the runtime of AddressSanitizer is in the process and not its first library; not where it is told
/// not to look, or an object has options of its own for it.
std::optional<Problem> find_late_sanitizer(const LinkMap& map, const Bindings& bindings);

/// Is it a library that a file is known to open, by the table, and that is not found?
bool is_missing_later(const Dlopen& opened);
/// Their names.
std::set<std::string> names_missing_later(const Dlopens& dlopens);
std::set<std::string> names_missing_later(const LinkMap& map);

/// One StubLibrary problem for each object of the map that is one.
std::vector<Problem> find_stub_libraries(const DiagnosisInput& input);

/// One FileCut problem for each object of the map whose file ends before its PT_LOAD segments do.
std::vector<Problem> find_cut_files(const DiagnosisInput& input);

/// ForeignFile, BrokenLink and NotReadable: one problem for each kind and library that was searched
/// for, or for each broken directory.
std::vector<Problem> find_files_in_the_way(const DiagnosisInput& input);

/// One PreloadInEffect problem with all preloads that are loaded, or none.
std::vector<Problem> find_preloads(const DiagnosisInput& input);

/// UnsafeElement: empty and relative elements of LD_LIBRARY_PATH, RPATH and RUNPATH, and directories
/// that everybody may write to and that were searched before the system's own.
std::vector<Problem> find_unsafe_elements(const DiagnosisInput& input);

/// RpathMissing, RpathDuplicate, RpathDefault, RpathBuild, RpathStubs: one for each directory, the files that have the
/// entry as its evidence. None changes a verdict. Empty, relative and world-writable ones: find_unsafe_elements().
std::vector<Problem> find_rpath_lint(const DiagnosisInput& input);

}  // namespace soresolve
