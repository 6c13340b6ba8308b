import { PassThrough } from "node:stream";
import { beforeEach, expect, test, vi } from "vitest";
import { projectAt } from "../../project/paths.ts";
import { createOutput } from "../output.ts";
import { offerDaemon } from "./offer-daemon.ts";

const findOrStartDaemon = vi.hoisted(() => vi.fn(async () => ({ record: { pid: 7, port: 17_000 } })));
vi.mock("../../client/connect.ts", () => ({ findOrStartDaemon }));

beforeEach(() => findOrStartDaemon.mockClear());

/** A terminal at which `reply` is typed; null for Ctrl-D. */
function terminal(reply: string | null, isTTY = true) {
  const input = Object.assign(new PassThrough(), { isTTY });
  const output = Object.assign(new PassThrough(), { isTTY });
  if (reply === null) input.end();
  else input.write(`${reply}\n`);
  return { input, output, shown: () => String(output.read() ?? "") };
}

async function offer(reply: string | null, { isTTY = true, json = false } = {}) {
  const dialogue = terminal(reply, isTTY);
  const notes: string[] = [];
  const output = { ...createOutput({ json }), note: (line: string) => void notes.push(line) };
  await offerDaemon(projectAt("/nowhere"), output, dialogue);
  return { shown: dialogue.shown(), notes, started: findOrStartDaemon.mock.calls.length };
}

test.each(["y", "Y", "yes", " yes "])("starts the daemon on %j", async (reply) => {
  const { shown, notes, started } = await offer(reply);
  expect(shown).toContain("Start the daemon");
  expect(started).toBe(1);
  expect(notes).toEqual(["Pommel daemon started (PID 7, port 17000)."]);
});

test.each(["", "n", "what?", null])("takes %j for a no", async (reply) => {
  expect(await offer(reply)).toMatchObject({ started: 0, notes: [] });
});

test("asks nobody but a person", async () => {
  expect(await offer("y", { isTTY: false })).toEqual({ shown: "", notes: [], started: 0 });
  expect(await offer("y", { json: true })).toEqual({ shown: "", notes: [], started: 0 });
});
