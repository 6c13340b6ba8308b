import {
  ago,
  type Document,
  type DocumentBlock,
  exactly,
  faint,
  formatChange,
  heading,
  id,
  indentedLine,
  joinParts,
  type LinePart,
  labelTurn,
  line,
  makeCommitPiece,
  makeDocument,
  type Paragraph,
  quoted,
  strong,
  table,
  wordShown,
} from "../../answers/document.ts";
import { formatCount } from "../../base/text/counted.ts";
import { shortenHash } from "../../base/text/short-hash.ts";
import { readAgentState, type SessionState } from "../../protocol/agent-state.ts";
import { countByAuthors, formatAgentShare, wordLinesByAuthor } from "../../protocol/reading/authors.ts";
import { certain, linkEvidence } from "../../protocol/reading/evidence.ts";
import { namePrompt, nameSubject, nameTitle } from "../../protocol/reading/names.ts";
import { formatSpans } from "../../protocol/reading/numbers.ts";
import { shortenSessionId } from "../../protocol/reading/short-id.ts";
import type {
  CheckpointAnswer,
  CheckpointSession,
  CheckpointSummary,
  CheckpointsAnswer,
  CheckpointsRequest,
  ComparedSide,
  DiffAnswer,
} from "./operation.ts";

/** What a terminal shows before it counts the rest. */
const maxShown = { files: 20, turns: 10 } as const;

export const noCheckpoints = "No checkpoints: no recorded session led to a commit.";
const noMatchingCheckpoints = "No matching checkpoints.";

/** The commits that sessions produced, in a table. */
export function wordCheckpoints(
  { checkpoints, total }: CheckpointsAnswer,
  { limit: _, ...filters }: CheckpointsRequest,
): Document {
  if (checkpoints.length > 0)
    return makeDocument([wordCheckpointRows(checkpoints)], wordShown(checkpoints.length, total));
  const isFiltered = Object.values(filters).some((filter) => filter !== undefined);
  return [[line(isFiltered ? noMatchingCheckpoints : noCheckpoints)]];
}

const wordCheckpointRows = (checkpoints: readonly CheckpointSummary[]): DocumentBlock =>
  table(
    [
      { title: "commit" },
      { title: "committed" },
      { title: "lines", optional: 3 },
      { title: "by agents", isNumber: true },
      { title: "sessions", optional: 2, wraps: true },
      { title: "author", optional: 5, isForMixed: true },
      { title: "branch", optional: 4, wraps: true },
      { title: "subject", wraps: true },
    ],
    checkpoints.map((checkpoint) => [
      makeCommitPiece(checkpoint.commit),
      ago(checkpoint.committed_at),
      formatChange(checkpoint.insertions, checkpoint.deletions),
      {
        text: formatAgentShare(checkpoint.lines),
        role: checkpoint.lines.agent > 0 ? "agent" : "faint",
      },
      { text: formatSessions(checkpoint.sessions) },
      { text: checkpoint.author },
      checkpoint.branch !== null && faint(checkpoint.branch),
      wordSubject(checkpoint),
    ]),
  );

/** "8ecde0fc:3,4-6 +2", "8ecde0fc (maybe)" */
function formatSessions([first, ...others]: readonly CheckpointSession[]): string {
  if (first === undefined) return "";
  const turns = first.turns.length > 0 ? `:${formatSpans(first.turns)}` : "";
  const maybe = first.confidence < certain ? " (maybe)" : "";
  return `${shortenSessionId(first.session_id)}${turns}${maybe}${others.length > 0 ? ` +${others.length}` : ""}`;
}

function wordSubject({ subject, rewritten_as }: CheckpointSummary): LinePart[] {
  const now = rewritten_as.at(-1);
  return [
    ...(now === undefined ? [] : ["[now ", { text: shortenHash(now) }, "] "]),
    quoted(nameSubject(subject)),
  ];
}

/** A checkpoint: its commit, who led to it and how, its files, and what to do with it. */
export function wordCheckpoint(answer: CheckpointAnswer): Document {
  const states = readAgentState(answer.agent_state);
  return makeDocument(
    wordHead(answer),
    ...answer.sessions.map(({ session_id, title, agent, turns, ...link }) =>
      wordSessionWork({
        session_id,
        title,
        facts: [agent, linkEvidence(link)],
        turns: turns.slice(-maxShown.turns),
        turnsTotal: turns.length,
        state: states[session_id] ?? null,
      }),
    ),
    answer.files.length > 0 && [heading("Files"), wordFiles(answer)],
    [
      line(
        faint(
          `\`pm checkpoint rewind ${shortenHash(answer.id)}\` shows what has changed since, and how to go back to it.`,
        ),
      ),
    ],
  );
}

function wordHead(answer: CheckpointAnswer): Paragraph {
  const { commit, tree, branch, parent_id, author, subject, committed_at, next_ids } = answer;
  const named = (checkpoint: string): LinePart => ({ text: shortenHash(checkpoint), role: "commit" });
  return [
    line({ ...strong(nameSubject(subject)), quotedChars: 160 }),
    line("commit ", { text: commit, role: "commit", commit }),
    line("tree ", { text: tree }),
    line(
      ...joinParts([exactly(committed_at), { text: author }, branch !== null && { text: `on ${branch}` }]),
    ),
    line(
      ...(parent_id === null ? ["the first checkpoint"] : ["after checkpoint ", named(parent_id)]),
      ...(next_ids.length === 0 ? [] : [", before ", ...joinParts(next_ids.map(named), ", ")]),
    ),
    ...answer.rewritten_as.map((hash) => line("rewritten as commit ", { text: shortenHash(hash) })),
    line({ text: answer.diff_summary }),
    line(wordLinesByAuthor(answer.lines)),
  ];
}

