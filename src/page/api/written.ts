import { computed, effect, signal } from "@preact/signals";
import type { OperationName } from "../../features/index.ts";
import type { stateResponse } from "../../features/status/operation.ts";
import { livePath } from "../../protocol/addresses.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { open, signedOut } from "./ask.ts";
import { placeShown } from "./place.ts";

type Marks = Shaped<typeof stateResponse>;
type MarkKind = keyof Marks;

/** What answers are made of that may change while they are looked at. */
const madeOf: Readonly<Record<string, readonly MarkKind[]>> = {
  annotations: ["memory"],
  checkpoints: ["memory"],
  checkpointsEverywhere: ["memory"],
  decisions: ["memory"],
  directory: ["memory"],
  injections: ["memory"],
  nowEverywhere: ["memory"],
  page: ["memory"],
  queue: ["memory", "code"],
  radar: ["memory", "code"],
  review: ["memory"],
  rulesSpoken: ["memory"],
  session: ["memory"],
  sessions: ["memory"],
  sessionsEverywhere: ["memory"],
  stats: ["memory"],
  status: ["memory", "code"],
};

/** The marks that the daemon sent last, and of which place; null until it has sent some. */
let last: { marks: Marks; place: string } | null = null;

/** When each part was written, as far as this page was told. Milliseconds since the epoch. */
const times = signal<Readonly<Record<MarkKind, number>>>({ memory: 0, code: 0 });

/** When what an answer is made of was last written, 0 for never. Milliseconds since the epoch. */
export const findLastWrite = (operation: OperationName): number =>
  Math.max(0, ...(madeOf[operation] ?? []).map((part) => times.value[part]));

function noteMarks(now: Marks, place: string): void {
  const before = last?.place === place ? last.marks : null;
  last = { marks: now, place };
  // The first marks say nothing new; those after a lost connection tell what was missed.
  if (before === null) return;
  const [at, { memory, code }] = [Date.now(), times.value];
  if (now.memory === before.memory && now.code === before.code) return;
  times.value = {
    memory: now.memory === before.memory ? memory : at,
    code: now.code === before.code ? code : at,
  };
}

/** Between the end of a connection and the next. Milliseconds. */
const reconnectMs = 2000;

let following: AbortController | null = null;

/** Whether what needs the reader is told while the page is out of sight as well. */
export const isTelling = signal(false);

/** Follows what is written while the page is in sight, or tells what it finds. */
export function follow(): void {
  const isInSight = signal(document.visibilityState === "visible");
  document.addEventListener("visibilitychange", () => {
    isInSight.value = document.visibilityState === "visible";
  });
  const isFollowed = computed(() => isInSight.value || isTelling.value);
  effect(() => {
    following?.abort();
    following = null;
    const place = isFollowed.value ? placeShown() : null;
    if (place === null) return;
    following = new AbortController();
    void keepReading(place, following.signal);
  });
}

async function keepReading(place: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    if (signedOut.value === null) await readMarks(place, signal).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, reconnectMs));
  }
}

/** Server-sent events; not by `EventSource`, which sends no token. @throws as `ask`, or when the connection is lost */
async function readMarks(place: string, signal: AbortSignal): Promise<void> {
  const { body } = await open(livePath, "GET", undefined, signal, place);
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const lines = (rest + part.value).split("\n");
    rest = lines.pop()!;
    for (const line of lines) {
      if (line.startsWith("data: ")) noteMarks(JSON.parse(line.slice("data: ".length)) as Marks, place);
    }
  }
}
