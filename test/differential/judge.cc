#include "differential/judge.h"

#include "differential/our_loader.h"
#include "differential/real_loader.h"

namespace soresolve::test {

Verdict judge(Sandbox& box, const GlibcRoot& glibc, const Tree& tree,
              Patience patience) {
  box.prepare(glibc, tree.layout, tree.proc, all_nodes(tree));
  // With AT_SECURE, tracing shows nothing (up to 2.38) or is ignored (since).
  const Runs runs = tree.is_secure ? Runs::StartOnly : Runs::TraceAndStart;
  Verdict verdict;
  verdict.ours = ask_our_loader(box, tree, runs);
  const bool blocks = verdict.ours.trace_end == "blocks" || verdict.ours.start_end == "blocks";
  verdict.real = ask_real_loader(box, tree, runs, blocks ? Patience::Short : patience);
  verdict.is_startable = !verdict.real.start_end.starts_with("cannot be started");
  if (verdict.is_startable) verdict.differences = compare(verdict.real, verdict.ours);
  return verdict;
}

}  // namespace soresolve::test
