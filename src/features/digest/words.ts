import {
  caution,
  cutLine,
  type Document,
  type DocumentBlock,
  exactly,
  faint,
  heading,
  joinParts,
  type LinePart,
  line,
  makeDocument,
  makeTurnPiece,
  type Paragraph,
  quoted,
  strong,
  title,
} from "../../answers/document.ts";
import { formatCount } from "../../base/text/counted.ts";
import { shortenHash } from "../../base/text/short-hash.ts";
import { formatAgentShare } from "../../protocol/reading/authors.ts";
import { nameSubject, nameTitle } from "../../protocol/reading/names.ts";
import { isRunning } from "../../protocol/reading/running.ts";
import { shortenSessionId } from "../../protocol/reading/short-id.ts";
import { labelDecision, supersededWords } from "../decisions/words.ts";
import { describeOpenEnd } from "../sessions/end-words.ts";
import type { DigestAnswer, DigestPart, DigestSession } from "./operation.ts";

/** What the lists of a digest are called. */
const listTitles = {
  sessions: "Sessions",
  commits: "Committed",
  decisions: "Decided",
  unfinished: "Open at their end",
  tokens: "Tokens",
} as const;

const noBranch = "no branch";

/** What happened lately. @param by what it has a part for; null: it is one */
export function wordDigest(
  answer: DigestAnswer,
  by: "branch" | "project" | null,
  nameProject: (root: string) => string = (root) => root,
): Document {
  const { since, until } = answer;
  const parts = answer.parts.filter(hasAnything);
  const notes = answer.notes.map((note) => line(caution(note)));
  if (parts.length === 0) return [[line("Nothing recorded since ", exactly(since), "."), ...notes]];
  return makeDocument(
    [
      line(
        strong("Since"),
        " ",
        exactly(since),
        ...(until === null ? [] : [" until ", { at: until, form: "time" } as const]),
        `: ${wordTotals(answer)}`,
      ),
      ...notes,
    ],
    ...parts.flatMap((part) => [
      by !== null && [heading(by === "project" ? nameProject(part.name ?? "") : (part.name ?? noBranch))],
      ...wordPart(part, by === "branch"),
    ]),
  );
}

const hasAnything = ({ sessions, commits, decisions, unfinished, tokens, topics }: DigestPart): boolean =>
  [sessions, commits, decisions, unfinished, tokens, topics].some((list) => list.length > 0);

/** "14 sessions, 390 commits (sessions led to 196), 12 decisions." */
function wordTotals({ parts, commits_in_history: all }: DigestAnswer): string {
  const sum = (count: (part: DigestPart) => number) => parts.reduce((total, part) => total + count(part), 0);
  const led = sum((part) => part.commits_total);
  const commits =
    all === undefined || all <= led
      ? formatCount(led, "commit")
      : `${formatCount(all, "commit")} (sessions led to ${led.toLocaleString("en")})`;
  const sessions = sum((part) => part.sessions_total);
  const decisions = sum((part) => part.decisions_total);
  return `${formatCount(sessions, "session")}, ${commits}, ${formatCount(decisions, "decision")}.`;
}

function wordPart(part: DigestPart, isOfBranch: boolean): (Paragraph | false)[] {
  const { sessions, commits, decisions, unfinished, tokens, topics, authors } = part;
  return [
    topics.length > 0 && [title("About"), item(quoted(wordFacet(topics), 400))],
    // Whose they are says something where colleagues share theirs.
    isOfColleagues(authors) && [title("By"), item(quoted(wordFacet(authors), 400))],
    wordList(
      listTitles.sessions,
      sessions.flatMap((session) => wordSession(session, isOfBranch)),
      part.sessions_total - sessions.length,
    ),
    wordList(
      listTitles.commits,
      commits.map(({ commit, subject, insertions, deletions, lines }) =>
        namedItem({ text: shortenHash(commit), role: "commit", commit }, nameSubject(subject), [
          `+${insertions} −${deletions}`,
          lines.agent === 0 ? "" : `${formatAgentShare(lines)} by agents`,
        ]),
      ),
      part.commits_total - commits.length,
    ),
    wordList(
      listTitles.decisions,
      decisions.map((decision) =>
        item(
          ...joinParts(
            [
              faint(labelDecision(decision, "person") ?? ""),
              {
                ...quoted(decision.text, 400),
                ...(decision.session_id !== null && {
                  session: { id: decision.session_id, turn: decision.turn },
                }),
              },
              // Of what the repository says itself, where.
              decision.by === null && decision.place !== null && faint(`(${decision.place})`),
              decision.superseded !== null && caution(`(${supersededWords[decision.superseded]})`),
            ],
            " ",
          ),
        ),
      ),
      part.decisions_total - decisions.length,
    ),
    wordList(
      listTitles.unfinished,
      unfinished.flatMap((session) => [
        namedItem(makeTurnPiece(session.id, null, "id"), nameTitle(session.title), [
          describeOpenEnd(session) ?? "",
        ]),
        ...(session.open === "" ? [] : [wordOutcome(session, session.open)]),
      ]),
      part.unfinished_total - unfinished.length,
    ),
    wordList(
      listTitles.tokens,
      tokens.map((spent) => item({ text: spent.model }, "  ", faint(wordTokens(spent)))),
      0,
    ),
  ];
}

