import type { FileTouch } from "../../agents/agent.ts";
import { beginningOf } from "../../base/text/text-size.ts";
import type { Turn } from "../turn-content.ts";
import { type Ask, askOf } from "./llm-summary.ts";
import { contentWords } from "./prose.ts";

const maxTitleLength = 80;
/** An ask of fewer words is kept in mind, and a better one looked for. */
const enoughWords = 3;
/** The number of prompts that are tried. */
const promptsToTry = 10;

/** Words that any session may begin with: they say nothing about this one. */
const generic = new Set(
  (
    "umm um sorry say fyi one twice happened having right double add address again agent agents another any apply appreciate approach ask back based branch branches bring broken bug bugs build building " +
    "can catch change changed changes check checks code comment comments commit commits compare conflict conflicts context continue copilot could current " +
    "cursor date debug diff directory discuss discussion does doing edit error errors everything explain fail failed failing fails failure failures feedback file files find first fix fixed " +
    "fixes fixing folder following full generate get getting git github give going good got group have hello help hey hmm idea implement issue issues item items just " +
    "last latest let lets line lines lint linter lints look looking main make making master meaningful merge merged merges message minor more my name need new next nit now " +
    "ok open opened origin other parent part passing please plan problem problems prior project pull push quick quickly read rebase rebasing reply " +
    "repo repository request resolve respond review reviewer reviewing reviews run running section see seeing shows should show some something start started starting " +
    "step still stop stuff suggestion suggestions summarize summary take talk task test tests thing things think throwing throws today together trying try understand update updated upstream " +
    "use using want was we well what when where which while why work worked working wrong yesterday your " +
    "pr prs ci pipeline hej ændringer ret kør gennemgå"
  ).split(" "),
);
/** Words that say something in a title from the first prompt, and from a later one, which may answer the agent. */
const enoughTelling = { first: 2, later: 3 } as const;

/** The request of a prompt that says nothing else. */
const fallbackTitles: readonly [RegExp, string][] = [
  [/\breview|\bfeedback|\bcomments?\b|gennemgå/i, "Review"],
  [/\b(?:rebase|merge|conflict)/i, "Merge"],
  [/\b(?:commit|push)\b/i, "Commit"],
  [/\b(?:tests?|lint|ci|build)\b/i, "Tests"],
];
const filesNamed = 2;

/**
 * A short title, up to 80 characters, for a session without one from its agent: the request of the first prompt that
 * says something. If none does ("commit this"), the actions: the changed files, and the branch.
 * @returns null without a prompt and without actions
 */
export function sessionTitle(turns: Iterable<Turn>): string | null {
  const { asked, best, isTelling, files, branch } = readTurns(turns);
  if (asked === null) return null;
  if (best !== null && isTelling) return titleOf(best);
  const own = best && titleOf(best);
  // Half a request says more than a branch alone.
  if (own !== null && !saysNothing(own) && files.size === 0) return own;
  return doneTitle(asked, files, branch) ?? own;
}

/**
 * The same from prompts alone, before anything was done: of the first that says something at all, so that it does not
 * matter in how many steps they are read. Null until one does.
 */
export function askedTitle(prompts: Iterable<string>): string | null {
  for (const prompt of prompts) {
    const ask = askOf(prompt, 240);
    if (ask !== null && !saysNothing(titleOf(ask))) return titleOf(ask);
  }
  return null;
}

/** Whether a title could stand above any session: "Help", "Review the changes in this branch". */
export const saysNothing = (title: string): boolean => telling(title) === 0;

interface Read {
  /** The first prompt. */
  asked: string | null;
  /** The first request that says something (`isTelling`), or else the one that says most. */
  best: Ask | null;
  isTelling: boolean;
  /** Changed files, with the number of changes. */
  files: Map<string, number>;
  branch: string | null;
}

function readTurns(turns: Iterable<Turn>): Read {
  const found: Read = { asked: null, best: null, isTelling: false, files: new Map(), branch: null };
  let tried = 0;
  for (const turn of turns) {
    if (turn.abandoned) continue;
    found.branch ??= turn.branch;
    for (const { entries } of turn.lines) {
      for (const entry of entries) {
        if (entry.kind === "tool_use") countEdits(entry.files, found.files);
        if (entry.kind !== "prompt" || tried >= promptsToTry) continue;
        tried++;
        found.asked ??= entry.text;
        const ask = askOf(entry.text, 240);
        if (ask === null) continue;
        const says = telling(titleOf(ask));
        if (
          ask.words.size >= enoughWords &&
          says >= (tried === 1 ? enoughTelling.first : enoughTelling.later)
        )
          return { ...found, best: ask, isTelling: true };
        if (found.best === null || says > telling(titleOf(found.best))) found.best = ask;
      }
    }
  }
  return found;
}

/** The number of words that say something: "#12" and "github.com/…/pull/2" name no subject. */
function telling(title: string): number {
  const words = contentWords(title.replace(/\S+\/…\/(?:pull|pulls|issues|\d+)\/\S+|#\d+/g, " "));
  const versions = title.match(/\d+\.\d+/g) ?? [];
  return [...words].filter((word) => !generic.has(word)).length + versions.length;
}

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
