import { createHash } from "node:crypto";
import type { Identity } from "./describe.ts";
import type { FilePatch } from "./patch.ts";

/** What a rollout's lines leave for those behind. */
export interface State {
  /** The thread that the file is of; "" where it does not say. */
  thread: string;
  branch: string | null;
  cwd: string | null;
  model: string | null;
  /** The client writes items, which tell how a command ended; older ones have nothing but calls and their outputs. */
  hasItems: boolean;
  /** Calls without an answer yet. */
  open: Map<string, { patch: FilePatch[] | null; isOwn: boolean }>;
  answered: Set<string>;
  /** Shells, by the client's ids, in which Pommel runs on: what they print later is answered to other calls. */
  ownShells: Set<string>;
  /** Calls of `exec` in code mode: what they ran comes as items of its own. */
  scripts: Set<string>;
  /** Of what was said in this turn: how often it came as an event, how often as an item. */
  messageCounts: Map<string, { event: number; item: number }>;
  /** How often there was the same, for telling its lines apart. */
  seen: Map<string, number>;
  /** The total of the last token count. */
  total: number | null;
  /** The most tokens that a model was given since the last compaction. */
  context: number | null;
  /** Lines of the prompts that still hold, oldest first. */
  prompts: string[];
  /** After going back: the line that the next prompt follows. */
  follows: string | null;
}

export function newState(identity: Identity | null): State {
  return {
    thread: identity?.info.session ?? "",
    branch: identity?.branch ?? null,
    cwd: identity?.info.cwd ?? null,
    model: null,
    hasItems: false,
    open: new Map(),
    answered: new Set(),
    ownShells: new Set(),
    scripts: new Set(),
    messageCounts: new Map(),
    seen: new Map(),
    total: null,
    context: null,
    prompts: [],
    follows: null,
  };
}

/**
 * The id of a line, from what it says: clients rewrite a rollout with other ids, ordinals and types of lines
 * (`codex migrate-rollouts`), and the same must not be stored twice. The n-th same thing of a thread is always the same.
 */
export function uidOf(state: State, kind: string, key: string): string {
  const what = createHash("sha256").update(`${kind}\0${key}`).digest("base64url").slice(0, 22);
  const n = (state.seen.get(what) ?? 0) + 1;
  state.seen.set(what, n);
  const hash = createHash("sha256").update(`${state.thread}\0${what}\0${n}`).digest("hex");
  return `codex-${hash.slice(0, 32)}`;
}

/**
 * Whether something that clients write as an event, as an item, or as both, is told for the first time. A thread of an
 * older client that a newer one goes on with may hold all of these.
 */
export function isFirstTold(state: State, form: "event" | "item", what: string): boolean {
  const counted = state.messageCounts.get(what) ?? { event: 0, item: 0 };
  const most = Math.max(counted.event, counted.item);
  counted[form]++;
  state.messageCounts.set(what, counted);
  return counted[form] > most;
}
