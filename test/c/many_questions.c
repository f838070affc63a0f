/* The C interface, asked very often, and misused as far as soresolve.h says what comes of it: NULL for every handle and
 * text, settings that come too late, errors that are read twice, answers that outlive their world, threads, a fork.
 * Files that are missing, damaged or something else are among those asked about. What is in use of the heap after the
 * last question is what was in use after a tenth of them, or a few rounds if there are more. Run by memcheck
 * (test/c/memcheck) or with sanitizers it also shows that nothing is left, or read after its end.
 *
 * usage: many_questions COUNT TREE      TREE of test/golden/make_tree.cc, to which damaged files are added
 * exit status 0: all as it should be, 1: what is not was printed */
#include <soresolve.h>

#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { kThreads = 4, kWays = 8, kMostGrowth = 32 << 10 };

static const char* const kFiles[] = {"/app/_C.so",
                                     "/app/bin/prog",
                                     "/app/bin/train",
                                     "/app/none",
                                     "/damaged/part0",
                                     "/app/bin/viewer",
                                     "/damaged/part1",
                                     "/app/notes.txt",
                                     "/app",
                                     "",
                                     "/app/bin/newer",
                                     "libhelper.so",
                                     "/damaged/changed",
                                     "./app/bin/infer",
                                     "/damaged/part2",
                                     "/app/bin/deep"};
enum { kFileCount = sizeof kFiles / sizeof *kFiles };

/* Bytes that are handed out; 0 where malloc cannot say. */
static size_t bytes_in_use(void) {
#if defined __GLIBC__ && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
  const struct mallinfo2 now = mallinfo2();
  return now.uordblks + now.hblkhd;
#else
  return 0;
#endif
}

static void write_file(const char* path, const char* bytes, size_t size) {
  FILE* const file = fopen(path, "wb");
  CHECK(file != NULL && fwrite(bytes, 1, size, file) == size);
  if (file != NULL) fclose(file);
}

/* A library that is cut in three places, and one whose bytes are changed here and there. */
static void add_damaged_files(const char* tree) {
  static char bytes[1 << 20];
  char path[4096];
  size_t size = 0, i;
  FILE* file;

  snprintf(path, sizeof path, "%s/app/_C.so", tree);
  file = fopen(path, "rb");
  CHECK(file != NULL);
  if (file == NULL) return;
  size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  snprintf(path, sizeof path, "%s/damaged", tree);
  CHECK(mkdir(path, 0755) == 0);
  for (i = 0; i < 3; ++i) {
    snprintf(path, sizeof path, "%s/damaged/part%d", tree, (int)i);
    write_file(path, bytes, i == 0 ? 20 : size * i / 3);
  }
  for (i = 256; i < size; i += 97) bytes[i] = (char)(bytes[i] + 1);
  snprintf(path, sizeof path, "%s/damaged/changed", tree);
  write_file(path, bytes, size);
}

static soresolve_world* world_of(const char* tree) {
  soresolve_world* const world = soresolve_world_new();
  CHECK(soresolve_world_set(world, SORESOLVE_SET_ROOT, tree) == SORESOLVE_OK);
  CHECK(soresolve_world_set(world, SORESOLVE_SET_CPU, "x86-64-v3") == SORESOLVE_OK);
  return world;
}

/* An answer or a reason, never both; the reason is the same when it is read again. */
static void read_error(int is_answered, soresolve_error* error) {
  CHECK(is_answered == (error == NULL));
  CHECK((soresolve_error_code_of(error) == SORESOLVE_OK) == is_answered);
  CHECK(soresolve_error_text(error) == soresolve_error_text(error));
  CHECK((strlen(soresolve_error_text(error)) == 0) == is_answered);
  CHECK(strcmp(soresolve_error_path(error), soresolve_error_path(error)) == 0);
  soresolve_error_free(error);
}

