// How tests write an ElfSpec and its symbols.

#include <utility>

#include "support/elf_writer.h"

namespace soresolve::test {

Symbol undefined(std::string name, std::string version) {
  Symbol symbol;
  symbol.name = std::move(name);
  symbol.version = std::move(version);
  return symbol;
}

Symbol defined(std::string name, std::string version) {
  Symbol symbol = undefined(std::move(name), std::move(version));
  symbol.place = SymbolPlace::Inside;
  return symbol;
}

Symbol defined_hidden(std::string name, std::string version) {
  Symbol symbol = defined(std::move(name), std::move(version));
  symbol.is_hidden_version = true;
  return symbol;
}

Symbol with(Symbol symbol, Visibility visibility) {
  symbol.visibility = visibility;
  return symbol;
}
Symbol with(Symbol symbol, Binding binding) {
  symbol.binding = binding;
  return symbol;
}
Symbol with(Symbol symbol, SymbolType type) {
  symbol.type = type;
  return symbol;
}
Symbol weak(Symbol symbol) {
  symbol.binding = Binding::Weak;
  return symbol;
}

Symbol data(Symbol symbol, std::uint64_t size_bytes) {
  symbol.type = SymbolType::Object;
  symbol.size_bytes = size_bytes;
  return symbol;
}

std::string key_of(const Symbol& symbol) {
  return symbol.version.empty() ? symbol.name : symbol.name + "@" + symbol.version;
}

ElfSpec& ElfSpec::add(StringTag tag, std::string text) {
  strings.push_back({tag, std::move(text)});
  return *this;
}

ElfSpec& ElfSpec::dlopens(std::string json) {
  notes.push_back({"FDO", 0x407c0c0a, std::move(json), 0});
  return *this;
}

ElfSpec& ElfSpec::define(Symbol symbol) {
  symbols.push_back(std::move(symbol));
  return *this;
}

ElfSpec& ElfSpec::refer(Symbol symbol, std::uint32_t relocation_type) {
  Relocation relocation;
  relocation.type = relocation_type;
  relocation.symbol = key_of(symbol);
  relocations.push_back(std::move(relocation));
  return define(std::move(symbol));
}

ElfSpec& ElfSpec::patch(std::uint64_t offset, std::string bytes) {
  patches.push_back({offset, std::move(bytes)});
  return *this;
}

ElfSpec library() { return {}; }

ElfSpec program() {
  ElfSpec spec;
  spec.interp = kInterp;
  spec.flags_1 = kDf1Pie;
  return spec;
}

}  // namespace soresolve::test
