import type { LineRange } from "../../answers/file-place.ts";
import type { CommitFates } from "../../attribution/commit-fates.ts";
import { PommelError } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { formatCount } from "../../base/text/counted.ts";
import { GitFailure } from "../../git/git.ts";
import { Ancestry } from "../../git/history/ancestry.ts";
import { listStoredNotes } from "../../store/memory/chunks/notes.ts";
import { findCommitByHash } from "../../store/memory/commits/commits.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { blameFile } from "../blame/blame-file.ts";
import type { BlameRange } from "../blame/operation.ts";
import type { LineOrigin, NearDecision, WhyAnswer, WhyCaller, WhyFreshness } from "./operation.ts";
import { findNearDecisions } from "./why-decisions.ts";
import { buildOrigin, findLargestRange, groupByOrigin } from "./why-origins.ts";
import type { LinesInQuestion } from "./why-subject.ts";

const shownCallers = 5;

/** What calls or uses what lines are in, and what changed there since they were written; null where it is not known. */
async function findLineCallers(
  project: Project,
  { commit }: BlameRange,
  { file, lines }: { file: string; lines: LineRange },
  signal: AbortSignal,
): Promise<WhyAnswer["used_by"]> {
  // Loaded on demand, as what analyses commits below: a question in short needs neither.
  const [{ askGraph }, { toGraphEdge }] = await Promise.all([
    import("../../answers/ask-graph.ts"),
    import("../../code/graph/neighbours.ts"),
  ]);
  const found = await askGraph(project, async (graph) => {
    if (!(await graph.hasReferences(file))) return null;
    const { edges } = await graph.findCallers(
      await graph.definitions.findDefinitionsAt(file, lines.first, lines.last),
    );
    return { edges: edges.slice(0, shownCallers).map(toGraphEdge), total: edges.length };
  });
  if (found === null) return null;
  const changedBy = new Map<string, WhyCaller["changed_by"]>();
  for (const { file } of found.edges) {
    if (commit === null || changedBy.has(file)) continue;
    changedBy.set(file, await findLastChangeTo(project, commit, file, signal));
  }
  const edges = found.edges.map((edge) => ({ ...edge, changed_by: changedBy.get(edge.file) ?? null }));
  return { edges, total: found.total };
}

async function findLastChangeTo(
  project: Project,
  commit: string,
  file: string,
  signal: AbortSignal,
): Promise<WhyCaller["changed_by"]> {
  const { findChangesSince } = await import("./why-history.ts");
  try {
    const [last] = (await findChangesSince(project, null, commit, [file], signal))?.latest ?? [];
    return last === undefined
      ? null
      : { hash: last.hash, subject: last.subject, authored_at: last.authored_at };
  } catch (error) {
    if (error instanceof GitFailure || signal.aborted) return null;
    throw error;
  }
}

interface WhyRequest {
  /** From the project's root, with slashes: `locate` of file-place.ts. */
  file: string;
  lines: LineRange;
  /** The file as it was there; left out: as it is in the working tree. */
  revision?: string | undefined;
  /** Without earlier versions, later changes and callers. */
  brief?: boolean | undefined;
}

const linesShown = 50;
const originsShown = 5;
const decisionsShown = 5;
const laterDecisionsShown = 3;
/** What looking around, beyond the lines themselves, may take. Milliseconds. */
const timeoutMs = 3000;

/**
 * Why lines are as they are: what wrote them, when, the prompt, the decisions, and what happened later.
 * @param memory null: there is no memory, so only git is asked
 * @throws PommelError as `blameFile`
 */
