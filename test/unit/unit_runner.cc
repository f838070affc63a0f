// The main() of the unit tests. A run that no test case is chosen for fails: a filter that names a source which has
// moved would else pass for good.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>

namespace {

/// Counts what the filters of the command line leave.
struct ChosenCases : doctest::IReporter {
  static inline unsigned count = 0;

  explicit ChosenCases(const doctest::ContextOptions& /*options*/) {}
  void test_run_end(const doctest::TestRunStats& stats) override { count = stats.numTestCasesPassingFilters; }
  void report_query(const doctest::QueryData& /*data*/) override {}
  void test_run_start() override {}
  void test_case_start(const doctest::TestCaseData& /*data*/) override {}
  void test_case_reenter(const doctest::TestCaseData& /*data*/) override {}
  void test_case_end(const doctest::CurrentTestCaseStats& /*stats*/) override {}
  void test_case_exception(const doctest::TestCaseException& /*exception*/) override {}
  void subcase_start(const doctest::SubcaseSignature& /*subcase*/) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData& /*data*/) override {}
  void log_message(const doctest::MessageData& /*data*/) override {}
  void test_case_skipped(const doctest::TestCaseData& /*data*/) override {}
};
REGISTER_LISTENER("chosen cases", 1, ChosenCases);

}  // namespace

int main(int argc, char** argv) {
  doctest::Context context(argc, argv);
  const int result = context.run();
  if (context.shouldExit()) return result;  // --list-test-cases, --help
  if (ChosenCases::count == 0) {
    std::fputs("no test case passes the filters\n", stderr);
    return 1;
  }
  return result;
}
