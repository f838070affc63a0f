/* libsoresolve for C, and for every language that calls C.
 *
 * The same answers as the C++ interface and the command give, behind opaque handles. Its binary
 * interface stays: symbols carry the version SORESOLVE_0.1, what later releases add gets a node of its
 * own; structures are filled as far as the caller's `size` goes, so that fields can be added at their
 * ends; enumerators keep their numbers, and new ones may come.
 *
 *   soresolve_world* world = soresolve_world_new();
 *   soresolve_error* error = NULL;
 *   soresolve_check* check = soresolve_check_file(world, "/bin/sh", &error);
 *   puts(check != NULL ? soresolve_check_line(check) : soresolve_error_text(error));
 *   soresolve_check_free(check);
 *   soresolve_error_free(error);
 *   soresolve_world_free(world);
 *
 * Ownership: each handle is freed with its own function, which takes NULL, too. Texts that functions
 * return as const char* belong to the handle they were asked of and live as long as it does; those
 * returned as char* are the caller's, for soresolve_text_free(). Handles do not need each other: a
 * world may be freed before the answers that it gave.
 * Texts from ELF files are bytes as they stand there, not always UTF-8; JSON always is.
 *
 * Errors are values: what answers a question returns NULL when it could not be asked, and then
 * *error, where `error` is not NULL, holds the reason, to be freed by the caller; else *error is set to
 * NULL. Without memory even for the reason it is NULL, too. A library that is missing is no error but
 * part of the answer.
 *
 * NULL in place of a handle is no crash: a question that needs it is refused with SORESOLVE_USAGE, a
 * function that returns a text or fills a structure finds none (NULL, 0), a count is 0, is_ok and
 * is_good are 0, and what can be -1 is -1. Of an error that is NULL the code is SORESOLVE_OK, and text
 * and path are "". A handle that was freed must not be used again.
 *
 * Threads: a world is for one thread at a time; different worlds may be used at once. Answers do not
 * change and may be read by several threads. After fork() the child has handles of its own, which it
 * may use and free, if no other thread was in a call at that moment. Nothing here prints, exits, reads
 * the environment, runs or maps as code what it looks at, or keeps global state.
 */
#ifndef SORESOLVE_H
#define SORESOLVE_H

#include <stddef.h>
#include <stdint.h>

#include "soresolve/api.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* ---- Errors ---------------------------------------------------------------------------------- */

typedef struct soresolve_error soresolve_error;

/** Why a question could not be asked; as ErrorCode in soresolve/result.h. */
enum soresolve_error_code {
  SORESOLVE_OK = 0,
  SORESOLVE_NOT_FOUND = 1,     /**< the path does not exist */
  SORESOLVE_UNREADABLE = 2,    /**< it exists, but dlopen_call or reading it failed */
  SORESOLVE_NOT_ELF = 3,       /**< not an ELF file, or not one that a dynamic loader takes */
  SORESOLVE_TRUNCATED = 4,     /**< the file ends before something that it announces */
  SORESOLVE_MALFORMED = 5,     /**< the file contradicts itself */
  SORESOLVE_UNSUPPORTED = 6,   /**< a format, machine or loader that is not modelled */
  SORESOLVE_NO_LOADER = 7,     /**< the analysed system has no dynamic loader for the file */
  SORESOLVE_LIMIT_REACHED = 8, /**< the input asks for more than a limit (lib/base/limits.h) */
  SORESOLVE_USAGE = 9,         /**< the caller asked for something that makes no sense */
  SORESOLVE_NO_MEMORY = 10
};

/** One of enum soresolve_error_code. */
int soresolve_error_code_of(const soresolve_error* error);
/** The sentence with path and offset: "PATH: MESSAGE (at offset 0x...)". */
const char* soresolve_error_text(const soresolve_error* error);
/** The file concerned; "" where there is none. */
const char* soresolve_error_path(const soresolve_error* error);
void soresolve_error_free(soresolve_error* error);

/** Frees what a function returned as char*. */
void soresolve_text_free(char* text);

/** The release of the library that runs, such as "0.1.0". */
const char* soresolve_version(void);

/* ---- The analysed world ---------------------------------------------------------------------- */

typedef struct soresolve_world soresolve_world;

