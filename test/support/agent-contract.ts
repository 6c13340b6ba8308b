import { appendFileSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import type { DamagedLine, TranscriptFile, TranscriptLine } from "../../src/agents/agent.ts";
import { TurnActivity } from "../../src/attribution/evidence/turn-activity.ts";
import { silentLog } from "../../src/base/log.ts";
import { toolActions } from "../../src/protocol/values.ts";
import { createScrubber } from "../../src/redact/create-scrubber.ts";
import { buildKindRules } from "../../src/sessions/chunks/kinds.ts";
import { ingestTranscript } from "../../src/sessions/ingest/ingest.ts";
import {
  type AgentSamples,
  add,
  endsOf,
  type ReadAll,
  readAll,
  type TranscriptSample,
} from "./agent-samples.ts";
import { canariesIn, canary, canaryTexts, changeStrings, jsonIn, stringPlaces } from "./canary.ts";
import { temporaryMemory } from "./memory-fixture.ts";
import { runs, some } from "./runs.ts";

/** All that reading a transcript takes but the agent, the memory and the project's root. */
export const ingestOptions = {
  scrubber: createScrubber({ globalFile: "", projectFile: null, pii: false }),
  ledgerKey: Buffer.alloc(32, 7),
  embedder: null,
  chunks: { minTokens: 200, maxTokens: 800, pauseMinutes: 5, kinds: buildKindRules() },
  maxChunks: 0,
  worktrees: [],
  log: silentLog,
};

/** A sample, with a secret in every string of its JSON, one field after the other; of a sample without JSON, in its text. */
function* withCanaries(sample: TranscriptSample): Iterable<[TranscriptSample, string]> {
  const lines = sample.text.split("\n").map((line) => jsonIn(line));
  const whole = jsonIn(sample.text);
  const parts = whole === undefined ? lines : [whole];
  const known = parts.flatMap((part) => (part === undefined ? [] : stringPlaces(part)));
  for (const place of new Set(known)) {
    for (const at of canaryTexts("").keys()) {
      const put = (text: string) => canaryTexts(text)[at]!;
      const changed = parts.map((part, i) =>
        part === undefined
          ? (sample.text.split("\n")[i] ?? "")
          : JSON.stringify(changeStrings(part, place, put)),
      );
      yield [{ ...sample, text: changed.join("\n") }, `${place} (${at})`];
    }
  }
  for (const [file, content] of Object.entries(sample.beside ?? {})) {
    const part = jsonIn(content);
    for (const place of part === undefined ? [] : stringPlaces(part)) {
      const text = JSON.stringify(changeStrings(part!, place, (old) => `${old} ${canary.token}`));
      yield [{ ...sample, beside: { ...sample.beside, [file]: text } }, `${file}${place}`];
    }
  }
}

/** The contract of every agent's adapter, run by the tests of each one. */
export function describeAgent(name: string, samples: AgentSamples): void {
  const { agent, transcripts } = samples;

  describe(`${name} keeps the agent's contract:`, () => {
    let root: string;
    let file: string;
    beforeEach(() => {
      root = samples.root(mkdtempSync(join(tmpdir(), "pommel-agent-")));
      file = write(samples.scratch ?? "one/sample.jsonl", "");
    });

    function write(path: string, content: string | Uint8Array): string {
      const target = join(root, path);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, content);
      return target;
    }

    function writeSample({ path, text, beside = {} }: TranscriptSample): string {
      for (const [other, content] of Object.entries(beside)) write(other, content);
      return write(path, text);
    }

    async function listed(dir: string): Promise<TranscriptFile[]> {
      const found: TranscriptFile[] = [];
      for await (const each of agent.list(dir)) found.push(each);
      return found;
    }

    /** Reads a file that grows up to each of `cuts` in turn (bytes), each time from where reading ended. */
    async function readGrowing(bytes: Buffer, cuts: readonly number[]): Promise<ReadAll> {
      writeFileSync(file, "");
      const all: ReadAll = { lines: [], skipped: {}, cursor: null };
      let written = 0;
      for (const cut of [...cuts].sort((a, b) => a - b).concat(bytes.length)) {
        appendFileSync(file, bytes.subarray(written, cut));
        written = cut;
        add(all, await readAll(agent, file, all.cursor));
      }
      return all;
    }

    it("has a name to be stored and one for people", () => {
      expect(agent.name).toMatch(/^[a-z]+$/);
      expect(agent.title).not.toBe("");
    });

    it("looks where the environment says", () => {
      expect(agent.listRoots(samples.env(root))).toContain(root);
    });

    it("declares the variables that say where, so that a daemon is given them", () => {
      const moved = Object.keys(samples.env(root)).filter((name) => name !== "HOME");
      expect(moved.length).toBeGreaterThan(0);
      expect(agent.environment).toEqual(expect.arrayContaining(moved));
    });

    it("says what every tool call did, whatever its tool is called", async () => {
      const commands = new Set<unknown>();
      for (const { text } of transcripts) {
        writeFileSync(file, text);
        const entries = (await readAll(agent, file)).lines.flatMap((line) => line.entries);
        const uses = entries.filter((entry) => entry.kind === "tool_use");
        for (const use of uses) {
          expect(toolActions).toContain(use.action);
          if (use.action === "command") commands.add(use.input.command);
        }
        const editing = entries.filter((entry) => entry.kind === "tool_result" && entry.edits !== null);
        const editors = uses.filter(({ id }) => editing.some((entry) => "id" in entry && entry.id === id));
        expect(editors.filter(({ action }) => action !== "write")).toEqual([]);
      }
      expect([...commands].sort()).toEqual([...samples.commands].sort());
    });

    it("leaves no secret in any column, in whatever field a transcript holds it", async () => {
      const found = new Set<string>();
      const tried = new Set<string>();
      for (const sample of transcripts) {
        for (const [changed, what] of withCanaries(sample)) {
          // The first sample that has a field speaks for it.
          if (tried.has(what)) continue;
          tried.add(what);
          const { memory, remove } = temporaryMemory();
          await ingestTranscript({ ...ingestOptions, memory, agent, root }, writeSample(changed));
          for (const place of canariesIn(memory)) found.add(`${what} -> ${place}`);
          remove();
        }
      }
      expect([...found]).toEqual([]);
    });

    it("leaves its commands where attribution finds them", async () => {
      const { memory, remove } = temporaryMemory();
      const ran = new Set<string>();
      for (const sample of transcripts) {
        await ingestTranscript({ ...ingestOptions, memory, agent, root }, writeSample(sample));
        const activity = new TurnActivity(memory, { root, worktrees: [] });
        for (const { command } of activity.findActivityBetween(0, Date.now()).runs) ran.add(command);
      }
      remove();
      expect([...ran].sort()).toEqual([...samples.commands].sort());
    });

    it("lists its transcripts in order of path, with size and time, and nothing else", async () => {
      const written = transcripts.map(writeSample);
      for (const other of samples.others) write(other, "{}\n");
      const found = await listed(root);
      const paths = [...written, file].sort();
      expect(found.map(({ path }) => path)).toEqual(paths);
      for (const { size, mtimeMs } of found.filter(({ path }) => path !== file)) {
        expect(size).toBeGreaterThan(0);
        expect(Math.abs(Date.now() - mtimeMs)).toBeLessThan(3600_000);
      }
    });

    it("knows its transcripts by their paths", () => {
      for (const { path } of transcripts) expect(agent.isTranscript(join(root, path))).toBe(true);
      expect(agent.isTranscript(file)).toBe(true);
      for (const other of samples.others) expect(agent.isTranscript(join(root, other))).toBe(false);
    });

    it("lists a single transcript, and nothing where nothing is", async () => {
      expect((await listed(file)).map(({ path }) => path)).toEqual([file]);
      expect(await listed(join(root, "absent"))).toEqual([]);
    });

    describe.each(transcripts.map((sample) => [sample.path, sample] as const))("%s", (_, sample) => {
      const bytes = Buffer.from(sample.text);

      it("says whose it is", async () => {
        expect(await agent.describe(writeSample(sample))).toEqual(sample.info);
      });

      it("reads the same in one go and while it grows, cut at any byte", async () => {
        writeFileSync(file, bytes);
        const whole = await readAll(agent, file);
        expect(whole.lines.length).toBeGreaterThan(0);
        expect(whole.cursor?.offset).toBe(bytes.length);
        const aroundEnds = some(endsOf(bytes)).flatMap((end) => [end - 1, end, end + 1]);
        for (const cut of aroundEnds) {
          const grown = await readGrowing(bytes, [cut]);
          expect({ cut, lines: grown.lines, skipped: grown.skipped }).toEqual({
            cut,
            lines: whole.lines,
            skipped: whole.skipped,
          });
        }
        const cuts = fc.array(fc.nat(bytes.length), { maxLength: 12 });
        await fc.assert(
          fc.asyncProperty(cuts, async (at) => {
            const grown = await readGrowing(bytes, at);
            expect([grown.lines, grown.skipped]).toEqual([whole.lines, whole.skipped]);
          }),
          { numRuns: runs(5) },
        );
      });

      it("goes on from the end of a line", async () => {
        writeFileSync(file, bytes);
        const whole = await readAll(agent, file);
        for (const end of some(endsOf(bytes))) {
          writeFileSync(file, bytes.subarray(0, end));
          const before = await readAll(agent, file);
          writeFileSync(file, bytes);
          const after = await readAll(agent, file, before.cursor);
          expect([...before.lines, ...after.lines]).toEqual(whole.lines);
        }
      });

      it("gives every line of the conversation its uid once", async () => {
        writeFileSync(file, bytes);
        const uids = (await readAll(agent, file)).lines.map(({ uid }) => uid).filter((uid) => uid !== null);
        expect(new Set(uids).size).toBe(uids.length);
      });

      it("reports a change when text already read is gone", async () => {
        writeFileSync(file, bytes);
        const { cursor } = await readAll(agent, file);
        const changed = { name: "PommelError", code: "transcript_changed" };
        const middle = bytes.length - 8;
        const rewritten = Buffer.concat([
          bytes.subarray(0, middle),
          Buffer.from("x"),
          bytes.subarray(middle + 1),
        ]);
        for (const other of [
          bytes.subarray(0, -5),
          rewritten,
          Buffer.concat([Buffer.from("{}\n"), bytes]),
          Buffer.alloc(0),
        ]) {
          writeFileSync(file, other);
          await expect(readAll(agent, file, cursor)).rejects.toMatchObject(changed);
        }
      });

      it("does not consume a torn last line", async () => {
        const start = bytes.lastIndexOf(10, bytes.length - 2) + 1;
        for (const length of [1, 2, Math.floor((bytes.length - start) / 2), bytes.length - start - 2]) {
          writeFileSync(file, bytes.subarray(0, start + length));
          expect((await readAll(agent, file)).cursor?.offset).toBe(start);
        }
      });

      it("skips a corrupt line and keeps the rest", async () => {
        writeFileSync(file, bytes);
        const whole = await readAll(agent, file);
        const lines = sample.text.split("\n");
        for (const at of some([...lines.keys()])) {
          writeFileSync(file, lines.toSpliced(at, 0, '{"type":"us').join("\n"));
          const read = await readAll(agent, file);
          expect(read.lines).toEqual(whole.lines);
          expect(read.skipped).toEqual({ ...whole.skipped, malformed: (whole.skipped.malformed ?? 0) + 1 });
        }
      });

      it("loses no whole record to one that was cut before it, nor of two on a line, and says where", async () => {
        const lines = sample.text.split("\n").filter((line) => line !== "");
        const read = async (of: readonly string[]) => {
          writeFileSync(file, `${of.join("\n")}\n`);
          const all = { lines: [] as TranscriptLine[], damaged: [] as DamagedLine[] };
          for await (const { lines, damaged = [] } of agent.read(file, null)) {
            all.lines.push(...lines);
            all.damaged.push(...damaged);
          }
          return all;
        };
        const start = (at: number) => Buffer.byteLength(lines.slice(0, at).join("\n")) + Math.min(at, 1);
        const whole = await read(lines);
        const firsts = [...lines.keys()].slice(0, -1);
        // The shortest line is cut at every byte.
        const shortest = firsts.reduce((a, b) => (lines[b]!.length < lines[a]!.length ? b : a));
        for (const at of new Set([shortest, ...some(firsts)])) {
          const [one, next] = [lines[at]!, lines[at + 1]!];
          const without = await read(lines.toSpliced(at, 1));
          const joined = await read(lines.toSpliced(at, 2, one + next));
          expect(joined.lines).toEqual(whole.lines);
          expect(joined.damaged).toMatchObject([{ at: start(at), isLost: false }]);
          const cuts = [...one].map((_, i) => i).slice(1);
          const samples = new Set(some(cuts));
          for (const cut of at === shortest ? cuts : samples) {
            // What comes later is the same with each cut, and is read with some of them only.
            const of = samples.has(cut) ? lines : lines.slice(0, at + 3);
            const rest = one.slice(0, cut);
            const spliced = await read(of.toSpliced(at, 2, rest + next));
            // As if the cut one stood on a line of its own.
            const apart = await read(of.toSpliced(at, 1, rest));
            expect(spliced.lines, `${rest}|${next}`).toEqual(apart.lines);
            expect(spliced.damaged).toMatchObject([{ at: start(at), isLost: true }]);
            if (of !== lines) continue;
            const uids = new Set(spliced.lines.map(({ uid }) => uid));
            expect(without.lines.filter(({ uid }) => !uids.has(uid))).toEqual([]);
          }
        }
      });

      it("counts a line of a type that it does not know", async () => {
        writeFileSync(file, `${samples.unknownLine.line}\n${sample.text}`);
        const { skipped } = await readAll(agent, file);
        expect(skipped[samples.unknownLine.reason]).toBeGreaterThanOrEqual(1);
      });

      it("survives carriage returns, a byte order mark, empty lines and NULs around lines", async () => {
        writeFileSync(file, bytes);
        const whole = await readAll(agent, file);
        const [first, ...rest] = sample.text.split("\n");
        for (const text of [
          sample.text.replaceAll("\n", "\r\n"),
          `\uFEFF${sample.text}`,
          sample.text.replaceAll("\n", "\n\n"),
          [first, `\0\0\0${rest[0]}`, ...rest.slice(1)].join("\n"),
          [first, `${rest[0]}\0\0\0`, ...rest.slice(1)].join("\n"),
        ]) {
          writeFileSync(file, text);
          expect((await readAll(agent, file)).lines).toEqual(whole.lines);
        }
      });

      it("survives a change of any byte", async () => {
        writeFileSync(file, bytes);
        // One byte can make a line unreadable, or one of two.
        const least = (await readAll(agent, file)).lines.length > 2 ? 1 : 0;
        await fc.assert(
          fc.asyncProperty(fc.nat(bytes.length - 1), fc.nat(255), async (at, byte) => {
            const other = Buffer.from(bytes);
            other[at] = byte;
            writeFileSync(file, other);
            expect((await readAll(agent, file)).lines.length).toBeGreaterThanOrEqual(least);
            await agent.describe(file);
          }),
          { numRuns: runs(20) },
        );
      });
    });

    it("never throws, whatever a file contains", async () => {
      const anything = fc.oneof(
        fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
        fc.array(fc.json(), { maxLength: 5 }).map((lines) => Buffer.from(`${lines.join("\n")}\n`)),
      );
      await fc.assert(
        fc.asyncProperty(anything, async (bytes) => {
          writeFileSync(file, bytes);
          await agent.describe(file);
          for (const { uid, entries } of (await readAll(agent, file)).lines) {
            expect(uid === null || uid.length > 0).toBe(true);
            expect(Array.isArray(entries)).toBe(true);
          }
        }),
        { numRuns: runs(60) },
      );
    });

    it("does not say whose a file is that does not say it", async () => {
      for (const content of ["", "\n", "{}\n", "[]\n", '"text"\n', "null\n"]) {
        writeFileSync(file, content);
        expect(await agent.describe(file)).toBeNull();
      }
    });

    it("keeps no picture", async () => {
      writeFileSync(file, samples.withPictures.text);
      const { lines } = await readAll(agent, file);
      expect(samples.withPictures.text).toContain(samples.withPictures.picture);
      expect(JSON.stringify(lines)).not.toContain(samples.withPictures.picture.slice(0, 60));
      const prompts = lines.flatMap(({ entries }) => entries).filter(({ kind }) => kind === "prompt");
      expect(prompts.some((entry) => entry.kind === "prompt" && entry.images > 0)).toBe(true);
    });

    it("reads nothing from an empty file, and nothing twice", async () => {
      writeFileSync(file, "");
      expect(await readAll(agent, file)).toEqual({ lines: [], skipped: {}, cursor: null });
      writeFileSync(file, transcripts[0]!.text);
      const { cursor } = await readAll(agent, file);
      expect(await readAll(agent, file, cursor)).toEqual({ lines: [], skipped: {}, cursor });
    });

    it("keeps a cursor that survives JSON", async () => {
      writeFileSync(file, transcripts[0]!.text);
      const { cursor } = await readAll(agent, file);
      expect(JSON.parse(JSON.stringify(cursor))).toEqual(cursor);
    });

    it("fails as the system does where the file is not there", async () => {
      await expect(readAll(agent, join(root, "absent.jsonl"))).rejects.toMatchObject({ code: "ENOENT" });
    });

    it("stops when aborted", async () => {
      writeFileSync(file, transcripts[0]!.text);
      const stopped = async () => {
        for await (const _ of agent.read(file, null, AbortSignal.abort()));
      };
      await expect(stopped()).rejects.toThrow(/abort/i);
    });
  });
}
