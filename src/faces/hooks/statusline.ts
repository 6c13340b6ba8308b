import { writeSync } from "node:fs";
import { exchange, formatRequest } from "../../client/raw-request.ts";
import { formatPromptStatus, formatSessionStatus } from "./statusline-words.ts";
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
