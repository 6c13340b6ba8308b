import { signal } from "@preact/signals";
import { livePath, type RouteName } from "../../protocol/endpoints.ts";
import type { ResponseOf } from "../../protocol/routes.ts";
import { placeShown } from "./place.ts";

type State = ResponseOf<"state">;

/** The latest marks of what is written; null until the daemon has sent some. */
const written = signal<State | null>(null);

/** What an answer is made of, where it may change while it is looked at. */
const madeOf: Partial<Record<RouteName, keyof State>> = {
  annotations: "memory",
  checkpoints: "memory",
  decisions: "memory",
  directory: "memory",
  injections: "memory",
  queue: "memory",
  review: "memory",
  session: "memory",
  sessions: "memory",
  status: "memory",
  turns: "memory",
};

/** The mark of what an answer is made of: another one means that it may be another answer. */
export function markOf(route: RouteName): string | null {
  const part = madeOf[route];
  return part === undefined ? null : (written.value?.[part] ?? null);
}

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
