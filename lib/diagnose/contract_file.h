// Requirements as a table of a TOML document: contracts and policies have one.
#pragma once
#include <string_view>
#include <vector>

#include "diagnose/toml_document.h"
#include "soresolve/diagnose.h"
#include "soresolve/file_system.h"
#include "soresolve/result.h"

namespace soresolve {

/// The table [require] of read_contract(), without what is around it. `path` for errors. Errors: Malformed.
Result<std::vector<Requirement>> read_requirements(const TomlTable& require, std::string_view path);

/// Requirements of a TOML document: the table [require], with a text or a list of texts for each name
/// ("cuda = '12.1'", "cudnn = ['>=8.9', '<10']"), and [require.framework] with a release for each name. `path` for
/// errors. Errors: Malformed with line and reason; Unsupported where soresolve was built without TOML.
Result<std::vector<Requirement>> read_contract(std::string_view toml, std::string_view path);

/// The same from the file `path` (absolute), `shown` in errors. Further errors: Unreadable, LimitReached.
Result<std::vector<Requirement>> read_contract_file(const FileSystem& files, std::string_view path,
                                                    std::string_view shown);

}  // namespace soresolve
