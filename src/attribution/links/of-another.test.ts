import { expect, it } from "vitest";
import { addCheckpoint, binding } from "../../../test/support/checkpoint-rows-fixture.ts";
import { addSession, temporaryMemory } from "../../../test/support/memory-fixture.ts";
import { isOfAnother } from "./bind.ts";

it("a commit of somebody whom no session of a home directory ever led to is another's", () => {
  const { memory, remove } = temporaryMemory();
  try {
    addSession(memory, "anns", { cwd: "/Users/ann/work/project" });
    addSession(memory, "anns-too", { cwd: "/Users/ann/other" });
    addSession(memory, "contained", { cwd: "/workspace" });
    const led = (n: number, author: string) =>
      addCheckpoint(memory, `${n}`.padStart(12, "0"), `${n}`.padStart(40, "0"), [binding("anns", [1])], {
        author,
      });
    for (let n = 1; n <= 4; n++) led(n, "Ann");
    expect(isOfAnother(memory, "anns-too", "Bob")).toBe(false);
    led(5, "Ann");
    expect(isOfAnother(memory, "anns-too", "Bob")).toBe(true);
    expect(isOfAnother(memory, "anns-too", "Ann")).toBe(false);
    expect(isOfAnother(memory, "contained", "Bob")).toBe(false);
    expect(isOfAnother(memory, "unknown", "Bob")).toBe(false);
    led(6, "Bob");
    expect(isOfAnother(memory, "anns-too", "Bob")).toBe(false);
  } finally {
    remove();
  }
});
