// A library that takes 1900 MiB of addresses, and none of memory.
extern "C" {
char huge[1900UL << 20];
}