/* Reads all of it: every text up to its end. */
static void read_map(const soresolve_map* map) {
  size_t at, need, attempt;
  soresolve_object object;
  soresolve_need request;
  soresolve_attempt tried;
  int form;

  for (at = 0; soresolve_map_object(map, at, &object, sizeof object) == 1; ++at) {
    CHECK(strlen(object.name) + strlen(object.path) + strlen(object.requested) < 1 << 20);
    CHECK(object.soname == NULL || strlen(object.soname) < 1 << 20);
    for (need = 0; soresolve_map_need(map, at, need, &request, sizeof request) == 1; ++need) {
      CHECK(strlen(request.name) + strlen(request.written) < 1 << 20);
      for (attempt = 0; soresolve_map_attempt(map, at, need, attempt, &tried, sizeof tried) == 1; ++attempt) {
        CHECK(strlen(tried.candidate) + strlen(tried.entry) + strlen(tried.text) < 1 << 20);
      }
      CHECK(attempt == request.attempt_count);
    }
    CHECK(need == object.need_count);
  }
  CHECK(at == soresolve_map_object_count(map));
  for (form = SORESOLVE_FORM_TEXT; form <= SORESOLVE_FORM_LDD; ++form) {
    soresolve_text_free(soresolve_map_text(map, form));
  }
}

static void read_check(const soresolve_check* answer) {
  soresolve_problem problem;
  size_t at;
  int form;

  CHECK(soresolve_check_is_ok(answer) == 0 || strcmp(soresolve_check_line(answer), "ok") == 0);
  CHECK(soresolve_check_exit_status(answer) >= -1);
  for (at = 0; soresolve_check_problem(answer, at, &problem, sizeof problem) == 1; ++at) {
    CHECK(strlen(problem.needer) + strlen(problem.name) + strlen(problem.version) + strlen(problem.provider) +
              strlen(problem.text) <
          1 << 20);
  }
  CHECK(at == soresolve_check_problem_count(answer));
  for (form = SORESOLVE_FORM_TEXT; form <= SORESOLVE_FORM_JSON; ++form) {
    soresolve_text_free(soresolve_check_text(answer, form));
  }
}

static void read_library(const soresolve_library* library) {
  soresolve_node node;
  soresolve_requirement requirement;
  size_t at;

  CHECK(strlen(soresolve_library_path(library)) > 0);
  for (at = 0; soresolve_library_node(library, at, &node, sizeof node) == 1; ++at) {
    CHECK(node.is_base || soresolve_library_serves(library, node.name) == 1);
  }
  for (at = 0; soresolve_library_requirement(library, at, &requirement, sizeof requirement) == 1; ++at) {
    CHECK(strlen(requirement.file) + strlen(requirement.version) < 1 << 20);
  }
  CHECK(soresolve_library_replaces(library, library) == 1);
  soresolve_text_free(soresolve_library_text(library, "11.0", library, SORESOLVE_FORM_JSON));
}

static void see(const soresolve_binding* binding, void* data) {
  *(size_t*)data +=
      strlen(binding->referrer) + strlen(binding->symbol) + strlen(binding->version) + strlen(binding->provider);
}

static void read_document(const soresolve_document* document, int forms) {
  int form;
  for (form = SORESOLVE_WITH_TEXT; form <= SORESOLVE_WITH_HTML; form *= 2) {
    size_t size = 1;
    const char* const text = soresolve_document_get(document, form, &size);
    CHECK((forms & form) == 0 ? text == NULL && size == 0 : text != NULL && strlen(text) == size);
  }
}