export async function explainLines(
  project: Project,
  memory: Memory | null,
  request: WhyRequest,
  signal?: AbortSignal,
): Promise<WhyAnswer> {
  const { file, lines, revision, brief = false } = request;
  const { analyseFor } = await import("../../answers/analyse.ts");
  const analyse = analyseFor(project, memory, signal);
  const asked = { file, ranges: [lines], revision, texts: true };
  const blamed = await blameFile(project, memory, asked, signal, analyse);
  const { ranges } = blamed;
  const texts = new Map((blamed.lines ?? []).map(({ line, text }) => [line, text]));
  const groups = groupByOrigin(ranges, (line) => texts.get(line));
  const origins = groups.slice(0, originsShown).map((group) => buildOrigin(memory, group));
  const [first] = origins;
  // A blame that has no lines is an error, so there is a first one.
  const head = findLargestRange(groups[0]!);
  const files = [...new Set([file, head.original_path])];
  const notes = [...blamed.notes];
  const around = makeLimitedLookUp(signal, notes);
  const fates = head.commit === null ? null : await openFates(project, memory);
  const history = brief ? null : await import("./why-history.ts");
  const [earlier, later, fate] = await Promise.all([
    history === null
      ? null
      : around("earlier versions", () =>
          history.findEarlierLines(project, memory, head, around.signal, analyse),
        ),
    history === null || head.commit === null
      ? null
      : around("later changes", () =>
          history.findChangesSince(project, memory, head.commit!, files, around.signal),
        ),
    head.commit === null
      ? null
      : around("the commit's status", () =>
          fates
            ? fates.findFates([head.commit!], around.signal)
            : new Ancestry(project.root).findFates([head.commit!], around.signal),
        ),
  ]);
  const used_by =
    !brief && revision === undefined
      ? await findLineCallers(project, head, { file, lines }, around.signal)
      : null;
  const decisions = memory === null ? [] : findNearDecisions(memory, toWritingPlace(first!, head, files));
  const since = decisions.filter((one) => !one.is_before && isAbout(one, files)).sort(compareLatestFirst);
  const place = {
    file,
    lines,
    texts: [...texts.values()],
    about: describeSubject(first!, head),
    isNamedByFile: true,
  };
  const before = decisions.filter(({ is_before }) => is_before);
  // A note about a file was meant for all of it, one of the turn that wrote the lines for them.
  const isNote = (one: NearDecision) =>
    one.source === "annotation" && (isAbout(one, files) || isOfTurn(one, first!.turn));
  const behind = await pickConcerning(
    project,
    memory,
    place,
    before.filter((one) => !isNote(one)),
    [],
  );
  const earlierDecisions = before.filter((one) => isNote(one) || behind.concerning.includes(one));
  const sinceThen = await pickConcerning(
    project,
    memory,
    { ...place, isNamedByFile: false },
    since,
    behind.concerning,
  );
  const laterDecisions = sinceThen.concerning;
  return {
    file,
    first_line: ranges[0]!.first_line,
    last_line: ranges.at(-1)!.last_line,
    text: (blamed.lines ?? []).slice(0, linesShown).map(({ text }) => text),
    line_notes:
      memory === null || revision !== undefined ? [] : await listLineNotes(memory, project, file, lines),
    origins,
    decisions: earlierDecisions.slice(0, decisionsShown),
    earlier: earlier ?? [],
    later,
    freshness: {
      ...judgeFreshness(head, fate?.get(head.commit ?? ""), laterDecisions),
      ...findSurvival(fates, memory, head.commit),
      later_decisions: laterDecisions.slice(0, laterDecisionsShown),
    },
    used_by,
    notes: [
      ...notes,
      ...describeUnknowns(memory, first!),
      ...describeUnclear(behind.unclear + sinceThen.unclear),
      ...describeLeftOut(groups.length - origins.length),
    ],
  };
}

async function openFates({ root }: Project, memory: Memory | null): Promise<CommitFates | null> {
  if (memory === null) return null;
  const { openCommitFates } = await import("../../attribution/commit-fates.ts");
  return openCommitFates(root, memory);
}

/** The notes on lines. What finds lines again is loaded where the memory has a note on any. */
async function listLineNotes(
  memory: Memory,
  { root }: Project,
  file: string,
  lines: LineRange,
): Promise<WhyAnswer["line_notes"]> {
  if (listStoredNotes(memory, { placed: true, limit: 1 }).length === 0) return [];
  const [{ listNotesOnLines }, { toLineNote }] = await Promise.all([
    import("../../attribution/line-notes.ts"),
    import("../notes/operation.ts"),
  ]);
  return listNotesOnLines(memory, root, file, lines).map(toLineNote);
}

/**
 * Of decisions those that concern lines, or take back a decision behind them, not what was only decided nearby; and of how many
 * it is not known yet.
 */
