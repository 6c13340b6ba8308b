import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import type { OperationName, RequestNamed, ResponseNamed } from "../../features/index.ts";
import type { stateResponse } from "../../features/status/operation.ts";
import { livePath } from "../../protocol/addresses.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { type AskError, ask, askErrorOf, open, signedOut } from "./ask.ts";
import { placeShown } from "./place.ts";

type State = Shaped<typeof stateResponse>;

/** The latest marks of what is written; null until the daemon has sent some. */
const written = signal<State | null>(null);

type Part = keyof State;

/** What answers are made of that may change while they are looked at. */
const madeOf: Partial<Record<OperationName, readonly Part[]>> = {
  ...madeFrom(["memory"], ["annotations", "checkpoints", "decisions", "directory", "injections", "review"]),
  ...madeFrom(["memory"], ["page", "session", "sessions", "sessionsEverywhere", "stats"]),
  ...madeFrom(["memory", "code"], ["queue", "status"]),
};

function madeFrom(parts: readonly Part[], operations: readonly OperationName[]) {
  return Object.fromEntries(operations.map((operation) => [operation, parts]));
}

/** The mark of what an answer is made of: another one means that it may be another answer. */
const markOf = (operation: OperationName): string | null => {
  const parts = madeOf[operation];
  const marks = written.value;
  return parts === undefined || marks === null ? null : parts.map((part) => marks[part]).join(" ");
};

/** Between the end of a connection and the next. Milliseconds. */
const reconnectMs = 2000;

let following: AbortController | null = null;

/** Follows what is written while the page is in sight. */
export function follow(): void {
  const listen = () => {
    if (document.visibilityState !== "visible" || placeShown() === null) {
      following?.abort();
      following = null;
    } else if (following === null) {
      following = new AbortController();
      void keepReading(following.signal);
    }
  };
  document.addEventListener("visibilitychange", listen);
  listen();
}

async function keepReading(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    if (signedOut.value === null) await readStates(signal).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, reconnectMs));
  }
}

/** Server-sent events; not by `EventSource`, which sends no token. @throws as `ask`, or when the connection is lost */
async function readStates(signal: AbortSignal): Promise<void> {
  const { body } = await open(livePath, "GET", undefined, signal);
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const lines = (rest + part.value).split("\n");
    rest = lines.pop()!;
    for (const line of lines) {
      if (line.startsWith("data: ")) written.value = JSON.parse(line.slice("data: ".length)) as State;
    }
  }
}

export interface Answer<T> {
  /** The latest answer; of an earlier request while `isLoading`. */
  data: T | null;
  error: AskError | null;
  isLoading: boolean;
  reload: () => void;
}

/** Answers shown at once when a reader comes back, and asked for again. */
const recent = new Map<string, unknown>();
const maxRecent = 50;

/**
 * An agent at work writes all the time: it is asked again no sooner than so long after the last answer, and what costs much
 * more rarely. Milliseconds, and how often as long as the answer took.
 */
const pause = { ms: 1500, times: 10 } as const;

/**
 * The answer to a question of a view, asked again whenever the question changes, the reader comes back to the page, or
 * something was written that it is made of. Until the new answer is there, the old one stays.
 * @param request null: nothing is asked
 * @param typedMs of a question that changes with every key: keys that follow one another faster are one question
 */
export function useAnswer<N extends OperationName>(
  operation: N,
  request: RequestNamed<N> | null,
  typedMs = 0,
): Answer<ResponseNamed<N>> {
  const key = request === null ? null : `${operation} ${JSON.stringify(request)}`;
  const known = key === null ? null : ((recent.get(key) as ResponseNamed<N> | undefined) ?? null);
  const [state, setState] = useState<{
    key: string | null;
    data: ResponseNamed<N> | null;
    error: AskError | null;
  }>({
    ...{ key: null, data: null, error: null },
  });
  const [round, setRound] = useState(0);
  const reload = () => setRound((count) => count + 1);
  const mark = markOf(operation);
  const last = useRef({ mark, at: 0, took: 0, isAsking: false });

  useEffect(() => {
    if (request === null || key === null) return;
    const controller = new AbortController();
    const askNow = () => {
      const askedAt = Date.now();
      last.current.mark = markOf(operation);
      last.current.isAsking = true;
      ask(operation, request, controller.signal).then(
        (data) => {
          if (controller.signal.aborted) return;
          const at = Date.now();
          last.current = { ...last.current, at, took: at - askedAt, isAsking: false };
          remember(key, data);
          setState({ key, data, error: null });
        },
        (thrown: unknown) => {
          if (controller.signal.aborted) return;
          last.current.isAsking = false;
          const error = askErrorOf(thrown);
          setState((before) => ({ key, data: before.key === key ? before.data : null, error }));
        },
      );
    };
    const timer = typedMs === 0 ? undefined : setTimeout(askNow, typedMs);
    if (typedMs === 0) askNow();
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [key, round]);

  useEffect(() => {
    const { mark: asked, at, took, isAsking } = last.current;
    // The first mark says nothing new.
    if (asked === null) last.current.mark = mark;
    // Asked anew with everything that is written, an answer that takes long would never be there.
    if (asked === null || asked === mark || isAsking) return;
    const wait = Math.max(pause.ms, pause.times * took);
    const timer = setTimeout(reload, Math.max(0, at + wait - Date.now()));
    return () => clearTimeout(timer);
  }, [mark, state]);

  useEffect(() => {
    const onVisible = () => document.visibilityState === "visible" && reload();
    document.addEventListener("visibilitychange", onVisible);
    return () => document.removeEventListener("visibilitychange", onVisible);
  }, []);

  const isCurrent = state.key === key;
  return {
    data: isCurrent ? (state.data ?? known) : (known ?? state.data),
    error: isCurrent ? state.error : null,
    isLoading: !isCurrent && key !== null,
    reload,
  };
}

function remember(key: string, data: unknown): void {
  recent.delete(key);
  recent.set(key, data);
  if (recent.size > maxRecent) recent.delete(recent.keys().next().value!);
}

export interface Change<N extends OperationName> {
  /** Asks for the change; null: it was refused, and `error` says why. */
  run: (request: RequestNamed<N>) => Promise<ResponseNamed<N> | null>;
  isRunning: boolean;
  error: AskError | null;
}

/** An operation that changes something, asked for by a button or a form. */
export function useChange<N extends OperationName>(operation: N, onDone?: () => void): Change<N> {
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<AskError | null>(null);
  const run = async (request: RequestNamed<N>) => {
    setRunning(true);
    setError(null);
    try {
      const answer = await ask(operation, request);
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
