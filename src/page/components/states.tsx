import { effect } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { AskError } from "../api/ask.ts";
import { isWaiting } from "../api/use-answer.ts";
import { Inline } from "./marked.tsx";

/** Nothing to show: why, and what to do. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <section class="state">
      <h1>{title}</h1>
      {children}
    </section>
  );
}

/** Something went wrong: what happened, and the API's hint. */
export function Failure({ error, onRetry }: { error: AskError; onRetry?: () => void }) {
  return (
    <section class="state" role="alert">
      <h2>{error.message}</h2>
      {error.hint !== "" && (
        <p>
          <Inline text={error.hint} />
        </p>
      )}
      {onRetry && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </section>
  );
}

/** The same in a line or two, beside what was refused. */
export function Refusal({ error }: { error: AskError }) {
  return (
    <p class="refusal" role="alert">
      {error.message} <Inline text={error.hint} />
    </p>
  );
}

/** In the place of rows that are on their way. What takes long is said to: a daemon at work answers later. */
export function Loading({ rows = 6 }: { rows?: number }) {
  return (
    <div class="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, i) => (
        <div key={i} />
      ))}
      <p class="faint">Still waiting for the daemon’s answer.</p>
    </div>
  );
}

/**
 * For what several answers are part of, some of which stand above others and would move them: the class that hides it until all
 * are there, or for two seconds (base.css). Called after the answers are asked for.
 */
export function useTogether(): string | undefined {
  const [isThere, setThere] = useState(false);
  useEffect(() => effect(() => void (isWaiting.value || setThere(true))), []);
  return isThere ? undefined : "early";
}

/** The same for what asks its own questions. */
export const Together = ({ children }: { children: ComponentChildren }) => (
  <div class={useTogether()}>{children}</div>
);

/** What an answer says about itself. */
export function Notes({ of }: { of: readonly string[] }) {
  return (
    <>
      {of.map((note) => (
        <p key={note} class="faint">
          <Inline text={note} />
        </p>
      ))}
    </>
  );
}