/* One question; `number` says which, and of which file. */
static void ask(soresolve_world* world, size_t number) {
  const char* const file = kFiles[number / kWays % kFileCount];
  const int forms = 1 + (int)(number % 7);
  const int question = SORESOLVE_ASK_TREE + (int)(number % 3);
  soresolve_error* error = NULL;

  switch (number % kWays) {
    case 0: {
      soresolve_map* const map = soresolve_resolve(world, file, &error);
      if (map != NULL) read_map(map);
      read_error(map != NULL, error);
      soresolve_map_free(map);
      break;
    }
    case 1: {
      soresolve_check* const answer = soresolve_check_file(world, file, &error);
      if (answer != NULL) read_check(answer);
      read_error(answer != NULL, error);
      soresolve_check_free(answer);
      break;
    }
    case 2: {
      soresolve_library* const library = soresolve_library_open(world, file, &error);
      if (library != NULL) read_library(library);
      read_error(library != NULL, error);
      soresolve_library_free(library);
      break;
    }
    case 3: {
      soresolve_bindings* const bindings = soresolve_bind_file(world, file, &error);
      size_t length = 0;
      if (bindings != NULL) CHECK(soresolve_bindings_visit(bindings, see, &length) == SORESOLVE_OK);
      read_error(bindings != NULL, error);
      soresolve_bindings_free(bindings);
      break;
    }
    case 4: {
      soresolve_map* const map = soresolve_resolve(world, file, NULL);
      soresolve_document* const document = soresolve_map_ask(map, question, forms, &error);
      if (document != NULL) read_document(document, forms);
      read_error(document != NULL, error);
      soresolve_map_free(map);
      soresolve_document_free(document);
      break;
    }
    default: {
      soresolve_document* const document = soresolve_ask(world, question, file, forms, &error);
      if (document != NULL) read_document(document, forms);
      read_error(document != NULL, error);
      soresolve_document_free(document);
    }
  }
}

