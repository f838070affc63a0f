// Greedy reduction: drop nodes, tags, cache lines and variables, then shorten texts, as long as the difference remains.
// The result is the smallest tree that this order finds, not the smallest there is.
#include "differential/tree_reducer.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace soresolve::test {
namespace {

/// `list` without each of its elements in turn; an element ends before a `:` or `;`.
std::vector<std::string> shorter_lists(const std::string& list) {
  std::vector<std::string> shorter;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find_first_of(":;", begin), list.size());
    std::string without = list.substr(0, begin);
    if (end < list.size()) {
      without += list.substr(end + 1);
    } else if (!without.empty()) {
      without.pop_back();
    }
    if (without.size() < list.size()) shorter.push_back(without);
    begin = end + 1;
  }
  if (list.size() > 8) {
    shorter.push_back(list.substr(0, list.size() / 2));
    shorter.push_back(list.substr(list.size() / 2));
  }
  return shorter;
}

class Reducer {
 public:
  Reducer(Tree tree, const std::function<bool(const Tree&)>& still_fails)
      : best_(std::move(tree)), still_fails_(still_fails) {}

  Tree reduce() {
    do {
      is_smaller_ = false;
      drop_nodes();
      drop_tags();
      drop_cache_parts();
      drop_variables();
      simplify_start();
      if (!is_smaller_) shorten_texts();
    } while (is_smaller_);
    return std::move(best_);
  }

 private:
  bool accept(Tree candidate) {
    if (!still_fails_(candidate)) return false;
    best_ = std::move(candidate);
    is_smaller_ = true;
    return true;
  }

