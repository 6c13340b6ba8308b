import type { Operation, RequestOf, ResponseOf } from "./operation.ts";

/** @param place the directory that it is about; null: none */
export type Answerer = <O extends Operation>(
  place: string | null,
  operation: O,
  /** The answerer checks it against the operation's schema. */
  request: RequestOf<O>,
  signal?: AbortSignal,
) => Promise<ResponseOf<O>>;

/** Answers in this process, if it is the daemon itself. */
let answerer: Answerer | null = null;

/** Lets this process call its own daemon without a connection. @returns undoes it */
export function answerHere(answer: Answerer): () => void {
  answerer = answer;
  return () => {
    answerer = null;
  };
}

/** The answerer to call instead of a connection; null unless this process is the daemon. */
export const getLocalAnswerer = (): Answerer | null => answerer;
