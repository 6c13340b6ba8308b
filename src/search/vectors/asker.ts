import type { Embedder } from "../../models/embed/embedder.ts";
import { explanationOf } from "../../project/errors.ts";

interface Told {
  /** null: none, or not in time. */
  vector: Int8Array | null;
  /** Why there is none, for a person; null when nothing is wrong. */
  problem: string | null;
}

/** An answer that comes later than this is not waited for in the background either. Milliseconds. */
const longestAnswer = 30_000;
/** Queries whose vectors are remembered. */
const mostRemembered = 100;
const firstPause = 1000;
const longestPause = 60_000;

/**
 * Asks one model for vectors of queries. One that fails or is late is left alone for a while, longer each time, so
 * that a server which is down does not cost every search its deadline.
 */
export class Asker {
  private failures = 0;
  private pausedUntil = 0;
  /** Why the last question was not answered, or not in time. */
  problem: string | null = null;
  /** Vectors of the last queries: the same one comes again for its next page, or to see why. */
  private readonly remembered = new Map<string, Int8Array | null>();
  /** A question whose deadline has passed and that may still be answered: a model is being loaded, say. */
  private isWaiting = false;

  constructor(
    private readonly embedder: Embedder,
    private readonly deadlineMs: number,
  ) {}

  get model(): string {
    return this.embedder.id;
  }

  close(): Promise<void> {
    return this.embedder.close();
  }

  async ask(query: string): Promise<Told> {
    const known = this.remembered.get(query);
    if (known !== undefined) return { vector: known, problem: null };
    if (this.isWaiting || Date.now() < this.pausedUntil) return { vector: null, problem: this.problem };
    const answer = this.embedder.embed([query], "query", AbortSignal.timeout(longestAnswer)).then(
      ([vector = null]) => {
        this.failures = 0;
        this.problem = null;
        if (this.remembered.size >= mostRemembered) this.remembered.clear();
        this.remembered.set(query, vector);
        return { vector, problem: null };
      },
      (error: unknown) => this.fail(error),
    );
    if (this.deadlineMs === Number.POSITIVE_INFINITY) return answer;
    return this.inTime(answer);
  }

  private async inTime(answer: Promise<Told>): Promise<Told> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), this.deadlineMs);
    });
    const told = await Promise.race([answer, late]);
    clearTimeout(timer);
    if (told !== null) return told;
    this.isWaiting = true;
    void answer.finally(() => {
      this.isWaiting = false;
    });
    this.problem = `${this.embedder.id} did not answer within ${this.deadlineMs} ms; searched without vectors.`;
    return { vector: null, problem: this.problem };
  }

  private fail(error: unknown): Told {
    const pause = Math.min(firstPause * 2 ** this.failures++, longestPause);
    this.pausedUntil = Date.now() + pause;
    this.problem = explanationOf(error);
    return { vector: null, problem: this.problem };
  }
}