  /// Removes elements of one list, in big pieces first.
  template <class GetList>
  void drop_from(GetList get) {
    for (std::size_t piece = std::max<std::size_t>(get(best_).size() / 2, 1); piece > 0; piece /= 2) {
      for (std::size_t i = get(best_).size(); i > 0;) {
        const std::size_t begin = i > piece ? i - piece : 0;
        Tree candidate = best_;
        auto& list = get(candidate);
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(begin), list.begin() + static_cast<std::ptrdiff_t>(i));
        accept(std::move(candidate));
        i = begin;
      }
    }
  }

  void drop_nodes() {
    drop_from([](Tree & tree) -> auto& { return tree.nodes; });
  }
  void drop_variables() {
    drop_from([](Tree & tree) -> auto& { return tree.environment; });
  }

  void drop_tags() {
    for (std::size_t i = 0; i < best_.nodes.size(); ++i) {
      drop_from([i](Tree & tree) -> auto& { return tree.nodes[i].elf.strings; });
      drop_from([i](Tree & tree) -> auto& { return tree.nodes[i].elf.version_needs; });
      drop_from([i](Tree & tree) -> auto& { return tree.nodes[i].elf.version_definitions; });
      drop_from([i](Tree & tree) -> auto& { return tree.nodes[i].elf.relocations; });
      drop_from([i](Tree & tree) -> auto& { return tree.nodes[i].elf.symbols; });
      drop_versions(i);
      simplify_symbols(i);
      if (best_.nodes[i].elf.flags_1 && *best_.nodes[i].elf.flags_1 != kDf1Pie) {
        Tree candidate = best_;
        candidate.nodes[i].elf.flags_1.reset();
        if (best_.nodes[i].elf.interp) candidate.nodes[i].elf.flags_1 = kDf1Pie;
        accept(std::move(candidate));
      }
      if (best_.nodes[i].elf.type == kEtExec) {
        Tree candidate = best_;
        candidate.nodes[i].elf.type = kEtDyn;
        candidate.nodes[i].elf.flags_1 = kDf1Pie;
        accept(std::move(candidate));
      }
    }
  }

  /// All but one of a file: behind an empty list the loader reads on.
  void drop_versions(std::size_t node) {
    for (std::size_t k = 0; k < best_.nodes[node].elf.version_needs.size(); ++k) {
      for (std::size_t i = best_.nodes[node].elf.version_needs[k].versions.size(); i-- > 0;) {
        Tree candidate = best_;
        auto& versions = candidate.nodes[node].elf.version_needs[k].versions;
        if (versions.size() == 1) break;
        versions.erase(versions.begin() + static_cast<std::ptrdiff_t>(i));
        accept(std::move(candidate));
      }
    }
  }

  void simplify_symbols(std::size_t node) {
    const auto set = [this, node](auto ElfSpec::*member, auto value) {
      if (best_.nodes[node].elf.*member == value) return;
      Tree candidate = best_;
      candidate.nodes[node].elf.*member = value;
      accept(std::move(candidate));
    };
    set(&ElfSpec::flags, std::optional<std::uint64_t>());
    set(&ElfSpec::first_load_bytes, std::optional<std::uint64_t>());
    // What lies behind the last segment is another file's.
    const std::size_t kept = best_.nodes[node].elf.first_load_bytes ? 1 : 0;
    for (std::size_t i = best_.nodes[node].elf.more_loads.size(); i-- > kept;) {
      Tree candidate = best_;
      auto& loads = candidate.nodes[node].elf.more_loads;
      loads.erase(loads.begin() + static_cast<std::ptrdiff_t>(i));
      accept(std::move(candidate));
    }
    set(&ElfSpec::hash, HashTables::Sysv);
    set(&ElfSpec::relr_words, std::size_t{0});
    set(&ElfSpec::symbolic, false);
    set(&ElfSpec::bind_now, false);
    const std::size_t symbols = best_.nodes[node].elf.symbols.size();
    for (std::size_t i = 0; i < symbols; ++i) {
      Tree candidate = best_;
      Symbol& symbol = candidate.nodes[node].elf.symbols[i];
      const Symbol before = symbol;
      symbol.binding = Binding::Global;
      symbol.visibility = Visibility::Default;
      symbol.size_bytes = 8;
      if (symbol.type != SymbolType::Tls) symbol.type = SymbolType::Func;
      if (symbol != before) accept(std::move(candidate));
    }
  }

  void drop_cache_parts() {
    if (!best_.cache) return;
    Tree candidate = best_;
    candidate.cache.reset();
    if (accept(std::move(candidate))) return;
    drop_from([](Tree & tree) -> auto& { return tree.cache->lines; });
    drop_from([](Tree & tree) -> auto& { return tree.cache->patches; });
    if (best_.cache->layout != CacheLayout::New) {
      candidate = best_;
      candidate.cache->layout = CacheLayout::New;
      accept(std::move(candidate));
    }
  }

  void simplify_start() {
    const auto set = [this](auto Tree::*member, auto value) {
      if (best_.*member == value) return;
      Tree candidate = best_;
      candidate.*member = value;
      accept(std::move(candidate));
    };
    set(&Tree::layout, RootLayout::Merged);
    set(&Tree::launch, Launch::Kernel);
    set(&Tree::proc, Proc::Mounted);
    set(&Tree::cwd, std::string("/"));
    set(&Tree::file, std::string("/app/bin/prog"));
    set(&Tree::argv0, best_.file);
    if (best_.is_secure || best_.user != 0) {
      Tree candidate = best_;
      candidate.user = 0;
      candidate.is_secure = false;
      accept(std::move(candidate));
    }
  }

  void shorten_texts() {
    for (std::size_t i = 0; i < best_.nodes.size(); ++i) {
      for (std::size_t k = 0; k < best_.nodes[i].elf.strings.size(); ++k) {
        for (const std::string& shorter : shorter_lists(best_.nodes[i].elf.strings[k].text)) {
          Tree candidate = best_;
          candidate.nodes[i].elf.strings[k].text = shorter;
          if (accept(std::move(candidate))) break;
        }
      }
      const bool is_preload_file = best_.nodes[i].kind == NodeKind::Text;
      for (std::size_t at = 0; is_preload_file && at < best_.nodes[i].text.size();) {
        Tree candidate = best_;
        candidate.nodes[i].text.erase(at, 1);
        if (!accept(std::move(candidate))) ++at;
      }
    }
    for (std::size_t i = 0; i < best_.environment.size(); ++i) {
      const std::size_t value = best_.environment[i].find('=') + 1;
      for (const std::string& shorter : shorter_lists(best_.environment[i].substr(value))) {
        Tree candidate = best_;
        candidate.environment[i].replace(value, std::string::npos, shorter);
        if (accept(std::move(candidate))) break;
      }
    }
  }

  Tree best_;
  const std::function<bool(const Tree&)>& still_fails_;
  bool is_smaller_ = false;
};

}  // namespace

Tree reduce_tree(Tree tree, const std::function<bool(const Tree&)>& still_fails) {
  return Reducer(std::move(tree), still_fails).reduce();
}

}  // namespace soresolve::test
