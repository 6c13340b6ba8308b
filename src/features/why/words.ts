import {
  caution,
  type Document,
  type DocumentBlock,
  faint,
  good,
  id,
  indentedLine,
  joinParts,
  type LinePart,
  labelled,
  line,
  makeCommitPiece,
  makeDocument,
  makeTurnPiece,
  type Paragraph,
  place,
  quoted,
  strong,
  type TextPiece,
} from "../../answers/document.ts";
import { formatCount } from "../../base/text/counted.ts";
import { shortenHash } from "../../base/text/short-hash.ts";
import type { LineAuthor } from "../../protocol/line-author.ts";
import { formatSharedBy, type Readership } from "../../protocol/origin.ts";
import {
  describeLineEvidence,
  describeUse,
  nameInFull,
  nameLineAuthor,
} from "../../protocol/reading/evidence.ts";
import { formatLineRange } from "../../protocol/reading/numbers.ts";
import { shortenSessionId } from "../../protocol/reading/short-id.ts";
import { labelDecision, labelSuperseded } from "../decisions/words.ts";
import { wordLineNote } from "../notes/words.ts";
import type {
  EarlierLines,
  LaterChanges,
  LineOrigin,
  NearDecision,
  OriginTurn,
  WhyAnswer,
  WhyFreshness,
} from "./operation.ts";

const shownCounts = { codeLines: 8, promptLines: 6, formerLines: 3 } as const;
const maxChars = { subject: 100, title: 80 } as const;
/** As sure as nearly all are: not worth saying. */
const usualConfidence = 0.9;

/** What became of lines since they were written, in a sentence. */
const freshnessWords: Readonly<Record<WhyFreshness["state"], string>> = {
  stands: "Still current: no later decision or revert found.",
  reconsidered: "May be outdated: a later decision concerns these lines.",
  reverted: "Its commit was reverted.",
  elsewhere: "Its commit is only on other branches.",
  gone: "Its commit is not in this repository.",
  uncommitted: "Not committed yet.",
  unknown: "The status of its commit is unknown.",
};

/** Whether and by how much the lines of a commit are still there; null: not known, or it added none. */
function wordSurvival({ lines_added, lines_surviving }: WhyFreshness): string | null {
  if (lines_added === null || lines_surviving === null || lines_added === 0) return null;
  if (lines_added === 1)
    return `The one distinctive line of its commit ${lines_surviving === 1 ? "remains" : "is gone"}.`;
  const all = formatCount(lines_added, "distinctive line");
  if (lines_surviving === lines_added) return `All ${all} of its commit remain.`;
  return `${lines_surviving.toLocaleString("en")} of the ${all} of its commit remain.`;
}

const roleOfAuthor = {
  agent: "agent",
  human: "human",
  unknown: "unknown",
  before_agents: "unknown",
} as const;

const nameWriter = (written: LineAuthor, person: string | null): TextPiece => ({
  text: nameLineAuthor(written, person),
  role: roleOfAuthor[written.author],
});

/** Why lines are as they are: the chain from them to what they are there for, the most important first. */
export function wordWhy(answer: WhyAnswer, reader: Readership): Document {
  const { file, first_line, last_line, text, line_notes, origins, decisions } = answer;
  const { earlier, later, freshness, used_by, notes } = answer;
  const span = formatLineRange(first_line, last_line);
  const [first, ...others] = origins;
  const because = decisions.filter(({ is_before, near }) => is_before && near === "session");
  const about = decisions.filter((decision) => !because.includes(decision));
  const count = last_line - first_line + 1;
  return makeDocument(
    [
      line(strong(`${file}:${span}`)),
      { is: "code", first: first_line, lines: text, total: count, shownLines: shownCounts.codeLines },
    ],
    line_notes.flatMap((note) => wordLineNote(note, reader)),
    first !== undefined && wordOrigin(first),
    wordDecisions("Decisions", because, reader),
    wordDecisions("Related decisions", about, reader),
    wordFreshness(freshness, later, reader),
    others.length > 0 && [makeTitle("Other lines"), ...others.map(wordOther)],
    earlier.length > 0 && [makeTitle("Earlier"), ...earlier.flatMap(wordEarlier)],
    // An agent that asks why a line is there does not ask who uses it: its tool for code says so.
    reader !== "agent" && used_by !== null && used_by.total > 0 && wordUses(used_by),
    notes.map((note) => line(faint(note))),
  );
}

/** The same in a few lines, for somebody who has the code before them. */
export function wordWhyInShort(
  { line_notes, origins, decisions, freshness }: WhyAnswer,
  reader: Readership,
): Document {
  const [first, ...others] = origins;
  if (first === undefined) return [];
  const since = freshness.later_decisions;
  const about = [...since, ...decisions.filter((one) => !since.some(({ text }) => text === one.text))];
  const isNews = !["stands", "uncommitted", "unknown"].includes(freshness.state);
  return makeDocument(
    line_notes.slice(0, 2).flatMap((note) => wordLineNote(note, reader)),
    wordOriginInShort(first),
    others.slice(0, 2).map(wordOther),
    isNews && [line(freshnessWords[freshness.state])],
    about.slice(0, 2).map((decision) => wordDecision(decision, reader)),
  );
}

