// dlsym and statuses of one opened library; each call is reported before it is made, so that a crash has a name. dlopen
// itself is in load_step.cc.
#include "library.h"

#include <dlfcn.h>

namespace soresolve::confirm {

void* Library::symbol(const char* name) const { return handle_ == nullptr ? nullptr : ::dlsym(handle_, name); }

void* Library::find_symbol(const char* name) const {
  if (handle_ == nullptr) return nullptr;
  reporter_->call(name);
  return symbol(name);
}

bool Library::miss(const char* name) {
  failure_ = {name, -1, say("function-missing", {{"function", name}, {"library", path_}})};
  return false;
}

bool Library::note(const char* name, int code) {
  if (code == 0) return true;
  failure_ = {name, code,
              say("call-told", {{"function", name}, {"status", describe(code)}, {"predicted", Statement{}}})};
  return false;
}

Statement Library::describe(int code) const {
  return describe_ != nullptr ? describe_(*this, code) : say("status-number", {{"number", std::to_string(code)}});
}

}  // namespace soresolve::confirm
