import { Ancestry } from "../git/ancestry.ts";
import { GitFailure } from "../git/git.ts";
import { survivalOf } from "../git/survival.ts";
import { PommelError } from "../project/errors.ts";
import type { Project } from "../project/paths.ts";
import type { Config } from "../project/settings.ts";
import { beginningOf } from "../sessions/text-size.ts";
import { checkpointOfCommit } from "../store/memory/checkpoints.ts";
import { commitByHash, filesOfCommit } from "../store/memory/commits.ts";
import type { Memory } from "../store/memory/memory.ts";
import { sessionByUid } from "../store/memory/sessions.ts";
import { turnOf } from "../store/memory/turns.ts";
import { blameFile } from "./blame.ts";
import type { BlameRange, LineAuthor } from "./blame-answer.ts";
import { entry, mostFirst } from "./blame-summary.ts";
import type { LineRange } from "./file-place.ts";
import type {
  EarlierLines,
  NearDecision,
  Origin,
  OriginCommit,
  WhyAnswer,
  WhyFreshness,
} from "./why-answer.ts";
import { nearDecisions } from "./why-decisions.ts";
import { changesSince, type LinesAt, linesBefore } from "./why-history.ts";
import { originTurn } from "./why-turn.ts";

export interface WhyRequest {
  /** From the project's root, with slashes: `locate` of file-place.ts. */
  file: string;
  lines: LineRange;
  /** The file as it was there; left out: as it is in the working tree. */
  revision?: string | undefined;
}

const linesShown = 50;
const earlierLinesShown = 5;
const originsShown = 5;
const decisionsShown = 5;
const laterDecisionsShown = 3;
/** Steps back. */
const mostEarlier = 3;
/** What looking around, beyond the lines themselves, may take. Milliseconds. */
const patienceMs = 3000;

/**
 * Why lines are as they are: what wrote them, when, what was asked, what was decided, and what became of it.
 * @param memory null: nothing is remembered, and only git is asked
 * @throws PommelError as `blameFile`
 */
export async function whyLines(
  project: Project,
  memory: Memory | null,
  request: WhyRequest,
  config: Config,
  signal?: AbortSignal,
): Promise<WhyAnswer> {
  const { file, lines, revision } = request;
  const blamed = await blameFile(project, memory, { file, ranges: [lines], revision, texts: true }, signal);
  const { ranges } = blamed;
  const origins = originsOf(memory, ranges);
  const [first] = origins;
  const head = ranges.find((range) => isOf(range, first!))!;
  const files = [...new Set([file, head.original_path])];
  const notes = [...blamed.notes];
  const around = within(signal, notes);
  const [earlier, later, fate] = await Promise.all([
    around("what stood there before", () => earlierLines(project, memory, head, around.signal)),
    head.commit === null
      ? null
      : around("later changes", () => changesSince(project, memory, head.commit!, files, around.signal)),
    head.commit === null
      ? null
      : around("what became of the commit", () =>
          new Ancestry(project.root).statesOf([head.commit!], around.signal),
        ),
  ]);
  const decisions = memory === null ? [] : nearDecisions(memory, placeOf(first!, head, files), config);
  const laterDecisions = decisions.filter((one) => !one.is_before && isAbout(one, files)).sort(latestFirst);
  return {
    file,
    first_line: ranges[0]!.first_line,
    last_line: ranges.at(-1)!.last_line,
    text: (blamed.lines ?? []).slice(0, linesShown).map(({ text }) => text),
    origins: origins.slice(0, originsShown),
    decisions: decisions.filter((one) => one.is_before || one.near === "session").slice(0, decisionsShown),
    earlier: earlier ?? [],
    later,
    freshness: {
      ...stateOf(head, fate?.get(head.commit ?? ""), laterDecisions),
      ...survivalIn(project, memory, head.commit),
      later_decisions: laterDecisions.slice(0, laterDecisionsShown),
    },
    notes: [...notes, ...unknownsOf(memory, first!)],
  };
}

const latestFirst = (a: NearDecision, b: NearDecision) =>
  (b.timestamp ?? "").localeCompare(a.timestamp ?? "");
const isAbout = ({ files }: NearDecision, of: readonly string[]) => files.some((file) => of.includes(file));

/** Those with the most lines first, of equal ones the latest. */
function originsOf(memory: Memory | null, ranges: readonly BlameRange[]): Origin[] {
  const groups = new Map<string, { ranges: BlameRange[]; lines: number }>();
  for (const range of ranges) {
    const group = entry(groups, keyOf(range), () => ({ ranges: [], lines: 0 }));
    group.ranges.push(range);
    group.lines += range.last_line - range.first_line + 1;
  }
  const latest = [...groups.values()].sort((a, b) => timeOf(b.ranges[0]!) - timeOf(a.ranges[0]!));
  const ordered = mostFirst(new Map(latest.entries()), ({ lines }) => lines);
  return ordered.map(({ ranges: [range, ...more] }, i): Origin => {
    const { session_id, turn } = range!;
    return {
      lines: [range!, ...more].map(({ first_line, last_line }) => [first_line, last_line]),
      written_by: authorIn(range!),
      commit: commitIn(memory, range!),
      checkpoint_id:
        memory && range!.commit ? (checkpointOfCommit(memory, range!.commit)?.uid ?? null) : null,
      turn:
        memory === null || session_id === null || turn === null || i >= originsShown
          ? null
          : originTurn(memory, { session: session_id, turn, toolUse: range!.tool_use }),
    };
  });
}

const keyOf = ({ commit, author, session_id, turn }: BlameRange) =>
  JSON.stringify([commit, author, session_id, turn]);
const isOf = (range: BlameRange, origin: Origin) =>
  origin.lines.some(([first]) => first === range.first_line);
