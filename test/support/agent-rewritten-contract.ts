import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import type { Agent, TranscriptInfo } from "../../src/agents/agent.ts";
import { add, type ReadAll, readAll } from "./agent-samples.ts";
import { runs } from "./runs.ts";

/** A transcript that is rewritten as a whole with every message. */
export interface RewrittenSample {
  agent: Agent;
  /** Where it lies under one of the agent's roots. */
  path: string;
  /** Its content, each time a little more. */
  contents: readonly string[];
  info: TranscriptInfo;
  /** Files that the agent keeps beside it, by path under the root. */
  beside?: Readonly<Record<string, string>>;
}

/** What an agent's adapter does with transcripts that do not grow at their end; beside `agent-contract.ts`. */
export function describeRewritten(
  name: string,
  { agent, path, contents, info, beside = {} }: RewrittenSample,
): void {
  describe(`${name}, rewritten,`, () => {
    const last = contents.at(-1)!;
    let file: string;
    beforeEach(() => {
      const root = mkdtempSync(join(tmpdir(), "pommel-rewritten-"));
      file = join(root, path);
      mkdirSync(dirname(file), { recursive: true });
      for (const [other, content] of Object.entries(beside)) {
        mkdirSync(dirname(join(root, other)), { recursive: true });
        writeFileSync(join(root, other), content);
      }
    });

    const put = (content: string | Uint8Array) => writeFileSync(file, content);

    it("is a transcript, and says whose it is, also while it is being written", async () => {
      expect(agent.isTranscript(file)).toBe(true);
      put(last);
      expect(await agent.describe(file)).toEqual(info);
      for (let length = 0; length < last.length; length += 97) {
        put(last.slice(0, length));
        expect([null, info]).toContainEqual(await agent.describe(file));
      }
    });

    it("returns new lines each time, and in total the same as one reading", async () => {
      put(last);
      const whole = await readAll(agent, file);
      expect(whole.lines.length).toBeGreaterThan(0);
      expect(whole.cursor?.offset).toBe(Buffer.byteLength(last));
      const all: ReadAll = { lines: [], skipped: {}, cursor: null };
      for (const content of contents) {
        put(content);
        add(all, await readAll(agent, file, all.cursor));
      }
      expect(all.lines).toEqual(whole.lines);
      expect(await readAll(agent, file, all.cursor)).toMatchObject({ lines: [], skipped: {} });
    });

    it("gives every line of the conversation its uid once", async () => {
      put(last);
      const uids = (await readAll(agent, file)).lines.flatMap(({ uid }) => uid ?? []);
      expect(new Set(uids).size).toBe(uids.length);
    });

    it("returns nothing of an incomplete file", async () => {
      for (const length of [0, 1, 2, Math.floor(last.length / 2), last.length - 1]) {
        put(last.slice(0, length));
        expect(await readAll(agent, file)).toEqual({ lines: [], skipped: {}, cursor: null });
      }
    });

    it("reports a change when text already read is gone", async () => {
      put(last);
      const { cursor } = await readAll(agent, file);
      for (const other of [last.slice(0, -1), contents[0]!, last.replaceAll("a", "b"), ""]) {
        put(other);
        const changed = { name: "PommelError", code: "transcript_changed" };
        await expect(readAll(agent, file, cursor)).rejects.toMatchObject(changed);
      }
    });

    it("survives carriage returns, a byte order mark and NULs", async () => {
      put(last);
      const { lines } = await readAll(agent, file);
      for (const other of [last.replaceAll("\n", "\r\n"), `\uFEFF${last}`, `\0\0${last}`, `${last}\n\n`]) {
        put(other);
        expect((await readAll(agent, file)).lines).toEqual(lines);
      }
    });

    it("never throws, whatever it contains", async () => {
      const bytes = Buffer.from(last);
      const changed = fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)).map(([at, byte]) => {
        const other = Buffer.from(bytes);
        other[at] = byte;
        return other;
      });
      const anything = fc.oneof(
        changed,
        fc.uint8Array(),
        fc.json().map((json) => Buffer.from(json)),
      );
      await fc.assert(
        fc.asyncProperty(anything, async (content) => {
          put(content);
          await agent.describe(file);
          for (const { uid } of (await readAll(agent, file)).lines) expect(uid).not.toBe("");
        }),
        { numRuns: runs(50) },
      );
    });

    it("stops when aborted, and fails with the system's error where the file is missing", async () => {
      await expect(readAll(agent, file)).rejects.toMatchObject({ code: "ENOENT" });
      put(last);
      const stopped = async () => {
        for await (const _ of agent.read(file, null, AbortSignal.abort()));
      };
      await expect(stopped()).rejects.toThrow(/abort/i);
    });
  });
}
