// Any bytes as a header of rpm's database: it is read, or it is none; paths are absolute and bounded.
#include "packages/rpm_header.h"

#include "fuzz/fuzz_target.h"
#include "support/rpm_header_writer.h"

namespace soresolve::test::rpm_header_target {
namespace {

std::vector<std::string> seeds() {
  const std::string whole = glibc_header().blob();
  return {whole, glibc_header().numbers(1028, {3, 3, 3}).numbers(5011, {8}).texts(1035, {"", "x", ""}).blob(),
          whole.substr(0, whole.size() / 2), RpmHeaderWriter::big(1) + RpmHeaderWriter::big(0)};
}

void run(const std::uint8_t* data, std::size_t size) {
  const auto package = parse_rpm_header(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!package) return;
  require(!package->name.empty(), "a package has a name");
  for (const RpmFile& file : package->files) {
    require(file.path.starts_with('/') && file.path.size() <= 4096, "a path is absolute and no longer than paths are");
    touch(file.path);
    touch(file.content.sha256);
  }
}

}  // namespace
}  // namespace soresolve::test::rpm_header_target

const soresolve::test::FuzzTarget soresolve::test::kRpmHeaderTarget = {"rpm_header", rpm_header_target::run,
                                                                       rpm_header_target::seeds};