/** What can be said of a world; the command's options of the same names. */
enum soresolve_setting {
  SORESOLVE_SET_ROOT = 1,    /**< a directory, image, package or snapshot as the root; paths are inside it */
  SORESOLVE_SET_ENV = 2,     /**< "NAME=VALUE"; each call adds one. Nothing is inherited */
  SORESOLVE_SET_CWD = 3,     /**< the current directory (default: the caller's, in a root /) */
  SORESOLVE_SET_CPU = 4,     /**< "x86-64-v3", "haswell" (default: this machine's) */
  SORESOLVE_SET_SECURE = 5,  /**< "1": with AT_SECURE, "0": without (default: as the kernel sets it) */
  SORESOLVE_SET_GLIBC = 6,   /**< "2.31" (default: what the loader there says of itself) */
  SORESOLVE_SET_EXE = 7,     /**< the program that opens FILE; "none": nobody, for Python modules, too */
  SORESOLVE_SET_LOADED = 8,  /**< what it has opened before, FILE or WORDS:FILE with the words of
                                  SORESOLVE_SET_RTLD and "caller=FILE"; each call adds one */
  SORESOLVE_SET_RTLD = 9,    /**< how FILE is opened: words with commas between them, of local, global,
                                  deepbind, now, lazy, noload, nodelete, dlmopen */
  SORESOLVE_SET_CALLER = 10, /**< the object whose code calls dlopen */
  SORESOLVE_SET_PID = 11,    /**< a live process that tells root, program, environment, directory */
  SORESOLVE_SET_USER = 12,   /**< who starts the program, a name or uid of that system (default: who asks) */
  SORESOLVE_SET_PYTHON = 13, /**< the interpreter that opens modules of Python, or the environment that it lies in
                                  (default: what exec of python3 would start) */
  SORESOLVE_SET_RUNNING_PYTHON = 14 /**< the interpreter that asks: it opens modules of its own release */
};

/** The host, with an empty environment. NULL: no memory. */
soresolve_world* soresolve_world_new(void);
/** Before the first question only. Returns SORESOLVE_OK or SORESOLVE_USAGE (an unknown setting, a world
 *  or value that is NULL, a value that makes no sense for it, a question asked already) or
 *  SORESOLVE_NO_MEMORY. Contradictions between settings are told by the questions. */
int soresolve_world_set(soresolve_world* world, int setting, const char* value);
void soresolve_world_free(soresolve_world* world);

/* ---- resolve: what is loaded, and how it is found --------------------------------------------- */

typedef struct soresolve_map soresolve_map;

/** No object: where an index is asked for and there is none. */
#define SORESOLVE_NONE SIZE_MAX

enum soresolve_role {
  SORESOLVE_ROLE_MAIN = 0,   /**< the program, or FILE; in a dlopen the nameless caller */
  SORESOLVE_ROLE_LOADER = 1, /**< ld.so */
  SORESOLVE_ROLE_VDSO = 2,
  SORESOLVE_ROLE_LIBRARY = 3,
  SORESOLVE_ROLE_PLACEHOLDER = 4 /**< stands for a library that is not found */
};

/** The stages of a search, in the loader's order; as SearchStep in soresolve/link_map.h. */
enum soresolve_step {
  SORESOLVE_STEP_ALREADY_LOADED = 0,
  SORESOLVE_STEP_PATH = 1,
  SORESOLVE_STEP_RPATH = 2,
  SORESOLVE_STEP_LIBRARY_PATH = 3,
  SORESOLVE_STEP_RUNPATH = 4,
  SORESOLVE_STEP_CACHE = 5,
  SORESOLVE_STEP_DEFAULT_DIRS = 6
};

