// Writes the second reader's metadata as one line of JSON and reads it back; bytes above 0x7f are mapped to
// U+0080..U+00FF. The line comes from a process that has parsed hostile bytes, so every member is checked for type and
// range.
#include "witness/lief_facts.h"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/described_json.h"

namespace soresolve::witness {
namespace {

using Json = nlohmann::ordered_json;

std::string to_wire(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (const char c : bytes) {
    const unsigned byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      text += c;
    } else {
      text += static_cast<char>(0xc0 | byte >> 6);
      text += static_cast<char>(0x80 | (byte & 0x3f));
    }
  }
  return text;
}

/// nullopt: it is no name of to_wire().
std::optional<std::string> from_wire(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const unsigned lead = static_cast<unsigned char>(text[i]);
    if (lead < 0x80) {
      bytes += text[i];
      continue;
    }
    if ((lead != 0xc2 && lead != 0xc3) || i + 1 == text.size()) return std::nullopt;
    bytes += static_cast<char>((lead & 3) << 6 | (static_cast<unsigned char>(text[++i]) & 0x3f));
  }
  return bytes;
}

/// Of the line: names byte by byte, every member there.
struct LineForm {
  static constexpr Presence kPresence = Presence::Required;
  static constexpr std::size_t kMaxItems = SIZE_MAX;
  static Json write(const std::string& text) { return to_wire(text); }
  static std::string_view read(const Json& json, std::string& text) {
    std::optional<std::string> bytes = json.is_string() ? from_wire(json.get_ref<const std::string&>()) : std::nullopt;
    if (!bytes) return "is no name";
    text = *std::move(bytes);
    return {};
  }
};

}  // namespace

std::string_view name_of(ForeignFacts::Format format) {
  using enum ForeignFacts::Format;
  static constexpr auto kNames = enum_names<ForeignFacts::Format>({{Pe, "PE"}, {MachO, "Mach-O"}});
  return kNames[format];
}

std::string_view name_of(Refusal::Kind kind) {
  using enum Refusal::Kind;
  static constexpr auto kNames = enum_names<Refusal::Kind>({{Format, "format"}, {Damage, "damage"}});
  return kNames[kind];
}

template <class Visitor>
void describe(Visitor& json, Definition& definition) {
  json.element(definition.index);
  json.element(definition.flags);
  json.element(definition.hash);
  json.element(definition.names);
}

template <class Visitor>
void describe(Visitor& json, Requirement& need) {
  json.element(need.file);
  json.element(need.name);
  json.element(need.hash);
  json.element(need.flags);
  json.element(need.other);
}

template <class Visitor>
void describe(Visitor& json, Symbol& symbol) {
  json.element(symbol.name);
  json.element(symbol.version);
  json.element(symbol.version_word);
  json.element(symbol.value);
  json.element(symbol.size_bytes);
  json.element(symbol.section);
  json.element(symbol.type);
  json.element(symbol.binding);
}

template <class Visitor>
void describe(Visitor& json, SegmentKind& segment) {
  json.element(segment.type);
  json.element(segment.flags);
}

template <class Visitor>
void describe(Visitor& json, Property& property) {
  json.element(property.type);
  json.element(property.flags);
}

template <class Visitor>
void describe(Visitor& json, ElfFacts& elf) {
  json.member("is_64", elf.is_64);
  json.member("is_big_endian", elf.is_big_endian);
  json.member("machine", elf.machine);
  json.member("type", elf.type);
  json.member("flags", elf.flags);
  json.member("build_id", elf.build_id);
  json.member("interpreter", elf.interpreter);
  json.member("comments", elf.comments);
  json.member("sections", elf.sections);
  json.member("segments", elf.segments);
  json.member("properties", elf.properties);
  json.member("has_dynamic", elf.has_dynamic);
  json.member("is_bind_now", elf.is_bind_now);
  json.member("dynamic_flags", elf.dynamic_flags);
  json.member("dynamic_flags_1", elf.dynamic_flags_1);
  json.member("needed", elf.needed);
  json.member("soname", elf.soname);
  json.member("rpath", elf.rpath);
  json.member("runpath", elf.runpath);
  json.member("definitions", elf.definitions);
  json.member("requirements", elf.requirements);
  json.member("symbols", elf.symbols);
  json.member("checks", elf.checks);
}

template <class Visitor>
void describe(Visitor& json, ForeignFacts::Image& image) {
  json.member("machine", image.machine);
  json.member("kind", image.kind);
  json.member("needed", image.needed);
}

template <class Visitor>
void describe(Visitor& json, ForeignFacts& foreign) {
  json.member("format", foreign.format);
  json.member("images", foreign.images);
}

template <class Visitor>
void describe(Visitor& json, Refusal& refusal) {
  json.member("kind", refusal.kind);
  json.member("reason", refusal.reason);
}

template <class Visitor>
void describe(Visitor& json, LiefFacts& facts) {
  json.constant("schema", "soresolve-witness/1");
  json.member("reader", facts.reader);
  json.member("file", facts.file);
  json.member("elf", facts.elf, {.presence = Presence::IfAny});
  json.member("foreign", facts.foreign, {.presence = Presence::IfAny});
  json.member("refusal", facts.refusal, {.presence = Presence::IfAny});
  json.require("refusal", facts.elf || facts.foreign || facts.refusal, "is missing");
}

std::string to_line(const LiefFacts& lief_facts) { return JsonWriter<LineForm>::write(lief_facts).dump() + "\n"; }

Result<LiefFacts> read_line(std::string_view line) {
  LiefFacts lief_facts;
  const std::string fault = JsonReader<LineForm>::read(Json::parse(line, nullptr, false), lief_facts, "it");
  if (fault.empty()) return lief_facts;
  const std::string said(line.substr(0, 200));
  return Unexpected{Error{ErrorCode::Malformed, {}, {}, "says what is no testimony: " + said + " (" + fault + ")"}};
}

bool is_check(std::string_view name) {
  return name == "__stack_chk_fail" || name == "__stack_chk_fail_local" || name == "__stack_chk_guard" ||
         (name.starts_with("__") && name.ends_with("_chk"));
}

}  // namespace soresolve::witness