async function pickConcerning(
  project: Project,
  memory: Memory | null,
  place: LinesInQuestion,
  doubtful: readonly NearDecision[],
  behind: readonly NearDecision[],
): Promise<{ concerning: NearDecision[]; unclear: number }> {
  if (memory === null || doubtful.length === 0) return { concerning: [], unclear: 0 };
  const { findSubject, isAboutSubject } = await import("./why-subject.ts");
  const quoted = behind.slice(0, decisionsShown).map(({ text }) => text);
  const subject = await findSubject(project, place, quoted);
  const concerning = doubtful.filter((decision) => isAboutSubject(memory, decision, subject));
  return { concerning, unclear: subject.isIndexed ? 0 : doubtful.length - concerning.length };
}

/** A decision may name only the function that lines are in, which the index knows. */
const describeUnclear = (decisions: number): string[] =>
  decisions === 0
    ? []
    : [
        `Not known yet whether ${formatCount(decisions, "more decision")} ${decisions === 1 ? "concerns" : "concern"} these lines: the code index does not have the file.`,
      ];

/** What lines were written for: what was asked, and what the commit says. */
const describeSubject = ({ turn }: LineOrigin, { subject }: BlameRange): string =>
  [turn?.prompt, turn?.asked_by?.prompt, turn?.said_before, turn?.said_after, subject]
    .filter(Boolean)
    .join("\n");

const isOfTurn = (one: NearDecision, turn: LineOrigin["turn"]) =>
  turn !== null && one.session_id === turn.session_id && one.turn === turn.number;

const compareLatestFirst = (a: NearDecision, b: NearDecision) =>
  (b.timestamp ?? "").localeCompare(a.timestamp ?? "");
const isAbout = ({ files }: NearDecision, of: readonly string[]) => files.some((file) => of.includes(file));

/**
 * Runs optional look-ups within a time limit; where git fails or is too slow, adds a note and leaves the result out.
 */
function makeLimitedLookUp(signal: AbortSignal | undefined, notes: string[]) {
  const late = AbortSignal.timeout(timeoutMs);
  const either = signal ? AbortSignal.any([signal, late]) : late;
  const around = async <T>(what: string, look: () => Promise<T>): Promise<T | null> => {
    try {
      return await look();
    } catch (error) {
      signal?.throwIfAborted();
      if (late.aborted) notes.push(`git was slow; ${what} left out.`);
      else if (error instanceof GitFailure || error instanceof PommelError) {
        notes.push(`git failed; ${what} left out: ${error.message}.`);
      } else throw error;
      return null;
    }
  };
  return Object.assign(around, { signal: either });
}

function toWritingPlace({ turn, written_by }: LineOrigin, head: BlameRange, files: string[]) {
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

function judgeFreshness(
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

function findSurvival(
  fates: CommitFates | null,
  memory: Memory | null,
  hash: string | null,
): Pick<WhyFreshness, "lines_added" | "lines_surviving"> {
  const commit = memory === null || hash === null ? null : findCommitByHash(memory, hash);
  // Data synced from another machine does not include what the commit changed.
  const isLookedAt = commit !== null && commit.attributed > 0;
  const survival = isLookedAt ? fates?.measureSurvival(commit) : null;
  return { lines_added: survival?.added ?? null, lines_surviving: survival?.surviving ?? null };
}

const describeLeftOut = (more: number) =>
  more > 0
    ? [`The lines have ${more} more ${more === 1 ? "origin" : "origins"}: pm blame covers every line.`]
    : [];

/** Notes about what is unknown of an origin. */
function describeUnknowns(memory: Memory | null, { written_by, turn, commit }: LineOrigin): string[] {
  const { author, session_id, hint } = written_by;
  if (author === "agent" && session_id === null) return ["The session that wrote this is unknown."];
  if (author === "agent" && turn === null) return ["The session that wrote this is not in the memory."];
  if (author !== "unknown") return [];
  const named = hint?.tools.join(", ");
  if (named) return [`Author unknown (the commit message credits ${named}).`];
  if (memory === null || commit === null) return ["Author unknown: no sessions to compare with."];
  return ["Author unknown: no evidence for an agent or a person."];
}
