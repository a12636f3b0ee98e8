// Closes a test run with one plain line: how many passed, failed and were left out.
import type { Reporter, TestModule } from "vitest/node";

export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const count = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    for (const module of modules) for (const test of module.children.allTests()) count[test.result().state]++;
    const broken = modules.filter(
      (m) => m.state() === "failed" && [...m.children.allTests()].length === 0,
    ).length;
    console.log(`\ntests: ${count.passed} passed, ${count.failed + broken} failed, ${count.skipped} skipped`);
  }
}
