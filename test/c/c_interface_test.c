/* The C interface, from C: what it says of the tree of test/golden/make_tree.cc.
 *
 * usage: c_interface_test TREE      exit status 0: all as it should be, 1: what is not was printed */
#include <soresolve.h>

#include <stdio.h>
#include <string.h>

#include "check.h"

static int equal(const char* a, const char* b) { return a != NULL && b != NULL && strcmp(a, b) == 0; }

static soresolve_world* world_of(const char* tree) {
  soresolve_world* world = soresolve_world_new();
  CHECK(soresolve_world_set(world, SORESOLVE_SET_ROOT, tree) == SORESOLVE_OK);
  CHECK(soresolve_world_set(world, SORESOLVE_SET_CPU, "x86-64-v3") == SORESOLVE_OK);
  return world;
}

/* The object that a name led to, and how the last attempt for it ended. */
static void test_resolve(const char* tree) {
  soresolve_world* world = world_of(tree);
  soresolve_error* error = NULL;
  soresolve_map* map = soresolve_resolve(world, "/app/_C.so", &error);
  soresolve_object object;
  soresolve_need need;
  soresolve_attempt attempt;
  char* text;

  soresolve_world_free(world); /* answers stand on their own */
  CHECK(map != NULL && error == NULL);
  CHECK(soresolve_map_object(map, 0, &object, sizeof object) == 1);
  CHECK(object.role == SORESOLVE_ROLE_MAIN && object.loader == SORESOLVE_NONE && object.need_count == 3);
  CHECK(equal(object.name, "/app/_C.so"));
  CHECK(soresolve_map_object(map, soresolve_map_object_count(map), &object, sizeof object) == 0);

  CHECK(soresolve_map_need(map, 0, 0, &need, sizeof need) == 1);
  CHECK(equal(need.name, "libcudart.so.11.0") && need.kind == SORESOLVE_NEED_NEEDED);
  CHECK(need.resolution == SORESOLVE_RESOLUTION_NOT_FOUND && need.attempt_count > 1);
  CHECK(soresolve_map_object(map, need.target, &object, sizeof object) == 1);
  CHECK(object.role == SORESOLVE_ROLE_PLACEHOLDER && object.loader == 0);
  CHECK(soresolve_map_attempt(map, 0, 0, need.attempt_count - 1, &attempt, sizeof attempt) == 1);
  CHECK(equal(attempt.candidate, "/usr/lib/libcudart.so.11.0"));
  CHECK(attempt.step == SORESOLVE_STEP_DEFAULT_DIRS && attempt.outcome == SORESOLVE_OUTCOME_NO_SUCH_FILE);
  CHECK(soresolve_map_attempt(map, 0, 0, need.attempt_count, &attempt, sizeof attempt) == 0);
  CHECK(soresolve_map_need(map, 0, 99, &need, sizeof need) == 0);
  CHECK(equal(soresolve_map_failure(map),
              "libcudart.so.11.0: cannot open shared object file: No such file or directory"));

  text = soresolve_map_text(map, SORESOLVE_FORM_LDD);
  CHECK(text != NULL && strncmp(text, "\tlibcudart.so.11.0 => not found\n", 32) == 0);
  soresolve_text_free(text);
  text = soresolve_map_text(map, SORESOLVE_FORM_JSON);
  CHECK(text != NULL && strstr(text, "\"schema\": \"soresolve/1\"") != NULL);
  soresolve_text_free(text);
  CHECK(soresolve_map_text(map, 99) == NULL);
  soresolve_map_free(map);
}

