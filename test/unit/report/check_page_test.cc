// The page of a check names one command to type, whatever else it has to say.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "diagnose/diagnosis_input.h"
#include "diagnose/hosts.h"
#include "report/page.h"
#include "report/pages.h"
#include "report/step_lines.h"
#include "soresolve/report.h"
#include "unit/memory_system.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

std::vector<std::string> lines_to_try(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = text.find("try: "); at != std::string::npos; at = text.find("try: ", at + 1))
    lines.push_back(text.substr(at, text.find('\n', at) - at));
  return lines;
}

}  // namespace

TEST_CASE("a check has one line to try: that of the verdict before that of what is opened later") {
  MemorySystem memory;
  memory.program(program_needing({}));
  const Result<LinkMap> map = memory.load();
  REQUIRE(map.has_value());
  const Result<Check> check = check_start(*map);
  REQUIRE(check.has_value());
  Dlopen later;
  later.opener = "/site/jax_plugins/xla_cuda12/__init__.py";
  later.source = DlopenSource::Known;
  later.importance = Importance::Required;
  later.wheel = "jax[cuda12]";
  later.choices = {{"libcudnn.so.9", {}, {}}};
  Problem failing = make_problem(*map, ProblemCode::FrameworkBuild, "libcublas.so.12", say("driver-missing"));
  failing.wheels = {"nvidia-cublas-cu12==12.4.5.8"};
  const auto page_with = [&](std::vector<Problem> problems, std::vector<Dlopen> opened) {
    const Verdict verdict = problems.empty() && opened.empty() ? Verdict::Works : Verdict::Fails;
    const Dlopens dlopens{.list = std::move(opened)};
    const std::string file = "/app/prog";
    const CheckReport report{*map, *check, file, dlopens, problems, {}, nullptr, verdict, {}};
    return lines_to_try(to_text(check_page(report, CheckForm::Whole, Detail::Folded)));
  };
  using Lines = std::vector<std::string>;
  CHECK(page_with({}, {}).empty());
  CHECK(page_with({}, {later}) == Lines{"try: pip install 'jax[cuda12]'"});
  CHECK(page_with({failing}, {}) == Lines{"try: pip install nvidia-cublas-cu12==12.4.5.8"});
  CHECK(page_with({failing}, {later}) == Lines{"try: pip install nvidia-cublas-cu12==12.4.5.8"});
}

TEST_CASE("the installer of an extension is for no file of the distribution's that lacks a known library") {
  const HostRow* const ruby = host_of_title("Ruby");
  REQUIRE(ruby != nullptr);
  const std::string own = "/home/u/gems/ffi-1.12.2/lib/x.so";
  const std::string distributions = "/usr/lib/ruby/gems/ffi-1.12.2/lib/x.so";
  CHECK(installer_for(ruby, own, "libmysqlclient.so.21") == "gem pristine ffi");
  CHECK(installer_for(ruby, distributions, "libmysqlclient.so.21").empty());
  CHECK(installer_for(ruby, distributions, "libnobody-knows.so.1") == "gem pristine ffi");
  CHECK(installer_for(ruby, distributions, "") == "gem pristine ffi");
  CHECK(installer_for(nullptr, own, "").empty());
}

TEST_CASE("Python's guess is cut where the module is there for another Python, and nowhere else") {
  PythonImport import;
  import.exception =
      "ImportError: cannot import name '_c' from partially initialized module 'p' (most likely due to a circular "
      "import) (/p.py)";
  CHECK(shown_exception(import) == import.exception);
  import.other_python = "/p/_c.cpython-312-x86_64-linux-gnu.so";
  CHECK(shown_exception(import) ==
        "ImportError: cannot import name '_c' from partially initialized module 'p' (…) (/p.py)");
}
