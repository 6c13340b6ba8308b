import type { RequestNamed, ResponseNamed } from "../index.ts";

/** What the page asks the daemon: the same operations as the page in the browser. */
type Asked =
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
export type Question = { [R in Asked]: { route: R; request: RequestNamed<R> } }[Asked];

/** What came of a question: `error` says to a person what went wrong. */
export type Answer<R extends Asked> =
  | { value: ResponseNamed<R>; error?: never }
  | { error: string; value?: never };

/** Answers that are kept; older ones are asked for again. */
const kept = 500;

export class Answers {
  readonly #answers = new Map<string, Answer<Asked>>();

  /** null: not answered yet. */
  to<R extends Asked>(route: R, request: RequestNamed<R>): Answer<R> | null {
    // What is under a question's key is the answer to it.
    return (this.#answers.get(makeQuestionKey({ route, request })) as Answer<R> | undefined) ?? null;
  }

  has(question: Question): boolean {
    return this.#answers.has(makeQuestionKey(question));
  }

  /** The last one that an operation gave. */
  findLatest<R extends Asked>(route: R): ResponseNamed<R> | null {
    const last = [...this.#answers].findLast(
      ([key, { value }]) => key.startsWith(`${route} `) && value !== undefined,
    );
    return (last?.[1].value as ResponseNamed<R> | undefined) ?? null;
  }

  set(question: Question, answer: Answer<Asked>): void {
    const [oldest] = this.#answers.keys();
    if (this.#answers.size >= kept && oldest !== undefined) this.#answers.delete(oldest);
    this.#answers.set(makeQuestionKey(question), answer);
  }

  /** Forgets all, so that what is shown is asked for again. */
  clear(): void {
    this.#answers.clear();
  }
}

export function makeQuestionKey({ route, request }: { route: Asked; request: object }): string {
  return `${route} ${JSON.stringify(request)}`;
}
