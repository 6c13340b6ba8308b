import { expect, it } from "vitest";
import type { SessionRecord } from "../../store/memory/memory-records.ts";
import { type EditEvent, forgetOldLooks } from "./read-edits.ts";

const look = (line: string): EditEvent["what"] => ({
  kind: "look",
  directory: "",
  look: { name: "ls", line, wrong: null },
});
const makeSession = (...happened: EditEvent["what"][]) => ({
  events: happened.map((what): EditEvent => ({ session: {} as SessionRecord, turn: 1, seq: 1, at: 1, what })),
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
