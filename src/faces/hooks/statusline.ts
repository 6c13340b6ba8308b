import { writeSync } from "node:fs";
import type { GivenPayload } from "../../agents/agent.ts";
import { exchange, requestText } from "../../client/raw-request.ts";
import { isShortText, objectOf, parseObject, readStdin } from "./stdio.ts";

/** A prompt waits for it. Milliseconds. */
const timeoutMs = 300;

/**
 * `pm statusline`: asks a running daemon, in the time that a prompt can wait, and prints one line. Claude Code gives on stdin
 * what the line is about: `{"session_id", "workspace": {"current_dir", "project_dir"}, "cwd", ...}`.
 * @param isPrompt for a shell's prompt: without stdin, and silent where there is nothing to say
 */
export async function printStatusline(isPrompt: boolean): Promise<void> {
  const given = isPrompt ? {} : (parseObject((await readStdin()).text) ?? {});
  const places = [objectOf(given.workspace).project_dir, given.cwd, process.cwd()];
  const place = places.find(isShortText)!;
  const { session_id } = given;
  const body = JSON.stringify(isShortText(session_id) ? { session_id } : {});
  const answer = await exchange(requestText("/statusline", body, place), { timeoutMs }).catch(() => null);
  const line = lineFor(answer, isPrompt);
  if (line !== "") writeSync(1, `${line}\n`);
}

/** Whoever answers in the daemon's place may answer anything: only its numbers are printed. */
function lineFor(answer: Awaited<ReturnType<typeof exchange>>, isPrompt: boolean): string {
  if (answer === null) return isPrompt ? "" : "pommel: no daemon runs (pm daemon start)";
  if (answer === "timeout") return isPrompt ? "" : "pommel: busy";
  if (answer.status !== 200) return isPrompt ? "" : "pommel: not recorded here (pm init)";
  const known = parseObject(answer.body);
  if (known === null) return "";
  return isPrompt ? promptText(known) : sessionText(known);
}

/** "pommel 1 running"; nothing while no agent is at work. */
export function promptText({ running }: GivenPayload): string {
  const count = countOf(running);
  return count === 0 ? "" : `pommel ${count} running`;
}

/** "pommel: wrote 92% of what it committed, 3 injected, 1 used, 412 sessions" */
export function sessionText(known: GivenPayload): string {
  const facts = [];
  if (typeof known.session === "object" && known.session !== null) {
    const session = objectOf(known.session);
    const lines = objectOf(session.lines);
    const [agent, human, unknown] = [lines.agent, lines.human, lines.unknown].map(countOf) as [
      number,
      number,
      number,
    ];
    const all = agent + human + unknown;
    if (all > 0) facts.push(`wrote ${Math.round((100 * agent) / all)}% of what it committed`);
    const [injected, used] = [countOf(session.injected), countOf(session.used)];
    facts.push(
      injected === 0 ? "nothing injected" : `${injected} injected${used === 0 ? "" : `, ${used} used`}`,
    );
  }
  const sessions = countOf(known.sessions);
  facts.push(`${sessions} ${sessions === 1 ? "session" : "sessions"}`);
  return `pommel: ${facts.join(", ")}`;
}

const countOf = (value: unknown): number => (typeof value === "number" ? value : 0);