/* Structures of callers that were built with an older or a later header. */
static void test_sizes(const char* tree) {
  soresolve_world* world = world_of(tree);
  soresolve_map* map = soresolve_resolve(world, "/app/bin/prog", NULL);
  const char* name = NULL;
  struct {
    soresolve_object object;
    void* later;
  } larger;

  larger.later = &larger;
  CHECK(map != NULL);
  CHECK(soresolve_map_object(map, 0, (soresolve_object*)&name, sizeof name) == 1);
  CHECK(equal(name, "/app/bin/prog"));
  CHECK(soresolve_map_object(map, 0, &larger.object, sizeof larger) == 1);
  CHECK(equal(larger.object.name, "/app/bin/prog") && larger.later == NULL);
  CHECK(soresolve_map_failure(map) == NULL);
  soresolve_map_free(map);
  soresolve_world_free(world);
}

static void test_check(const char* tree) {
  soresolve_world* world = world_of(tree);
  soresolve_check* good = soresolve_check_file(world, "/app/bin/infer", NULL);
  soresolve_check* bad = soresolve_check_file(world, "/app/bin/train", NULL);
  soresolve_problem problem;
  char* text;

  CHECK(good != NULL && soresolve_check_is_ok(good) == 1 && equal(soresolve_check_line(good), "ok"));
  CHECK(soresolve_check_exit_status(good) == -1 && soresolve_check_problem_count(good) == 0);
  CHECK(bad != NULL && soresolve_check_is_ok(bad) == 0);
  CHECK(soresolve_check_exit_status(bad) == 127);
  CHECK(equal(soresolve_check_line(bad),
              "/app/bin/train: symbol lookup error: /app/bin/train: undefined symbol: "
              "cudaGraphNodeSetEnabled, version libcudart.so.11.0"));
  CHECK(soresolve_check_problem_count(bad) == 2);
  CHECK(soresolve_check_problem(bad, 0, &problem, sizeof problem) == 1);
  CHECK(problem.kind == SORESOLVE_PROBLEM_SYMBOL && problem.is_fatal == 1);
  CHECK(equal(problem.name, "cudaGraphNodeSetEnabled") && equal(problem.version, "libcudart.so.11.0"));
  CHECK(equal(problem.needer, "/app/bin/train"));
  CHECK(equal(problem.provider, "/opt/cuda-11.2/lib64/libcudart.so.11.0"));
  CHECK(soresolve_check_problem(bad, 1, &problem, sizeof problem) == 1 && problem.is_fatal == 0);
  CHECK(soresolve_check_problem(bad, 2, &problem, sizeof problem) == 0);
  text = soresolve_check_text(bad, SORESOLVE_FORM_TEXT);
  CHECK(text != NULL && strstr(text, "does not define cudaGraphNodeSetEnabled@libcudart.so.11.0 and 1") != NULL);
  soresolve_text_free(text);
  CHECK(soresolve_check_text(bad, SORESOLVE_FORM_LDD) == NULL);
  soresolve_check_free(good);
  soresolve_check_free(bad);

  bad = soresolve_check_file(world, "/app/bin/newer", NULL);
  CHECK(bad != NULL && soresolve_check_problem(bad, 0, &problem, sizeof problem) == 1);
  CHECK(problem.kind == SORESOLVE_PROBLEM_VERSION && equal(problem.version, "V_2"));
  soresolve_check_free(bad);
  bad = soresolve_check_file(world, "/app/_C.so", NULL);
  CHECK(bad != NULL && soresolve_check_problem(bad, 0, &problem, sizeof problem) == 1);
  CHECK(problem.kind == SORESOLVE_PROBLEM_LIBRARY && equal(problem.name, "libcudart.so.11.0"));
  soresolve_check_free(bad);
  soresolve_world_free(world);
}