/** What came of one attempt; as Outcome in soresolve/link_map.h. The first three are hits. */
enum soresolve_outcome {
  SORESOLVE_OUTCOME_LOADED = 0,
  SORESOLVE_OUTCOME_SAME_FILE = 1,
  SORESOLVE_OUTCOME_ALREADY_LOADED = 2,
  SORESOLVE_OUTCOME_NO_SUCH_FILE = 3,
  SORESOLVE_OUTCOME_NO_SUCH_DIRECTORY = 4,
  SORESOLVE_OUTCOME_SKIPPED_DIRECTORY = 5,
  SORESOLVE_OUTCOME_PERMISSION_DENIED = 6,
  SORESOLVE_OUTCOME_WRONG_CLASS = 7,
  SORESOLVE_OUTCOME_WRONG_MACHINE = 8,
  SORESOLVE_OUTCOME_OLD_ABI_NOTE = 9,
  SORESOLVE_OUTCOME_NOT_SETUID = 10,
  SORESOLVE_OUTCOME_OPEN_FAILED = 11,
  SORESOLVE_OUTCOME_NOT_IN_CACHE = 12,
  SORESOLVE_OUTCOME_NO_CACHE = 13,
  SORESOLVE_OUTCOME_CACHE_ENTRY_BARRED = 14,
  SORESOLVE_OUTCOME_DEFAULT_DIRS_BARRED = 15,
  SORESOLVE_OUTCOME_FATAL = 16,
  SORESOLVE_OUTCOME_WOULD_CRASH = 17,
  SORESOLVE_OUTCOME_WOULD_BLOCK = 18
};

/** How a request ended; as HowFound in soresolve/link_map.h. */
enum soresolve_resolution {
  SORESOLVE_RESOLUTION_MAPPED = 0,
  SORESOLVE_RESOLUTION_BY_PATH = 1,
  SORESOLVE_RESOLUTION_BY_NAME = 2,
  SORESOLVE_RESOLUTION_BY_SONAME = 3,
  SORESOLVE_RESOLUTION_BY_FILE = 4,
  SORESOLVE_RESOLUTION_NOT_FOUND = 5,
  SORESOLVE_RESOLUTION_FAILED = 6,
  SORESOLVE_RESOLUTION_EMPTY_TOKEN = 7,
  SORESOLVE_RESOLUTION_NOT_LOADED = 8 /**< found, but RTLD_NOLOAD loads nothing */
};

/** What a request is made by; as NeedKind in soresolve/elf.h. */
enum soresolve_need_kind {
  SORESOLVE_NEED_NEEDED = 0, /**< DT_NEEDED */
  SORESOLVE_NEED_AUXILIARY = 1,
  SORESOLVE_NEED_FILTER = 2,
  SORESOLVE_NEED_PRELOAD = 3,
  SORESOLVE_NEED_DLOPEN = 4
};

/** One object of the link map. */
typedef struct soresolve_object {
  const char* name;      /**< what people call it: its path, for the program the name given */
  const char* path;      /**< as the loader opened it; "" for the program and placeholders */
  const char* requested; /**< the name that caused the load; "" for the program */
  const char* soname;    /**< NULL: it has none */
  size_t loader;         /**< the object whose request caused the load, or SORESOLVE_NONE */
  size_t need_count;
  int role; /**< enum soresolve_role */
  int step; /**< enum soresolve_step: where it was found */
} soresolve_object;

/** One request of an object: an edge of the dependency graph. */
typedef struct soresolve_need {
  const char* name;    /**< what the loader looks for */
  const char* written; /**< as in the file or variable, with its tokens */
  size_t target;       /**< the object or its placeholder, or SORESOLVE_NONE */
  size_t attempt_count;
  int kind;       /**< enum soresolve_need_kind */
  int resolution; /**< enum soresolve_resolution */
} soresolve_need;

/** One candidate and what was there, in the loader's order. */
typedef struct soresolve_attempt {
  const char* candidate; /**< the path that is opened; "" when none is */
  const char* entry;     /**< the element of the search list as written; "" for none */
  const char* text;      /**< the loader's words, or why it would crash; "" for none */
  size_t owner;          /**< the object whose RPATH or RUNPATH it is, or SORESOLVE_NONE */
  int step;              /**< enum soresolve_step */
  int outcome;           /**< enum soresolve_outcome */
  int error_number;      /**< errno of the attempt, 0 for none */
} soresolve_attempt;

/** Walks the dependencies of `file` (a program, a library, or a library name for dlopen). */
soresolve_map* soresolve_resolve(soresolve_world* world, const char* file, soresolve_error** error);
void soresolve_map_free(soresolve_map* map);

