// hosts.toml is read both ways: who says a text, and what a host would print.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "diagnose/hosts.h"

using namespace soresolve;

TEST_CASE("the words around the loader's text name the host and the file") {
  struct Case {
    const char* above;
    const char* before;
    const char* behind;
    std::string title;
    std::string file;
    std::string name;
  };
  const Case cases[] = {
      {"", "Can't load 'lib/auto/Fast/Fast.so' for module Fast: ", ": No such file or directory at DynaLoader.pm",
       "Perl", "lib/auto/Fast/Fast.so", ""},
      {"", "in `require': ", ": No such file or directory - /gems/ffi-1.12.2/lib/ffi_c.so (LoadError)", "Ruby",
       "/gems/ffi-1.12.2/lib/ffi_c.so", ""},
      {"", "LoadError (", ": No such file or directory - /gems/ffi-1.12.2/lib/ffi_c.so)", "Ruby",
       "/gems/ffi-1.12.2/lib/ffi_c.so", ""},
      {"", "PHP Startup: Unable to load dynamic library 'gd' (tried: /x/gd (/x/gd: cannot open), /x/gd.so (", ")) in",
       "PHP", "/x/gd.so", "gd"},
      {"", "PHP Startup: Unable to load dynamic library 'gd' (tried: /x/gd (", "), /x/gd.so (libavif.so.15:", "PHP",
       "/x/gd", "gd"},
      {"", "nginx: [emerg] dlopen() \"/m/ngx.so\" failed (", ": No such file) in /etc/nginx.conf:1", "nginx",
       "/m/ngx.so", ""},
      {"", "Cannot load modules/mod_wsgi.so into server: ", "", "Apache httpd", "modules/mod_wsgi.so", ""},
      {"  unable to load shared object '/4.2/sf/libs/sf.so':", "  ", "", "R", "/4.2/sf/libs/sf.so", ""},
      {"ERROR: InitError: could not load library \"/a/libgdal.so\"", "", "", "Julia", "/a/libgdal.so", ""},
      {"CUDA SETUP: Loading binary /p/libb.so...", "", "", "bitsandbytes (Python)", "/p/libb.so", ""},
      {"", "Unable to load shared library 'libgdiplus' or one of its dependencies. In order to help: ", "", ".NET", "",
       "libgdiplus"},
      {"", "PAM unable to dlopen(/lib/security/pam_x.so): ", "", "PAM", "/lib/security/pam_x.so", ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.before);
    CAPTURE(c.above);
    const std::optional<HostWords> words = read_host(c.before, c.behind, c.above);
    REQUIRE(words);
    CHECK(words->host->title == c.title);
    CHECK(words->file == c.file);
    CHECK(words->name == c.name);
  }
  CHECK_FALSE(read_host("ImportError: ", ": No such file or directory", ""));
  CHECK_FALSE(read_host("something Cannot load ", ": No such file or directory", "unable to load shared object 'x'"));
}

TEST_CASE("a file has the host that opens it, by the program or else by its path") {
  struct Case {
    const char* file;
    const char* program;
    std::string title;
  };
  const Case cases[] = {
      {"/v/site-packages/pkg/_C.so", "", "Python"},
      {"/usr/lib/perl5/auto/DBD/mysql/mysql.so", "", "Perl"},
      {"/x/any.so", "/usr/bin/perl", "Perl"},
      {"/x/any.so", "/usr/bin/python3.11", "Python"},
      {"/usr/lib/postgresql/15/lib/vector.so", "", "PostgreSQL"},
      {"/usr/lib/x86_64-linux-gnu/security/pam_ldap.so", "/usr/bin/own", "PAM"},
      {"/x/build/Release/sharp.node", "", "Node.js"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.file);
    const HostRow* const host = host_of(c.file, c.program);
    REQUIRE(host != nullptr);
    CHECK(host->title == c.title);
  }
  CHECK(host_of("/opt/lib/libx.so", "/opt/bin/own") == nullptr);
}

