import { writeSync } from "node:fs";
import type { GivenPayload } from "../../agents/agent.ts";
import { exchange, formatRequest } from "../../client/raw-request.ts";
import { isShortText, parseObject, readStdin, toObject } from "./stdio.ts";

/** A prompt waits for it. Milliseconds. */
const timeoutMs = 300;

/**
 * `pm statusline`: asks a running daemon, in the time that a prompt can wait, and prints one line. Claude Code gives on stdin
 * what the line is about: `{"session_id", "workspace": {"current_dir", "project_dir"}, "cwd", ...}`.
 * @param isPrompt for a shell's prompt: without stdin, and silent where there is nothing to say
 */
export async function printStatusline(isPrompt: boolean): Promise<void> {
  const given = isPrompt ? {} : (parseObject((await readStdin()).text) ?? {});
  const places = [toObject(given.workspace).project_dir, given.cwd, process.cwd()];
  const place = places.find(isShortText)!;
  const { session_id } = given;
  const body = JSON.stringify(isShortText(session_id) ? { session_id } : {});
  const answer = await exchange(formatRequest("/statusline", body, place), { timeoutMs }).catch(() => null);
  const line = formatStatusline(answer, isPrompt);
  if (line !== "") writeSync(1, `${line}\n`);
}

/** Whoever answers in the daemon's place may answer anything: only its numbers are printed. */
function formatStatusline(answer: Awaited<ReturnType<typeof exchange>>, isPrompt: boolean): string {
  if (answer === null) return isPrompt ? "" : "pommel: no daemon runs (pm daemon start)";
  if (answer === "timeout") return isPrompt ? "" : "pommel: busy";
  if (answer.status !== 200) return isPrompt ? "" : "pommel: not recorded here (pm init)";
  const known = parseObject(answer.body);
  if (known === null) return "";
  return isPrompt ? formatPromptStatus(known) : formatSessionStatus(known);
}

/** "pommel 1 running"; nothing while no agent is at work. */
export function formatPromptStatus({ running }: GivenPayload): string {
  const count = toCount(running);
  return count === 0 ? "" : `pommel ${count} running`;
}

/** "pommel: wrote 92% of what it committed, 3 injected, 1 used, 412 sessions" */
export function formatSessionStatus(known: GivenPayload): string {
  const facts = [];
  if (typeof known.session === "object" && known.session !== null) {
    const session = toObject(known.session);
    const lines = toObject(session.lines);
    const [agent, human, unknown] = [lines.agent, lines.human, lines.unknown].map(toCount) as [
      number,
      number,
      number,
    ];
    const all = agent + human + unknown;
    if (all > 0) facts.push(`wrote ${Math.round((100 * agent) / all)}% of what it committed`);
    const [injected, used] = [toCount(session.injected), toCount(session.used)];
    facts.push(
      injected === 0 ? "nothing injected" : `${injected} injected${used === 0 ? "" : `, ${used} used`}`,
    );
  }
  const sessions = toCount(known.sessions);
  facts.push(`${sessions} ${sessions === 1 ? "session" : "sessions"}`);
  return `pommel: ${facts.join(", ")}`;
}

const toCount = (value: unknown): number => (typeof value === "number" ? value : 0);
