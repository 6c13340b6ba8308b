import { findProject } from "../../../git/projects/find-project.ts";
import { exitCode, messageOf, PommelError } from "../../../project/errors.ts";
import type { Project } from "../../../project/paths.ts";
import type { CommandContext } from "../../frame.ts";
import { tick } from "../../terminal/output.ts";
import { type Check, type CheckResult, fail } from "./checks/check.ts";
import { machineChecks } from "./checks/machine.ts";
import { projectChecks } from "./checks/project.ts";

/**
 * `pm doctor`: checks the machine and, inside a project, the project.
 * @returns 1 when a check fails, 3 when all is well but there is no project here, else 0
 */
export async function doctorCommand(
  { cwd, output }: CommandContext,
  { fix = false, repair = false }: { fix?: boolean; repair?: boolean },
): Promise<number> {
  const repairs = repair
    ? await (await import("./repair.ts")).repairDatabases(await findProject(cwd), output)
    : undefined;
  const { checks, initialised } = await checksFor(cwd, fix);
  const results: (CheckResult & { name: string })[] = [];
  const width = Math.max(...checks.map(({ name }) => name.length));
  for (const check of checks) {
    const result = await runCheck(check);
    results.push({ name: check.name, ...result });
    output.print(`${tick(result.status, output.colors)} ${check.name.padEnd(width)}  ${result.message}`);
    if (result.hint !== "") output.print(`  ${" ".repeat(width)}  ${output.colors.hint(result.hint)}`);
  }
  const failed = results.filter(({ status }) => status === "fail").length;
  const warned = results.filter(({ status }) => status === "warn").length;
  output.result({ ok: failed === 0, initialised, checks: results, ...(repairs && { repairs }) }, () =>
    summary(failed, warned),
  );
  if (failed > 0) return exitCode.failed;
  return initialised ? exitCode.ok : exitCode.notInitialised;
}

async function checksFor(cwd: string, fix: boolean): Promise<{ checks: Check[]; initialised: boolean }> {
  try {
    return { checks: checksOf(await findProject(cwd), fix), initialised: true };
  } catch (error) {
    if (!(error instanceof PommelError)) throw error;
    const { message, hint } = error;
    const missing: Check = { name: "project", run: () => ({ status: "warn", message, hint }) };
    return { checks: [...machineChecks, missing], initialised: false };
  }
}

/** The checks of the machine and of a project. */
export const checksOf = (project: Project, fix = false): Check[] => [
  ...machineChecks,
  ...projectChecks(project, fix),
];

/** A check that breaks has found something, too; the others still run. */
export async function runCheck(check: Check): Promise<CheckResult> {
  try {
    return await check.run();
  } catch (error) {
    return fail(
      `The check itself failed: ${messageOf(error)}`,
      "Please report this with `pm doctor --json`.",
    );
  }
}

function summary(failed: number, warned: number): string {
  if (failed + warned === 0) return "\nAll checks passed.";
  const count = (n: number, word: string) => `${n} ${word}${n === 1 ? "" : "s"}`;
  if (failed === 0) return `\nWorks, with ${count(warned, "warning")}.`;
  return `\n${count(failed, "problem")}, ${count(warned, "warning")}.`;
}
