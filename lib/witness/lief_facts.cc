// Writes the second reader's metadata as one line of JSON and reads it back; bytes above 0x7f are mapped to
// U+0080..U+00FF. The line comes from a process that has parsed hostile bytes, so every member is checked for type and
// range.
#include "witness/lief_facts.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <nlohmann/json.hpp>

namespace soresolve::witness {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "soresolve-witness/1";

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

Json names_json(const std::vector<std::string>& names) {
  Json list = Json::array();
  for (const std::string& name : names) list.push_back(to_wire(name));
  return list;
}

Json name_json(const std::optional<std::string>& name) { return name ? Json(to_wire(*name)) : Json(nullptr); }

Json elf_json(const ElfFacts& elf) {
  Json segments = Json::array();
  for (const SegmentKind& segment : elf.segments) segments.push_back({segment.type, segment.flags});
  Json properties = Json::array();
  for (const Property& property : elf.properties) properties.push_back({property.type, property.flags});
  Json definitions = Json::array();
  for (const Definition& definition : elf.definitions) {
    definitions.push_back({definition.index, definition.flags, definition.hash, names_json(definition.names)});
  }
  Json requirements = Json::array();
  for (const Requirement& need : elf.requirements) {
    requirements.push_back({to_wire(need.file), to_wire(need.name), need.hash, need.flags, need.other});
  }
  Json symbols = Json::array();
  for (const Symbol& symbol : elf.symbols) {
    symbols.push_back({to_wire(symbol.name), to_wire(symbol.version), symbol.version_word, symbol.value,
                       symbol.size_bytes, symbol.section, symbol.type, symbol.binding});
  }
  return {{"is_64", elf.is_64},
          {"is_big_endian", elf.is_big_endian},
          {"machine", elf.machine},
          {"type", elf.type},
          {"flags", elf.flags},
          {"build_id", elf.build_id},
          {"interpreter", name_json(elf.interpreter)},
          {"comments", names_json(elf.comments)},
          {"sections", names_json(elf.sections)},
          {"segments", std::move(segments)},
          {"properties", std::move(properties)},
          {"has_dynamic", elf.has_dynamic},
          {"is_bind_now", elf.is_bind_now},
          {"dynamic_flags", elf.dynamic_flags},
          {"dynamic_flags_1", elf.dynamic_flags_1},
          {"needed", names_json(elf.needed)},
          {"soname", name_json(elf.soname)},
          {"rpath", name_json(elf.rpath)},
          {"runpath", name_json(elf.runpath)},
          {"definitions", std::move(definitions)},
          {"requirements", std::move(requirements)},
          {"symbols", std::move(symbols)},
          {"checks", names_json(elf.checks)}};
}

Json foreign_json(const ForeignFacts& foreign) {
  Json images = Json::array();
  for (const ForeignFacts::Image& image : foreign.images) {
    images.push_back({{"machine", image.machine}, {"kind", image.kind}, {"needed", names_json(image.needed)}});
  }
  return {{"format", foreign.format == ForeignFacts::Format::Pe ? "PE" : "Mach-O"}, {"images", std::move(images)}};
}

constexpr std::pair<Refusal::Kind, const char*> kRefusals[] = {{Refusal::Kind::Format, "format"},
                                                               {Refusal::Kind::Damage, "damage"}};

Json refusal_json(const Refusal& refusal) {
  const char* kind = "";
  for (const auto& [each, name] : kRefusals) {
    if (each == refusal.kind) kind = name;
  }
  return {{"kind", kind}, {"reason", to_wire(refusal.reason)}};
}

/// Takes a document apart, and notices whatever is not as to_line() makes it.
class LineReader {
 public:
  [[nodiscard]] bool is_bad() const { return is_bad_; }

  const Json& member(const Json& object, const char* name) {
    const auto found = object.is_object() ? object.find(name) : object.end();
    return object.is_object() && found != object.end() ? *found : missing();
  }

  std::string text(const Json& json) {
    const std::optional<std::string> bytes =
        json.is_string() ? from_wire(json.get_ref<const std::string&>()) : std::nullopt;
    if (!bytes) is_bad_ = true;
    return bytes.value_or("");
  }