size_t soresolve_map_object_count(const soresolve_map* map);
/** These three return 1, or 0 when there is no such entry; then nothing is filled. `size` is the size
 *  of the caller's structure. Objects count from 0, the program; needs and attempts from 0 in order. */
int soresolve_map_object(const soresolve_map* map, size_t object, soresolve_object* into, size_t size);
int soresolve_map_need(const soresolve_map* map, size_t object, size_t need, soresolve_need* into, size_t size);
int soresolve_map_attempt(const soresolve_map* map, size_t object, size_t need, size_t attempt, soresolve_attempt* into,
                          size_t size);
/** The line with which the loader ends, or the text of dlerror; NULL when everything is found. */
const char* soresolve_map_failure(const soresolve_map* map);

/** Views of an answer for people and programs, as the command prints them. */
enum soresolve_form {
  SORESOLVE_FORM_TEXT = 0, /**< of a map the dependency tree */
  SORESOLVE_FORM_JSON = 1, /**< schema soresolve/1 (lib/report/schema.json) */
  SORESOLVE_FORM_LDD = 2   /**< of a map only: the loader's own list */
};
/** NULL: no memory, or no such form. */
char* soresolve_map_text(const soresolve_map* map, int form);

/* ---- check: will it start? -------------------------------------------------------------------- */

typedef struct soresolve_check soresolve_check;

enum soresolve_problem_kind {
  SORESOLVE_PROBLEM_LIBRARY = 0, /**< a library is not found, or cannot be loaded */
  SORESOLVE_PROBLEM_VERSION = 1, /**< a library does not define a version */
  SORESOLVE_PROBLEM_SYMBOL = 2   /**< no library defines a symbol */
};

typedef struct soresolve_problem {
  const char* needer;   /**< the object that asks (the first of several) */
  const char* name;     /**< the library or symbol; "" for a version */
  const char* version;  /**< "" for none */
  const char* provider; /**< the object that should have it; "" where none is known */
  const char* text;     /**< the loader's words; "" for a symbol */
  int kind;             /**< enum soresolve_problem_kind */
  int is_fatal;         /**< 0: a warning, or it matters at the first call only */
} soresolve_problem;

/** Plays the start of `file`, or its dlopen in the world's process, through with LD_BIND_NOW=1. */
soresolve_check* soresolve_check_file(soresolve_world* world, const char* file, soresolve_error** error);
void soresolve_check_free(soresolve_check* check);
/** 1: it starts. */
int soresolve_check_is_ok(const soresolve_check* check);
/** "ok", or exactly the line that the loader ends with. */
const char* soresolve_check_line(const soresolve_check* check);
/** What the process ends with: 127, or 1; -1 where that is not the loader's to say. */
int soresolve_check_exit_status(const soresolve_check* check);
size_t soresolve_check_problem_count(const soresolve_check* check);
/** As soresolve_map_object. */
int soresolve_check_problem(const soresolve_check* check, size_t problem, soresolve_problem* into, size_t size);
/** NULL: no memory, or no such form. */
char* soresolve_check_text(const soresolve_check* check, int form);

/* ---- symvers: one library's versions and symbols ---------------------------------------------- */

typedef struct soresolve_library soresolve_library;

/** One version that the library defines, in file order. */
typedef struct soresolve_node {
  const char* name;
  size_t symbol_count;  /**< definitions that carry it */
  uint64_t file_offset; /**< of its record */
  int is_base;          /**< 1: the name of the file itself, which no symbol can carry */
} soresolve_node;

/** One version that the library requires from another one, in file order. */
typedef struct soresolve_requirement {
  const char* file;
  const char* version;
  uint64_t file_offset; /**< of its record */
  int is_weak;          /**< 1: the loader starts the program without it */
} soresolve_requirement;

/** Opens a file, or the library that dlopen would find for a name. */
soresolve_library* soresolve_library_open(soresolve_world* world, const char* name, soresolve_error** error);
void soresolve_library_free(soresolve_library* library);
/** As given, or where the name was found. */
const char* soresolve_library_path(const soresolve_library* library);
/** NULL: it has none. */
const char* soresolve_library_soname(const soresolve_library* library);
size_t soresolve_library_node_count(const soresolve_library* library);
int soresolve_library_node(const soresolve_library* library, size_t node, soresolve_node* into, size_t size);
size_t soresolve_library_requirement_count(const soresolve_library* library);
int soresolve_library_requirement(const soresolve_library* library, size_t requirement, soresolve_requirement* into,
                                  size_t size);