interface CheckpointWork {
  session_id: string;
  title: string | null;
  facts: readonly (string | null)[];
  turns: readonly { turn: number; prompt: string | null }[];
  turnsTotal: number;
  state: SessionState | null;
}

/** What was going on in a session that led to a commit: its last turns, what the agent said, and what it had set out to do. */
export function wordSessionWork({
  session_id,
  title,
  facts,
  turns,
  turnsTotal,
  state,
}: CheckpointWork): Paragraph {
  const earlier = turnsTotal - turns.length;
  const isShown = turns.some(({ turn, prompt }) => turn === state?.turn && prompt !== null);
  return [
    heading(`Session ${shortenSessionId(session_id)}`),
    line({ ...strong(nameTitle(title)), quotedChars: 160 }),
    line(faint(facts.filter(Boolean).join(", "))),
    ...(earlier > 0 && turns.length > 0 ? [line(faint(formatCount(earlier, "earlier turn")))] : []),
    ...turns.map(({ turn, prompt }) => labelTurn(turn, quoted(namePrompt(turn, prompt), 160))),
    ...(isShown || state?.prompt == null ? [] : [line("Prompt: ", quoted(state.prompt))]),
    ...(state?.said == null ? [] : [line("Last reply: ", quoted(state.said))]),
    ...(state?.todos ?? []).map(({ text, status }) =>
      indentedLine(2, 6, `[${boxes[status] ?? " "}] `, quoted(text, 120)),
    ),
  ];
}

const boxes: Readonly<Record<string, string>> = { completed: "x", in_progress: "~" };

const wordFiles = ({ files }: CheckpointAnswer): DocumentBlock =>
  table(
    [{ title: "" }, { title: "lines" }, { title: "file", wraps: true }, { title: "authors", optional: 1 }],
    files.map(({ path, old_path, status, insertions, deletions, lines }) => [
      { text: status },
      formatChange(insertions, deletions),
      { text: formatMove(path, old_path) },
      joinParts(
        countByAuthors(lines).map(({ count, by }) => faint(`${count} ${by}`)),
        ", ",
      ),
    ]),
    maxShown.files,
  );

/** "old.ts => new.ts" */
export const formatMove = (path: string, oldPath: string | null): string =>
  oldPath === null ? path : `${oldPath} => ${path}`;

/** What is compared. */
export function wordSides({ from, to, files }: DiffAnswer): Document {
  return [
    [
      wordSide("from", from),
      wordSide("  to", to),
      ...(files.length === 0 ? [line("The files are identical.")] : []),
    ],
  ];
}

const wordSide = (label: string, { id: checkpoint, commit, subject }: ComparedSide): DocumentBlock =>
  line(
    `${label} `,
    makeCommitPiece(commit),
    checkpoint === null && "  no checkpoint",
    subject !== null && "  ",
    subject !== null && quoted(subject),
  );

/** The sessions that lie between the two sides, each with its turns. */
export function wordSessionsBetween({ sessions }: DiffAnswer): Document {
  const titles = { to: "Sessions that led there", from: "Sessions only in the first" } as const;
  return makeDocument(
    ...(["to", "from"] as const).map((which) => {
      const of = sessions.filter(({ side }) => side === which);
      return of.length > 0 && [heading(titles[which]), ...of.flatMap(wordSessionBetween)];
    }),
  );
}

function wordSessionBetween({
  session_id,
  title,
  turns,
  checkpoints,
}: DiffAnswer["sessions"][number]): DocumentBlock[] {
  const shown = turns.slice(0, maxShown.turns);
  const more = turns.length - shown.length;
  return [
    line(
      id(shortenSessionId(session_id)),
      "  ",
      quoted(nameTitle(title)),
      "  ",
      faint(`${formatCount(checkpoints.length, "checkpoint")}, ${formatCount(turns.length, "turn")}`),
    ),
    ...shown.map(({ turn, prompt }) => labelTurn(turn, quoted(namePrompt(turn, prompt), 160))),
    ...(more > 0 ? [line(faint(`and ${formatCount(more, "more turn")}`))] : []),
  ];
}

interface BackfillReport {
  commits: number;
  lookedAt: number;
  checkpoints: number;
  isInterrupted: boolean;
}

/** What was made of earlier commits. @param took "1.2 s" */
export function wordBackfill(report: BackfillReport, isAll: boolean, took: string): string {
  const { commits, lookedAt, checkpoints, isInterrupted } = report;
  if (commits === 0)
    return isAll
      ? "No commits yet."
      : "No commits since the first recorded session. --all analyses the whole history.";
  const counts = `${formatCount(lookedAt, "commit")} analysed, ${formatCount(checkpoints, "checkpoint")} found`;
  if (isInterrupted) return `Interrupted: ${counts}. Run it again to continue.`;
  const known = commits - lookedAt;
  const before = known > 0 ? ` ${formatCount(known, "commit")} analysed before.` : "";
  return lookedAt === 0 ? `Nothing new.${before}` : `Done in ${took}: ${counts}.${before}`;
}
