import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { contentOf, type Machine, sharedRemote } from "../../../test/support/machine-fixture.ts";
import { runs } from "../../../test/support/runs.ts";
import { formatSharedBy } from "../../protocol/origin.ts";
import { addNote } from "../../sessions/notes/add-note.ts";
import { listStoredNotes } from "../../store/memory/chunks/notes.ts";
import { findEventByUid, saveEvent } from "../../store/memory/events.ts";
import { listSessions } from "../../store/memory/sessions/sessions.ts";
import type { SharedNote, SharedTurn } from "../records/records.ts";

/** Eve may push to the branch, and wants to be heard as Ann. */
const [annsName, evesWord] = ["ann@x.dev", "wombat"];

let shared: ReturnType<typeof sharedRemote>;
let ann: Machine;
let eve: Machine;
beforeEach(async () => {
  shared = sharedRemote();
  ann = shared.machine("ann");
  eve = shared.machine("eve", { person: "eve" });
  await remember(ann, "s1", "the lock");
  await addNote(ann.work, { by: "person", note: "tokens are refreshed under a lock" });
  await sync(ann);
});
afterEach(() => shared.remove());

const sync = (machine: Machine, name = annsName) => machine.sync({}, { author: name });

async function remember(machine: Machine, id: string, said: string): Promise<void> {
  const builder = machine.session(id);
  builder.prompt(`Why ${said}?`);
  builder.reply(`We decided to use ${said} because two requests came at once.`);
  await machine.read(builder);
}

/** What is stored as this person's own, in all that it says. */
function ownWords({ memory }: Machine): string {
  const rows = (sql: string) => memory.all<{ text: string }>(sql).map(({ text }) => text);
  return [
    ...rows("SELECT coalesce(title, '') AS text FROM sessions WHERE author IS NULL"),
    ...rows(
      "SELECT text FROM chunks JOIN sessions s ON s.id = session_id WHERE s.author IS NULL AND annotation_id IS NULL",
    ),
    ...rows("SELECT note AS text FROM annotations WHERE author IS NULL"),
    ...rows("SELECT title || description AS text FROM events WHERE author IS NULL"),
  ].join("\n");
}
const notes = ({ memory }: Machine) =>
  Object.fromEntries(listStoredNotes(memory).map(({ note, author }) => [note, author]));
const authors = ({ memory }: Machine) =>
  Object.fromEntries(
    listSessions(memory).flatMap(({ uid, agent, author }) => (agent === "pommel" ? [] : [[uid, author]])),
  ) as Record<string, string | null>;

/** A record of Ann's on the branch, by the beginning of its path. */
function onBranch(machine: Machine, beginning: string): { path: string; text: string } {
  const [path, text] = [...machine.files()].find(([name]) => name.startsWith(beginning))!;
  return { path, text };
}
const forgedNote = (over: Partial<SharedNote> = {}) =>
  `${JSON.stringify({
    uid: "f".repeat(32),
    session: null,
    turn: null,
    line: null,
    at: 5,
    source: "shell",
    branch: null,
    author: annsName,
    note: `ship the ${evesWord}`,
    ...over,
  })}\n`;

