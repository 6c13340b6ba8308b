import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { sessionAround } from "../../../agents/profiles.ts";
import { call } from "../../../client/call.ts";
import { codeOf, PommelError } from "../../../project/errors.ts";
import type { Project } from "../../../project/paths.ts";
import type { Handoff } from "../../../protocol/operations/sessions.ts";
import type { Output } from "../../terminal/output.ts";
import { homeRelative, oneLine, shortId } from "../../terminal/text.ts";

/**
 * The session that a person means by an id, by what it was about, or by nothing: the latest but the one around.
 * @throws PommelError `not_found`, `usage`
 */
export async function sessionMeant(project: Project, words: readonly string[]): Promise<Handoff> {
  const said = words.join(" ").trim();
  if (said === "") {
    const { sessions } = await call("sessions", { limit: 2 }, project);
    const latest = sessions.find(({ id }) => id !== sessionAround());
    if (latest !== undefined) return call("handoff", { id: latest.id }, project);
    throw new PommelError("not_found", "No session is recorded here.", "`pm import` imports past ones.");
  }
  if (/^[\w-]+$/.test(said)) {
    try {
      return await call("handoff", { id: said }, project);
    } catch (error) {
      if (codeOf(error) !== "not_found") throw error;
    }
  }
  const { verdict, results } = await call("searchTranscripts", { q: said, by: "session", limit: 1 }, project);
  const [best] = results;
  if (best === undefined || verdict === "probably_not_here")
    throw new PommelError("not_found", `No session is about “${said}”.`, "`pm session` lists them.");
  return call("handoff", { id: best.session_id }, project);
}

/** Says which session it is, and runs a program in its directory. @returns the exit code */
export async function runFor(
  { cwd, title, session_id }: Handoff,
  project: Project,
  [program, ...args]: readonly string[],
  output: Output,
): Promise<number> {
  const directory = directoryOf({ cwd }, project);
  output.note(`${shortId(session_id)} ${oneLine(title ?? "", 80)} (${homeRelative(directory)})`);
  if (directory !== cwd) output.note(`Its directory is gone: ${homeRelative(cwd)}`);
  const child = spawn(program!, args, { cwd: directory, stdio: "inherit" });
  return new Promise((resolve, reject) => {
    child.on("error", () =>
      reject(
        new PommelError("not_found", `${program} cannot be started.`, "Is it installed, and on the PATH?"),
      ),
    );
    child.on("exit", (code, signal) =>
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
    );
  });
}

export const directoryOf = ({ cwd }: Pick<Handoff, "cwd">, project: Project): string =>
  existsSync(cwd) ? cwd : project.root;
