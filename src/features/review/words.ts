import {
  type Document,
  type DocumentBlock,
  faint,
  formatChange,
  id,
  indentedLine,
  joinParts,
  type LinePart,
  labelTurn,
  line,
  makeDocument,
  type Paragraph,
  place,
  quoted,
  strong,
  table,
  title,
} from "../../answers/document.ts";
import { wordAsMarkdown } from "../../answers/word-as-markdown.ts";
import { formatCount } from "../../base/text/counted.ts";
import { countByAuthors, formatAgentShare, toShare } from "../../protocol/reading/authors.ts";
import { nameSubject, nameTitle } from "../../protocol/reading/names.ts";
import { formatPercent } from "../../protocol/reading/numbers.ts";
import { shortenSessionId } from "../../protocol/reading/short-id.ts";
import { labelDecision } from "../decisions/words.ts";
import type { Carried } from "../exchange/operation.ts";
import type { ReviewAnswer, ReviewSession } from "./operation.ts";
import {
  contestedText,
  describeDecisionFate,
  describeRisks,
  describeTie,
  isNotKnownYet,
  notKnownYet,
  orderFiles,
  statusNames,
  turnsToShow,
  wordNoSession,
} from "./review-words.ts";

/** How many are named before the rest is counted. */
const shownCounts = { sessions: 10, turns: 6, files: 40, items: 10, first: 6 } as const;
const barColumns = 12;

/** What the change is, how large, who wrote what it adds, and what to look at before the rest. */
export function wordReviewHead(answer: ReviewAnswer, range: string): Document {
  const { kind, commits, commits_total, merge, files, insertions, deletions, lines } = answer;
  if (files.length === 0)
    return [[line(kind === "uncommitted" ? "Everything is committed." : "No file changed.")]];
  const only = merge ?? (kind === "commit" ? commits[0] : undefined);
  const name = range.replace(/\b([0-9a-f]{8})[0-9a-f]{32,56}\b/g, "$1");
  const named = kind === "range" ? `${name}: ${formatCount(commits_total, "commit")}` : "Not committed yet";
  const authors: LinePart[] = isNotKnownYet(answer)
    ? [notKnownYet]
    : joinParts(
        countByAuthors(lines).map(({ count, by }) => [
          strong(formatPercent(count, toShare(lines).lines)),
          ` ${by}`,
        ]),
        ", ",
      );
  return makeDocument(
    [
      title(only === undefined ? named : nameSubject(only.subject)),
      ...(only === undefined ? [] : wordCommit(only)),
      line(
        merge === null ? "" : `${formatCount(commits_total, "commit")}, `,
        `${formatCount(files.length, "file")}, `,
        ...formatChange(insertions, deletions),
        ...(authors.length === 0 ? [] : [". Added lines: ", ...authors, "."]),
      ),
    ],
    wordList("Look at first", [
      ...answer.reverts.map(({ subject }) => [{ text: subject }, ": reverts another commit of it"]),
      ...orderFiles(answer).flatMap((file) => {
        const risks = describeRisks(answer, file);
        return risks.length === 0 ? [] : [[place(file.path), `: ${risks.join(", ")}`]];
      }),
    ]),
  );
}

const wordCommit = ({
  hash,
  committed_at: at,
  author,
  branch,
}: ReviewAnswer["commits"][number]): DocumentBlock[] => [
  line("commit ", { text: hash, role: "commit", commit: hash }),
  line(...joinParts([at !== null && { at, form: "exact" }, { text: author }, { text: branch ?? "" }])),
];

/** What the merge or the only commit says of it below its subject. */
export function wordBody({ kind, commits, merge }: ReviewAnswer): Document {
  const { body = "" } = merge ?? (kind === "commit" ? commits[0] : undefined) ?? {};
  return body === "" ? [] : [body.split("\n").map((text) => indentedLine(0, 0, { text }))];
}

/** The sessions that led to it, each with the prompts that wrote most. */
export function wordReviewSessions(answer: ReviewAnswer): Document {
  const { sessions } = answer;
  if (sessions.length === 0) return [[line(faint(wordNoSession(answer)))]];
  return makeDocument(
    ...sessions.slice(0, shownCounts.sessions).map(wordSession),
    wordMore(sessions.length - shownCounts.sessions, "more session"),
  );
}