static void test_symvers(const char* tree) {
  soresolve_world* world = world_of(tree);
  soresolve_library* old = soresolve_library_open(world, "/opt/cuda-11.2/lib64/libcudart.so.11.2", NULL);
  soresolve_library* now = soresolve_library_open(world, "/usr/local/cuda/lib64/libcudart.so.12", NULL);
  soresolve_library* module = soresolve_library_open(world, "/app/_C.so", NULL);
  soresolve_node node;
  soresolve_requirement requirement;
  char* text;

  CHECK(old != NULL && now != NULL && module != NULL);
  CHECK(equal(soresolve_library_path(old), "/opt/cuda-11.2/lib64/libcudart.so.11.2"));
  CHECK(equal(soresolve_library_soname(old), "libcudart.so.11.0"));
  CHECK(soresolve_library_node_count(old) == 2);
  CHECK(soresolve_library_node(old, 0, &node, sizeof node) == 1 && node.is_base == 1);
  CHECK(soresolve_library_node(old, 1, &node, sizeof node) == 1 && node.is_base == 0);
  CHECK(equal(node.name, "libcudart.so.11.0") && node.symbol_count == 12 && node.file_offset == 0x1d4);
  CHECK(soresolve_library_node(old, 2, &node, sizeof node) == 0);
  CHECK(soresolve_library_requirement_count(module) == 1);
  CHECK(soresolve_library_requirement(module, 0, &requirement, sizeof requirement) == 1);
  CHECK(equal(requirement.file, "libcudart.so.11.0") && equal(requirement.version, "libcudart.so.11.0"));
  CHECK(requirement.is_weak == 0);

  CHECK(soresolve_library_serves(old, "11.0") == 1);
  CHECK(soresolve_library_serves(now, "11.0") == 0);
  CHECK(soresolve_library_serves(now, "cudaMalloc@libcudart.so.11.0") == 0);
  CHECK(soresolve_library_serves(now, NULL) == -1);
  CHECK(soresolve_library_serves_consumer(old, module) == 1);
  CHECK(soresolve_library_serves_consumer(now, module) == 0);
  CHECK(soresolve_library_replaces(now, old) == 0);
  CHECK(soresolve_library_replaces(old, old) == 1);
  text = soresolve_library_text(now, "11.0", NULL, SORESOLVE_FORM_TEXT);
  CHECK(text != NULL && strstr(text, "does not provide 11.0") != NULL);
  soresolve_text_free(text);
  text = soresolve_library_text(old, NULL, module, SORESOLVE_FORM_JSON);
  CHECK(text != NULL && strstr(text, "\"served\": true") != NULL);
  soresolve_text_free(text);
  soresolve_library_free(old);
  soresolve_library_free(now);
  soresolve_library_free(module);
  soresolve_world_free(world);
}

struct Seen {
  int count;
  int has_png;
};

static void see(const soresolve_binding* binding, void* data) {
  struct Seen* seen = data;
  ++seen->count;
  if (equal(binding->symbol, "png_read_info") && equal(binding->version, "PNG16_0")) {
    CHECK(equal(binding->provider, "/app/view/libpng16.so.16") && binding->is_lazy == 1);
    CHECK(equal(binding->referrer, "/app/view/libimage.so") && binding->is_weak == 0);
    seen->has_png = 1;
  }
}

static void test_bindings(const char* tree) {
  soresolve_world* world = world_of(tree);
  soresolve_bindings* bindings = soresolve_bind_file(world, "/app/bin/viewer", NULL);
  struct Seen seen = {0, 0};

  CHECK(bindings != NULL);
  CHECK(soresolve_bindings_visit(bindings, see, &seen) == SORESOLVE_OK);
  CHECK(seen.count > 3 && seen.has_png == 1);
  soresolve_bindings_free(bindings);
  soresolve_world_free(world);
}

