import { shortenText } from "../../base/text/text-size.ts";
import { classifyToolUse, type Turn } from "../turn-content.ts";
import { extractContentWords, measureOverlap } from "./prose.ts";
import { countTelling } from "./telling-words.ts";

/** A commit's subject, as a candidate for the title of the session that made it. */

/** Of a session's title. Characters; more are cut at a word. */
export const maxTitleLength = 80;
const minTellingWords = 2;
/** Subjects that are read, of a session with very many commits. */
const maxSubjects = 60;

/** What any commit may be called, whatever it is about. */
const routine =
  /^(?:merge\b|revert "|wip\b|(?:release|version)(?: v?\d|$)|(?:still )?not working\b|more work needed\b|make (?:it|everything) work\b|(?:resolve|fix)\w* (?:the )?merge conflicts?\b|fmt\s*$|typos?\b|bump\b|initial commit|update (?:\S+\.\w+|readme|changelog)|apply suggestions?|(?:fix(?:ed|es)?|few|more|some|minor|small|address(?:es|ed)?|local|latest|pr|code|review)?\s*(?:pr |code |review |pull request |copilot |bugbot |coderabbit |remaining |additional |local |failing |broken |the )*(?:review|feedback|comments?|nits?|lint(?:er|ing)?(?: errors?| issues?)?|format(?:ting)?|gofmt|tests?|ci|build|fix(?:es)?|changes|clean-?ups?|simplifications?|refactor(?:ing)?|updates?)\s*$)/i;
const reviewed = /\b(?:review|feedback|pr comments?|bugbot|copilot|coderabbit|nitpicks?)\b/i;
const addsToAnother = /^(?:(?:even |slightly |some |few )?more\b|also\b|and\b|another\b|again\b)/i;
/** `feat(scope)!: `, `JIRA-12: `. */
const prefix =
  /^(?:(?:feat|fix|bugfix|chore|docs?|style|refactor|perf|tests?|build|ci|revert|hotfix|feature|wip)(?:\(([\w ./,-]+)\))?!?:\s+|[A-Z]{2,}-\d+:?\s+)/i;

/** A subject as a title: without its type, and what tools add behind it. */
function cleanSubject(subject: string): string {
  const text = subject
    .replace(/\s+[A-Z][\w-]+: [0-9a-f]{7,}.*$/, "")
    .replace(prefix, (_, scope: string | undefined) => (scope === undefined ? "" : `${scope}: `))
    .replace(/\s*\((?:#\d+|[A-Z]{2,}-\d+)\)$/, "")
    .replace(/[.:;,\s]+$/, "")
    .trim();
  return shortenText(text.charAt(0).toUpperCase() + text.slice(1), maxTitleLength);
}

/**
 * The subject that says most of a session: one that speaks of what was asked, the earlier before the later. Null where
 * none says anything.
 * @param subjects in order
 */
export function chooseCommitTitle(subjects: readonly string[], asked: readonly string[]): string | null {
  const words = extractContentWords(asked.join("\n"));
  let best: { title: string; worth: number } | null = null;
  for (const [i, subject] of subjects.slice(0, maxSubjects).entries()) {
    const bare = subject.replace(prefix, "");
    if (routine.test(subject) || routine.test(bare)) continue;
    const own = extractContentWords(bare);
    const telling = countTelling(bare);
    if (telling < minTellingWords) continue;
    const goesOn = reviewed.test(bare) || addsToAnother.test(bare);
    const shared = measureOverlap(own, words);
    const worth = 2 * shared + Math.min(telling, 6) / 6 - (goesOn ? 1.5 : 0) - i / maxSubjects;
    if (best === null || worth > best.worth) best = { title: cleanSubject(subject), worth };
  }
  return best?.title ?? null;
}

const message =
  /\bgit\b[^\n|;&]*?\scommit\b[\s\S]*?\s(?:-[a-zA-Z]*m|--message)[ =]\s*(?:"\$\(cat <<-?\s*['"]?(\w+)['"]?\s*\n([^\n]+)|"((?:[^"\\]|\\.)+)"|'([^']+)')/;

/** The subject of the commit that a command line makes; null: it makes none, or opens an editor. */
function parseCommitSubject(command: string): string | null {
  const found = message.exec(command);
  if (found === null) return null;
  const subject = (found[2] ?? found[3] ?? found[4] ?? "")
    .split("\n", 1)[0]!
    .replace(/\\(["`$\\])/g, "$1")
    .trim();
  return subject === "" ? null : subject;
}

/** The subjects of the commits that a turn's commands made, in order. */
export function listCommitSubjects({ lines }: Turn): string[] {
  const made = new Map<string, string>();
  const failed = new Set<string>();
  for (const { entries } of lines) {
    for (const entry of entries) {
      if (entry.kind === "tool_result" && entry.isError) failed.add(entry.id);
      if (entry.kind !== "tool_use" || classifyToolUse(entry) !== "command") continue;
      const subject = parseCommitSubject(String(entry.input.command));
      if (subject !== null) made.set(entry.id, subject);
    }
  }
  return [...made].flatMap(([id, subject]) => (failed.has(id) ? [] : subject));
}