TEST_CASE("the symbols that a file leaves to its process name the host that they are of") {
  struct Case {
    const char* why;
    std::vector<std::string> symbols;
    std::string title;  ///< empty: none
  };
  const Case cases[] = {
      {"all are", {"rb_define_method", "rb_str_new"}, "Ruby"},
      {"half of them are", {"lua_pushnumber", "own_function"}, "Lua"},
      {"most are of one", {"Tcl_Eval", "Tcl_Init", "lua_pushnumber"}, "Tcl"},
      {"fewer than half are", {"lua_pushnumber", "own_function", "own_other"}, ""},
      {"a name that is known as a whole is not a start", {"pfree_all"}, ""},
      {"none", {}, ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const HostRow* const host = host_of_symbols(c.symbols);
    CHECK((host == nullptr ? std::string() : std::string(host->title)) == c.title);
  }
  const HostRow* const lua = host_of_title("Lua");
  REQUIRE(lua != nullptr);
  CHECK(programs_of(*lua).front() == "lua");
}

TEST_CASE("what a host prints, and how its package is built again") {
  struct Case {
    const char* file;
    std::string prints;
    std::string installer;
  };
  const Case cases[] = {
      {"/v/site-packages/pkg/_C.so", "ImportError: E", ""},
      {"/perl/auto/DBD/mysql/mysql.so", "Can't load '/perl/auto/DBD/mysql/mysql.so' for module DBD::mysql: E",
       "cpan -f -i DBD::mysql"},
      {"/g/gems/google-protobuf-3.2.1/lib/p.so", "E - /g/gems/google-protobuf-3.2.1/lib/p.so (LoadError)",
       "gem pristine google-protobuf"},
      {"/R/4.2/sf/libs/sf.so", "unable to load shared object '/R/4.2/sf/libs/sf.so':\n  E",
       "Rscript -e 'install.packages(\"sf\", repos=\"https://cloud.r-project.org\")'"},
      {"/a/node_modules/@img/sharp/build/sharp.node", "Error: E", "npm rebuild @img/sharp"},
      {"/g/gems/$(id)-1/lib/p.so", "E - /g/gems/$(id)-1/lib/p.so (LoadError)", ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.file);
    const HostRow* const host = host_of(c.file);
    REQUIRE(host != nullptr);
    CHECK(words_of_host(*host, c.file, "E") == c.prints);
    CHECK(installer_of(*host, c.file) == c.installer);
  }
}

TEST_CASE("another build of a file is told in the words of the host that it is for") {
  struct Case {
    std::string_view said;
    std::string file;
    std::string_view want;
    std::string package;
  };
  const std::string modules = "/app/node_modules/";
  const Case cases[] = {
      {"next-install-here", modules + "bcrypt/lib/bcrypt.node", "next-node-here", "bcrypt"},
      {"next-copy-again", modules + "fsevents-darwin/f.node", "next-node-platform", "fsevents-darwin"},
      {"next-build-for-glibc", modules + "@img/sharp-linuxmusl-x64/s.node", "next-node-libc", "@img/sharp-linux-x64"},
      {"next-build-for-musl", modules + "rollup-linux-x64-gnu/r.node", "next-node-libc", "rollup-linux-x64-musl"},
      {"next-build-for-musl", modules + "bcrypt/lib/bcrypt.node", "next-node-here", "bcrypt"},
      {"next-install-here", "/site-packages/p/_c.so", "next-python-here", ""},
      {"next-build-for-glibc", "/site-packages/p/_c.so", "next-python-for-glibc", ""},
      {"next-install-again", "/gems/ffi-1.12.2/lib/ffi_c.so", "next-rebuild", "ffi"},
      {"next-install-here", modules + "a;b/x.node", "next-install-here", {}},
      {"next-lfs-pull", modules + "bcrypt/lib/bcrypt.node", "next-lfs-pull", {}},
      {"next-install-here", "/usr/lib/libx.so.1", "next-install-here", {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.said);
    CAPTURE(c.file);
    const Statement next = step_of_host(say(c.said, {{"file", c.file}}));
    CHECK(next.sentence == c.want);
    if (next.sentence == c.said) continue;
    CHECK(next.arguments.back().value == Argument("typed", shell_word(c.package)).value);
  }
}

TEST_CASE("each row of hosts.toml says the error, and a package is found in the path where there is an installer") {
  for (const HostRow& host : host_rows()) {
    CAPTURE(host.title);
    CHECK(host.says.find("{error}") != std::string_view::npos);
    for (const std::string_view form : host.reads) {
      CHECK((form.empty() || form.find("{error}") != std::string_view::npos));
    }
    CHECK((host.installer.empty() || host.installer.find("{package}") != std::string_view::npos));
    CHECK(host.installer.empty() == (host.package_after.empty() && host.package_before.empty()));
  }
}
