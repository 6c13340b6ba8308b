import { signal } from "@preact/signals";
import {
  keepPreviousData,
  notifyManager,
  QueryClient,
  QueryObserver,
  type QueryObserverOptions,
  type QueryState,
} from "@tanstack/query-core";
import { useEffect, useReducer, useState } from "preact/hooks";
import type { CheckpointSummary } from "../../features/checkpoints/operation.ts";
import type { OperationName, RequestNamed, ResponseNamed } from "../../features/index.ts";
import type { SessionSummary } from "../../features/sessions/operation.ts";
import { type AskError, ask, toAskError } from "./ask.ts";
import { isEverywhere, placeShown } from "./place.ts";
import { findLastWrite, isTelling } from "./written.ts";

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

/** Whether an answer is on its way that nothing stands for yet, for the page's frame. */
export const isWaiting = signal(false);

client.getQueryCache().subscribe(() => {
  isWaiting.value = client.isFetching({ predicate: ({ state }) => state.data === undefined }) > 0;
});

export interface UsedAnswer<T> {
  /** The latest answer to this very request; see `keepsFormer`. */
  data: T | null;
  error: AskError | null;
  reload: () => void;
}

interface AnswerOptions {
  /**
   * The answer to the former request stands until the new one is there: for a list that is filtered or searched. Of what has a
   * name (a file, a commit, a session) it would stand under another's.
   */
  keepsFormer?: boolean;
  /** Of a question that changes with every key: keys that follow one another faster are one question. Milliseconds. */
  typedMs?: number;
  /** Asked again after so long at the latest, as it is about more than what the daemon tells of. Milliseconds. */
  everyMs?: number;
  /** Asked again while the page is out of sight as well. */
  inBackground?: boolean;
  /** The answer changes with this alone, and is asked for again only then. */
  asOf?: string | null;
  /** Of another project than the one that is shown. */
  place?: string;
}

/**
 * The answer to a question of a view, asked again whenever the question changes, the reader comes back to the page, or
 * something was written that it is made of.
 * @param request null: nothing is asked
 */
export function useAnswer<N extends OperationName>(
  operation: N,
  request: RequestNamed<N> | null,
  { keepsFormer = false, typedMs = 0, everyMs, inBackground = false, asOf, place }: AnswerOptions = {},
): UsedAnswer<ResponseNamed<N>> {
  const writtenAt = findLastWrite(operation);
  const options: QueryObserverOptions<Reply<N>, AskError, ResponseNamed<N>> = {
    queryKey: [place ?? placeShown(), operation, request, asOf],
    enabled: request !== null,
    queryFn: async ({ signal }) => {
      if (typedMs > 0) await new Promise((resolve) => setTimeout(resolve, typedMs));
      signal.throwIfAborted();
      const askedAt = Date.now();
      const answer = await ask(operation, request!, signal, place).catch((thrown: unknown) => {
        throw toAskError(thrown);
      });
      return { answer, askedAt, tookMs: Date.now() - askedAt };
    },
    select: answerIn,
    ...(keepsFormer && { placeholderData: keepPreviousData }),
    ...(asOf !== undefined && { staleTime: Number.POSITIVE_INFINITY }),
    refetchInterval: ({ state }) =>
      (asOf === undefined && computeRefetchMs(writtenAt, state)) || (everyMs ?? false),
    refetchIntervalInBackground: inBackground,
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

export interface ChangeCaller<N extends OperationName> {
  /** Asks for the change, in another project where that is named; null: it was refused, and `error` says why. */
  run: (request: RequestNamed<N>, place?: string) => Promise<ResponseNamed<N> | null>;
  isRunning: boolean;
  error: AskError | null;
}

/** Of the project that is shown, or of all where the reader looks at all: then each names the root of its project. */
export function useSessions(
  request: RequestNamed<"sessions"> | null,
  options?: AnswerOptions,
): UsedAnswer<
  Pick<ResponseNamed<"sessions">, "total" | "topics"> & { sessions: InProject<SessionSummary>[] }
> {
  const here = useAnswer("sessions", isEverywhere() ? null : request, options);
  const everywhere = useAnswer("sessionsEverywhere", isEverywhere() ? request : null, options);
  return isEverywhere() ? everywhere : here;
}

/** As `useSessions`. */
export function useCheckpoints(
  request: RequestNamed<"checkpoints"> | null,
  options?: AnswerOptions,
): UsedAnswer<{ total: number; checkpoints: InProject<CheckpointSummary>[] }> {
  // A file is one of the project that is shown.
  const isOfAll = isEverywhere() && request?.file === undefined;
  const here = useAnswer("checkpoints", isOfAll ? null : request, options);
  const everywhere = useAnswer("checkpointsEverywhere", isOfAll ? request : null, options);
  return isOfAll ? everywhere : here;
}

/** With the root of its project, where it is listed with those of others. */
export type InProject<T> = T & { project?: string };

/** Agents in all projects, and what is to look at and unfinished: the list, the title's count and notifications share it. */
export const useNow = () =>
  useAnswer("nowEverywhere", {}, { everyMs: nowEveryMs, inBackground: isTelling.value });

/** Other projects are not followed, and time goes on. Milliseconds. */
const nowEveryMs = 20_000;

/** An operation that changes something, asked for by a button or a form. What is shown is asked for again afterwards. */
export function useChange<N extends OperationName>(operation: N): ChangeCaller<N> {
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<AskError | null>(null);
  const run = async (request: RequestNamed<N>, place?: string) => {
    setRunning(true);
    setError(null);
    try {
      const answer = await ask(operation, request, undefined, place);
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