const makeTitle = (text: string): DocumentBlock => ({ is: "title", text });

function wordOrigin(origin: LineOrigin): Paragraph {
  const { written_by, commit, turn } = origin;
  const { session_id, session_title } = written_by;
  return [
    indentedLine(0, 11, ...wordWriter(origin)),
    ...(session_title === null ? [] : [labelled("", quoted(session_title, maxChars.title))]),
    commit === null
      ? labelled("Commit", "not committed yet")
      : labelled("Commit", makeCommitPiece(commit.hash), " ", quoted(commit.subject, maxChars.subject)),
    ...(commit === null
      ? []
      : [
          labelled(
            "",
            ...joinParts([
              faint(commit.person),
              commit.authored_at !== null && { at: commit.authored_at, form: "exact" },
              commit.branch !== null && faint(`on ${commit.branch}`),
              commit.is_boundary && faint("shallow clone: history ends here"),
            ]),
          ),
        ]),
    ...(turn === null || session_id === null ? [] : wordTurn(turn)),
  ];
}

/** Who committed lines need not have written them. */
function wordWriter({ written_by, commit }: LineOrigin): (LinePart | false)[] {
  const { author, session_id, turn, said_by, confidence } = written_by;
  const person = commit?.person ?? null;
  const evidence = author === "agent" ? describeLineEvidence(written_by) : "";
  const isFigure = evidence.endsWith("%");
  const unsure = { unknown: "Author unknown", before_agents: "Before agents" };
  const writer: LinePart[] =
    author === "unknown" || author === "before_agents"
      ? [strong(unsure[author]), ...(person === null ? [] : ["; committed by ", { text: person }])]
      : [strong("Written by"), " ", nameWriter(written_by, person)];
  return [
    ...writer,
    session_id !== null && " in session ",
    session_id !== null && { ...id(shortenSessionId(session_id)), session: { id: session_id, turn } },
    session_id !== null && turn !== null && `, turn ${turn}`,
    said_by === "note" && " according to another tool's note",
    evidence !== "" &&
      !(isFigure && confidence >= usualConfidence) &&
      ` (${evidence}${isFigure ? " sure" : ""})`,
  ];
}

/** The writer, the prompt and the commit, a line each. */
function wordOriginInShort(origin: LineOrigin): Paragraph {
  const { written_by, commit, turn } = origin;
  const title = written_by.session_title;
  return [
    line(
      ...wordWriter(origin),
      title !== null && ': "',
      title !== null && quoted(title),
      title !== null && '"',
    ),
    ...(turn === null
      ? []
      : [{ is: "prompt", label: "Prompt", text: turn.prompt, shownLines: shownCounts.promptLines } as const]),
    commit === null
      ? line("Not committed yet.")
      : line(
          makeCommitPiece(commit.hash),
          " ",
          quoted(commit.subject, maxChars.subject),
          commit.authored_at !== null && ", ",
          commit.authored_at !== null && { at: commit.authored_at, form: "ago" },
        ),
  ];
}

function wordTurn({ prompt, author, asked_by, said_before, said_after }: OriginTurn): DocumentBlock[] {
  return [
    { is: "prompt", label: "Prompt", text: prompt, shownLines: shownCounts.promptLines },
    ...(author == null ? [] : [labelled("Origin", formatSharedBy(author))]),
    ...(asked_by === null
      ? []
      : [
          labelled(
            "For",
            makeTurnPiece(asked_by.session_id, asked_by.turn, "id"),
            " ",
            quoted(asked_by.prompt),
          ),
        ]),
    ...(said_before === "" ? [] : [labelled("Said", quoted(said_before))]),
    ...(said_after === "" ? [] : [labelled("Then", quoted(said_after))]),
  ];
}

function wordDecisions(name: string, decisions: readonly NearDecision[], reader: Readership): Paragraph {
  if (decisions.length === 0) return [];
  return [
    makeTitle(name),
    ...decisions.flatMap((decision) => [
      wordDecision(decision, reader),
      ...(decision.superseded_by === null
        ? []
        : [indentedLine(4, 4, caution(`${labelSuperseded(decision)}: `), quoted(decision.superseded_by))]),
    ]),
  ];
}

function wordDecision(decision: NearDecision, reader: Readership): DocumentBlock {
  const { text, session_id, turn, timestamp, is_before } = decision;
  const label = labelDecision(decision, reader);
  const where = joinParts(
    [
      timestamp !== null && { at: timestamp, form: "ago" },
      session_id !== null && makeTurnPiece(session_id, turn, "faint"),
      !is_before && faint("later"),
    ],
    " ",
  );
  return indentedLine(
    2,
    4,
    "- ",
    label !== null && caution(label),
    label !== null && " ",
    quoted(text),
    "  ",
    ...where,
  );
}

