import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { findCurrentSession, findProfile, resumeProgram, startableNames } from "../../agents/profiles.ts";
import { getErrorCode, PommelError } from "../../base/errors.ts";
import { findProgram } from "../../base/find-program.ts";
import type { Project } from "../../base/paths.ts";
import { quoteForShell } from "../../base/text/shell.ts";
import { call } from "../../client/call.ts";
import { findProject } from "../../git/projects/find-project.ts";
import { describeCoverage } from "../../protocol/reading/evidence.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import type { Output } from "../../terminal/output.ts";
import { shortenId, toHomeRelative, toOneLine } from "../../terminal/text.ts";
import { searchTranscripts } from "../search/operation.ts";
import { listSessions } from "../sessions/operation.ts";
import type { Handoff } from "./operation.ts";
import { handOver } from "./operation.ts";

/**
 * The session that a person means by an id, by what it was about, or by nothing: the latest but the one around.
 * @throws PommelError `not_found`, `usage`
 */
async function resolveHandoff(project: Project, words: readonly string[]): Promise<Handoff> {
  const said = words.join(" ").trim();
  if (said === "") {
    const { sessions } = await call(listSessions, { limit: 2 }, project);
    const latest = sessions.find(({ id }) => id !== findCurrentSession());
    if (latest !== undefined) return call(handOver, { id: latest.id }, project);
    throw new PommelError("not_found", "No session is recorded here.", "`pm import` imports past ones.");
  }
  if (/^[\w-]+$/.test(said)) {
    try {
      return await call(handOver, { id: said }, project);
    } catch (error) {
      if (getErrorCode(error) !== "not_found") throw error;
    }
  }
  const { verdict, coverage, results } = await call(
    searchTranscripts,
    { q: said, by: "session", limit: 1 },
    project,
  );
  const [best] = results;
  if (best === undefined || verdict === "probably_not_here" || verdict === "not_yet") {
    const unread = coverage === undefined ? "" : ` ${describeCoverage(coverage)}`;
    throw new PommelError("not_found", `No session is about “${said}”.${unread}`, "`pm session` lists them.");
  }
  return call(handOver, { id: best.session_id }, project);
}

/** Says which session it is, and runs a program in its directory. @returns the exit code */
async function runFor(
  { cwd, title, session_id }: Handoff,
  project: Project,
  [name, ...args]: readonly [string, ...string[]],
  output: Output,
): Promise<number> {
  const directory = chooseDirectory({ cwd }, project);
  output.note(`${shortenId(session_id)} ${toOneLine(title ?? "", 80)} (${toHomeRelative(directory)})`);
  if (directory !== cwd) output.note(`Its directory is gone: ${toHomeRelative(cwd)}`);
  const missing = () =>
    new PommelError("not_found", `${name} cannot be started.`, "Is it installed, and on the PATH?");
  const program = findProgram(name);
  if (program === null) throw missing();
  const [file, ...own] = program;
  const child = spawn(file, [...own, ...args], { cwd: directory, stdio: "inherit" });
  return new Promise((resolve, reject) => {
    child.on("error", () => reject(missing()));
    child.on("exit", (code, signal) =>
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
    );
  });
}

const chooseDirectory = ({ cwd }: Pick<Handoff, "cwd">, project: Project): string =>
  existsSync(cwd) ? cwd : project.root;

/** `pm session resume`. @returns the agent's exit code */
export async function resumeCommand(
  { cwd, output }: CommandContext,
  words: string[],
  { print = false }: { print?: boolean },
): Promise<number> {
  const project = await findProject(cwd);
  const found = await resolveHandoff(project, words);
  const { resume, shared_by, agent } = found;
  if (shared_by !== null)
    throw new PommelError(
      "usage",
      `The session is on ${shared_by}'s machine.`,
      "`pm session handoff` prints what one of your agents needs to continue it.",
    );
  const program = resume === null ? null : resumeProgram(agent, found.session_id);
  if (program === null)
    throw new PommelError(
      "usage",
      `${agent} cannot reopen this session.`,
      "`pm session handoff` prints what a new session needs to continue it.",
    );
  if (print || output.json || output.columns === undefined) {
    const directory = chooseDirectory(found, project);
    const command = `cd ${quoteForShell(directory)} && ${resume}`;
    output.result({ session_id: found.session_id, title: found.title, directory, command: resume }, command);
    return 0;
  }
  return runFor(found, project, program, output);
}

/** `pm session handoff`. @returns the agent's exit code, where one is started */
export async function handoffCommand(
  { cwd, output }: CommandContext,
  words: string[],
  { to }: { to?: string },
): Promise<number> {
  const startWith = to === undefined ? undefined : findProfile(to)?.startWith;
  if (to !== undefined && startWith === undefined) {
    throw new PommelError(
      "usage",
      `${to} takes no first prompt.`,
      `Choose from: ${startableNames.join(", ")}.`,
    );
  }
  const project = await findProject(cwd);
  const found = await resolveHandoff(project, words);
  if (startWith === undefined || output.json || output.columns === undefined) {
    output.result(found, found.text.trimEnd());
    return 0;
  }
  return runFor(found, project, startWith(found.text), output);
}
