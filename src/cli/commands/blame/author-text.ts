import type { LineAuthor } from "../../../protocol/operations/blame.ts";
import type { Colors } from "../../terminal/output.ts";
import { printable } from "../search/results.ts";
import { oneLine, shortId } from "../session/text.ts";

/** How those who wrote lines are named. */

/** "agent claude-opus-4", "Ann", "unknown (Ann)", "before agents (Ann)"; in brackets git's author where the writer is unknown. */
export function whoWrote({ author, agent, model }: LineAuthor, person: string | null, width = 60): string {
  if (author === "agent") return oneLine(["agent", model ?? agent ?? ""].join(" "), width);
  if (author === "human") return oneLine(person ?? "a person", width);
  const unclear = author === "before_agents" ? "before agents" : "unknown";
  return oneLine(person === null ? unclear : `${unclear} (${person})`, width);
}

/** "8ecde0fc:7", as far as it is known; "" for what no agent wrote. */
export function turnId({ session_id, turn }: LineAuthor): string {
  if (session_id === null) return "";
  return turn === null ? shortId(session_id) : `${shortId(session_id)}:${turn}`;
}

/** A text in the colour of its author. */
export function inColor(text: string, { author }: Pick<LineAuthor, "author">, colors: Colors): string {
  if (author === "agent") return colors.magenta(text);
  return author === "human" ? colors.green(text) : colors.dim(text);
}

/** The beginning of a hash, as git shows it. */
export const shortHash = (hash: string | null): string => hash?.slice(0, 8) ?? "--------";

/** "42%"; a share that rounds to nothing, or to all, without being so is "<1%", ">99%". */
export function percent(part: number, whole: number): string {
  if (whole === 0) return "0%";
  const share = (100 * part) / whole;
  if (share > 0 && share < 1) return "<1%";
  if (share > 99 && share < 100) return ">99%";
  return `${Math.round(share)}%`;
}

/** A line of a file, safe to print; the carriage return of a Windows line ending is left out. */
export const codeLine = (text: string): string => printable(text.replace(/\r$/, ""));
