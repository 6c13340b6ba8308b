import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { Agent, TranscriptInfo } from "../../src/agents/agent.ts";
import { ingestTranscript } from "../../src/sessions/ingest/ingest.ts";
import { Sqlite } from "../../src/store/sqlite/sqlite.ts";
import { ingestOptions } from "./agent-contract.ts";
import { add, type ReadAll, readAll } from "./agent-samples.ts";
import { canariesIn, canaryTexts, changeDatabase, databasePlaces } from "./canary.ts";
import { temporaryMemory } from "./memory-fixture.ts";

/** A session in an agent's database. */
export interface DatabaseSample {
  agent: Agent;
  /** Begins an agent's database in a directory. @returns the path of its one session */
  begin: (dir: string) => string;
  /** Goes on with it: each adds a little more. */
  steps: readonly (() => void)[];
  /** Takes away something that was read, and goes on. */
  undo: () => void;
  info: TranscriptInfo;
  /** Whether it is one of SQLite, with files beside it; true if left out. */
  isSqlite?: boolean;
}

/** What an agent's adapter does with sessions in a database; beside `agent-contract.ts`. */
export function describeDatabase(
  name: string,
  { agent, begin, steps, undo, info, isSqlite = true }: DatabaseSample,
): void {
  describe(`${name}, in a database,`, () => {
    let dir: string;
    let path: string;
    beforeEach(() => {
      dir = mkdtempSync(join(tmpdir(), "pommel-database-"));
      path = begin(dir);
    });

    it("has sessions by path, found in the directory, in the database and alone", async () => {
      expect(agent.isTranscript(path)).toBe(true);
      expect(agent.isTranscript(dirname(path))).toBe(false);
      expect(agent.database!.isPart(dirname(path))).toBe(true);
      expect(agent.database!.isPart(`${dirname(path)}-wal`)).toBe(isSqlite);
      // Readers change it as well.
      expect(agent.database!.isPart(`${dirname(path)}-shm`)).toBe(false);
      for (const place of [dir, dirname(path), ...(isSqlite ? [`${dirname(path)}-wal`] : []), path]) {
        const found = [];
        for await (const file of agent.list(place)) found.push(file);
        expect(found).toEqual([agent.database!.stat(path)]);
      }
      expect(await agent.describe(path)).toEqual(info);
    });

    it("reads the same in one go and while it grows, and all of it", async () => {
      const all: ReadAll = { lines: [], skipped: {}, cursor: null };
      for (const step of steps) {
        step();
        add(all, await readAll(agent, path, all.cursor));
        expect(JSON.parse(JSON.stringify(all.cursor))).toEqual(all.cursor);
      }
      const whole = await readAll(agent, path);
      const conversation = ({ lines }: ReadAll) => lines.filter(({ uid }) => uid !== null);
      expect(conversation(all)).toEqual(conversation(whole));
      expect(all.skipped).toEqual(whole.skipped);
      expect(whole.cursor?.offset).toBe(agent.database!.stat(path)!.size);
      expect(await readAll(agent, path, all.cursor)).toEqual({ lines: [], skipped: {}, cursor: all.cursor });
      const uids = conversation(whole).map(({ uid }) => uid);
      expect(uids.length).toBeGreaterThan(0);
      expect(new Set(uids).size).toBe(uids.length);
      expect(
        conversation(whole)
          .slice(1)
          .map(({ parentUid }) => parentUid),
      ).toEqual(uids.slice(0, -1));
    });

    it("reports a change when what was read is gone", async () => {
      for (const step of steps) step();
      const { cursor } = await readAll(agent, path);
      undo();
      const changed = { name: "PommelError", code: "transcript_changed" };
      await expect(readAll(agent, path, cursor)).rejects.toMatchObject(changed);
    });

    it.runIf(isSqlite)(
      "leaves no secret in any field of a memory, whichever of its own had one",
      async () => {
        for (const step of steps) step();
        const db = new Sqlite(dirname(path), { mode: "write", timeoutMs: 1000 });
        const found = new Set<string>();
        let lines = 0;
        for (const place of databasePlaces(db)) {
          for (const at of canaryTexts("").keys()) {
            const changeBack = changeDatabase(db, place, (text) => canaryTexts(text)[at]!);
            const { memory, remove } = temporaryMemory();
            const result = await ingestTranscript({ ...ingestOptions, memory, agent, root: "/" }, path);
            lines += result.lines;
            for (const held of canariesIn(memory)) found.add(`${JSON.stringify(place)} -> ${held}`);
            remove();
            changeBack();
          }
        }
        db.close();
        expect([...found]).toEqual([]);
        expect(lines).toBeGreaterThan(0);
      },
    );

    it("fails with ENOENT without the session or the database, and stops when aborted", async () => {
      for (const absent of [`${path}0`, join(dir, "absent", path.slice(dir.length + 1))]) {
        await expect(readAll(agent, absent)).rejects.toMatchObject({ code: "ENOENT" });
        expect([agent.database!.stat(absent), await agent.describe(absent)]).toEqual([null, null]);
      }
      const stopped = async () => {
        for await (const _ of agent.read(path, null, AbortSignal.abort()));
      };
      await expect(stopped()).rejects.toThrow(/abort/i);
    });
  });
}