const item = (...parts: readonly LinePart[]): DocumentBlock => ({
  is: "item",
  indent: 2,
  hang: 4,
  line: parts,
});

/** "8ecde0fc  Fix the login  claude, 4 prompts" */
const namedItem = (
  name: LinePart & { text: string },
  text: string,
  facts: readonly string[],
): DocumentBlock => ({
  is: "item",
  indent: 2,
  hang: measureHang(name.text),
  line: joinParts([name, quoted(text), faint(facts.filter((fact) => fact !== "").join(", "))], "  "),
});

const measureHang = (name: string): number => 4 + name.length;

const wordList = (name: string, items: readonly DocumentBlock[], more: number): Paragraph =>
  items.length === 0
    ? []
    : [title(name), ...items, ...(more > 0 ? [item(faint(`and ${more.toLocaleString("en")} more`))] : [])];

const isOfColleagues = (authors: DigestPart["authors"]): boolean => authors.some(({ value }) => value !== "");

/** "login (2), retries (1)": values with their sessions. */
const wordFacet = (facet: DigestPart["topics"]): string =>
  facet.map(({ value, sessions }) => `${value || "you"} (${sessions})`).join(", ");

function wordSession(session: DigestSession, isOfBranch: boolean): DocumentBlock[] {
  const { id: session_id, title: name, agent, author, branch, prompts, asked, outcome, files } = session;
  const more = prompts - asked.length;
  const short = shortenSessionId(session_id);
  const ask = (part: LinePart) => cutLine(measureHang(short), "> ", part);
  return [
    namedItem(makeTurnPiece(session_id, null, "id"), nameTitle(name), [
      agent,
      author ?? "",
      isOfBranch ? "" : (branch ?? ""),
      formatCount(prompts, "prompt"),
      files.length === 0 ? "" : formatCount(files.length, "file"),
      isRunning(session) ? "running" : "",
    ]),
    // What a session was called after says nothing twice.
    ...asked
      .filter((text) => !isSameAsTitle(text, name))
      .map((text) => ask({ ...quoted(text), role: "faint" })),
    ...(more > 0 ? [ask(faint(`and ${formatCount(more, "more prompt")}`))] : []),
    ...(outcome === "" ? [] : [wordOutcome(session, outcome)]),
  ];
}

const wordOutcome = ({ id: session_id }: DigestSession, text: string): DocumentBlock =>
  cutLine(measureHang(shortenSessionId(session_id)), "→ ", quoted(text, 400));

/** A long title is mostly a prompt's beginning, or that of the plan in it. */
const isSameAsTitle = (text: string, name: string | null) =>
  name !== null &&
  name.length >= minSharedChars &&
  text.toLowerCase().includes(name.slice(0, minSharedChars).toLowerCase());

/** Characters that two texts do not share by chance. */
const minSharedChars = 30;

/** "1.2M read, 5K from the cache, 12K written" */
const wordTokens = ({ input, output, cache_read, cache_write }: DigestPart["tokens"][number]): string =>
  [
    `${formatCompact(input + cache_write)} read`,
    `${formatCompact(cache_read)} from the cache`,
    output === null ? "written: not recorded" : `${formatCompact(output)} written`,
  ].join(", ");

const formatCompact = (count: number) =>
  new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 }).format(count);
