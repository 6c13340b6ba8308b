import type { Operation, RequestOf, ResponseOf } from "./operation.ts";

/** @param place the directory that it is about; null: none */
export type Answerer = <O extends Operation>(
  place: string | null,
  operation: O,
  /** Checked before it is answered. */
  request: RequestOf<O>,
  signal?: AbortSignal,
) => Promise<ResponseOf<O>>;

/** What answers in this process, where it is the daemon itself. */
let answerer: Answerer | null = null;

/** Lets this process call its own daemon without a connection. @returns undoes it */
export function answerHere(answer: Answerer): () => void {
  answerer = answer;
  return () => {
    answerer = null;
  };
}

/** Answers instead of a connection; null unless this process is the daemon. */
export const getLocalAnswerer = (): Answerer | null => answerer;
