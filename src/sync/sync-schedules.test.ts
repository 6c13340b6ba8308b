import fc from "fast-check";
import { expect, it } from "vitest";
import { branch, contentOf, type Machine, sharedRemote } from "../../test/support/machine-fixture.ts";
import { runs } from "../../test/support/runs.ts";
import type { TranscriptFixture } from "../../test/support/transcript-fixture.ts";
import { addNote } from "../sessions/notes/add-note.ts";

/** A schedule: a machine records something, or several sync concurrently. */
const step = fc.oneof(
  fc.record({ kind: fc.constant("say" as const), who: fc.nat(2), session: fc.nat(1) }),
  fc.record({ kind: fc.constant("note" as const), who: fc.nat(2) }),
  fc.record({
    kind: fc.constant("sync" as const),
    who: fc.uniqueArray(fc.nat(2), { minLength: 1, maxLength: 3 }),
  }),
);

it("machines with real repositories converge without loss under any schedule", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 8 }), async (steps) => {
      const shared = sharedRemote();
      try {
        const machines = ["one", "two", "three"].map((name) => shared.machine(name));
        const sessions = new Map<string, TranscriptFixture>();
        const said: string[] = [];
        for (const [i, each] of steps.entries()) {
          if (each.kind === "sync") {
            await Promise.all(each.who.map((who) => machines[who]!.sync()));
            continue;
          }
          const machine = machines[each.who]!;
          const words = `words${i}of${machine.name}`;
          said.push(words);
          if (each.kind === "note") await addNote(machine.work, { by: "person", note: words });
          else await say(machine, sessions, `${machine.name}-${each.session}`, words);
        }
        const all = async () => {
          for (const machine of machines) expect((await machine.sync()).trouble).toBeNull();
        };
        // Rejected machines are behind; then the first ones lack the last one's records.
        await all();
        await all();
        const first = contentOf(machines[0]!);
        const text = JSON.stringify([first.turns, first.annotations]);
        for (const words of said) expect(text).toContain(words);
        for (const machine of machines) expect(contentOf(machine)).toEqual(first);
        if (said.length === 0) return;
        expect(new Set(machines.map((machine) => machine.tree())).size).toBe(1);
        const tip = shared.git("rev-parse", branch);
        await all();
        expect(shared.git("rev-parse", branch)).toBe(tip);
      } finally {
        shared.remove();
      }
    }),
    { numRuns: runs(2), endOnFailure: true },
  );
});

async function say(machine: Machine, sessions: Map<string, TranscriptFixture>, id: string, words: string) {
  const session = sessions.get(id) ?? machine.session(id);
  sessions.set(id, session);
  session.prompt(`Please say ${words}`);
  session.reply(`Here it is: ${words}`);
  await machine.read(session);
}