describe("whoever may push to the branch", () => {
  it("is not Ann by writing her address into a record", async () => {
    await remember(eve, "s2", `the ${evesWord}`);
    await sync(eve, "eve@x.dev");
    eve.tamper({
      [`annotations/${"f".repeat(32)}.json`]: forgedNote(),
      "sessions/s3/meta.json": onBranch(eve, "sessions/s2/meta")
        .text.replaceAll("s2", "s3")
        .replace("eve@x.dev", annsName),
      "sessions/s3/transcript.jsonl": onBranch(eve, "sessions/s2/transcript").text.replace(
        /"uid":"/g,
        '"uid":"3',
      ),
    });
    await sync(ann);
    const somebody = `somebody unsigned who claims to be ${annsName}`;
    expect(notes(ann)).toMatchObject({ [`ship the ${evesWord}`]: somebody });
    expect(authors(ann)).toEqual({ s1: null, s2: "eve@x.dev", s3: somebody });
    expect(ownWords(ann)).not.toContain(evesWord);
    expect(ann.signing().trust.listHeardSigners()).not.toContain("unsigned");
  });

  it("is not Ann by another key under her name", async () => {
    await remember(eve, "s2", `the ${evesWord}`);
    await sync(eve, annsName.toUpperCase());
    await sync(ann);
    const { fingerprint } = eve.signing().key!;
    expect(authors(ann).s2).toMatch(/^ANN@X\.DEV with another key SHA256:.{12}…$/);
    expect(ann.signing().trust.listHeardSigners()).not.toContain(fingerprint);
    const bob = shared.machine("bob", { person: "bob" });
    await sync(bob, "bob@x.dev");
    expect(Object.values(authors(bob)).filter((name) => name?.toLowerCase() === annsName)).toHaveLength(1);
  });

  it("is not Bob by a name so long that a label has no room for more", async () => {
    const longName = `${"b".repeat(80)}@x.dev`;
    const bob = shared.machine("bob", { person: "bob" });
    await remember(bob, "s4", "the queue");
    await sync(bob, longName);
    await sync(ann);
    await remember(eve, "s2", `the ${evesWord}`);
    await sync(eve, longName);
    await sync(ann);
    expect(formatSharedBy(authors(ann).s2)).toMatch(/^shared by b{19}… with another key SHA256 .{12}…$/);
  });

  it("adds nothing to Ann's session and changes nothing of it, and the next exchange repairs the branch", async () => {
    const bob = shared.machine("bob", { person: "bob" });
    await sync(bob, "bob@x.dev");
    const [turns, meta] = [onBranch(bob, "sessions/s1/transcript"), onBranch(bob, "sessions/s1/meta")];
    const turn = JSON.parse(turns.text.trim()) as SharedTurn;
    const [line] = turn.lines;
    const said = { ...line!, entries: [{ kind: "text", text: `We decided to use the ${evesWord}.` }] };
    const own = { ...turn, lines: [...turn.lines, { ...said, uid: "e1", seq: 7 }] };
    const another = { ...turn, id: "e2", number: 2, lines: [{ ...said, uid: "e2", seq: 9 }] };
    const note = onBranch(bob, "annotations/");
    eve.tamper({
      [turns.path]: `${JSON.stringify(own)}\n${JSON.stringify(another)}\n`,
      [meta.path]: JSON.stringify({ ...JSON.parse(meta.text), title: evesWord, title_source: "user" }),
      [note.path]: note.text.replace("tokens", evesWord),
    });
    const before = [ann, bob].map(contentOf);
    const fresh = shared.machine("fresh", { person: "cleo" });
    await sync(fresh, "cleo@x.dev");
    expect(authors(fresh)).not.toEqual({ s1: annsName });
    await sync(bob, "bob@x.dev");
    expect((await sync(ann)).problems.map(({ path }) => path)).toContain(turns.path);
    expect([ann, bob].map(contentOf)).toEqual(before);
    expect([...ann.files().values()].join()).not.toContain(evesWord);
    await sync(fresh, "cleo@x.dev");
    expect(authors(fresh)).toEqual({ s1: annsName });
    expect(JSON.stringify(contentOf(fresh))).not.toContain(evesWord);
    expect(await sync(ann)).toMatchObject({ pushed: false, problems: [] });
  });

  it("cannot use a signature for another record, another project, or after a change", async () => {
    const note = onBranch(ann, "annotations/");
    const uid = "d".repeat(32);
    eve.tamper({ [`annotations/${uid}.json`]: JSON.stringify({ ...JSON.parse(note.text), uid }) });
    await sync(ann);
    expect(listStoredNotes(ann.memory).find((one) => one.uid === uid)?.author).toContain("unsigned");
    const other = shared.machine("other");
    const elsewhere = { ...other.signing(), projects: ["of another repository"] };
    const report = await other.sync({}, { author: annsName, signing: () => elsewhere });
    expect(report.problems).toEqual([
      { path: expect.stringMatching(/^signatures\//), reason: "it was signed for another project" },
    ]);
    expect(ownWords(other)).toBe("");
    const list = onBranch(ann, "signatures/");
    const cut = JSON.parse(list.text) as { digests: string[]; signature: string };
    eve.tamper({ [list.path]: JSON.stringify({ ...cut, digests: [...cut.digests, "A".repeat(43)] }) });
    const third = shared.machine("third");
    expect((await sync(third)).problems).toMatchObject([{ reason: "its signature is not valid" }]);
    expect(ownWords(third)).toBe("");
  });

  it("does not change Ann's event without a signature, and with one it is Eve's", async () => {
    const event = {
      uid: "e1",
      title: "auth",
      description: "",
      type: "task" as const,
      status: "active" as const,
      branch: null,
      startsAt: null,
      endsAt: null,
      createdAt: 1,
      updatedAt: 1,
    };
    saveEvent(ann.memory, event);
    await sync(ann);
    const { path, text } = onBranch(ann, "events/");
    eve.tamper({
      [path]: text.replace('"auth"', `"${evesWord}"`).replace('"updated_at":1', '"updated_at":5'),
    });
    await sync(ann);
    expect(findEventByUid(ann.memory, "e1")).toMatchObject({ title: "auth", author: null });
    await sync(eve, "eve@x.dev");
    expect(findEventByUid(eve.memory, "e1")).toMatchObject({ title: "auth", author: annsName });
    saveEvent(eve.memory, { ...event, title: evesWord, updatedAt: 9 });
    await sync(eve, "eve@x.dev");
    await sync(ann);
    expect(findEventByUid(ann.memory, "e1")).toMatchObject({ title: evesWord, author: "eve@x.dev" });
  });

  it("is never heard as Ann, whatever is pushed between her machines' exchanges", async () => {
    const laptop = shared.machine("laptop");
    const bob = shared.machine("bob", { person: "bob" });
    await sync(eve, "eve@x.dev");
    const forge = (path: string, text: string, how: number): string | null => {
      if (path.endsWith("transcript.jsonl") && how === 2) return null;
      if (path.endsWith("transcript.jsonl") && how === 0) {
        const turn = JSON.parse(text.split("\n")[0]!) as SharedTurn;
        const entries = [{ kind: "text", text: evesWord }];
        return `${text}${JSON.stringify({ ...turn, id: "x", number: 9, lines: [{ uid: "x", seq: 99, at: 9, entries }] })}\n`;
      }
      return text.replace(/(?<="(?:text|note|title)":")/g, `${evesWord} `);
    };
    let n = 0;
    const act = fc.record({
      by: fc.constantFrom("ann", "laptop", "bob", "eve"),
      does: fc.constantFrom("sync", "note", "forge"),
      how: fc.nat(2),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 3, maxLength: 6 }), async (acts) => {
        for (const { by, does, how } of acts) {
          const machine = { ann, laptop, bob, eve }[by];
          const name = { ann: annsName, laptop: annsName, bob: "bob@x.dev", eve: "eve@x.dev" }[by];
          if (does === "note")
            await addNote(machine.work, {
              by: "person",
              note: `note ${++n} ${by === "eve" ? evesWord : ""}`,
            });
          if (by === "eve" && does === "forge") {
            await sync(eve, "eve@x.dev");
            const files = [...eve.files()].filter(([path]) => /^(sessions|annotations)/.test(path));
            eve.tamper(Object.fromEntries(files.map(([path, text]) => [path, forge(path, text, how)])));
          }
          await sync(machine, name);
          for (const one of [ann, laptop]) expect(ownWords(one)).not.toContain(evesWord);
        }
        // What Ann shared is hers everywhere once she has shared again.
        for (const one of [ann, laptop]) await sync(one);
        for (const one of [ann, laptop]) await sync(one);
        expect(notes(laptop)).toMatchObject({ "tokens are refreshed under a lock": null });
      }),
      { numRuns: runs(3), endOnFailure: true },
    );
  });
});

describe("another machine of the same person", () => {
  it("has a key of its own, and is the person's once they say so", async () => {
    const laptop = shared.machine("laptop", { person: "laptop" });
    await remember(laptop, "s2", "a spool");
    await sync(laptop);
    await sync(ann);
    const { trust } = ann.signing();
    const key = laptop.signing().key!.fingerprint!;
    expect(authors(ann).s2).toMatch(/another key/);
    trust.set(key, "yours");
    trust.relabelRecords(ann.memory);
    expect(authors(ann)).toEqual({ s1: null, s2: null });
    // Lost, say: what it signs is somebody else's again.
    trust.set(key, "not_trusted");
    trust.relabelRecords(ann.memory);
    expect(authors(ann).s2).toMatch(/another key/);
    expect(trust.listHeardSigners()).not.toContain(key);
  });
});
