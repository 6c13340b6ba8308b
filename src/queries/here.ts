import type { RouteName } from "../protocol/endpoints.ts";
import type { RequestOf, ResponseOf } from "../protocol/routes.ts";

type Answerer = <R extends RouteName>(
  route: R,
  request: RequestOf<R>,
  signal?: AbortSignal,
) => Promise<ResponseOf<R>>;

/** What answers in this process, by the project's root: where it is the daemon itself. */
const answerers = new Map<string, Answerer>();

/** Lets this process ask the daemon that it is without a connection. @returns undoes it */
export function answerHere(root: string, answer: Answerer): () => void {
  answerers.set(root, answer);
  return () => answerers.delete(root);
}

/** What answers in the place of a connection; null where this process is not the daemon of the project at `root`. */
export function answererHere(root: string): Answerer | null {
  return answerers.get(root) ?? null;
}
