// What would otherwise be compiled wherever something is said.
#include "soresolve/statement.h"

namespace soresolve {

Argument::Argument(std::string_view name, std::string_view text) : name(name), value(std::string(text)) {}
Argument::Argument(std::string_view name, Whole whole) : name(name), value(whole.number) {}
Argument::Argument(std::string_view name, CommandText typed) : name(name), value(std::move(typed)) {}
Argument::Argument(std::string_view name, NameList names) : name(name), value(std::move(names)) {}
Argument::Argument(std::string_view name, std::vector<Statement> parts) : name(name), value(std::move(parts)) {}
Argument::Argument(std::string_view name, Statement part) : name(name), value(std::vector<Statement>()) {
  std::get<std::vector<Statement>>(value).push_back(std::move(part));
}

Argument::Argument(const Argument&) = default;
Argument::Argument(Argument&&) noexcept = default;
Argument& Argument::operator=(const Argument&) = default;
Argument& Argument::operator=(Argument&&) noexcept = default;
Argument::~Argument() = default;

bool Argument::operator==(const Argument&) const = default;

bool Statement::operator==(const Statement& other) const {
  return sentence == other.sentence && arguments == other.arguments;
}

}  // namespace soresolve
