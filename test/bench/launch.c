// Runs commands in turn, round after round, and prints what each run cost.
//
//     launch ROUNDS -- [NAME=VALUE...] PROGRAM ARGUMENT... [-- ...]
//
// PROGRAM is a path. A line for each run: number of the command, wall time in ns, peak resident KiB,
// exit status. What the commands print goes to /dev/null.
//
// Commands are interleaved so that a noisy moment of the machine hits all of them, in another order
// each round so that none profits from what its neighbour left in the processor's caches. Why not a script: the peak
// that the kernel reports for a child includes what its parent held before exec, so the parent must be tiny, and to
// fork a large process costs more than some of the commands.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kMaxCommands = 16 };

static long long now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

// environ with some entries in front; entries that repeat their names do not matter here.
static char** extended_environment(char** entries, size_t entry_count) {
  size_t count = 0;
  while (environ[count]) ++count;
  char** extended = calloc(count + entry_count + 1, sizeof(char*));
  if (!extended) exit(1);
  memcpy(extended, entries, entry_count * sizeof(char*));
  memcpy(extended + entry_count, environ, count * sizeof(char*));
  return extended;
}

// Another permutation of 0 … count-1 in each round, the same ones in each run of this program.
static void shuffle(int* order, int count) {
  static unsigned state = 1;
  for (int i = count - 1; i > 0; --i) {
    state = state * 1664525u + 1013904223u;
    int other = (int)((state >> 16) % (unsigned)(i + 1));
    int kept = order[i];
    order[i] = order[other];
    order[other] = kept;
  }
}

static void run(int number, char** arguments, char** environment, int null) {
  struct rusage usage;
  int status = 0;
  long long begin = now_ns();
  pid_t child = vfork();
  if (child == 0) {
    dup2(null, 0);
    dup2(null, 1);
    dup2(null, 2);
    execve(arguments[0], arguments, environment);
    _exit(127);
  }
  wait4(child, &status, 0, &usage);
  printf("%d %lld %ld %d\n", number, now_ns() - begin, usage.ru_maxrss,
         WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
}

int main(int argc, char** argv) {
  char** arguments[kMaxCommands];
  char** environments[kMaxCommands];
  int count = 0;
  for (int i = 2; i < argc; ++i) {
    if (strcmp(argv[i], "--") != 0) continue;
    argv[i] = NULL;  // ends the command before it
    if (count == kMaxCommands || i + 1 == argc) return 2;
    int entries = 0;
    while (i + 1 + entries < argc && strchr(argv[i + 1 + entries], '=')) ++entries;
    environments[count] = extended_environment(argv + i + 1, (size_t)entries);
    arguments[count++] = argv + i + 1 + entries;
  }
  if (count == 0) return 2;
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  int rounds = atoi(argv[1]);
  int order[kMaxCommands];
  for (int i = 0; i < count; ++i) order[i] = i;
  for (int round = 0; round < rounds; ++round) {
    shuffle(order, count);
    for (int i = 0; i < count; ++i) run(order[i], arguments[order[i]], environments[order[i]], null);
  }
  return 0;
}