  ElfFacts read_elf(const Json& json) {
    ElfFacts elf;
    elf.is_64 = flag(member(json, "is_64"));
    elf.is_big_endian = flag(member(json, "is_big_endian"));
    elf.machine = number<std::uint16_t>(member(json, "machine"));
    elf.type = number<std::uint16_t>(member(json, "type"));
    elf.flags = number<std::uint32_t>(member(json, "flags"));
    elf.build_id = text(member(json, "build_id"));
    elf.interpreter = text_or_null(member(json, "interpreter"));
    elf.comments = texts(member(json, "comments"));
    elf.sections = texts(member(json, "sections"));
    for (const Json& entry : list_of(json, "segments")) {
      elf.segments.push_back({number<std::uint32_t>(element(entry, 0)), number<std::uint32_t>(element(entry, 1))});
    }
    for (const Json& entry : list_of(json, "properties")) {
      elf.properties.push_back({number<std::uint32_t>(element(entry, 0)), number<std::uint32_t>(element(entry, 1))});
    }
    elf.has_dynamic = flag(member(json, "has_dynamic"));
    elf.is_bind_now = flag(member(json, "is_bind_now"));
    elf.dynamic_flags = number<std::uint64_t>(member(json, "dynamic_flags"));
    elf.dynamic_flags_1 = number<std::uint64_t>(member(json, "dynamic_flags_1"));
    elf.needed = texts(member(json, "needed"));
    elf.soname = text_or_null(member(json, "soname"));
    elf.rpath = text_or_null(member(json, "rpath"));
    elf.runpath = text_or_null(member(json, "runpath"));
    for (const Json& entry : list_of(json, "definitions")) {
      elf.definitions.push_back({number<std::uint16_t>(element(entry, 0)), number<std::uint16_t>(element(entry, 1)),
                                 number<std::uint32_t>(element(entry, 2)), texts(element(entry, 3))});
    }
    for (const Json& entry : list_of(json, "requirements")) {
      elf.requirements.push_back({text(element(entry, 0)), text(element(entry, 1)),
                                  number<std::uint32_t>(element(entry, 2)), number<std::uint16_t>(element(entry, 3)),
                                  number<std::uint16_t>(element(entry, 4))});
    }
    for (const Json& entry : list_of(json, "symbols")) {
      elf.symbols.push_back({text(element(entry, 0)), text(element(entry, 1)), number<std::uint16_t>(element(entry, 2)),
                             number<std::uint64_t>(element(entry, 3)), number<std::uint64_t>(element(entry, 4)),
                             number<std::uint16_t>(element(entry, 5)), number<std::uint8_t>(element(entry, 6)),
                             number<std::uint8_t>(element(entry, 7))});
    }
    elf.checks = texts(member(json, "checks"));
    return elf;
  }

  ForeignFacts read_foreign(const Json& json) {
    ForeignFacts foreign;
    const std::string format = text(member(json, "format"));
    if (format != "PE" && format != "Mach-O") is_bad_ = true;
    foreign.format = format == "PE" ? ForeignFacts::Format::Pe : ForeignFacts::Format::MachO;
    for (const Json& image : list_of(json, "images")) {
      foreign.images.push_back({number<std::uint32_t>(member(image, "machine")),
                                number<std::uint32_t>(member(image, "kind")), texts(member(image, "needed"))});
    }
    return foreign;
  }

  Refusal read_refusal(const Json& json) {
    const std::string kind = text(member(json, "kind"));
    for (const auto& [each, name] : kRefusals) {
      if (kind == name) return {each, text(member(json, "reason"))};
    }
    is_bad_ = true;
    return {};
  }

 private:
  const Json& missing() {
    static const Json nothing;
    is_bad_ = true;
    return nothing;
  }

  const Json& element(const Json& list, std::size_t index) {
    return list.is_array() && index < list.size() ? list[index] : missing();
  }

  const Json& list_of(const Json& object, const char* name) {
    static const Json empty = Json::array();
    const Json& list = member(object, name);
    if (list.is_array()) return list;
    is_bad_ = true;
    return empty;
  }

  template <class Number>
  Number number(const Json& json) {
    if (json.is_number_unsigned() && std::in_range<Number>(json.get<std::uint64_t>())) {
      return static_cast<Number>(json.get<std::uint64_t>());
    }
    is_bad_ = true;
    return 0;
  }

  bool flag(const Json& json) {
    if (!json.is_boolean()) is_bad_ = true;
    return json.is_boolean() && json.get<bool>();
  }

  std::vector<std::string> texts(const Json& list) {
    if (!list.is_array()) is_bad_ = true;
    std::vector<std::string> names;
    for (const Json& name : list) names.push_back(text(name));
    return names;
  }

  std::optional<std::string> text_or_null(const Json& json) {
    return json.is_null() ? std::nullopt : std::optional(text(json));
  }

  bool is_bad_ = false;
};

}  // namespace

std::string to_line(const LiefFacts& lief_facts) {
  Json json = {{"schema", kSchema}, {"reader", to_wire(lief_facts.reader)}, {"file", to_wire(lief_facts.file)}};
  if (lief_facts.elf) json["elf"] = elf_json(*lief_facts.elf);
  if (lief_facts.foreign) json["foreign"] = foreign_json(*lief_facts.foreign);
  if (lief_facts.refusal) json["refusal"] = refusal_json(*lief_facts.refusal);
  return json.dump() + "\n";
}

Result<LiefFacts> read_line(std::string_view line) {
  const Json json = Json::parse(line, nullptr, false);
  LineReader reader;
  LiefFacts lief_facts;
  const bool is_known = reader.text(reader.member(json, "schema")) == kSchema;
  lief_facts.reader = reader.text(reader.member(json, "reader"));
  lief_facts.file = reader.text(reader.member(json, "file"));
  if (json.contains("elf")) {
    lief_facts.elf = reader.read_elf(json["elf"]);
  } else if (json.contains("foreign")) {
    lief_facts.foreign = reader.read_foreign(json["foreign"]);
  } else {
    lief_facts.refusal = reader.read_refusal(reader.member(json, "refusal"));
  }
  if (is_known && !reader.is_bad()) return lief_facts;
  return Unexpected{
      Error{ErrorCode::Malformed, {}, {}, "says what is no testimony: " + std::string(line.substr(0, 200))}};
}

bool is_check(std::string_view name) {
  return name == "__stack_chk_fail" || name == "__stack_chk_fail_local" || name == "__stack_chk_guard" ||
         (name.starts_with("__") && name.ends_with("_chk"));
}

}  // namespace soresolve::witness
