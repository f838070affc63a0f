// Any bytes as a loader: the rules that are read from them stay within bounds.
#include "loader/loader_rules.h"

#include "fuzz/fuzz_target.h"

namespace soresolve::test::loader_rules_target {
namespace {

constexpr ElfTarget kTarget = {ElfClass::Elf64, std::endian::little, 62, 0};

std::vector<std::string> seeds() {
  using namespace std::string_literals;
  // The strings that the rules are read from, as they lie in a loader's .rodata.
  const std::string directories = "\0/lib/x86_64-linux-gnu/\0/usr/lib/x86_64-linux-gnu/\0/lib/\0/usr/lib/\0"s;
  return {
      "\0GNU ld.so (Debian GLIBC 2.36-9+deb12u10) stable release version 2.36.\n\0"s + directories +
          "glibc-hwcaps/\0x86-64-v4:x86-64-v3:x86-64-v2\0/etc/ld.so.cache\0"s,
      "\0GNU C Library (GNU libc) stable release version 2.31.\n\0tls\0haswell\0xeon_phi\0"s + directories,
      "\0release version \0release version 2.\0release version 2.99999999999999999999"s,
      "/lib/ld-2.31.so\0"s,
      ""s,
  };
}

void run(const std::uint8_t* data, std::size_t size) {
  const std::string_view image(reinterpret_cast<const char*>(data), size);
  const LoaderRules rules = read_loader_rules(image, kTarget, "ld-linux-x86-64.so.2", "/lib64/ld-linux-x86-64.so.2");
  for (const std::string& directory : rules.system_dirs) {
    require(!directory.empty() && directory.back() == '/', "a directory ends in a slash");
  }
  for (const std::string& name : rules.glibc_hwcaps) touch(name);
  find_release_text(image);
  parse_glibc_version(image);
}

}  // namespace
}  // namespace soresolve::test::loader_rules_target

const soresolve::test::FuzzTarget soresolve::test::kLoaderRulesTarget = {"loader_rules", loader_rules_target::run,
                                                                         loader_rules_target::seeds};
