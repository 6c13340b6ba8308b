import type { FileTouch } from "../../agents/agent.ts";
import { beginningOf } from "../../text/text-size.ts";
import type { Turn } from "../turn-content.ts";
import { type Ask, askOf } from "./ask.ts";

const maxTitleLength = 80;
/** An ask of fewer words is kept in mind, and a better one looked for. */
const enoughWords = 3;
/** The number of prompts that are tried. */
const promptsToTry = 10;

/** Words that any session may begin with: they say nothing about this one. */
const generic = new Set(
  (
    "add approach branch branches can change changed changes check code comment comments commit commits conflict conflicts " +
    "hello hej hey continue current diff everything feedback file files fix fixes fixed git give have help issue issues latest lint look main " +
    "master merge please plan problem project push pull rebase repo repository request resolve review reviewing run stuff " +
    "summarize task test tests the thing things this try update work working pr prs ændringer ret kør gennemgå"
  ).split(" "),
);
const enoughTelling = 2;

/** The request of a prompt that says nothing else. */
const fallbackTitles: readonly [RegExp, string][] = [
  [/\breview|gennemgå/i, "Review"],
  [/\b(?:rebase|merge|conflict)/i, "Merge"],
  [/\b(?:commit|push)\b/i, "Commit"],
  [/\btests?\b/i, "Tests"],
];
const filesNamed = 2;

/**
 * A short title, up to 80 characters, for a session without one from its agent: the request of the first prompt that
 * says something. If none does ("commit this"), the actions: the changed files, and the branch.
 * @returns null without a prompt and without actions
 */
export function sessionTitle(turns: Iterable<Turn>): string | null {
  let best: Ask | null = null;
  let asked: string | null = null;
  let tried = 0;
  let branch: string | null = null;
  const files = new Map<string, number>();
  for (const turn of turns) {
    if (turn.abandoned) continue;
    branch ??= turn.branch;
    for (const { entries } of turn.lines) {
      for (const entry of entries) {
        if (entry.kind === "tool_use") countEdits(entry.files, files);
        if (entry.kind !== "prompt" || tried >= promptsToTry) continue;
        tried++;
        asked ??= entry.text;
        const ask = askOf(entry.text, 240);
        if (ask === null) continue;
        if (ask.words.size >= enoughWords && telling(ask) >= enoughTelling) return titleOf(ask);
        if (best === null || telling(ask) > telling(best)) best = ask;
      }
    }
  }
  if (asked === null) return null;
  const isTelling = best !== null && telling(best) > 0;
  return (isTelling ? null : doneTitle(best?.text ?? asked, files, branch)) ?? (best && titleOf(best));
}

const telling = ({ words }: Ask): number => [...words].filter((word) => !generic.has(word)).length;

function countEdits(touched: readonly FileTouch[], files: Map<string, number>): void {
  for (const { path, how } of touched) {
    const name = path.split(/[/\\]/).at(-1) ?? path;
    if (how !== "read" && (files.has(name) || files.size < 200)) files.set(name, (files.get(name) ?? 0) + 1);
  }
}

/** "Review of feature/lock", "setup.go, hooks.go and 3 more (feature/lock)"; null where that is not known either. */
function doneTitle(asked: string, files: ReadonlyMap<string, number>, branch: string | null): string | null {
  const topic = branch === null || /^(?:main|master|HEAD|trunk|develop)$/.test(branch) ? null : branch;
  const fallback = fallbackTitles.find(([pattern]) => pattern.test(asked))?.[1] ?? null;
  const names = [...files].sort(([, a], [, b]) => b - a).map(([name]) => name);
  const more = names.length - filesNamed;
  const changed = names.slice(0, filesNamed).join(", ") + (more > 0 ? ` and ${more} more` : "");
  if (changed === "" && topic === null) return null;
  const what =
    changed === ""
      ? `${fallback ?? "Work"} on ${topic}`
      : fallback === null
        ? changed
        : `${fallback}: ${changed}`;
  return beginningOf(changed === "" || topic === null ? what : `${what} (${topic})`, maxTitleLength);
}

/** The first sentence, or the first clause that is long enough. */
function titleOf({ text }: Ask): string {
  const [sentence = text] = text.split(/(?<=[^.][.!?])\s/, 1);
  const clause =
    sentence.length > maxTitleLength
      ? (sentence.split(/(?<=.{25})(?:[,;:] | - | – | — )/, 1)[0] ?? "")
      : sentence;
  return beginningOf(clause.replace(/[\s.:;,!]+$/, ""), maxTitleLength);
}
