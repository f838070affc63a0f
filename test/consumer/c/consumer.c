/* usage: consumer ROOT FILE      prints what the loader would say of FILE in ROOT */
#include <soresolve.h>

#include <stdio.h>

int main(int argc, char** argv) {
  soresolve_world* world = soresolve_world_new();
  soresolve_error* error = NULL;
  soresolve_check* check;

  if (argc != 3 || world == NULL) return 2;
  soresolve_world_set(world, SORESOLVE_SET_ROOT, argv[1]);
  check = soresolve_check_file(world, argv[2], &error);
  puts(check != NULL ? soresolve_check_line(check) : soresolve_error_text(error));
  soresolve_check_free(check);
  soresolve_error_free(error);
  soresolve_world_free(world);
  return check != NULL ? 0 : 1;
}
