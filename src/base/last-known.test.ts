import { expect, it } from "vitest";
import { LastKnown } from "./last-known.ts";

const forever = 1e9;

/** Finds what it is told to, when it is told to. */
function controlled() {
  const waiting: { resolve: (value: string) => void; reject: (error: Error) => void }[] = [];
  const find = () => new Promise<string>((resolve, reject) => void waiting.push({ resolve, reject }));
  return { waiting, find };
}

it("waits for what is found in time, and finds it once for all who ask", async () => {
  const { waiting, find } = controlled();
  const known = new LastKnown(find, { freshMs: forever, patienceMs: forever });
  const asked = [known.ask(), known.ask()];
  expect(waiting).toHaveLength(1);
  waiting[0]!.resolve("first");
  for (const answer of await Promise.all(asked)) expect(answer).toMatchObject({ value: "first" });
  expect(await known.ask()).toMatchObject({ value: "first" });
  expect(waiting).toHaveLength(1);
});

it("gives what was found last while something newer is being found", async () => {
  const { waiting, find } = controlled();
  const known = new LastKnown(find, { freshMs: -1, patienceMs: 0 });
  expect(await known.ask()).toBeNull();
  expect(known.isFinding).toBe(true);
  waiting[0]!.resolve("first");
  await known.settle();
  expect(known.isFinding).toBe(false);
  expect(await known.ask()).toMatchObject({ value: "first" });
  expect(waiting).toHaveLength(2);
});

it("says why nothing could be found, and tries again", async () => {
  const { waiting, find } = controlled();
  const known = new LastKnown(find, { freshMs: forever, patienceMs: forever });
  const asked = known.ask();
  waiting[0]!.reject(new Error("no disk"));
  await expect(asked).rejects.toThrow("no disk");
  const again = known.ask();
  waiting[1]!.resolve("second");
  expect(await again).toMatchObject({ value: "second" });
});
