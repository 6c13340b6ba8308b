import type { RequestNamed, ResponseNamed } from "../index.ts";

/** What the page asks the daemon: the same operations as the page in the browser. */
type BrowseOperation =
  | "now"
  | "sessions"
  | "session"
  | "turns"
  | "checkpoints"
  | "checkpoint"
  | "searchAll"
  | "searchTranscripts"
  | "why";

/** A question by its operation; the same question is asked once. */
export type BrowseQuestion = {
  [R in BrowseOperation]: { route: R; request: RequestNamed<R> };
}[BrowseOperation];

/** What came of a question: `error` says to a person what went wrong. */
export type BrowseAnswer<R extends BrowseOperation> =
  | { value: ResponseNamed<R>; error?: never }
  | { error: string; value?: never };

/** Answers that are kept; older ones are asked for again. */
const kept = 500;

export class BrowseAnswers {
  readonly #answers = new Map<string, BrowseAnswer<BrowseOperation>>();

  /** null: not answered yet. */
  to<R extends BrowseOperation>(route: R, request: RequestNamed<R>): BrowseAnswer<R> | null {
    // What is under a question's key is the answer to it.
    return (this.#answers.get(makeQuestionKey({ route, request })) as BrowseAnswer<R> | undefined) ?? null;
  }

  has(question: BrowseQuestion): boolean {
    return this.#answers.has(makeQuestionKey(question));
  }

  /** The last one that an operation gave. */
  findLatest<R extends BrowseOperation>(route: R): ResponseNamed<R> | null {
    const last = [...this.#answers].findLast(
      ([key, { value }]) => key.startsWith(`${route} `) && value !== undefined,
    );
    return (last?.[1].value as ResponseNamed<R> | undefined) ?? null;
  }

  set(question: BrowseQuestion, answer: BrowseAnswer<BrowseOperation>): void {
    const [oldest] = this.#answers.keys();
    if (this.#answers.size >= kept && oldest !== undefined) this.#answers.delete(oldest);
    this.#answers.set(makeQuestionKey(question), answer);
  }

  /** Forgets all, so that what is shown is asked for again. */
  clear(): void {
    this.#answers.clear();
  }
}

export function makeQuestionKey({ route, request }: { route: BrowseOperation; request: object }): string {
  return `${route} ${JSON.stringify(request)}`;
}
