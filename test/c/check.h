/* What is not as it should be is printed, and counted. */
#pragma once
#include <stdio.h>

static int failures;

static void check(int is_so, const char* what, const char* file, int line) {
  if (is_so) return;
  printf("%s:%d: %s\n", file, line, what);
  ++failures;
}
#define CHECK(condition) check((condition), #condition, __FILE__, __LINE__)