/** Does it serve a node ("GLIBC_2.34"), a bare version ("11.0": the nodes that end so) or a symbol
 *  ("cudaMalloc@libcudart.so.11.0")? 1 yes, 0 no, -1 no memory, or one of the two is NULL. */
int soresolve_library_serves(const soresolve_library* library, const char* need);
/** Does it have every version and symbol that `needer` needs of it? As above. */
int soresolve_library_serves_consumer(const soresolve_library* library, const soresolve_library* needer);
/** Can it take the place of `old` without a loss for any needer? As above. */
int soresolve_library_replaces(const soresolve_library* library, const soresolve_library* old);

/** What it defines and requires, and the proof for `need` and `needer`, where they are not NULL.
 *  NULL: no memory, or no such form. */
char* soresolve_library_text(const soresolve_library* library, const char* need, const soresolve_library* needer,
                             int form);

/* ---- bindings: which definition each symbol reference binds to --------------------------------- */

typedef struct soresolve_bindings soresolve_bindings;

/** One reference and the definition that it binds to. The texts live during the visit. */
typedef struct soresolve_binding {
  const char* referrer;
  const char* symbol;
  const char* version; /**< asked for; "" for none */
  const char* provider;
  int is_weak; /**< the reference */
  int is_lazy; /**< bound at the first call unless LD_BIND_NOW is set */
} soresolve_binding;

/** `data` is what the caller gave. Must not throw or jump out. */
typedef void soresolve_visit(const soresolve_binding* binding, void* data);

/** Binds every reference that a start with LD_BIND_NOW=1 resolves. */
soresolve_bindings* soresolve_bind_file(soresolve_world* world, const char* file, soresolve_error** error);
void soresolve_bindings_free(soresolve_bindings* bindings);
/** Visits them in the loader's order, with the names that LD_DEBUG=bindings gives. Returns SORESOLVE_OK,
 *  SORESOLVE_USAGE (`bindings` or `visit` is NULL) or SORESOLVE_NO_MEMORY. The structure is as large as
 *  the library that runs knows it: a caller that was built with a later header asks soresolve_version()
 *  before it reads a later field. */
int soresolve_bindings_visit(const soresolve_bindings* bindings, soresolve_visit* visit, void* data);

/* ---- Documents: an answer as the command prints it -------------------------------------------- */

typedef struct soresolve_document soresolve_document;

/** The commands of the same names, with their defaults: what is opened later and what CUDA asks for is judged, fixes
 *  are tried in memory. */
enum soresolve_question { SORESOLVE_ASK_TREE = 1, SORESOLVE_ASK_WHY = 2, SORESOLVE_ASK_CHECK = 3 };

/** What a document is rendered as; the sum of several for all of them. */
enum soresolve_rendering {
  SORESOLVE_WITH_TEXT = 1,
  SORESOLVE_WITH_JSON = 2, /**< schema soresolve/1 (lib/report/schema.json) */
  SORESOLVE_WITH_HTML = 4  /**< one file for a browser that needs nothing beside it */
};

/** The answer to `question` about `file`, as soresolve_resolve() takes it, rendered in `forms`. A program that the
 *  kernel does not start is an answer, too. */
soresolve_document* soresolve_ask(soresolve_world* world, int question, const char* file, int forms,
                                  soresolve_error** error);
/** The same about a file that is resolved already: nothing is walked again. Several threads may ask about one map; the
 *  world need not be there any more. */
soresolve_document* soresolve_map_ask(const soresolve_map* map, int question, int forms, soresolve_error** error);
void soresolve_document_free(soresolve_document* document);
/** 1: the command would end with status 0. */
int soresolve_document_is_good(const soresolve_document* document);
/** One rendering, UTF-8, which belongs to the document; *size, where `size` is not NULL, is its length in bytes without
 *  the NUL. NULL: it was not asked for. */
const char* soresolve_document_get(const soresolve_document* document, int form, size_t* size);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
