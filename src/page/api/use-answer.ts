import {
  keepPreviousData,
  notifyManager,
  QueryClient,
  QueryObserver,
  type QueryObserverOptions,
  type QueryState,
} from "@tanstack/query-core";
import { useEffect, useReducer, useState } from "preact/hooks";
import type { OperationName, RequestNamed, ResponseNamed } from "../../features/index.ts";
import { type AskError, ask, toAskError } from "./ask.ts";
import { placeShown } from "./place.ts";
import { findLastWrite } from "./written.ts";

const client = new QueryClient({
  defaultOptions: {
    queries: {
      // The daemon is on this machine, whether the network is there or not.
      networkMode: "always",
      refetchOnReconnect: false,
      retry: false,
      // A whole file with its authors costs more to compare with the former answer than to draw again.
      structuralSharing: false,
    },
  },
});
client.mount();

/** An answer, when it was asked for, in milliseconds since the epoch, and how long it took. */
interface Reply<N extends OperationName> {
  answer: ResponseNamed<N>;
  askedAt: number;
  tookMs: number;
}

const answerIn = <N extends OperationName>({ answer }: Reply<N>): ResponseNamed<N> => answer;

/**
 * An agent at work writes all the time: it is asked again no sooner than so long after the last answer, and what costs much
 * more rarely. Milliseconds, and how often as long as the answer took.
 */
const pause = { ms: 1500, times: 10 } as const;

/** How long until an answer is asked for again, as what it is made of was written since; false: it was not. */
function computeRefetchMs<N extends OperationName>(
  writtenAt: number,
  { data, dataUpdatedAt, errorUpdatedAt, fetchStatus }: QueryState<Reply<N>, AskError>,
): number | false {
  const answeredAt = Math.max(dataUpdatedAt, errorUpdatedAt);
  const askedAt = data !== undefined && dataUpdatedAt === answeredAt ? data.askedAt : answeredAt;
  // Asked anew with everything that is written, an answer that takes long would never be there.
  if (fetchStatus !== "idle" || writtenAt <= askedAt) return false;
  const wait = Math.max(pause.ms, pause.times * (data?.tookMs ?? 0));
  return Math.max(1, answeredAt + wait - Date.now());
}

export interface Answer<T> {
  /** The latest answer; of an earlier request until the new one is there. */
  data: T | null;
  error: AskError | null;
  reload: () => void;
}

/**
 * The answer to a question of a view, asked again whenever the question changes, the reader comes back to the page, or
 * something was written that it is made of.
 * @param request null: nothing is asked
 * @param typedMs of a question that changes with every key: keys that follow one another faster are one question
 */
export function useAnswer<N extends OperationName>(
  operation: N,
  request: RequestNamed<N> | null,
  typedMs = 0,
): Answer<ResponseNamed<N>> {
  const writtenAt = findLastWrite(operation);
  const options: QueryObserverOptions<Reply<N>, AskError, ResponseNamed<N>> = {
    queryKey: [placeShown(), operation, request],
    enabled: request !== null,
    queryFn: async ({ signal }) => {
      if (typedMs > 0) await new Promise((resolve) => setTimeout(resolve, typedMs));
      signal.throwIfAborted();
      const askedAt = Date.now();
      const answer = await ask(operation, request!, signal).catch((thrown: unknown) => {
        throw toAskError(thrown);
      });
      return { answer, askedAt, tookMs: Date.now() - askedAt };
    },
    select: answerIn,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => computeRefetchMs(writtenAt, state),
  };
  const [observer] = useState(() => new QueryObserver(client, options));
  const [, draw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => observer.subscribe(notifyManager.batchCalls(() => draw(undefined))), [observer]);
  useEffect(() => observer.setOptions(options));
  const { data, error, refetch } = observer.trackResult(
    observer.getOptimisticResult({
      ...client.defaultQueryOptions(options),
      _optimisticResults: "optimistic",
    }),
  );
  return { data: data ?? null, error, reload: () => void refetch() };
}

export interface Change<N extends OperationName> {
  /** Asks for the change; null: it was refused, and `error` says why. */
  run: (request: RequestNamed<N>) => Promise<ResponseNamed<N> | null>;
  isRunning: boolean;
  error: AskError | null;
}

/** An operation that changes something, asked for by a button or a form. What is shown is asked for again afterwards. */
export function useChange<N extends OperationName>(operation: N): Change<N> {
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<AskError | null>(null);
  const run = async (request: RequestNamed<N>) => {
    setRunning(true);
    setError(null);
    try {
      const answer = await ask(operation, request);
      // Any answer may be another one now, and what was forgotten is in none.
      client.removeQueries({ type: "inactive" });
      void client.invalidateQueries();
      return answer;
    } catch (thrown) {
      setError(toAskError(thrown));
      return null;
    } finally {
      setRunning(false);
    }
  };
  return { run, isRunning, error };
}
