// A contract: what a program requires of a machine, in a file. Source of the form: TOML 1.0; the table [require] is
// ours.
#include "diagnose/contract_file.h"

#include <string>

#include "base/small_file.h"
#include "diagnose/requirement.h"
#include "diagnose/toml_document.h"
#include "soresolve/diagnose.h"

namespace soresolve {
namespace {

class ContractReader {
 public:
  explicit ContractReader(std::string_view path) : path_(path) {}

  Result<std::vector<Requirement>> read(const TomlTable& require) {
    for (const auto& [name, node] : require) {
      if (const TomlTable* const frameworks = node.table(); frameworks != nullptr && name == "framework") {
        for (const auto& [framework, release] : *frameworks) add_all("framework=" + framework, release);
      } else {
        add_all(name, node);
      }
      if (error_) return Unexpected{*std::move(error_)};
    }
    return std::move(requirements_);
  }

 private:
  void add_all(const std::string& name, const TomlNode& node) {
    if (const TomlArray* const list = node.array()) {
      for (const TomlNode& each : *list) add(name, each);
    } else {
      add(name, node);
    }
  }

  void add(const std::string& name, const TomlNode& node) {
    if (error_) return;
    const std::string* const text = node.text();
    if (text == nullptr) {
      error_ = toml_error(path_, node.line, "gives " + name + " no text");
      return;
    }
    // "12.1" stands for "=12.1"; a framework's own release is exact.
    const bool has_sign = text->find_first_of("<>=!") == 0;
    const bool is_framework = name.starts_with("framework=");
    Result<Requirement> requirement = parse_requirement(name + (has_sign ? "" : is_framework ? "==" : "=") + *text);
    if (!requirement)
      error_ = toml_error(path_, node.line, requirement.error().message);
    else
      requirements_.push_back(std::move(requirement).value());
  }

  std::string_view path_;
  std::vector<Requirement> requirements_;
  std::optional<Error> error_;
};

}  // namespace

Result<std::vector<Requirement>> read_requirements(const TomlTable& require, std::string_view path) {
  return ContractReader(path).read(require);
}

Result<std::vector<Requirement>> read_contract(std::string_view toml, std::string_view path) {
  const Result<TomlTable> document = parse_toml(toml, path);
  if (!document) return Unexpected{document.error()};
  const TomlTable* require = nullptr;
  for (const auto& [key, node] : *document) {
    if (key == "require") require = node.table();
  }
  if (require == nullptr) return Unexpected{toml_error(path, 1, "has no table [require]")};
  for (const auto& [key, node] : *document) {
    if (key != "require") return Unexpected{toml_error(path, node.line, "has '" + key + "', which nobody reads")};
  }
  return read_requirements(*require, path);
}

Result<std::vector<Requirement>> read_contract_file(const FileSystem& files, std::string_view path,
                                                    std::string_view shown) {
  const Result<std::string> text = read_text_file(files, path, shown);
  if (!text) return Unexpected{text.error()};
  return read_contract(*text, shown);
}

}  // namespace soresolve
