// The list of bindings as lines of text.
#include "soresolve/report.h"
#include "symbols/listed_bindings.h"

namespace soresolve {

void write_bindings(const LinkMap& map, const Bindings& bindings, const BindingFilter& filter, const TextSink& write) {
  constexpr std::size_t kBlockBytes = 32 << 10;
  std::string block;
  block.reserve(kBlockBytes + 4096);
  for_each_listed(map, bindings, filter, [&](const ListedBinding& listed) {
    block += listed.referrer;
    block += '\t';
    block += listed.binding.symbol;
    block += '\t';
    block += listed.binding.version.empty() ? std::string_view("-") : listed.binding.version;
    block += '\t';
    block += listed.provider;
    block += '\n';
    if (block.size() < kBlockBytes) return;
    write(block);
    block.clear();
  });
  if (!block.empty()) write(block);
}

}  // namespace soresolve