/* NULL for each handle and each text, alone. */
static void test_null(soresolve_world* world) {
  soresolve_library* const library = soresolve_library_open(world, "/app/_C.so", NULL);
  soresolve_map* const map = soresolve_resolve(world, "/app/_C.so", NULL);
  soresolve_bindings* const bindings = soresolve_bind_file(world, "/app/bin/prog", NULL);
  soresolve_error* error = NULL;
  soresolve_object object;
  soresolve_need need;
  soresolve_attempt attempt;
  soresolve_problem problem;
  soresolve_node node;
  soresolve_requirement requirement;
  size_t size = 1;

  CHECK(library != NULL && map != NULL && bindings != NULL);
#define CHECK_REFUSED(question)                               \
  do {                                                        \
    CHECK((question) == NULL);                                \
    CHECK(soresolve_error_code_of(error) == SORESOLVE_USAGE); \
    read_error(0, error);                                     \
  } while (0)
  CHECK_REFUSED(soresolve_resolve(NULL, "/bin/sh", &error));
  CHECK_REFUSED(soresolve_resolve(world, NULL, &error));
  CHECK_REFUSED(soresolve_check_file(NULL, "/bin/sh", &error));
  CHECK_REFUSED(soresolve_check_file(world, NULL, &error));
  CHECK_REFUSED(soresolve_library_open(NULL, "/bin/sh", &error));
  CHECK_REFUSED(soresolve_library_open(world, NULL, &error));
  CHECK_REFUSED(soresolve_bind_file(NULL, "/bin/sh", &error));
  CHECK_REFUSED(soresolve_bind_file(world, NULL, &error));
  CHECK_REFUSED(soresolve_ask(NULL, SORESOLVE_ASK_WHY, "/bin/sh", SORESOLVE_WITH_TEXT, &error));
  CHECK_REFUSED(soresolve_ask(world, SORESOLVE_ASK_WHY, NULL, SORESOLVE_WITH_TEXT, &error));
  CHECK_REFUSED(soresolve_map_ask(NULL, SORESOLVE_ASK_WHY, SORESOLVE_WITH_TEXT, &error));
  CHECK_REFUSED(soresolve_map_ask(map, -1, SORESOLVE_WITH_TEXT, &error));
  CHECK(soresolve_resolve(NULL, NULL, NULL) == NULL && soresolve_map_ask(NULL, 99, 0, NULL) == NULL);

  CHECK(soresolve_error_code_of(NULL) == SORESOLVE_OK && *soresolve_error_text(NULL) == '\0');
  CHECK(*soresolve_error_path(NULL) == '\0');
  CHECK(soresolve_world_set(NULL, SORESOLVE_SET_CPU, "haswell") == SORESOLVE_USAGE);
  CHECK(soresolve_world_set(world, SORESOLVE_SET_CPU, "haswell") == SORESOLVE_USAGE); /* asked already */
  CHECK(soresolve_map_object_count(NULL) == 0 && soresolve_map_object(NULL, 0, &object, sizeof object) == 0);
  CHECK(soresolve_map_need(NULL, 0, 0, &need, sizeof need) == 0);
  CHECK(soresolve_map_attempt(NULL, 0, 0, 0, &attempt, sizeof attempt) == 0);
  CHECK(soresolve_map_object(map, 0, NULL, 0) == 0 && soresolve_map_object(map, SORESOLVE_NONE, &object, 8) == 0);
  CHECK(soresolve_map_need(map, SORESOLVE_NONE, 0, &need, sizeof need) == 0);
  CHECK(soresolve_map_failure(NULL) == NULL && soresolve_map_text(NULL, SORESOLVE_FORM_TEXT) == NULL);
  CHECK(soresolve_check_is_ok(NULL) == 0 && soresolve_check_line(NULL) == NULL);
  CHECK(soresolve_check_exit_status(NULL) == -1 && soresolve_check_problem_count(NULL) == 0);
  CHECK(soresolve_check_problem(NULL, 0, &problem, sizeof problem) == 0);
  CHECK(soresolve_check_text(NULL, SORESOLVE_FORM_TEXT) == NULL);
  CHECK(soresolve_library_path(NULL) == NULL && soresolve_library_soname(NULL) == NULL);
  CHECK(soresolve_library_node_count(NULL) == 0 && soresolve_library_requirement_count(NULL) == 0);
  CHECK(soresolve_library_node(NULL, 0, &node, sizeof node) == 0);
  CHECK(soresolve_library_requirement(NULL, 0, &requirement, sizeof requirement) == 0);
  CHECK(soresolve_library_serves(NULL, "11.0") == -1 && soresolve_library_serves(library, NULL) == -1);
  CHECK(soresolve_library_serves_consumer(NULL, library) == -1);
  CHECK(soresolve_library_serves_consumer(library, NULL) == -1);
  CHECK(soresolve_library_replaces(NULL, library) == -1 && soresolve_library_replaces(library, NULL) == -1);
  CHECK(soresolve_library_text(NULL, "11.0", library, SORESOLVE_FORM_TEXT) == NULL);
  CHECK(soresolve_bindings_visit(NULL, see, &size) == SORESOLVE_USAGE);
  CHECK(soresolve_bindings_visit(bindings, NULL, NULL) == SORESOLVE_USAGE);
  CHECK(soresolve_document_is_good(NULL) == 0);
  CHECK(soresolve_document_get(NULL, SORESOLVE_WITH_TEXT, &size) == NULL && size == 0);
  CHECK(soresolve_document_get(NULL, SORESOLVE_WITH_TEXT, NULL) == NULL);
  soresolve_world_free(NULL);
  soresolve_map_free(NULL);
  soresolve_check_free(NULL);
  soresolve_library_free(NULL);
  soresolve_bindings_free(NULL);
  soresolve_document_free(NULL);
  soresolve_error_free(NULL);
  soresolve_text_free(NULL);
  soresolve_library_free(library);
  soresolve_map_free(map);
  soresolve_bindings_free(bindings);
}

/* What threads have together: a world that they take turns at, and answers that they read at once. */
typedef struct shared {
  pthread_mutex_t turn;
  soresolve_world* world;
  const char* tree;
  const soresolve_map* map;
  const soresolve_check* answer;
  const soresolve_bindings* bindings;
} shared;

static void* ask_in_thread(void* data) {
  shared* const with = data;
  soresolve_world* const own = world_of(with->tree);
  size_t number, length = 0;

  for (number = 0; number < 2 * kWays; ++number) {
    soresolve_document* const document =
        soresolve_map_ask(with->map, SORESOLVE_ASK_TREE + (int)(number % 3), SORESOLVE_WITH_JSON, NULL);
    CHECK(document != NULL);
    soresolve_document_free(document);
    read_map(with->map);
    read_check(with->answer);
    CHECK(soresolve_bindings_visit(with->bindings, see, &length) == SORESOLVE_OK);
    ask(own, number);
    pthread_mutex_lock(&with->turn);
    ask(with->world, number);
    pthread_mutex_unlock(&with->turn);
  }
  soresolve_world_free(own);
  return NULL;
}

