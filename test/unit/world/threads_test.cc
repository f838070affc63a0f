// What the library promises to threads: independent walks share one FileSystem; answers of the C
// interface may be read by several threads. test/threads runs this under ThreadSanitizer.
#include <doctest/doctest.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "base/overlay_file_system.h"
#include "capi/handles.h"
#include "soresolve/report.h"
#include "soresolve/symbols.h"

using namespace soresolve;

namespace {

constexpr int kThreads = 4;

/// Does all at once what `work` does for each number.
void in_threads(const std::function<void(int)>& work) {
  std::atomic<int> ready = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      ++ready;
      while (ready < kThreads) std::this_thread::yield();
      work(i);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

/// Everything that is to be known of a file, as text.
std::string all_of(std::shared_ptr<const FileSystem> files, const std::string& file) {
  WorldSettings settings;
  settings.where.files = std::move(files);
  settings.host = read_host_facts();
  World world(settings);
  const Result<Answer> answer = ask(world, {.file = file, .attempts = Attempts::Record, .jobs = 2});
  if (!answer) return answer.error().to_string();
  if (answer->unreadable()) return answer->unreadable()->to_string();
  const std::string text =
      to_json(view(*answer, {.as = View::As::Why})) + to_json(view(*answer, {.as = View::As::Check}));
  const Result<OpenedLibrary> library = world.open_library(file);
  if (!library) return library.error().to_string();
  const Result<VersionedLibrary> versions =
      read_versioned_library(*library->object.file, library->object.elf, library->path);
  return versions ? text + to_json(document_of(SymversReport{*versions, {}, {}})) : versions.error().to_string();
}

std::string kinds_of(const soresolve_bindings* bindings) {
  std::string text;
  const auto visit = [](const soresolve_binding* binding, void* data) {
    *static_cast<std::string*>(data) += std::string(binding->symbol) + '\t' + binding->provider + '\n';
  };
  CHECK(soresolve_bindings_visit(bindings, visit, &text) == SORESOLVE_OK);
  return text;
}

}  // namespace

TEST_CASE("walks in threads share a file system and do not disturb each other") {
  Result<std::unique_ptr<FileSystem>> rooted = rooted_file_system("/");
  REQUIRE(rooted.has_value());
  const std::shared_ptr<const FileSystem> host = host_file_system();
  struct Case {
    const char* why;
    std::shared_ptr<const FileSystem> files;
  };
  const Case cases[] = {{"the host", host},
                        {"a root", std::move(rooted).value()},
                        {"an overlay", std::make_shared<OverlayFileSystem>(host)}};
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const std::string want = all_of(c.files, "/bin/sh");
    CAPTURE(want);
    REQUIRE(want.find("\"schema\"") != std::string::npos);
    std::vector<std::string> got(kThreads);
    in_threads([&](int i) { got[i] = all_of(c.files, "/bin/sh"); });
    for (const std::string& text : got) CHECK(text == want);
  }
}

TEST_CASE("worlds of the C interface belong to their threads") {
  std::vector<std::string> lines(kThreads);
  in_threads([&](int i) {
    soresolve_world* world = soresolve_world_new();
    soresolve_check* check = soresolve_check_file(world, "/bin/sh", nullptr);
    if (check != nullptr) lines[i] = soresolve_check_line(check);
    soresolve_check_free(check);
    soresolve_world_free(world);
  });
  for (const std::string& line : lines) CHECK(line == lines.front());
  CHECK(!lines.front().empty());
}

TEST_CASE("answers of the C interface may be read by several threads") {
  soresolve_world* world = soresolve_world_new();
  soresolve_map* map = soresolve_resolve(world, "/bin/sh", nullptr);
  soresolve_bindings* bindings = soresolve_bind_file(world, "/bin/sh", nullptr);
  REQUIRE(map != nullptr);
  REQUIRE(bindings != nullptr);
  const std::string want = kinds_of(bindings);
  std::vector<std::string> texts(kThreads), got(kThreads);
  in_threads([&](int i) {
    char* text = soresolve_map_text(map, SORESOLVE_FORM_JSON);
    texts[i] = text;
    soresolve_text_free(text);
    got[i] = kinds_of(bindings);
  });
  for (int i = 0; i < kThreads; ++i) {
    CHECK(texts[i] == texts.front());
    CHECK(got[i] == want);
  }
  soresolve_bindings_free(bindings);
  soresolve_map_free(map);
  soresolve_world_free(world);
}
