import type { Running } from "./operation.ts";

/**
 * An operation of the process that asks, whether a daemon runs or not: it takes minutes, needs its terminal, keys and
 * environment, or works on files that no daemon may have open. HTTP does not serve it.
 */
export interface LocalOperation<Place, Request, Answer> {
  /** Loaded on first use. */
  readonly runHere: () => Promise<(place: Place, request: Request, how: Running) => Answer | Promise<Answer>>;
}

// biome-ignore lint/suspicious/noExplicitAny: the widest of them, which each extends
export type AnyLocalOperation = LocalOperation<any, any, unknown>;

/** Describes an operation of the process that asks. Its place and request are those of its answer. */
export const defineLocalOperation = <Place, Request, Answer>(
  runHere: LocalOperation<Place, Request, Answer>["runHere"],
): LocalOperation<Place, Request, Answer> => ({ runHere });