static void test_threads(const char* tree) {
  pthread_t threads[kThreads];
  soresolve_world* const world = world_of(tree);
  soresolve_map* const map = soresolve_resolve(world, "/app/_C.so", NULL);
  soresolve_check* const answer = soresolve_check_file(world, "/app/bin/train", NULL);
  soresolve_bindings* const bindings = soresolve_bind_file(world, "/app/bin/viewer", NULL);
  shared with = {PTHREAD_MUTEX_INITIALIZER, NULL, NULL, NULL, NULL, NULL};
  int i;

  with.world = world;
  with.tree = tree;
  with.map = map;
  with.answer = answer;
  with.bindings = bindings;
  CHECK(map != NULL && answer != NULL && bindings != NULL);
  for (i = 0; i < kThreads; ++i) CHECK(pthread_create(&threads[i], NULL, ask_in_thread, &with) == 0);
  for (i = 0; i < kThreads; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
  soresolve_map_free(map);
  soresolve_check_free(answer);
  soresolve_bindings_free(bindings);
  soresolve_world_free(world);
}

/* The child uses and frees what it has from its parent, who still has it afterwards. */
static void test_fork(const char* tree) {
  soresolve_world* const world = world_of(tree);
  soresolve_map* const map = soresolve_resolve(world, "/app/_C.so", NULL);
  int status = -1;
  pid_t child;
  size_t number;

  fflush(stdout);
  child = fork();
  CHECK(child >= 0);
  for (number = 0; number < 2 * kWays; ++number) ask(world, number);
  read_map(map);
  soresolve_world_free(world);
  soresolve_map_free(map);
  if (child == 0) {
    fflush(stdout);
    _exit(failures == 0 ? 0 : 1);
  }
  CHECK(waitpid(child, &status, 0) == child && status == 0);
}

/* Worlds of all kinds: one for all questions, one for each, this machine, this process. */
static void ask_often(const char* tree, size_t count) {
  soresolve_world* const lasting = world_of(tree);
  const size_t a_few = 2 * kWays * kFileCount;
  const size_t early = count / 10 > a_few ? count / 10 : a_few;
  size_t number, before = 0, after;

  for (number = 0; number < count; ++number) {
    if (number == early) before = bytes_in_use();
    ask(lasting, number);
    if (number % 5 == 0) {
      soresolve_world* const own = world_of(tree);
      soresolve_map* map;
      ask(own, number);
      map = soresolve_resolve(own, "/app/bin/viewer", NULL);
      soresolve_world_free(own); /* answers stand on their own */
      CHECK(map != NULL);
      if (map != NULL) read_map(map);
      soresolve_map_free(map);
    }
    if (number % 100 == 0) {
      soresolve_world* const host = soresolve_world_new();
      soresolve_map_free(soresolve_resolve(host, "/bin/sh", NULL));
      soresolve_world_free(host);
    }
  }
  after = bytes_in_use();
  printf("%lu questions: %lu bytes in use, %lu after %lu\n", (unsigned long)count, (unsigned long)after,
         (unsigned long)before, (unsigned long)early);
  CHECK(count <= early || after <= before + kMostGrowth);
  soresolve_world_free(lasting);
}

int main(int argc, char** argv) {
  soresolve_world* world;
  if (argc != 3) return 2;
  add_damaged_files(argv[2]);
  world = world_of(argv[2]);
  test_null(world);
  soresolve_world_free(world);
  test_fork(argv[2]);
  test_threads(argv[2]);
  ask_often(argv[2], (size_t)strtoul(argv[1], NULL, 10));
  return failures == 0 ? 0 : 1;
}
