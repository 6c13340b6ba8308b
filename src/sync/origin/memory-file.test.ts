import { afterEach, beforeEach, expect, it } from "vitest";
import { type Machine, sharedRemote } from "../../../test/support/machine-fixture.ts";
import { addNote } from "../../sessions/notes/add-note.ts";
import { listStoredNotes } from "../../store/memory/chunks/notes.ts";
import { listSessions } from "../../store/memory/sessions/sessions.ts";
import { exportMemory, formatSignatureLine, importMemory, parseSignatureLine } from "../memory-file.ts";
import { SignedRecords } from "./signed-records.ts";

let shared: ReturnType<typeof sharedRemote>;
beforeEach(() => {
  shared = sharedRemote();
});
afterEach(() => shared.remove());

const signedBy = (machine: Machine, name: string | null) =>
  new SignedRecords(machine.memory, machine.signing(), name);

async function exported(machine: Machine, name: string): Promise<string[]> {
  const signed = signedBy(machine, name);
  const lines = [...exportMemory({ work: machine.work, filter: true, me: name }, signed)].flatMap(
    ({ text }) => text.split("\n").filter((line) => line !== ""),
  );
  return lines.toSpliced(-1, 0, formatSignatureLine((await signed.sign())!).trimEnd());
}

async function imported(machine: Machine, lines: readonly string[]): Promise<void> {
  const signed = signedBy(machine, null);
  for (const line of lines) {
    const list = parseSignatureLine(line);
    if (list !== null) signed.accept(list);
  }
  async function* all() {
    yield* lines;
  }
  const { problems } = await importMemory(
    { work: machine.work, filter: true, authorshipOf: signed.authorshipOf },
    all(),
  );
  expect(problems).toEqual([]);
}

async function worked(machine: Machine): Promise<void> {
  const builder = machine.session("s1");
  builder.prompt("Why the lock?");
  builder.reply("Because two requests came at once.");
  await machine.read(builder);
  await addNote(machine.work, { by: "person", note: "under a lock" });
}

const authors = ({ memory }: Machine) => [
  listSessions(memory).find(({ uid }) => uid === "s1")?.author,
  listStoredNotes(memory)[0]?.author,
];

it("is this person's where their key signed it, and its author's elsewhere", async () => {
  const [one, two] = [shared.machine("one"), shared.machine("two")];
  const bob = shared.machine("bob", { person: "bob" });
  await worked(one);
  const lines = await exported(one, "ann@x.dev");
  await imported(two, lines);
  expect(authors(two)).toEqual([null, null]);
  await imported(bob, lines);
  expect(authors(bob)).toEqual(["ann@x.dev", "ann@x.dev"]);
});

it("is nobody's without a signature, or where somebody changed it", async () => {
  const [one, two, three] = [shared.machine("one"), shared.machine("two"), shared.machine("three")];
  await worked(one);
  const lines = await exported(one, "ann@x.dev");
  const somebody = "somebody unsigned who claims to be ann@x.dev";
  await imported(
    two,
    lines.filter((line) => parseSignatureLine(line) === null),
  );
  expect(authors(two)).toEqual([somebody, somebody]);
  await imported(
    three,
    lines.map((line) => line.replace("under a lock", "without one")),
  );
  expect(authors(three)).toEqual([null, somebody]);
});
