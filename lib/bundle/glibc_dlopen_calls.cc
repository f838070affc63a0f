// By the names of functions that the process binds to glibc: which of them open a library is known from its sources
// (glibc_dlopen_calls.h). A call that is never made opens nothing, so that this is likely and not proven.
#include "bundle/glibc_dlopen_calls.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "base/path.h"
#include "base/pieces.h"
#include "base/small_file.h"
#include "dlopen/find_dlopens.h"
#include "loader/load.h"
#include "soresolve/diagnose.h"

namespace soresolve {
namespace {

/// Functions behind which the name service switch stands: what begins so.
constexpr std::array<std::string_view, 16> kNameService = {
    "getaddrinfo", "getgrent", "getgrgid", "getgrnam", "getgrouplist", "gethostby", "getnameinfo", "getnetby",
    "getprotoby",  "getpwent", "getpwnam", "getpwuid", "getservby",    "getspnam",  "initgroups",  "setpwent"};

constexpr std::size_t kMostConfBytes = 64 * 1024;

/// What the calls of a process come to.
struct Calls {
  bool unwinds = false;
  bool asks_names = false;
  bool converts_text = false;
};

Calls calls_of(const Bindings& bindings, ObjectIndex libc) {
  Calls calls;
  bindings.for_each([&](const Bindings::Event& event) {
    if (event.binding == nullptr || event.binding->provider != libc || event.binding->referrer == libc) return;
    const std::string_view symbol = event.binding->symbol;
    calls.unwinds |= symbol == "backtrace" || std::find(kUnwindingFunctions.begin(), kUnwindingFunctions.end(),
                                                        symbol) != kUnwindingFunctions.end();
    calls.asks_names |= std::any_of(kNameService.begin(), kNameService.end(),
                                    [&](std::string_view name) { return symbol.starts_with(name); });
    calls.converts_text |= symbol == "iconv_open";
  });
  return calls;
}

/// The services of all databases, nsswitch.conf(5).
std::set<std::string> services_of(const FileSystem& files) {
  const std::optional<std::string> text = read_small_file(files, "/etc/nsswitch.conf", kMostConfBytes);
  if (!text) return {"dns", "files"};
  std::set<std::string> services;
  for (const std::string_view line : lines_in(*text)) {
    bool is_action = false;
    for (const std::string_view word : words_in(cut_at(cut_at(line, '#').before, ':').behind)) {
      is_action |= word.starts_with('[');
      const bool is_name = word.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") == std::string_view::npos;
      if (!is_action && is_name) services.emplace(word);
      if (word.ends_with(']')) is_action = false;
    }
  }
  return services;
}

}  // namespace

GlibcDlopenCalls find_glibc_dlopen_calls(const Resolution& run, const FileSystem& target) {
  GlibcDlopenCalls dlopen_calls;
  const LinkMap& map = run.map();
  ObjectIndex libc = kNoObject;
  for (ObjectIndex i = 0; i < map.objects.size(); ++i) {
    if (map.objects[i].role == ObjectRole::Library && map.objects[i].elf.soname == "libc.so.6") libc = i;
  }
  if (libc == kNoObject || !run.check()) return dlopen_calls;
  const Calls calls = calls_of(run.check()->facts.bindings, libc);
  dlopen_calls.converts_text = calls.converts_text;
  std::vector<std::string> names;
  if (calls.unwinds) names.emplace_back("libgcc_s.so.1");
  if (calls.asks_names) {
    const bool has_them_inside = !(map.system->rules.version < GlibcVersion{2, 34});
    for (const std::string& service : services_of(target)) {
      if (has_them_inside && (service == "files" || service == "dns")) continue;
      names.push_back("libnss_" + service + ".so.2");
    }
  }
  LoneSearcher searcher(map);
  for (const std::string& name : names) {
    const bool is_loaded = std::any_of(map.objects.begin(), map.objects.end(), [&](const LoadedObject& object) {
      return object.role == ObjectRole::Library && (object.matches_name(name) || object.elf.soname == name);
    });
    if (is_loaded) continue;
    LoneSearch search = searcher.search(libc, name, PastFirst::Stop);
    if (!is_found(search.outcome)) continue;
    Dlopen opened;
    opened.opener = map.objects[libc].path;
    opened.object = libc;
    opened.source = DlopenSource::Known;
    opened.evidence = Confidence::Likely;
    opened.importance = Importance::Recommended;
    opened.reported_by = say("by-glibc");
    opened.choices.push_back({name, std::move(search.path), {}});
    opened.is_found = true;
    dlopen_calls.list.push_back(std::move(opened));
  }
  return dlopen_calls;
}

}  // namespace soresolve
