import { signal } from "@preact/signals";
import { livePath, type RouteName } from "../../protocol/endpoints.ts";
import type { ResponseOf } from "../../protocol/routes.ts";
import { placeShown } from "./place.ts";

type State = ResponseOf<"state">;

/** The latest marks of what is written; null until the daemon has sent some. */
const written = signal<State | null>(null);

type Part = keyof State;

/** What answers are made of that may change while they are looked at. */
const madeOf: Partial<Record<RouteName, readonly Part[]>> = {
  ...madeFrom(["memory"], ["annotations", "checkpoints", "decisions", "directory", "injections", "review"]),
  ...madeFrom(["memory"], ["page", "session", "sessions", "sessionsEverywhere", "stats"]),
  ...madeFrom(["memory", "code"], ["queue", "status"]),
};

function madeFrom(parts: readonly Part[], routes: readonly RouteName[]) {
  return Object.fromEntries(routes.map((route) => [route, parts]));
}

/** The mark of what an answer is made of: another one means that it may be another answer. */
export const markOf = (route: RouteName): string | null => {
  const parts = madeOf[route];
  const marks = written.value;
  return parts === undefined || marks === null ? null : parts.map((part) => marks[part]).join(" ");
};

let source: EventSource | null = null;

/** Follows what is written while the page is in sight. The browser connects again by itself, and says what it saw last. */
export function follow(): void {
  const listen = () => {
    const place = placeShown();
    if (document.visibilityState !== "visible" || place === null) {
      source?.close();
      source = null;
      return;
    }
    if (source !== null) return;
    source = new EventSource(`${livePath}?${new URLSearchParams({ place })}`);
    source.addEventListener("state", (event) => {
      written.value = JSON.parse(event.data as string) as State;
    });
  };
  document.addEventListener("visibilitychange", listen);
  listen();
}
