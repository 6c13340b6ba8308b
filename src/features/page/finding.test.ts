import { afterEach, beforeEach, expect, it } from "vitest";
import { addSession, chunk, deciding, temporaryMemory, turn } from "../../../test/support/memory-fixture.ts";
import { replaceChunks } from "../../store/memory/chunks/chunks.ts";
import { type CommandToStore, saveCommands } from "../../store/memory/commands.ts";
import { saveTurn } from "../../store/memory/sessions/turns.ts";
import { findInPast } from "./finding.ts";

let stored: ReturnType<typeof temporaryMemory>;
beforeEach(() => {
  stored = temporaryMemory();
});
afterEach(() => stored.remove());

/** A session in which these command lines ran, and worked unless they begin with "!". */
function ran(uid: string, lines: readonly string[], author: string | null = null): void {
  const { id } = addSession(stored.memory, uid, { author });
  const turnId = saveTurn(stored.memory, id, turn(1));
  saveCommands(
    stored.memory,
    turnId,
    lines.map((given, i): CommandToStore => {
      const line = given.replace(/^!/, "");
      return {
        seq: i,
        step: 0,
        at: 1000 + i,
        line,
        form: line.replace(/\S+$/, "…"),
        name: line.split(" ")[0]!,
        outcome: given === line ? "worked" : "failed",
        status: null,
        tookMs: null,
        signatures: [],
        directory: "",
        purpose: "",
        error: null,
      };
    }),
  );
}

function decided(uid: string, text: string, by: "person" | "agent" = "person", author: string | null = null) {
  const { id } = addSession(stored.memory, uid, { author });
  saveTurn(stored.memory, id, turn(1));
  const decisions = deciding(text).decisions.map((one) => ({ ...one, by }));
  replaceChunks(stored.memory, id, { type: "raw", from: 0 }, [
    chunk(0, text, { session: uid, ...deciding(text), decisions }),
  ]);
}

it("is what a person decided last, with its place", () => {
  decided("one", "We decided to retry three times instead of once.");
  expect(findInPast(stored.memory)).toEqual({
    about: "decision",
    quote: "We decided to retry three times instead of once.",
    session_id: "one",
    turn: 1,
    at: "1970-01-01T00:00:01.000Z",
    sessions: 1,
  });
});

it("is nothing that an agent or a colleague decided, or that is too long to read", () => {
  decided("one", "We decided to retry three times instead of once.", "agent");
  decided("two", "We decided to poll instead of waiting.", "person", "ann");
  decided("three", `We decided to use ${"very ".repeat(40)}long names instead of short ones.`);
  expect(findInPast(stored.memory)?.about).not.toBe("decision");
});

it("else it is the check that worked in most sessions", () => {
  for (const uid of ["one", "two"]) ran(uid, ["npm test a", "ls src", "git status x"]);
  expect(findInPast(stored.memory)?.about).not.toBe("command");
  ran("three", ["npm test b", "npm test c", "ls src", "git status x"]);
  ran("four", ["!npm test d", "ls src"]);
  ran("five", ["npm test e"], "ann");
  expect(findInPast(stored.memory)).toMatchObject({
    about: "command",
    quote: "npm test c",
    session_id: "three",
    turn: 1,
    sessions: 3,
  });
});

it("else it is the file that most sessions edited, else the last session, of one's own", () => {
  expect(findInPast(stored.memory)).toBeNull();
  const edit = (uid: string, path: string, author: string | null = null) => {
    const { id } = addSession(stored.memory, uid, {
      author,
      title: { text: `work on ${path}`, source: "prompt" },
    });
    saveTurn(stored.memory, id, turn(1, { files: [{ path, how: "edit" }] }));
  };
  edit("one", "src/retry.ts");
  for (const uid of ["ann-1", "ann-2", "ann-3"]) edit(uid, "src/poll.ts", "ann");
  expect(findInPast(stored.memory)).toMatchObject({
    about: "session",
    quote: "work on src/retry.ts",
    session_id: "one",
  });
  edit("two", "src/retry.ts");
  expect(findInPast(stored.memory)).toMatchObject({
    about: "file",
    quote: "src/retry.ts",
    session_id: "two",
    turn: 1,
    sessions: 2,
  });
});
