// The options that several subcommands share: the analysed world, the process that opens the file, and the output.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "command.h"
#include "options.h"
#include "soresolve/link_map.h"
#include "subcommand.h"

namespace soresolve::tool {

void append(OptionList& list, OptionList more);

/// Where the analysed files are, and how the answer is printed.
OptionList place_options(WorldOptions& options);
/// --driver: the host that the file is to run on.
OptionList driver_options(WorldOptions& options);
/// The place, and the process that opens the file.
OptionList world_options(WorldOptions& options);

/// The whole environment that is asked about: what is given, or one's own, but not that of another root.
Environment environment_of(const WorldOptions& options);

/// The positional FILE...; with --pid it can be left out, and the process's own program is meant.
Option files_option(std::vector<std::string>& files);
/// --pid and --core: a process that is there already.
OptionList live_options(WorldOptions& options);
/// Is the process itself what is asked about, and no file in it? Of files that complete_files() has seen.
bool is_about_process(const WorldOptions& options, const std::vector<std::string>& files);
/// On standard error, where the answer is text: what was assumed or has changed since.
void report_notes(const LinkMap& map, const WorldOptions& options);
/// Call before answering: an exit status when no file is given and none is meant, or where another subcommand has
/// answered (see meaning.h). `typed`: the words behind the subcommand's name.
std::optional<Exit> complete_files(const Subcommand& asked, WorldOptions& options, std::vector<std::string>& files,
                                   std::span<char* const> typed);

/// For commands that tell what is opened later; the default is DlopenLevel::Known.
Option dlopen_option(DlopenLevel& level);
Option jobs_option(unsigned& jobs);
/// "loader": what is judged beyond the loader's part is left out.
Option only_option(std::string& only);
/// The answer as a page, beside the text.
Option html_option(WorldOptions& options);
/// "soresolve why FILE", "soresolve why --import MODULE".
std::string page_title(std::string_view name, const WorldOptions& options, const std::string& file);
/// Call before answering: an exit status where --html is given and there is more than one file.
std::optional<Exit> refuse_many_pages(std::string_view name, const WorldOptions& options, std::size_t file_count);
/// What depends on its process counts as a failure.
Option strict_option(bool& is_strict);
Option colour_option(std::string& colour);
/// Without it the locale's language counts, by LC_ALL, LC_MESSAGES and LANG (see language_of).
Option language_option(std::string& language);
Option verbose_option(WorldOptions& options);
Option trace_option(WorldOptions& options);

}  // namespace soresolve::tool
