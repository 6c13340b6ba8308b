import {
  type Document,
  type DocumentColumn,
  faint,
  heading,
  id,
  indentedLine,
  joinParts,
  type LinePart,
  line,
  makeDocument,
  quoted,
  strong,
  type TextPiece,
  table,
} from "../../answers/document.ts";
import { formatCount } from "../../base/text/counted.ts";
import { shortenHash } from "../../base/text/short-hash.ts";
import {
  authorMarks,
  authorNames,
  formatKnownShare,
  listAuthorKinds,
  roleOfAuthor,
} from "../../protocol/reading/authors.ts";
import { describeLineEvidence, nameLineAuthor } from "../../protocol/reading/evidence.ts";
import { nameTitle } from "../../protocol/reading/names.ts";
import { formatLineRange, formatPercent } from "../../protocol/reading/numbers.ts";
import { formatTurnPlace, shortenSessionId } from "../../protocol/reading/short-id.ts";
import type { SharedEntry } from "../../protocol/reading/sum-shares.ts";
import type { Share } from "../../protocol/shares.ts";
import { formatAuthorShare, wordAuthorKinds } from "./author-words.ts";
import { explainAuthor } from "./blame-summary.ts";
import type { BlameAnswer, BlameRange } from "./operation.ts";

/** In the place of an author, where the commit is still to be analysed. */
const notAnalysed = "not yet known";

/** Who wrote each line of a file, and which commit, turn and day it is from. */
export function wordBlame({ ranges, summary, lines = [] }: Omit<BlameAnswer, "file" | "revision">): Document {
  const annotated = ranges.map((range) => {
    const { first_line, last_line, author, authored_at } = range;
    const role = roleOfAuthor[author];
    return {
      first: first_line,
      last: last_line,
      mark: { text: authorMarks[author], role },
      cells: [
        [makeCommitCell(range)],
        [{ text: nameAuthor(range), role, ...(!range.not_analysed && { short: shortenAuthor(range) }) }],
        [id(formatTurn(range))],
        [faint(describeLineEvidence(range))],
        authored_at === null ? [] : [{ at: authored_at, form: "age" as const, role: "faint" as const }],
      ],
    };
  });
  const legend = joinParts(
    [
      ...listAuthorKinds(summary).map((author) => ({
        text: `${authorMarks[author]} ${authorNames[author]} ${formatPercent(summary[author], summary.lines)}`,
        role: roleOfAuthor[author],
      })),
      faint(`of ${formatCount(summary.lines, "line")}`),
    ],
    "  ",
  );
  return [[{ is: "annotated", columns: blameColumns, ranges: annotated, lines, legend }]];
}

const blameColumns: DocumentColumn[] = [
  { title: "commit" },
  { title: "author", isName: true },
  { title: "turn", optional: 1 },
  { title: "sure", optional: 2, isNumber: true },
  { title: "day", isNumber: true },
];

/** A block for each range: its lines, who wrote them, and what that rests on. */
export const wordExplainedBlame = ({ ranges }: BlameAnswer): Document => [
  ranges.flatMap((range) => {
    const { first_line, last_line, tool_use, author } = range;
    const who = [nameAuthor(range), formatTurn(range), describeLineEvidence(range)];
    const text = who.filter((each) => each !== "").join(" ");
    return [
      line(
        strong(formatLineRange(first_line, last_line)),
        "  ",
        { text, role: roleOfAuthor[author] },
        "  ",
        makeCommitCell(range),
      ),
      indentedLine(
        4,
        4,
        explainAuthor(range),
        tool_use !== null && " (",
        tool_use !== null && quoted(tool_use, maxToolUseChars),
        tool_use !== null && ")",
      ),
    ];
  }),
];

const maxToolUseChars = 60;

/** The beginning of a hash, as git shows it: with a mark where history was cut off. */
function makeCommitCell({ commit, is_boundary }: BlameRange): TextPiece {
  if (commit === null) return { text: "--------", role: "commit" };
  const short = shortenHash(commit);
  return { text: is_boundary ? `^${short.slice(0, -1)}` : short, role: "commit", commit };
}

const nameAuthor = (range: BlameRange): string =>
  range.not_analysed ? notAnalysed : nameLineAuthor(range, range.person);

