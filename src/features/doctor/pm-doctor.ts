import { loadConfig } from "../../base/config/config.ts";
import { exitCode, getErrorMessage, PommelError } from "../../base/errors.ts";
import { locateHome } from "../../base/home.ts";
import type { Project } from "../../base/paths.ts";
import { call } from "../../client/call.ts";
import { withoutDaemon } from "../../client/stop-daemon.ts";
import { findProject, lookUpProject } from "../../git/projects/find-project.ts";
import { readDaemonRecord } from "../../protocol/daemon-record.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import type { Output } from "../../terminal/output.ts";
import { givePassphrase } from "../../terminal/passphrase.ts";
import { renderDocument, showAnswer } from "../../terminal/render-document.ts";
import { unlockHome } from "../encryption/operation.ts";
import { indexFiles } from "../index/operation.ts";
import { type CheckResult, type DoctorCheck, fail } from "./checks/check.ts";
import { homeCheck, machineChecks } from "./checks/machine.ts";
import { listProjectChecks } from "./checks/project.ts";
import { findDamage, recutSaved, repairDamage } from "./operation.ts";
import { type Repairs, wordCheck, wordRepairs, wordTotals } from "./words.ts";

/**
 * `pm doctor`: checks the machine and, inside a project, the project.
 * @returns 1 when a check fails, 3 when all is well but there is no project here, else 0
 */
export async function doctorCommand(
  { cwd, output }: CommandContext,
  { fix = false, repair = false }: { fix?: boolean; repair?: boolean },
): Promise<number> {
  const repairs = repair ? await repairDatabases(await findProject(cwd), output) : undefined;
  const { checks, initialised } = await chooseChecks(cwd, fix);
  const results: (CheckResult & { name: string })[] = [];
  const width = Math.max(...checks.map(({ name }) => name.length));
  for (const check of checks) {
    const result = await runCheck(check);
    results.push({ name: check.name, ...result });
    output.print(renderDocument(wordCheck(check.name, result, width), { screen: output }));
  }
  const failed = results.filter(({ status }) => status === "fail").length;
  const warned = results.filter(({ status }) => status === "warn").length;
  const value = { ok: failed === 0, initialised, checks: results, ...(repairs && { repairs }) };
  showAnswer(output, value, () => wordTotals(failed, warned));
  if (failed > 0) return exitCode.failed;
  return initialised ? exitCode.ok : exitCode.notInitialised;
}

async function chooseChecks(
  cwd: string,
  fix: boolean,
): Promise<{ checks: DoctorCheck[]; initialised: boolean }> {
  try {
    locateHome();
  } catch {
    // Nothing else can be looked at, and this check says why.
    return { checks: [homeCheck], initialised: false };
  }
  try {
    return { checks: listChecks(await lookUpProject(cwd), fix), initialised: true };
  } catch (error) {
    if (!(error instanceof PommelError)) throw error;
    const { message, hint } = error;
    const missing: DoctorCheck = { name: "project", run: () => ({ status: "warn", message, hint }) };
    return { checks: [...machineChecks, missing], initialised: false };
  }
}

/** The checks of the machine and of a project. */
export const listChecks = (project: Project, fix = false): DoctorCheck[] => [
  ...machineChecks,
  ...listProjectChecks(project, fix),
];

/** A check that breaks has found something, too; the others still run. */
export async function runCheck(check: DoctorCheck): Promise<CheckResult> {
  try {
    return await check.run();
  } catch (error) {
    if (error instanceof PommelError) return fail(error.message, error.hint);
    return fail(
      `The check itself failed: ${getErrorMessage(error)}`,
      "Please report this with `pm doctor --json`.",
    );
  }
}

/**
 * Repairs damaged databases: the index is rebuilt, of the memory is saved what can be read.
 * @throws PommelError as `repairMemory`, `withoutDaemon` and `unlock`
 */
async function repairDatabases(project: Project, output: Output): Promise<Repairs> {
  // Without the key, what is damaged cannot be told from what is locked.
  await givePassphrase(output);
  await call(unlockHome, {}, null);
  const { config } = loadConfig(project);
  const isDamaged = await call(findDamage, { config }, project);
  if (!isDamaged.index && !isDamaged.memory) return { index: null, memory: null };
  const repairs = await withoutDaemon("pm doctor --repair", () =>
    call(repairDamage, { config, ...isDamaged }, project),
  );
  output.print(renderDocument(wordRepairs(repairs), { screen: output }));
  // A daemon that ran runs again, and does the rest.
  if (readDaemonRecord() === null) await finish(project, repairs);
  return repairs;
}

async function finish(project: Project, { index, memory }: Repairs): Promise<void> {
  if (index) await call(indexFiles, { full: true }, project, { without: "here" });
  if (memory) await call(recutSaved, {}, project);
}
