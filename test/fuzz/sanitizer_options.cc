// How ASan runs in a fuzz target, unless ASAN_OPTIONS has another wish. Half of an execution went into the backtraces
// of allocations and into a quarantine of 256 MiB that never fits a cache: short backtraces, and a quarantine as large
// as what some dozen executions free. With a find, ask for more: ASAN_OPTIONS=malloc_context_size=30.

extern "C" const char* __asan_default_options();

extern "C" const char* __asan_default_options() {
  return "malloc_context_size=1:quarantine_size_mb=4:thread_local_quarantine_size_kb=64:max_malloc_fill_size=0:"
         "allocator_may_return_null=1";
}
