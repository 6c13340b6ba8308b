import type { RouteName } from "../protocol/endpoints.ts";
import type { RequestOf, ResponseOf } from "../protocol/routes.ts";
import type { CodeIndex } from "../store/index/port.ts";

/** @param place the directory that it is about; null: none */
export type Answerer = <R extends RouteName>(
  place: string | null,
  route: R,
  /** Checked before it is answered. */
  request: RequestOf<R>,
  signal?: AbortSignal,
) => Promise<ResponseOf<R>>;

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
export const answererHere = (): Answerer | null => answerer;

/** An index that this process has open to write: its daemon's. */
interface IndexOwner {
  readonly index: CodeIndex;
  /** Called with every error of a reader. */
  suspect(error: unknown): void;
}

/** By the index's file. */
const indexOwners = new Map<string, IndexOwner>();

/** Lets what reads the index use the one that is open. @returns undoes it */
export function shareOpenIndex(file: string, owner: IndexOwner): () => void {
  indexOwners.set(file, owner);
  // It may have been opened again meanwhile.
  return () => void (indexOwners.get(file) === owner && indexOwners.delete(file));
}

/** null: this process has none open. */
export function indexOwner(file: string): IndexOwner | null {
  return indexOwners.get(file) ?? null;
}
