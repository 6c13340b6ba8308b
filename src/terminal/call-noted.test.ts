import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { addSession, turn } from "../../test/support/memory-fixture.ts";
import { namedProject } from "../../test/support/named-project.ts";
import type { Project } from "../base/paths.ts";
import { listSessions } from "../features/sessions/operation.ts";
import { Memory } from "../store/memory/memory.ts";
import { saveTurn } from "../store/memory/sessions/turns.ts";
import { callNoted } from "./call-noted.ts";
import { createOutput } from "./output.ts";
import { ownStreams } from "./streams.ts";

let project: Project;
beforeEach(() => {
  project = namedProject(mkdtempSync(join(tmpdir(), "pommel-call-noted-")));
});
afterEach(() => rmSync(project.root, { recursive: true, force: true }));

/** What is noted when sessions are listed, of which the last was active then. */
async function notedWhen(lastAt: number): Promise<string[]> {
  const memory = Memory.open(project.memoryDb, { readonly: false });
  const { id } = addSession(memory, "abc", { lastAt });
  saveTurn(memory, id, turn(1));
  memory.close();
  const note = vi.fn();
  const output = { ...createOutput({ json: false, noColor: true }, ownStreams), note };
  await callNoted(listSessions, {}, project, output);
  return note.mock.calls.map(([text]) => text);
}

it("says how old the last session is where no daemon answered", async () => {
  expect(await notedWhen(Date.now() - 3 * 86_400_000)).toEqual([
    "No daemon is running; the last session is from 3 days ago.",
  ]);
});

it("says nothing where it is recent enough", async () => {
  expect(await notedWhen(Date.now())).toEqual([]);
});
