import { expect, it } from "vitest";
import { dropHousekeeping } from "./last-words.ts";

it("drops how the session shall end from what was said last, and keeps what is about the work", () => {
  const work = "PR 42 reverses a decision. The transfer is droppable if you disagree.";
  for (const end of [
    "Ready for `/clear` whenever you are.",
    "This session is long and expensive to continue (every turn costs). Good moment for `/handoff` and a fresh start.",
    "You can start a fresh session now. Good luck with the screening.",
  ])
    expect(dropHousekeeping(`${work} ${end}`)).toBe(work);
  expect(dropHousekeeping(`${work}\n\nGo ahead and /clear when ready.`)).toBe(work);
  expect(dropHousekeeping("You can /clear now.")).toBe("You can /clear now.");
  expect(dropHousekeeping("The login page clears the session. It is new.")).toBe(
    "The login page clears the session. It is new.",
  );
});
