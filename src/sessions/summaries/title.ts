import type { FileTouch } from "../../agents/agent.ts";
import { shortenText } from "../../base/text/text-size.ts";
import type { Turn } from "../turn-content.ts";
import { chooseCommitTitle, listCommitSubjects, maxTitleLength } from "./commit-title.ts";
import { type Ask, extractAsk, isPlan } from "./llm-summary.ts";
import { countTelling } from "./telling-words.ts";

/** An ask of fewer words is kept in mind, and a better one looked for. */
const enoughWords = 3;
/** The number of prompts that are tried. */
const promptsToTry = 10;

/** Words that say something in a title from the first prompt, and from a later one, which may answer the agent. */
const enoughTelling = { first: 2, later: 3 } as const;

/** What a hook or a client wrote in the person's place. */
const isWrittenByProgram = (prompt: string): boolean =>
  /^\s*(?:(?:Stop|PreToolUse|PostToolUse|UserPromptSubmit|SessionStart|SubagentStop)(?::\S+)? hook\b|<(?:task-notification|system-reminder|local-command-\w+|bash-(?:input|stdout|stderr)|user-prompt-submit-hook|teammate-message)\b|Caveat: The messages below|Operation stopped by hook|\[Request interrupted|This session is being continued)/.test(
    prompt,
  );

/** A log or an error that begins a prompt: what was wanted stands elsewhere. */
const isPasted = (prompt: string): boolean =>
  /^\s*(?:[•⨯✗✘×⎿│❯$>]|---|===|\d{4}[-/]\d\d[-/]\d\d|\[?\d\d:\d\d:\d\d|at \S+ ?\(|(?:npm )?(?:ERR!|ERROR|FAIL|WARN)\b|(?:error|panic|fatal|traceback|exception)\b[^\n]{0,40}:|[\w./-]+:\d+:\d+:)/.test(
    prompt,
  );

/** The request of a prompt that says nothing else. */
const fallbackTitles: readonly [RegExp, string][] = [
  [/\breview|\bfeedback|\bcomments?\b|gennemgå/i, "Review"],
  [/\b(?:rebase|merge|conflict)/i, "Merge"],
  [/\b(?:commit|push)\b/i, "Commit"],
  [/\b(?:tests?|lint|ci|build)\b/i, "Tests"],
];
const filesNamed = 2;

/**
 * A short title, up to 80 characters, for a session without one from its agent: the heading of the plan it carries out,
 * else what its commits say, else the request of the first prompt that says something. If none does ("commit this"), the
 * actions: the changed files, and the branch.
 * @param commits subjects of commits that it led to, in order, besides those that its own commands made
 * @returns null without a prompt and without actions
 */
export function makeSessionTitle(turns: Iterable<Turn>, commits: readonly string[] = []): string | null {
  const { asked, best, isTelling, files, branch, plan, prompts, subjects } = readTurns(turns);
  if (asked === null) return null;
  const committed = plan ?? chooseCommitTitle([...subjects, ...commits], prompts);
  if (committed !== null) return committed;
  if (best !== null && isTelling) return makeTitleFromAsk(best);
  const own = best && makeTitleFromAsk(best);
  // Half a request says more than a branch alone.
  if (own !== null && !isGenericTitle(own) && files.size === 0) return own;
  return makeTitleFromActions(asked, files, branch) ?? own;
}

/**
 * The same from prompts alone, before anything was done: of the first that says something at all, so that it does not
 * matter in how many steps they are read. Null until one does.
 */
export function makeTitleFromPrompts(prompts: Iterable<string>): string | null {
  for (const prompt of prompts) {
    const ask = extractAsk(prompt, 240);
    if (ask !== null && !isGenericTitle(makeTitleFromAsk(ask))) return makeTitleFromAsk(ask);
  }
  return null;
}

/** Whether a title could stand above any session: "Help", "Review the changes in this branch". */
export const isGenericTitle = (title: string): boolean => countTelling(title) === 0;

interface TitleMaterial {
  /** The first prompt. */
  asked: string | null;
  /** The first request that says something (`isTelling`), or else the one that says most. */
  best: Ask | null;
  isTelling: boolean;
  /** Changed files, with the number of changes. */
  files: Map<string, number>;
  branch: string | null;
  /** The heading of the first plan that was carried out. */
  plan: string | null;
  /** The first prompts. */
  prompts: string[];
  /** Of commits that it made itself, in order. */
  subjects: string[];
}

function readTurns(turns: Iterable<Turn>): TitleMaterial {
  const found: TitleMaterial = {
    asked: null,
    best: null,
    isTelling: false,
    files: new Map(),
    branch: null,
    plan: null,
    prompts: [],
    subjects: [],
  };
  let tried = 0;
  for (const turn of turns) {
    if (turn.abandoned) continue;
    found.branch ??= turn.branch;
    found.subjects.push(...listCommitSubjects(turn));
    for (const { entries } of turn.lines) {
      for (const entry of entries) {
        if (entry.kind === "tool_use") countEdits(entry.files, found.files);
        if (entry.kind !== "prompt" || tried >= promptsToTry) continue;
        tried++;
        found.asked ??= entry.text;
        const ask = extractAsk(entry.text, 240);
        if (ask === null || isWrittenByProgram(entry.text)) continue;
        if (isPlan(entry.text)) found.plan ??= makeTitleFromAsk({ ...ask, text: withoutPlanWord(ask.text) });
        found.prompts.push(ask.text);
        if (found.isTelling) continue;
        const says = countTelling(makeTitleFromAsk(ask));
        if (isPasted(entry.text)) continue;
        const isEnough = says >= (tried === 1 ? enoughTelling.first : enoughTelling.later);
        if (ask.words.size >= enoughWords && isEnough) {
          found.best = ask;
          found.isTelling = true;
        } else if (found.best === null || says > countTelling(makeTitleFromAsk(found.best))) found.best = ask;
      }
    }
  }
  return found;
}

function countEdits(touched: readonly FileTouch[], files: Map<string, number>): void {
  for (const { path, how } of touched) {
    const name = path.split(/[/\\]/).at(-1) ?? path;
    if (how !== "read" && (files.has(name) || files.size < 200)) files.set(name, (files.get(name) ?? 0) + 1);
  }
}

/** "Review of feature/lock", "setup.go, hooks.go and 3 more (feature/lock)"; null where that is not known either. */
function makeTitleFromActions(
  asked: string,
  files: ReadonlyMap<string, number>,
  branch: string | null,
): string | null {
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
  return shortenText(changed === "" || topic === null ? what : `${what} (${topic})`, maxTitleLength);
}

/** "Implementation plan: the lock" is about the lock. */
function withoutPlanWord(heading: string): string {
  const rest = heading.replace(
    /^(?:implementation |feature |project )?plan(?:\s*[:—–]\s*|\s+-\s+|\s+(?:for|to)\s+)/i,
    "",
  );
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

/** The first sentence, or the first clause that is long enough. */
function makeTitleFromAsk({ text }: Ask): string {
  // "Nice!" greets what was done before.
  const request = text.replace(/^[\p{L}'-]+[.!?]+\s+(\S)/u, (_, first: string) => first.toUpperCase());
  const [sentence = request] = request.split(/(?<=[^.][.!?])\s/, 1);
  const clause =
    sentence.length > maxTitleLength
      ? (sentence.split(/(?<=.{25})(?:[,;:] | - | – | — )/, 1)[0] ?? "")
      : sentence;
  return shortenText(clause.replace(/[\s.:;,!]+$/, ""), maxTitleLength);
}
