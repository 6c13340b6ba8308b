import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { contentOf, type Machine, sharedRemote } from "../../../test/support/machine-fixture.ts";
import { temporaryWork } from "../../../test/support/memory-work-fixture.ts";
import { runs } from "../../../test/support/runs.ts";
import { records } from "../../../test/support/sync-fixture.ts";
import { forgetNow } from "../../sessions/forget/forget.ts";
import { addNote } from "../../sessions/notes/add-note.ts";
import { saveSession } from "../../store/memory/sessions/sessions.ts";
import { encode, type FileType } from "../branch/shared-file.ts";
import { exportMemory, importMemory, type MemoryImport } from "../memory-file.ts";

let shared: ReturnType<typeof sharedRemote>;
beforeEach(() => {
  shared = sharedRemote();
});
afterEach(() => shared.remove());

const exported = ({ work }: Pick<Machine, "work">) =>
  [...exportMemory({ work, filter: true })].map(({ text }) => text).join("");

async function* linesOf(text: string): AsyncGenerator<string> {
  for (const line of text.replace(/\n$/, "").split("\n")) yield line;
}

const imported = ({ work }: Pick<Machine, "work">, text: string): Promise<MemoryImport> =>
  importMemory({ work, filter: true }, linesOf(text));

async function worked(machine: Machine): Promise<void> {
  for (const id of ["s-1", "s-2"]) {
    const builder = machine.session(id);
    builder.prompt("Please write a token refresh");
    builder.edit(`${machine.dir}/src/auth.ts`, "old line", `new line of ${id}`);
    builder.reply("Done. We decided to use a lock because two requests came at once.");
    builder.prompt("Note to Pommel: tokens are refreshed under a lock");
    builder.reply("Noted.");
    await machine.read(builder);
  }
  await addNote(machine.work, { by: "person", note: "a note from a shell" });
}

it("brings a memory into an empty one as it was, and twice changes nothing", async () => {
  const [one, two] = [shared.machine("one"), shared.machine("two")];
  await worked(one);
  const text = exported(one);
  expect(await imported(two, text)).toMatchObject({
    problems: [],
    forgotten: 0,
    imported: { sessions: 2, annotations: 3 },
  });
  expect(exported(two)).toBe(text);
  const { sessions, turns, lines, annotations, files, chunks } = contentOf(two);
  expect({ sessions, turns, lines, annotations, files, chunks }).toMatchObject({
    sessions: contentOf(one).sessions,
    lines: contentOf(one).lines,
    annotations: contentOf(one).annotations,
    turns: contentOf(one).turns,
    files: contentOf(one).files,
    chunks: contentOf(one).chunks,
  });
  expect(await imported(two, text)).toMatchObject({
    imported: { sessions: 0, turns: 0, annotations: 0, checkpoints: 0, attributions: 0, events: 0 },
  });
  expect(exported(two)).toBe(text);
});

it("leaves out a session that only started, until something of it is stored", async () => {
  const machine = shared.machine("one");
  await worked(machine);
  const text = exported(machine);
  saveSession(machine.memory, { uid: "made-up", agent: "claude", cwd: "/repo", startedAt: 1 });
  expect(exported(machine)).toBe(text);
  await addNote(machine.work, { by: "person", note: "of a session to come", sessionUid: "made-up" });
  expect(exported(machine)).toContain('"uid":"made-up"');
});

it("skips and names bad lines, and imports all others", async () => {
  const [one, two] = [shared.machine("one"), shared.machine("two")];
  await worked(one);
  const lines = exported(one).split("\n");
  const bad = lines.toSpliced(2, 1, "{not json").toSpliced(4, 0, '{"kind":"session","record":{"uid":""}}');
  const { problems, records: count } = await imported(two, bad.join("\n"));
  expect(problems).toEqual([
    { line: 3, reason: "not understood" },
    { line: 5, reason: "not a session" },
  ]);
  expect(count).toBe(lines.length - 4);
  expect(contentOf(two).sessions).toEqual(contentOf(one).sessions);
});

it("says that a file was cut off, and refuses another one", async () => {
  const [one, two] = [shared.machine("one"), shared.machine("two")];
  await worked(one);
  const lines = exported(one).split("\n");
  const { problems } = await imported(two, lines.slice(0, 3).join("\n"));
  expect(problems).toEqual([{ line: 3, reason: expect.stringContaining("cut off") }]);
  await expect(imported(two, '{"a":1}\n')).rejects.toMatchObject({ code: "unreadable" });
  await expect(imported(two, '{"format":"pommel-memory","version":99}\n')).rejects.toThrow(/newer Pommel/);
});

it("leaves forgotten what was forgotten", async () => {
  const machine = shared.machine("one");
  await worked(machine);
  const text = exported(machine);
  await forgetNow(machine.work, { session: "s-1" });
  expect(await imported(machine, text)).toMatchObject({ forgotten: 2, imported: { sessions: 0 } });
  expect(exported(machine)).not.toContain("s-1");
});

const kinds: Record<Exclude<FileType, "transcript" | "signature">, string> = {
  meta: "session",
  annotation: "note",
  checkpoint: "checkpoint",
  attribution: "attribution",
  event: "event",
};

/** An export as other machines and versions may have written it. */
const anyFile = fc
  .record({
    meta: records.meta,
    transcript: records.transcript,
    annotation: records.annotation,
    checkpoint: records.checkpoint,
    attribution: records.attribution,
    event: records.event,
  })
  .map(({ transcript, ...others }) => {
    const line = (type: keyof typeof kinds) =>
      `{"kind":"${kinds[type]}","record":${encode(type, others[type] as never).trimEnd()}}`;
    const turns = encode("transcript", transcript)
      .split("\n")
      .filter((turn) => turn !== "");
    const lines = [
      line("meta"),
      ...turns.map((turn) => `{"kind":"turn","session":"s","record":${turn}}`),
      ...(["annotation", "event", "checkpoint", "attribution"] as const).map(line),
    ];
    const head = '{"format":"pommel-memory","version":1}';
    return [head, ...lines, `{"end":true,"records":${lines.length}}`].join("\n");
  });

it("gives the same bytes after a round trip, whatever was in the memory", async () => {
  await fc.assert(
    fc.asyncProperty(anyFile, async (file) => {
      const [one, two] = [temporaryWork(), temporaryWork()];
      await imported(one, file);
      const text = exported(one);
      expect({ text, problems: (await imported(two, text)).problems }).toEqual({ text, problems: [] });
      expect(exported(two)).toBe(text);
      expect(exported(one)).toBe(text);
      for (const { memory, remove } of [one, two]) {
        memory.close();
        remove();
      }
    }),
    { numRuns: runs(8) },
  );
});
