// Linked into soresolve-witness in place of libc's read(): what a parser that has been taken over would try. read(2) is
// first called once the witness has given everything up.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>

extern "C" ssize_t read(int descriptor, void* buffer, size_t size) {
  const char* const deed = std::getenv("HOSTILE_DEED");
  const auto is = [&](const char* name) { return deed != nullptr && std::strcmp(deed, name) == 0; };
  long result = -1;
  if (is("socket")) result = ::socket(AF_UNIX, SOCK_STREAM, 0);
  if (is("exec")) result = ::execl("/bin/true", "true", nullptr);
  if (is("fork")) result = ::fork();
  if (is("open")) result = ::open("/etc/passwd", O_RDONLY);
  if (is("code"))
    result = ::mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
  if (is("kill")) result = ::kill(1, 0);
  if (deed != nullptr) ::_exit(result >= 0 ? 99 : 98);  // it could, or it was told that it cannot
  return ::syscall(SYS_read, descriptor, buffer, size);
}
