import type { Reporter, TestCase, TestModule } from "vitest/node";

/** How many of the slowest tests are printed. */
const maxShown = 20;
/** A run of fewer files is somebody at work on them, who sees what takes long. */
const minFiles = 100;

/**
 * Names the tests that failed and passed at a second try. Of a long run it prints the slowest tests as well, and says when the
 * tests of a project take more time in sum than they should. It fails no run: the same tests take three times as long on a busy
 * machine.
 */
export class TestBudget implements Reporter {
  private readonly budgetsInSeconds: Record<string, number>;

  constructor(budgetsInSeconds: Record<string, number>) {
    this.budgetsInSeconds = budgetsInSeconds;
  }

  onTestRunEnd(files: readonly TestModule[]): void {
    for (const test of listTests(files).filter((each) => each.diagnostic()?.flaky))
      console.log(
        `\nPassed only at a second try, find out why: ${test.module.relativeModuleId} > ${test.fullName}`,
      );
    if (files.length < minFiles) return;
    console.log(`\nThe ${maxShown} slowest tests:`);
    for (const test of listSlowest(files))
      console.log(`${formatSeconds(durationOf(test))}  ${test.module.relativeModuleId} > ${test.name}`);

    for (const [project, ms] of sumByProject(files)) {
      const budget = this.budgetsInSeconds[project];
      if (budget === undefined) continue;
      console.log(
        `Tests of ${project} took ${formatSeconds(ms).trim()} in sum; they should take ${budget} s at most.`,
      );
    }
  }
}

const durationOf = (test: TestCase) => test.diagnostic()?.duration ?? 0;

const listTests = (files: readonly TestModule[]) => files.flatMap((file) => [...file.children.allTests()]);

const listSlowest = (files: readonly TestModule[]) =>
  listTests(files)
    .sort((a, b) => durationOf(b) - durationOf(a))
    .slice(0, maxShown);

/** Tests and their hooks, in milliseconds. */
function sumByProject(files: readonly TestModule[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const file of files) {
    const { name } = file.project;
    sums.set(name, (sums.get(name) ?? 0) + file.diagnostic().duration);
  }
  return sums;
}

const formatSeconds = (ms: number) => `${(ms / 1000).toFixed(1).padStart(7)} s`;