function wordSession(session: ReviewSession): Paragraph {
  const { session_id, title: name, agent, author, lines, turns } = session;
  const facts = [author, agent, formatCount(lines, "line"), describeTie(session)].filter(Boolean);
  const { shown, more } = turnsToShow(turns, shownCounts.turns);
  return [
    line(
      id(shortenSessionId(session_id)),
      "  ",
      strong(nameTitle(name)),
      "  ",
      faint(`(${facts.join(", ")})`),
    ),
    ...shown.map(({ turn, prompt }) =>
      labelTurn(turn, prompt === null ? "(not stored here)" : quoted(prompt, 160)),
    ),
    ...wordMore(more, "more turn"),
  ];
}

export const wordReviewFiles = ({ files }: ReviewAnswer): Document => [
  [
    table(
      [
        { title: "file", wraps: true },
        { title: "" },
        { title: "lines", isNumber: true },
        { title: "written by", optional: 1 },
        { title: "by agents", isNumber: true, optional: 2 },
      ],
      files.map(({ path, status, insertions, deletions, lines }) => [
        place(path),
        faint(statusNames[status] ?? ""),
        formatChange(insertions, deletions),
        toShare(lines).lines > 0 && { draw: "authors", lines, columns: barColumns },
        formatAgentShare(lines),
      ]),
      shownCounts.files,
    ),
  ],
];

/** What was decided about its files, undone of it, and tested. */
export const wordReviewContext = (answer: ReviewAnswer): Document =>
  makeDocument(
    wordList(
      "Decided about these files",
      answer.decisions.map((decision) =>
        joinParts(
          [
            labelDecision(decision, "person") ?? "",
            { text: decision.text },
            ...describeDecisionFate(decision).map((fate) => faint(`(${fate})`)),
          ],
          " ",
        ),
      ),
    ),
    wordList(
      "Done and undone",
      contestedText(answer).map(([text, about]) => [{ text }, ` (${about})`]),
    ),
    wordList(
      "Tests changed",
      answer.tests_changed.map((path) => [place(path)]),
    ),
    wordList(
      "Related tests that are unchanged",
      answer.tests.map((path) => [place(path)]),
    ),
  );

const wordMore = (count: number, unit: string): Paragraph =>
  count > 0 ? [line(faint(`and ${formatCount(count, unit)}`))] : [];

function wordList(name: string, items: readonly (readonly LinePart[])[]): Paragraph {
  if (items.length === 0) return [];
  const most = name === "Look at first" ? shownCounts.first : shownCounts.items;
  const more: LinePart[][] = items.length > most ? [[`and ${items.length - most} more`]] : [];
  return [
    title(name),
    ...[...items.slice(0, most), ...more].map(
      (parts): DocumentBlock => ({ is: "item", line: parts, indent: 2, hang: 4 }),
    ),
  ];
}

/** A change as a comment for a pull request, of which a reader first sees what it is and what to look at. */
export function reviewAsMarkdown(answer: ReviewAnswer, range: string): string {
  const word = (document: Document) => wordAsMarkdown(document, () => null);
  const folded = [...wordReviewSessions(answer), ...wordReviewFiles(answer), ...wordReviewContext(answer)];
  return [
    word(wordReviewHead(answer, range)),
    "<details><summary>Sessions, files, decisions and tests</summary>",
    word(folded),
    "</details>",
  ].join("\n\n");
}

/** What became of the notes about a range that was merged as another commit. */
export function wordCarried(
  { onto, ref, written, updated, unchanged, kept, unknown }: Carried,
  mergedAs: string,
): Document {
  if (onto.length === 0)
    return [
      [line("Nothing to carry: ", { text: mergedAs }, " is a merge that keeps the commits, or one of them.")],
    ];
  const parts = joinParts(
    [
      `${formatCount(written.length + updated.length, "note")} written`,
      unchanged > 0 && `${unchanged} already there`,
      kept.length > 0 && `${kept.length} of another tool kept`,
      unknown > 0 && `${formatCount(unknown, "commit")} without a line of a known author`,
    ],
    ", ",
  );
  return [[line(`${ref}: `, ...parts, ".")]];
}
