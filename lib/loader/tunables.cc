// See tunables.h. Source: glibc 2.31, 2.36, 2.41 elf/dl-tunables.c:parse_tunables, tunable_initialize;
// elf/dl-misc.c:_dl_strtoul; sysdeps/x86/cpu-tunables.c:TUNABLE_CALLBACK (set_hwcaps).
#include "loader/tunables.h"
#include "loader/loader_rules.h"
#include "loader/process.h"

#include <algorithm>

namespace soresolve {
namespace {

constexpr std::string_view kVariable = "GLIBC_TUNABLES=";
constexpr std::string_view kSecure = "glibc.rtld.enable_secure";
constexpr std::string_view kHwcaps = "glibc.cpu.hwcaps";
/// Tunables that are no numbers.
constexpr std::string_view kTexts[] = {kHwcaps, "glibc.cpu.x86_ibt", "glibc.cpu.x86_shstk", "glibc.cpu.name"};

/// The tunables of an x86 loader, and the releases 2.N that have them, both included; in the order of
/// the list that is compiled into it. Debian's loaders of 2.31, 2.36, 2.41 and 2.43 have been looked into.
struct KnownTunable {
  std::string_view name;
  int first;
  int last;
};
constexpr KnownTunable kTunables[] = {
    {"glibc.cpu.hwcap_mask", 0, 39},
    {"glibc.cpu.hwcaps", 0, 99},
    {"glibc.cpu.plt_rewrite", 39, 99},
    {"glibc.cpu.prefer_map_32bit_exec", 38, 99},
    {"glibc.cpu.x86_data_cache_size", 0, 99},
    {"glibc.cpu.x86_ibt", 0, 99},
    {"glibc.cpu.x86_memset_non_temporal_threshold", 41, 99},
    {"glibc.cpu.x86_non_temporal_threshold", 0, 99},
    {"glibc.cpu.x86_rep_movsb_threshold", 32, 99},
    {"glibc.cpu.x86_rep_stosb_threshold", 32, 99},
    {"glibc.cpu.x86_shared_cache_size", 0, 99},
    {"glibc.cpu.x86_shstk", 0, 99},
    {"glibc.elision.enable", 0, 42},
    {"glibc.elision.skip_lock_after_retries", 0, 42},
    {"glibc.elision.skip_lock_busy", 0, 42},
    {"glibc.elision.skip_lock_internal_abort", 0, 42},
    {"glibc.elision.skip_trylock_internal_abort", 0, 42},
    {"glibc.elision.tries", 0, 42},
    {"glibc.gmon.maxarcs", 36, 99},
    {"glibc.gmon.minarcs", 36, 99},
    {"glibc.malloc.arena_max", 0, 99},
    {"glibc.malloc.arena_test", 0, 99},
    {"glibc.malloc.check", 0, 99},
    {"glibc.malloc.hugetlb", 35, 99},
    {"glibc.malloc.mmap_max", 0, 99},
    {"glibc.malloc.mmap_threshold", 0, 99},
    {"glibc.malloc.mxfast", 0, 99},
    {"glibc.malloc.perturb", 0, 99},
    {"glibc.malloc.tcache_count", 0, 99},
    {"glibc.malloc.tcache_max", 0, 99},
    {"glibc.malloc.tcache_unsorted_limit", 0, 99},
    {"glibc.malloc.top_pad", 0, 99},
    {"glibc.malloc.trim_threshold", 0, 99},
    {"glibc.mem.decorate_maps", 39, 99},
    {"glibc.mem.tagging", 33, 99},
    {"glibc.pthread.mutex_spin_count", 0, 99},
    {"glibc.pthread.rseq", 35, 99},
    {"glibc.pthread.stack_cache_size", 34, 99},
    {"glibc.pthread.stack_hugetlb", 37, 99},
    {"glibc.rtld.dynamic_sort", 35, 99},
    {"glibc.rtld.enable_secure", 40, 99},
    {"glibc.rtld.execstack", 41, 99},
    {"glibc.rtld.nns", 31, 99},
    {"glibc.rtld.optional_static_tls", 31, 99},
};

std::string number_warning(std::string_view name, std::string_view value) {
  return "WARNING: ld.so: invalid GLIBC_TUNABLES value `" + std::string(value) + "' for option `" + std::string(name) +
         "': ignored.";
}

}  // namespace

std::uint64_t exec_stack_mode(const LoaderRules& rules, const Process& process) {
  const Tunables tunables(rules, process);
  return tunables.number("glibc.rtld.execstack", {0, 2, Tunables::Width::Bits32}).value_or(1);
}

LoaderNumber read_loader_number(std::string_view text) {
  std::size_t at = 0;
  const auto peek = [&](std::size_t ahead = 0) { return at + ahead < text.size() ? text[at + ahead] : '\0'; };
  while (peek() == ' ' || peek() == '\t') ++at;
  const bool is_negative = peek() == '-';
  if (is_negative || peek() == '+') ++at;
  if (peek() < '0' || peek() > '9') return {0, at};
  std::uint64_t base = 10;
  if (peek() == '0') {
    const bool is_hexadecimal = peek(1) == 'x' || peek(1) == 'X';
    base = is_hexadecimal ? 16 : 8;
    if (is_hexadecimal) at += 2;
  }
  LoaderNumber number;
  for (;; ++at) {
    const char c = peek();
    std::uint64_t digit = base;
    if (c >= '0' && c <= '9') digit = static_cast<std::uint64_t>(c - '0');
    if (c >= 'a' && c <= 'f') digit = static_cast<std::uint64_t>(c - 'a') + 10;
    if (c >= 'A' && c <= 'F') digit = static_cast<std::uint64_t>(c - 'A') + 10;
    if (digit >= base) break;
    constexpr std::uint64_t kMost = ~std::uint64_t{0};
    if (number.value > (kMost - digit) / base) return {kMost, at};
    number.value = number.value * base + digit;
  }
  number.length = at;
  if (is_negative) number.value = 0 - number.value;
  return number;
}

Tunables::Tunables(const LoaderRules& rules, const Process& process) : rules_(rules), process_(process) {
  if (process.secure && !process.secure_by_tunable) return;
  const std::vector<std::string>& environment = process.environment.entries();
  for (std::size_t i = 0; i < environment.size(); ++i) {
    const std::string_view variable = environment[i];
    if (!variable.starts_with(kVariable)) continue;
    const std::string_view text = variable.substr(kVariable.size());
    rules.strict_tunables ? read_strict(text, i) : read_lenient(text, i);
  }
}

void Tunables::read_lenient(std::string_view text, std::size_t variable) {
  while (true) {
    const std::size_t end = text.find_first_of("=:");
    if (end == std::string_view::npos) return;
    const std::string_view name = text.substr(0, end);
    const bool is_pair = text[end] == '=';
    text.remove_prefix(end + 1);
    if (!is_pair) continue;
    const std::size_t colon = std::min(text.find(':'), text.size());
    entries_.push_back({name, text.substr(0, colon), variable});
    if (colon == text.size()) return;
    text.remove_prefix(colon + 1);
  }
}

void Tunables::read_strict(std::string_view text, std::size_t variable) {
  if (text.empty()) return;
  const std::string void_all = "WARNING: ld.so: invalid GLIBC_TUNABLES `" + std::string(text) + "': ignored.";
  std::vector<Entry> found;
  while (true) {
    const std::size_t end = text.find_first_of("=:");
    if (end == std::string_view::npos) return warnings_.push_back(void_all);
    const std::string_view name = text.substr(0, end);
    const bool is_pair = text[end] == '=';
    text.remove_prefix(end + 1);
    if (!is_pair) continue;
    const std::size_t stop = std::min(text.find_first_of("=:"), text.size());
    if (stop < text.size() && text[stop] == '=') return warnings_.push_back(void_all);
    std::erase_if(found, [&](const Entry& known) { return known.name == name; });
    found.push_back({name, text.substr(0, stop), variable});
    if (stop == text.size()) break;
    text.remove_prefix(stop);  // the colon stays, and is passed over
  }
  if (is_known(kSecure)) {
    for (const Entry& entry : found) {
      if (entry.name != kSecure) continue;
      const LoaderNumber number = read_loader_number(entry.value);
      if (number.length != entry.value.size()) warnings_.push_back(number_warning(entry.name, entry.value));
      if (number.length != entry.value.size() || number.value != 1) continue;
      asks_for_secure_ = true;
      return;
    }
  }
  warn_of_numbers(found);
  entries_.insert(entries_.end(), found.begin(), found.end());
}

/// In the order of the loader's own list.
void Tunables::warn_of_numbers(const std::vector<Entry>& found) {
  for (const KnownTunable& tunable : kTunables) {
    const std::string_view name = tunable.name;
    if (std::find(std::begin(kTexts), std::end(kTexts), name) != std::end(kTexts) || !is_known(name)) continue;
    for (const Entry& entry : found) {
      if (entry.name != name || read_loader_number(entry.value).length == entry.value.size()) continue;
      warnings_.push_back(number_warning(entry.name, entry.value));
    }
  }
}

bool Tunables::is_known(std::string_view name) const {
  const int minor = static_cast<int>(rules_.version.minor_number);
  return std::any_of(std::begin(kTunables), std::end(kTunables), [&](const KnownTunable& tunable) {
    return tunable.name == name && tunable.first <= minor && minor <= tunable.last;
  });
}

std::optional<std::string_view> Tunables::text(std::string_view name) const {
  const auto found =
      std::find_if(entries_.rbegin(), entries_.rend(), [&](const Entry& entry) { return entry.name == name; });
  if (found == entries_.rend() || !is_known(name)) return std::nullopt;
  return found->value;
}

std::optional<std::uint64_t> Tunables::number(std::string_view name, Range range) const {
  std::optional<std::uint64_t> value;
  if (!is_known(name)) return value;
  for (const Entry& entry : entries_) {
    if (entry.name != name) continue;
    LoaderNumber number = read_loader_number(entry.value);
    if (rules_.strict_tunables) {
      if (number.length != entry.value.size()) continue;
      if (range.width == Width::Bits32) {
        number.value = static_cast<std::uint64_t>(
            static_cast<std::int64_t>(static_cast<std::int32_t>(static_cast<std::uint32_t>(number.value))));
      }
    }
    if (number.value >= range.first && number.value <= range.last) value = number.value;
  }
  return value;
}

std::vector<std::string_view> Tunables::hwcaps_elements() const {
  std::vector<std::string_view> elements;
  const auto found =
      std::find_if(entries_.rbegin(), entries_.rend(), [&](const Entry& entry) { return entry.name == kHwcaps; });
  if (found == entries_.rend() || !is_known(kHwcaps)) return elements;
  const auto split = [&elements](std::string_view text) {
    while (true) {
      const std::size_t comma = std::min(text.find(','), text.size());
      elements.push_back(text.substr(0, comma));
      if (comma == text.size()) return true;
      text.remove_prefix(comma + 1);
      // A comma at the end: the NUL behind it ends everything.
      if (text.empty()) return false;
    }
  };
  if (rules_.strict_tunables) {
    split(found->value);
    return elements;
  }
  // The step over the last element is also one over the NUL that ends it. What comes then is split like
  // the value: at NULs, which stand in place of the colons behind known tunables, until two of them meet.
  if (!split(found->value)) return elements;
  const std::vector<std::string>& environment = process_.environment.entries();
  const auto read_on = [&](std::string_view whole, std::size_t at, std::size_t variable) {
    for (const Entry& entry : entries_) {
      if (entry.variable != variable || !is_known(entry.name)) continue;
      const std::size_t end = static_cast<std::size_t>(entry.value.data() - whole.data()) + entry.value.size();
      if (end < at) continue;
      if (end == at || !split(whole.substr(at, end - at))) return false;
      at = end + 1;
    }
    if (at > whole.size()) return true;
    return at < whole.size() && split(whole.substr(at));
  };
  const std::string_view own = environment[found->variable];
  const std::size_t end = static_cast<std::size_t>(found->value.data() - own.data()) + found->value.size();
  if (!read_on(own, end + 1, found->variable)) return elements;
  for (std::size_t i = found->variable + 1; i < environment.size(); ++i) {
    if (!read_on(environment[i], 0, i)) return elements;
  }
  return elements;
}

}  // namespace soresolve