/** What is not committed yet is the latest. */
const timeOf = ({ authored_at }: BlameRange) =>
  authored_at === null ? Number.MAX_SAFE_INTEGER : Date.parse(authored_at);

function authorIn(range: BlameRange): LineAuthor {
  const { author, session_id, session_title, agent, model, turn, tool_use, confidence, how, said_by, hint } =
    range;
  return { author, session_id, session_title, agent, model, turn, tool_use, confidence, how, said_by, hint };
}

function commitIn(memory: Memory | null, range: BlameRange): OriginCommit | null {
  if (range.commit === null) return null;
  return {
    hash: range.commit,
    subject: range.subject ?? "",
    person: range.person ?? "",
    authored_at: range.authored_at,
    branch: memory === null ? null : (commitByHash(memory, range.commit)?.branch ?? null),
    is_boundary: range.is_boundary,
  };
}

/** Looks around for as long as there is patience; what git does not tell, or not in time, is said and left out. */
function within(signal: AbortSignal | undefined, notes: string[]) {
  const late = AbortSignal.timeout(patienceMs);
  const either = signal ? AbortSignal.any([signal, late]) : late;
  const around = async <T>(what: string, look: () => Promise<T>): Promise<T | null> => {
    try {
      return await look();
    } catch (error) {
      signal?.throwIfAborted();
      if (late.aborted) notes.push(`git was too slow to tell ${what}.`);
      else if (error instanceof GitFailure || error instanceof PommelError) {
        notes.push(`git does not tell ${what}: ${error.message}.`);
      } else throw error;
      return null;
    }
  };
  return Object.assign(around, { signal: either });
}

async function earlierLines(
  project: Project,
  memory: Memory | null,
  head: BlameRange,
  signal: AbortSignal,
): Promise<EarlierLines[]> {
  const steps: EarlierLines[] = [];
  let at: LinesAt = {
    commit: head.commit,
    file: head.original_path,
    first: head.original_line,
    last: head.original_line + head.last_line - head.first_line,
  };
  let isCutOff = head.is_boundary;
  while (steps.length < mostEarlier && !isCutOff) {
    const before = await linesBefore(project, at, signal);
    if (before === null) break;
    const { revision, file, first, last } = before;
    const blamed = await blameFile(project, memory, { file, ranges: [{ first, last }], revision }, signal);
    const origin = originsOf(null, blamed.ranges)[0];
    const range = origin && blamed.ranges.find((one) => isOf(one, origin));
    if (!range || range.commit === null) break;
    steps.push({
      how: before.how,
      file,
      first_line: first,
      last_line: last,
      text: before.text.slice(0, earlierLinesShown),
      written_by: authorIn(range),
      commit: commitIn(memory, range),
      prompt: promptOf(memory, range),
    });
    const span = range.last_line - range.first_line;
    at = {
      commit: range.commit,
      file: range.original_path,
      first: range.original_line,
      last: range.original_line + span,
    };
    isCutOff = range.is_boundary;
  }
  return steps;
}

function promptOf(memory: Memory | null, { session_id, turn }: LineAuthor): string | null {
  if (memory === null || session_id === null || turn === null) return null;
  const session = sessionByUid(memory, session_id);
  const record = session ? turnOf(memory, session.id, turn) : null;
  return record ? beginningOf(record.prompt, 300) : null;
}

function placeOf({ turn, written_by }: Origin, head: BlameRange, files: string[]) {
  const { session_id, turn: number } = written_by;
  const own = session_id !== null && number !== null ? [{ session: session_id, turn: number }] : [];
  const asked = turn?.asked_by ? [{ session: turn.asked_by.session_id, turn: turn.asked_by.turn }] : [];
  const at = turn?.started_at ?? head.authored_at;
  return {
    turns: [...own, ...asked],
    at: at === null ? null : Date.parse(at),
    files,
    about: turn?.prompt ?? head.subject ?? "",
  };
}

function stateOf(
  head: BlameRange,
  fate: { reach: "head" | "elsewhere" | "gone"; branches: string[]; revertedBy: string | null } | undefined,
  laterDecisions: readonly NearDecision[],
): Pick<WhyFreshness, "state" | "branches" | "reverted_by"> {
  const branches = fate?.branches ?? [];
  const reverted_by = fate?.revertedBy ?? null;
  const given = { branches, reverted_by };
  if (head.commit === null) return { state: "uncommitted", ...given };
  if (!fate) return { state: "unknown", ...given };
  if (reverted_by !== null) return { state: "reverted", ...given };
  if (fate.reach !== "head") return { state: fate.reach, ...given };
  return { state: laterDecisions.length > 0 ? "reconsidered" : "stands", ...given };
}

function survivalIn(
  { root }: Project,
  memory: Memory | null,
  hash: string | null,
): Pick<WhyFreshness, "lines_added" | "lines_surviving"> {
  const commit = memory === null || hash === null ? null : commitByHash(memory, hash);
  if (memory === null || commit === null) return { lines_added: null, lines_surviving: null };
  const { added, surviving } = survivalOf(root, filesOfCommit(memory, commit.id));
  return { lines_added: added, lines_surviving: surviving };
}

/** What is not known of an origin, said as it is. */
function unknownsOf(memory: Memory | null, { written_by, turn, commit }: Origin): string[] {
  const { author, session_id, hint } = written_by;
  if (author === "agent" && session_id === null) return ["Which session wrote this is not known."];
  if (author === "agent" && turn === null) return ["The session that wrote this is not remembered."];
  if (author !== "unknown") return [];
  const named = hint?.tools.join(", ");
  if (named) return [`Who wrote this is not known; the commit names ${named}.`];
  if (memory === null || commit === null) return ["Whether an agent wrote this is not known."];
  return ["Whether an agent or a person wrote this is not known."];
}
