import { useState } from "preact/hooks";
import type { RouteName } from "../../protocol/endpoints.ts";
import type { RequestOf, ResponseOf } from "../../protocol/routes.ts";
import { type AskError, ask, askErrorOf } from "./ask.ts";

export interface Change<R extends RouteName> {
  /** Asks for the change; null: it was refused, and `error` says why. */
  run: (request: RequestOf<R>) => Promise<ResponseOf<R> | null>;
  isRunning: boolean;
  error: AskError | null;
}

/** An operation that changes something, asked for by a button or a form. */
export function useChange<R extends RouteName>(route: R, onDone?: () => void): Change<R> {
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<AskError | null>(null);
  const run = async (request: RequestOf<R>) => {
    setRunning(true);
    setError(null);
    try {
      const answer = await ask(route, request);
      onDone?.();
      return answer;
    } catch (thrown) {
      setError(askErrorOf(thrown));
      return null;
    } finally {
      setRunning(false);
    }
  };
  return { run, isRunning, error };
}