/** As `nameAuthor`, beside a mark for the kind of author. */
function shortenAuthor({ author, agent, model, person }: BlameRange): string {
  // The vendor and the day of a model's version say least.
  const short = model?.replace(/^claude-(?=\w)/, "").replace(/-\d{8}$/, "");
  return (author === "agent" ? (short ?? agent) : person) ?? authorNames[author];
}

/** "8ecde0fc:7", as far as it is known; "" for what no agent wrote. */
const formatTurn = ({ session_id, turn }: BlameRange): string =>
  session_id === null ? "" : formatTurnPlace(session_id, turn);

/** Rows of tables that are shown. */
const rowsShown = 10;
const entriesShown = 40;
const barColumns = 60;
const entryBarColumns = 20;

const shareColumns: DocumentColumn[] = [
  { title: "", isNumber: true },
  { title: "lines", isNumber: true },
];

/** Who wrote a file: by kind of author, session, model and person. */
export function wordBlameSummary({ file, summary, ranges }: BlameAnswer): Document {
  const { lines, by_session, by_model, by_person } = summary;
  const toCells = (own: number) => [formatPercent(own, lines), own.toLocaleString("en")];
  const toTable = (name: string, columns: readonly DocumentColumn[], rows: Parameters<typeof table>[1]) =>
    rows.length > 0 && [heading(name), table([...shareColumns, ...columns], rows, rowsShown)];
  return makeDocument(
    [
      line(strong(file), `  ${formatCount(lines, "line")}${formatUncommitted(ranges)}`),
      line({ draw: "authors", lines: summary, columns: barColumns }),
      wordAuthorKinds(summary),
    ],
    toTable(
      "Sessions",
      [{ title: "session" }, { title: "title", wraps: true }, { title: "turns", wraps: true, optional: 1 }],
      by_session.map(({ session_id, session_title, turns, lines: own }) => [
        ...toCells(own),
        id(shortenSessionId(session_id)),
        { text: nameTitle(session_title) },
        turns.join(", "),
      ]),
    ),
    toTable(
      "Models",
      [{ title: "name", wraps: true }],
      by_model.map(({ model, lines: own }) => [...toCells(own), { text: model }]),
    ),
    toTable(
      "People",
      [{ title: "name", wraps: true }, { title: "" }],
      by_person.map(({ person, human, unknown, before_agents: before }) => [
        ...toCells(human + unknown + before),
        { text: person ?? "(not committed yet)" },
        [
          unknown > 0 ? `${unknown.toLocaleString("en")} unknown` : "",
          before > 0 ? `${before.toLocaleString("en")} before agents` : "",
        ]
          .filter((each) => each !== "")
          .join(", "),
      ]),
    ),
  );
}

function formatUncommitted(ranges: readonly BlameRange[]): string {
  const count = ranges
    .filter(({ commit }) => commit === null)
    .reduce((sum, { first_line, last_line }) => sum + last_line - first_line + 1, 0);
  return count === 0 ? "" : `, ${count.toLocaleString("en")} not committed yet`;
}

const titles = { agent: "agents", human: "people", unknown: "unknown", before_agents: "before" } as const;

/** What is in a directory, and who wrote the lines that commits added to it. */
interface BlamedDirectory {
  directory: string;
  root: string;
  total: Share;
  entries: SharedEntry[];
  notes: string[];
}

/** A row for each file and directory. */
export function wordBlamedDirectory({ directory, root, total, entries, notes }: BlamedDirectory): Document {
  const said = notes.map((text) => line(faint(text)));
  if (entries.length === 0) {
    const where = directory === "." ? "this directory" : directory;
    return [[line("No lines known in ", { text: where }, "."), ...said]];
  }
  const authors = listAuthorKinds(total);
  const shares = authors.flatMap((author): LinePart[] => ["  ", formatAuthorShare(total, author)]);
  return [
    [line(strong(directory), `  ${formatCount(total.lines, "line")} added by commits`, ...shares), ...said],
    [
      table(
        [
          { title: "path", wraps: true },
          { title: "", optional: 1 },
          ...authors.map((author) => ({ title: titles[author], isNumber: true })),
          { title: "lines", isNumber: true },
        ],
        entries.map((entry) => [
          { text: entry.path, role: "place", path: `${root}/${entry.path}` },
          { draw: "authors", lines: entry, columns: entryBarColumns },
          ...authors.map((author) => formatKnownShare(entry, author)),
          entry.lines.toLocaleString("en"),
        ]),
        entriesShown,
      ),
    ],
  ];
}
