import { shortenText } from "../../../base/text/text-size.ts";
import { extractContentWords, shortenUrls } from "../prose.ts";

export interface SummaryStatement {
  text: string;
  words: ReadonlySet<string>;
  turn: number;
  /** Order in the session. */
  order: number;
  /** By its cues. */
  weight: number;
}

/** Characters. */
const maxStatementLength = 260;

export function buildStatement(
  sentence: string,
  turn: number,
  order: number,
  weight: number,
): SummaryStatement {
  const shown = shortenText(shortenUrls(sentence), maxStatementLength);
  const text = shown.charAt(0).toUpperCase() + shown.slice(1);
  return { text, words: extractContentWords(text), turn, order, weight };
}

/** Mostly letters: not a path, data, or a line of a log; nor an announcement such as "as follows:". */
export function isSentence(text: string): boolean {
  if (text.endsWith(":") || text.length < 20) return false;
  const letters = text.match(/[\p{L} ]/gu)?.length ?? 0;
  return letters / text.length > 0.7 && /\s\S+\s/.test(text);
}

/** A collection of statements, of which the weaker half is dropped when there are more than twice `most`. */
export function createStatementCollector<T extends SummaryStatement>(
  most: number,
): { add(statement: T): void; all(): T[] } {
  let kept: T[] = [];
  const prune = () => {
    kept = kept.toSorted((a, b) => b.weight - a.weight || a.order - b.order).slice(0, most);
  };
  return {
    add(statement) {
      kept.push(statement);
      if (kept.length > 2 * most) prune();
    },
    all() {
      return kept.toSorted((a, b) => a.order - b.order);
    },
  };
}

export interface SessionProblem extends SummaryStatement {
  resolution: SummaryStatement | null;
}

/** The most that is kept; beyond it the weaker half of the problems is dropped. */
const keep = { problems: 300, open: 20, failing: 200, repairs: 20 } as const;
/** A problem without a resolution within this many sentences and turns stays open. */
const resolvedWithin = { sentences: 60, turns: 2 } as const;

/** Words that a problem and its resolution have in common. */
const minShared = 2;
/** The weight of a sentence that calls itself the fix. */
const saysFix = 3;

function countShared({ words }: SummaryStatement, other: SummaryStatement): number {
  let shared = 0;
  for (const word of words) if (other.words.has(word)) shared++;
  return shared;
}

/** The problems of a session and their solutions, in order. */
export class Problems {
  private readonly found = createStatementCollector<SessionProblem>(keep.problems);
  /** Those that may still be resolved, latest last. */
  private open: SessionProblem[] = [];
  /** Commands that failed and did not succeed since, by name. */
  private readonly failing = new Map<string, SessionProblem>();
  /** Repairs that were reported lately. */
  private readonly repairs: SummaryStatement[] = [];

  listProblems(): SessionProblem[] {
    return this.found.all();
  }

  add(statement: SummaryStatement): SessionProblem {
    const problem = { ...statement, resolution: null };
    this.found.add(problem);
    this.open.push(problem);
    if (this.open.length > keep.open) this.open.shift();
    return problem;
  }

  /** A resolution belongs to the open problem that it shares most words with. */
  resolve(resolution: SummaryStatement): void {
    this.repairs.push(resolution);
    if (this.repairs.length > keep.repairs) this.repairs.shift();
    this.open = this.open.filter(
      ({ turn, order: at }) =>
        resolution.turn - turn <= resolvedWithin.turns && resolution.order - at <= resolvedWithin.sentences,
    );
    let best: SessionProblem | null = null;
    let mostShared = 0;
    for (const problem of this.open) {
      const shared = countShared(resolution, problem) + (resolution.weight >= saysFix ? 1 : 0);
      if (shared >= minShared && shared >= mostShared) {
        best = problem;
        mostShared = shared;
      }
    }
    if (best === null || (best.resolution !== null && best.resolution.weight >= resolution.weight)) return;
    best.resolution = resolution;
  }

  isFailing(command: string): boolean {
    return this.failing.has(command);
  }

  /** A command failed that did not fail before: its error message is a problem. */
  recordFailure(command: string, statement: SummaryStatement): void {
    const problem = this.add(statement);
    if (this.failing.size < keep.failing) this.failing.set(command, problem);
  }

  /**
   * A command succeeds. If it failed before, the strongest repair reported since then that speaks of the same was the remedy.
   * @param otherwise the remedy if none was reported
   */
  recordSuccess(command: string, otherwise: () => SummaryStatement): void {
    const problem = this.failing.get(command);
    if (problem === undefined) return;
    const since = this.repairs.filter(
      (repair) =>
        repair.order > problem.order &&
        (repair.weight >= saysFix || countShared(repair, problem) >= minShared),
    );
    const best = since.toSorted((a, b) => b.weight - a.weight || b.order - a.order)[0];
    problem.resolution ??= best ?? otherwise();
    this.failing.delete(command);
  }
}
