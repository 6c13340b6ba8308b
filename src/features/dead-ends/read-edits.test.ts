import { expect, it } from "vitest";
import type { SessionRecord } from "../../store/memory/memory-records.ts";
import { type FileEvent, forgetOldLooks } from "./read-edits.ts";

const look = (line: string): FileEvent["what"] => ({
  kind: "look",
  directory: "",
  look: { name: "ls", line, wrong: null },
});
const makeSession = (...happened: FileEvent["what"][]) => ({
  events: happened.map((what): FileEvent => ({ session: {} as SessionRecord, turn: 1, seq: 1, at: 1, what })),
});

it("what the oldest sessions looked at is forgotten once there is too much, and nothing else of them", () => {
  const sessions = [
    makeSession(look("ls a"), { kind: "commit" }),
    makeSession(look("ls b"), look("ls c")),
    makeSession({ kind: "failure" }, look("ls d")),
  ];
  forgetOldLooks(sessions, 3);
  expect(sessions.map(({ events }) => events.map(({ what }) => what.kind))).toEqual([
    ["look", "commit"],
    ["look", "look"],
    ["failure"],
  ]);
});
