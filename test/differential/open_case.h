// One random sequence of dlopen calls in a small program, and who answers what comes of it.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "differential/answer.h"
#include "differential/real_loader.h"
#include "loader/load.h"
#include "support/random.h"
#include "support/sandbox.h"

namespace soresolve::test {

inline constexpr std::string_view kOpener = "/app/opener";
inline constexpr std::string_view kInAnother = "in another: ";  ///< before an object of another namespace
inline constexpr std::string_view kCaller = "/app/caller.so";

struct OpenCase {
  std::string why;                 ///< what one of open_scenarios() shows
  std::vector<std::string> shows;  ///< the lines that the real loader must give; empty: any
  int shows_since = 0;             ///< from release 1.2.N on
  std::vector<TreeNode> nodes;
  std::string program;  ///< which of the programs that were built
  std::string caller;   ///< likewise; empty: none
  bool has_library_path = true;
  TreeNode program_file;       ///< whose mode, owner and capabilities the program gets
  std::uint32_t user = 0;      ///< who starts it: root, or one of kOpenUsers
  bool is_user_named = false;  ///< the question has the user's name, not the number
  std::vector<OpenRequest> dlopen_calls;
  std::vector<std::string> environment;  ///< besides LD_LIBRARY_PATH
  bool is_musl = false;
};
/// What the program gets, with LD_LIBRARY_PATH.
std::vector<std::string> environment_of(const OpenCase& asked);

/// Who can start the program; the case's etc/passwd and etc/group have them, too.
struct OpenUser {
  std::string_view name;
  std::uint32_t uid;
  std::uint32_t gid;
  std::vector<std::uint32_t> groups;
};
const std::vector<OpenUser>& open_users();

/// `has_users`: the program may be started by others than root.
OpenCase random_case(Random& random, bool has_users);

/// Without what musl does not have: namespaces, and files of which the kernel's mmap(2) decides.
void suit_musl(OpenCase& made);

/// Sizes of thread-local storage around what the loader keeps for it.
std::vector<OpenCase> boundary_cases();

/// Sequences whose differences had causes of their own.
std::vector<OpenCase> open_scenarios();
/// Those of musl's reference, by number.
std::vector<OpenCase> musl_open_scenarios();

/// The argument of opener.cc that says how a file is opened.
std::string mode_of(const OpenRequest& request);

/// Files of the case; the names of others differ between releases.
bool is_ours(std::string_view path);

/// Adds a line that is not among them yet.
void add_once(std::vector<std::string>& lines, std::string line);

/// What the program prints and the loader logs: its lines are start_messages, its list is the trace. `patience`: Short
/// where it is predicted not to end.
LoaderAnswer ask_real(const Sandbox& box, const OpenCase& asked, Patience patience);

/// The same as the library predicts it.
LoaderAnswer ask_ours(const Sandbox& box, const OpenCase& asked);

}  // namespace soresolve::test
