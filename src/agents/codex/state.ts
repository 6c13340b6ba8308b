import { createHash } from "node:crypto";
import type { RolloutIdentity } from "./describe.ts";
import type { FilePatch } from "./patch.ts";

/** State that a rollout's earlier lines leave for later ones. */
export interface RolloutState {
  /** The file's thread; "" when unknown. */
  thread: string;
  branch: string | null;
  cwd: string | null;
  model: string | null;
  /** `codex exec`: who gives it its prompts is not known. */
  isExec: boolean;
  /** Whether the client writes items with a command's end; older ones only write calls and outputs. */
  hasItems: boolean;
  /** Calls without a result yet. */
  open: Map<string, { patch: FilePatch[] | null; isOwn: boolean }>;
  answered: Set<string>;
  /** Shell ids in which Pommel is still running: their later output is the result of other calls. */
  ownShells: Set<string>;
  /** Calls of `exec` in code mode: the commands they ran are separate items. */
  scripts: Set<string>;
  /** When the last of them was called: what it ran began no earlier. */
  scriptAt: number | null;
  /** How often each message of this turn occurred as an event and as an item. */
  messageCounts: Map<string, { event: number; item: number }>;
  /** Occurrences of equal content, to give each line its own id. */
  seen: Map<string, number>;
  /** Total of the last token count. */
  total: number | null;
  /** Maximum input tokens since the last compaction. */
  context: number | null;
  /** Lines of the prompts that were not rolled back, oldest first. */
  prompts: string[];
  /** After a rollback: the parent of the next prompt. */
  follows: string | null;
}

export function makeState(identity: RolloutIdentity | null): RolloutState {
  return {
    thread: identity?.info.session ?? "",
    branch: identity?.branch ?? null,
    cwd: identity?.info.cwd ?? null,
    model: null,
    isExec: false,
    hasItems: false,
    open: new Map(),
    answered: new Set(),
    ownShells: new Set(),
    scripts: new Set(),
    scriptAt: null,
    messageCounts: new Map(),
    seen: new Map(),
    total: null,
    context: null,
    prompts: [],
    follows: null,
  };
}

/**
 * A line's id, derived from its content: `codex migrate-rollouts` changes ids, ordinals and types of lines, and nothing
 * must be stored twice. The n-th equal line of a thread always gets the same id.
 */
export function makeUid(state: RolloutState, kind: string, key: string): string {
  const what = createHash("sha256").update(`${kind}\0${key}`).digest("base64url").slice(0, 22);
  const n = (state.seen.get(what) ?? 0) + 1;
  state.seen.set(what, n);
  const hash = createHash("sha256").update(`${state.thread}\0${what}\0${n}`).digest("hex");
  return `codex-${hash.slice(0, 32)}`;
}

/**
 * Whether a message is new rather than the other form of one seen before. Clients write events, items or both; a thread
 * continued by a newer client may have all of these.
 */
export function isFirstOccurrence(state: RolloutState, form: "event" | "item", what: string): boolean {
  const counted = state.messageCounts.get(what) ?? { event: 0, item: 0 };
  const most = Math.max(counted.event, counted.item);
  counted[form]++;
  state.messageCounts.set(what, counted);
  return counted[form] > most;
}
