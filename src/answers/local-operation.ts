import type { RunContext } from "./operation.ts";

/**
 * An operation that always runs in the asking process, even if a daemon runs: it takes minutes, needs the process's terminal,
 * keys and environment, or works on files that no daemon may have open. HTTP does not serve it.
 */
export interface LocalOperation<Place, Request, Answer> {
  /** Loaded on first use. */
  readonly runHere: () => Promise<
    (place: Place, request: Request, how: RunContext) => Answer | Promise<Answer>
  >;
}

// biome-ignore lint/suspicious/noExplicitAny: the widest of them, which each extends
export type AnyLocalOperation = LocalOperation<any, any, unknown>;

/** Defines a local operation. The types of its place and request are inferred from its answer. */
export const defineLocalOperation = <Place, Request, Answer>(
  runHere: LocalOperation<Place, Request, Answer>["runHere"],
): LocalOperation<Place, Request, Answer> => ({ runHere });
