// Writes one tree into the sandbox, runs the real loader on it, asks the library about the same files, and compares.
#include "differential/judge.h"

#include "differential/our_loader.h"
#include "differential/real_loader.h"
#include "differential/real_musl.h"

namespace soresolve::test {
namespace {

void leave_trace(LoaderAnswer& answer) {
  answer.start_messages.clear();
  answer.relocations.clear();
  answer.now_messages.clear();
  answer.bindings.clear();
  answer.start_end = answer.now_end = "left out";
}

}  // namespace

Verdict judge(Sandbox& box, const GlibcRoot& glibc, const Tree& tree, Patience patience) {
  box.prepare(glibc, tree.layout, tree.proc, all_nodes(tree));
  // With AT_SECURE, tracing shows nothing (up to 2.38) or is ignored (since).
  const Runs runs = tree.is_secure || tree.asks_for_secure ? Runs::StartOnly : Runs::TraceAndStart;
  Verdict verdict;
  verdict.ours = glibc.is_musl ? ask_our_musl(box, tree, runs) : ask_our_loader(box, glibc, tree, runs);
  // Where no end is expected there is no point in waiting for one.
  const auto wait = [&](const std::string& end) {
    const bool never_ends = end == "blocks" || end == "spins" || (verdict.ours.is_endless && end == "signal");
    return never_ends ? Patience::Short : patience;
  };
  verdict.real = ask_real_loader(box, glibc, tree, runs, wait(verdict.ours.trace_end), wait(verdict.ours.start_end));
  // What a program does when it runs is its own affair.
  for (const TreeNode& node : tree.nodes) {
    if (!node.elf.calls_plt) continue;
    verdict.ours.start_messages = verdict.real.start_messages;
    verdict.ours.start_end = verdict.real.start_end;
  }
  if (glibc.is_musl) settle_providers(verdict.real.bindings, verdict.ours.bindings);
  verdict.is_startable = !verdict.real.start_end.starts_with("cannot be started");
  if (glibc.machine->binds_by_got) {
    // The files have no such table, so that every start dies of that: what is listed is compared.
    leave_trace(verdict.real);
    leave_trace(verdict.ours);
  }
  if (verdict.is_startable) verdict.differences = compare(verdict.real, verdict.ours);
  return verdict;
}

}  // namespace soresolve::test