static void test_settings(const char* tree) {
  soresolve_world* world = world_of(tree);
  soresolve_map* map;

  CHECK(soresolve_world_set(world, SORESOLVE_SET_ENV, "LD_LIBRARY_PATH=/opt/cuda-11.2/lib64") == SORESOLVE_OK);
  CHECK(soresolve_world_set(world, SORESOLVE_SET_ENV, "LD_BIND_NOW") == SORESOLVE_USAGE);
  CHECK(soresolve_world_set(world, SORESOLVE_SET_RTLD, "sometimes") == SORESOLVE_USAGE);
  CHECK(soresolve_world_set(world, SORESOLVE_SET_RTLD, "lazy,now") == SORESOLVE_USAGE);
  CHECK(soresolve_world_set(world, SORESOLVE_SET_LOADED, "globl:libx.so") == SORESOLVE_USAGE);
  CHECK(soresolve_world_set(world, SORESOLVE_SET_SECURE, "yes") == SORESOLVE_USAGE);
  CHECK(soresolve_world_set(world, SORESOLVE_SET_PID, "1x") == SORESOLVE_USAGE);
  CHECK(soresolve_world_set(world, SORESOLVE_SET_EXE, NULL) == SORESOLVE_USAGE);
  CHECK(soresolve_world_set(world, 99, "") == SORESOLVE_USAGE);
  map = soresolve_resolve(world, "/app/_C.so", NULL);
  CHECK(map != NULL && soresolve_map_failure(map) == NULL);
  CHECK(soresolve_world_set(world, SORESOLVE_SET_CWD, "/app") == SORESOLVE_USAGE); /* asked already */
  soresolve_map_free(map);
  soresolve_world_free(world);
}

static void test_errors(const char* tree) {
  soresolve_world* world = world_of(tree);
  soresolve_error* error = NULL;

  CHECK(soresolve_resolve(world, "/app/none", &error) == NULL && error != NULL);
  CHECK(soresolve_error_code_of(error) == SORESOLVE_NOT_FOUND);
  CHECK(equal(soresolve_error_path(error), "/app/none"));
  soresolve_error_free(error);
  CHECK(soresolve_check_file(world, "/app/notes.txt", &error) == NULL);
  CHECK(soresolve_error_code_of(error) == SORESOLVE_NOT_ELF);
  CHECK(equal(soresolve_error_text(error),
              "/app/notes.txt: is not an ELF file: it does not begin with 7f 45 4c 46 (at offset 0x0)"));
  soresolve_error_free(error);
  CHECK(soresolve_library_open(world, NULL, &error) == NULL);
  CHECK(soresolve_error_code_of(error) == SORESOLVE_USAGE);
  soresolve_error_free(error);
  CHECK(soresolve_bind_file(world, NULL, NULL) == NULL);
  soresolve_world_free(world);

  world = soresolve_world_new();
  CHECK(soresolve_world_set(world, SORESOLVE_SET_ROOT, "/does/not/exist") == SORESOLVE_OK);
  CHECK(soresolve_resolve(world, "/bin/sh", &error) == NULL && error != NULL);
  soresolve_error_free(error);
  soresolve_world_free(world);
  soresolve_world_free(NULL);
  soresolve_map_free(NULL);
  soresolve_error_free(NULL);
}

