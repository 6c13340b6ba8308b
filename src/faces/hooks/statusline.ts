import { writeSync } from "node:fs";
import { exchange, formatRequest } from "../../client/raw-request.ts";
import { formatPromptStatus, formatSessionStatus } from "./statusline-words.ts";
import { isShortText, parseObject, readStdin, toObject } from "./stdio.ts";

/** How long a shell's prompt waits for the line. Milliseconds. */
const timeoutMs = 300;

/**
 * `pm statusline`: asks a running daemon, for as long as a prompt can wait, and prints one line. Claude Code passes the session on
 * stdin: `{"session_id", "workspace": {"current_dir", "project_dir"}, "cwd", ...}`.
 * @param isPrompt for a shell's prompt: reads no stdin, and prints nothing if there is nothing to say
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

/** Prints only numbers of the answer, because another program may have answered in the daemon's place. */
function formatStatusline(answer: Awaited<ReturnType<typeof exchange>>, isPrompt: boolean): string {
  if (answer === null) return isPrompt ? "" : "pommel: no daemon runs (pm daemon start)";
  if (answer === "timeout") return isPrompt ? "" : "pommel: busy";
  if (answer.status !== 200) return isPrompt ? "" : "pommel: not recorded here (pm init)";
  const known = parseObject(answer.body);
  if (known === null) return "";
  return isPrompt ? formatPromptStatus(known) : formatSessionStatus(known);
}
