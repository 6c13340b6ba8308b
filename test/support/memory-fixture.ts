import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ChunkType } from "../../src/protocol/values.ts";
import { Memory } from "../../src/store/memory/memory.ts";
import type { ChunkToStore, SessionRecord } from "../../src/store/memory/memory-records.ts";
import { packContent } from "../../src/store/memory/sessions/content.ts";
import { type SessionUpdate, saveSession } from "../../src/store/memory/sessions/sessions.ts";
import type { TurnToStore } from "../../src/store/memory/sessions/turns.ts";

let emptyMemory: string | undefined;

/** Opens a new memory: a copy of an empty one, as to create its tables takes five times as long. */
export function createMemory(file: string): Memory {
  if (emptyMemory === undefined) {
    const made = join(mkdtempSync(join(tmpdir(), "pommel-memory-")), "memory.db");
    Memory.open(made, { readonly: false }).close();
    emptyMemory = made;
  }
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  copyFileSync(emptyMemory, file);
  return Memory.open(file, { readonly: false });
}

/** An empty memory in a directory of its own, for tests. */
export function temporaryMemory(): { memory: Memory; dir: string; remove(): void } {
  const dir = mkdtempSync(join(tmpdir(), "pommel-memory-"));
  const memory = createMemory(join(dir, "memory.db"));
  return {
    memory,
    dir,
    remove() {
      memory.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

export function addSession(memory: Memory, uid: string, more: Partial<SessionUpdate> = {}): SessionRecord {
  return saveSession(memory, { uid, agent: "claude", cwd: "/repo", ...more });
}

export function turn(number: number, more: Partial<TurnToStore> = {}): TurnToStore {
  return {
    number,
    startedAt: number * 1000,
    endedAt: number * 1000 + 500,
    branch: "main",
    abandoned: false,
    state: "completed",
    groupStart: number,
    prompt: `prompt ${number}`,
    tools: {},
    actions: {},
    files: [],
    content: packContent([{ seq: number, entries: [] }]),
    ...more,
  };
}

interface ChunkPlace {
  session?: string;
  type?: ChunkType;
  turn?: number;
}

/** What a chunk at `position` has where somebody decided this in it. */
export const deciding = (said: string, turn = 1) => ({
  kind: "decision" as const,
  decisions: [{ text: said, turn, by: "person" as const }],
});

/** A chunk that says `text`, in its answer. */
export function chunk(
  position: number,
  text: string,
  {
    session = "s",
    type = "raw",
    turn: number = position + 1,
    ...more
  }: Partial<ChunkToStore> & ChunkPlace = {},
): ChunkToStore {
  return {
    uid: `${session}:${type}:${position}`,
    position,
    firstTurn: number,
    lastTurn: number,
    firstSeq: position * 10,
    lastSeq: position * 10 + 9,
    type,
    kind: "conversation",
    eventType: "mixed",
    abandoned: false,
    branch: "main",
    startedAt: number * 1000,
    endedAt: number * 1000 + 500,
    annotationId: null,
    text,
    files: [],
    terms: { prompt: "", answer: text, actions: "", errors: "" },
    vectors: new Map(),
    ...more,
  };
}