/* Whole answers: the command's JSON, text and page, and fixes with them. */
static void test_document(const char* tree) {
  soresolve_world* world = world_of(tree);
  soresolve_error* error = NULL;
  size_t size = 0;
  const int all = SORESOLVE_WITH_TEXT | SORESOLVE_WITH_JSON | SORESOLVE_WITH_HTML;
  soresolve_document* why = soresolve_ask(world, SORESOLVE_ASK_WHY, "/app/_C.so", all, &error);
  soresolve_document* judged = soresolve_ask(world, SORESOLVE_ASK_CHECK, "/app/_C.so", SORESOLVE_WITH_JSON, NULL);
  soresolve_document* tree_of = soresolve_ask(world, SORESOLVE_ASK_TREE, "/app/_C.so", SORESOLVE_WITH_TEXT, NULL);
  const char* json;

  CHECK(why != NULL && judged != NULL && tree_of != NULL && error == NULL);
  CHECK(soresolve_document_is_good(why) == 0 && soresolve_document_is_good(judged) == 0);
  json = soresolve_document_get(why, SORESOLVE_WITH_JSON, &size);
  CHECK(json != NULL && strlen(json) == size && strstr(json, "\"command\": \"why\"") != NULL);
  CHECK(json != NULL && strstr(json, "\"remedies\"") != NULL && strstr(json, "\"attempts\"") != NULL);
  CHECK(strstr(soresolve_document_get(why, SORESOLVE_WITH_TEXT, NULL), "does not load") != NULL);
  CHECK(strstr(soresolve_document_get(why, SORESOLVE_WITH_HTML, NULL), "<title>") != NULL);
  CHECK(strstr(soresolve_document_get(judged, SORESOLVE_WITH_JSON, NULL), "\"command\": \"check\"") != NULL);
  CHECK(soresolve_document_get(judged, SORESOLVE_WITH_TEXT, &size) == NULL && size == 0);
  CHECK(soresolve_document_get(judged, 99, NULL) == NULL);
  CHECK(strstr(soresolve_document_get(tree_of, SORESOLVE_WITH_TEXT, NULL), "_C.so") != NULL);
  soresolve_document_free(why);
  soresolve_document_free(judged);
  soresolve_document_free(tree_of);
  soresolve_document_free(NULL);

  CHECK(soresolve_ask(world, 99, "/app/_C.so", all, &error) == NULL);
  CHECK(soresolve_error_code_of(error) == SORESOLVE_USAGE);
  soresolve_error_free(error);
  CHECK(soresolve_ask(world, SORESOLVE_ASK_WHY, NULL, all, &error) == NULL);
  CHECK(soresolve_error_code_of(error) == SORESOLVE_USAGE);
  soresolve_error_free(error);
  CHECK(soresolve_ask(world, SORESOLVE_ASK_TREE, "/nowhere", all, &error) == NULL);
  CHECK(soresolve_error_code_of(error) == SORESOLVE_NOT_FOUND);
  soresolve_error_free(error);
  soresolve_world_free(world);
}

/* What a map answers is what the world answers, and does not take the world any more. */
static void test_document_of_map(const char* tree) {
  static const int questions[] = {SORESOLVE_ASK_TREE, SORESOLVE_ASK_WHY, SORESOLVE_ASK_CHECK};
  soresolve_world* world = world_of(tree);
  soresolve_error* error = NULL;
  soresolve_document* by_world[3];
  soresolve_map* map = soresolve_resolve(world, "/app/_C.so", NULL);
  size_t i;

  for (i = 0; i < 3; ++i) by_world[i] = soresolve_ask(world, questions[i], "/app/_C.so", SORESOLVE_WITH_JSON, NULL);
  soresolve_world_free(world);
  for (i = 0; i < 3; ++i) {
    soresolve_document* by_map =
        soresolve_map_ask(map, questions[i], SORESOLVE_WITH_JSON | SORESOLVE_WITH_HTML, &error);
    CHECK(by_map != NULL && by_world[i] != NULL && error == NULL);
    CHECK(strcmp(soresolve_document_get(by_map, SORESOLVE_WITH_JSON, NULL),
                 soresolve_document_get(by_world[i], SORESOLVE_WITH_JSON, NULL)) == 0);
    CHECK(strstr(soresolve_document_get(by_map, SORESOLVE_WITH_HTML, NULL), "/app/_C.so</title>") != NULL);
    CHECK(soresolve_document_is_good(by_map) == soresolve_document_is_good(by_world[i]));
    soresolve_document_free(by_map);
    soresolve_document_free(by_world[i]);
  }
  CHECK(soresolve_map_ask(map, 99, SORESOLVE_WITH_JSON, &error) == NULL);
  CHECK(soresolve_error_code_of(error) == SORESOLVE_USAGE);
  soresolve_error_free(error);
  soresolve_map_free(map);
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  test_resolve(argv[1]);
  test_sizes(argv[1]);
  test_check(argv[1]);
  test_symvers(argv[1]);
  test_bindings(argv[1]);
  test_settings(argv[1]);
  test_errors(argv[1]);
  test_document(argv[1]);
  test_document_of_map(argv[1]);
  CHECK(strchr(soresolve_version(), '.') != NULL);
  return failures == 0 ? 0 : 1;
}