function wordOther({ lines, written_by, commit }: LineOrigin): DocumentBlock {
  const { session_id, turn } = written_by;
  const where = lines.map(([a, b]) => (a === b ? `${a}` : `${a}-${b}`)).join(", ");
  return indentedLine(
    2,
    4,
    ...joinParts(
      [
        `${where}:`,
        nameWriter(written_by, commit?.person ?? null),
        session_id !== null && makeTurnPiece(session_id, turn, "id"),
        commit !== null && makeCommitPiece(commit.hash),
        commit === null ? "not committed yet" : quoted(commit.subject, maxChars.subject),
      ],
      " ",
    ),
  );
}

function wordEarlier({ how, text, written_by, commit, prompt }: EarlierLines): DocumentBlock[] {
  const { session_id, turn } = written_by;
  return [
    indentedLine(
      2,
      4,
      ...joinParts(
        [
          commit !== null && makeCommitPiece(commit.hash),
          nameWriter(written_by, commit?.person ?? null),
          session_id !== null && makeTurnPiece(session_id, turn),
          commit?.authored_at != null && { at: commit.authored_at, form: "day" },
          commit !== null && quoted(commit.subject, maxChars.subject),
        ],
        " ",
      ),
    ),
    ...(prompt === null ? [] : [indentedLine(4, 6, "prompt: ", quoted(prompt))]),
    { is: "former", sign: how === "changed" ? "-" : "~", lines: text.slice(0, shownCounts.formerLines) },
  ];
}

function wordFreshness(freshness: WhyFreshness, later: LaterChanges | null, reader: Readership): Paragraph {
  const { state, branches, reverted_by, later_decisions } = freshness;
  const paint = state === "stands" ? good : state === "uncommitted" ? faint : caution;
  const survival = wordSurvival(freshness);
  return [
    labelled("Today", paint(freshnessWords[state])),
    ...(reverted_by === null ? [] : [labelled("", "Reverted by ", makeCommitPiece(reverted_by), ".")]),
    ...(branches.length === 0 ? [] : [labelled("", `On branch `, { text: branches.join(", ") }, ".")]),
    ...(survival === null ? [] : [labelled("", survival)]),
    ...later_decisions.map((decision) => wordDecision(decision, reader)),
    ...(later === null || later.commits === 0
      ? []
      : [
          labelled("", `${formatCount(later.commits, "later commit")} to the file:`),
          ...later.latest.map(({ hash, subject, person, authored_at, by_agent }) =>
            indentedLine(
              11,
              13,
              makeCommitPiece(hash),
              " ",
              authored_at !== null && { at: authored_at, form: "day" },
              authored_at !== null && " ",
              quoted(subject, maxChars.subject),
              " ",
              faint(`(${by_agent ? `${person}, with an agent` : person})`),
            ),
          ),
        ]),
  ];
}

function wordUses({ edges, total }: NonNullable<WhyAnswer["used_by"]>): Paragraph {
  const more = total - edges.length;
  return [
    makeTitle("Used by"),
    ...edges.map((edge) =>
      indentedLine(
        2,
        4,
        place(`${edge.file}:${edge.lines[0]}`),
        " ",
        edge.kind !== "file" && { text: nameInFull(edge) },
        describeUse(edge),
        ...(edge.changed_by === null
          ? []
          : [
              "  ",
              faint("changed later:"),
              " ",
              makeCommitPiece(edge.changed_by.hash),
              " ",
              quoted(edge.changed_by.subject, maxChars.subject),
            ]),
      ),
    ),
    ...(more > 0 ? [indentedLine(2, 4, faint(`and ${more} more: pm code impact`))] : []),
  ];
}

/** What a person may do next, as command lines. */
function suggestSteps([origin]: readonly LineOrigin[]): string[] {
  if (origin === undefined) return [];
  const { written_by, commit, checkpoint_id, turn } = origin;
  const steps = [
    turn === null || written_by.session_id === null
      ? ""
      : `pm session show ${shortenSessionId(written_by.session_id)} --turn ${turn.number}`,
    checkpoint_id === null ? "" : `pm checkpoint rewind ${shortenHash(checkpoint_id)}`,
    checkpoint_id === null && commit !== null ? `git show ${shortenHash(commit.hash)}` : "",
  ];
  return steps.filter((step) => step !== "");
}

/** The chain from lines to what they are there for, and what to ask next. */
export function wordWhyWithSteps(answer: WhyAnswer): Document {
  const steps = suggestSteps(answer.origins);
  const next = steps.length > 0 && [line(faint(`Next: ${steps.join("; ")}`))];
  return [...wordWhy(answer, "person"), ...makeDocument(next)];
}
