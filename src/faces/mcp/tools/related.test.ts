import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { addSession, turn } from "../../../../test/support/memory-fixture.ts";
import { namedProject } from "../../../../test/support/named-project.ts";
import { Memory } from "../../../store/memory/memory.ts";
import { saveTurn } from "../../../store/memory/sessions/turns.ts";
import { readArguments } from "../server/call-tool.ts";
import { relatedInput } from "../shapes/shapes-search.ts";
import { related } from "./related.ts";

const dir = mkdtempSync(join(tmpdir(), "pommel-related-"));
afterEach(() => rmSync(dir, { recursive: true, force: true }));

it("names files and sessions in as many tokens as were asked for, and all of them in the end", async () => {
  const project = namedProject(dir);
  const memory = Memory.open(project.memoryDb, { readonly: false });
  const deep = "a-directory-with-a-long-name/".repeat(4);
  for (let number = 0; number < 12; number++) {
    const { id } = addSession(memory, `session-${number}`, { lastAt: Date.now() });
    saveTurn(memory, id, turn(1, { files: [{ path: `src/${deep}${number}.ts`, how: "edit" }] }));
  }
  memory.close();
  const context = { project, cwd: dir, across: null, ownSession: null, signal: new AbortController().signal };
  const seen: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const args = readArguments("related", relatedInput, { files: ["src"], max_tokens: 500, cursor });
    const { structured } = await related(args, context);
    expect(JSON.stringify(structured).length).toBeLessThanOrEqual(2000);
    seen.push(...structured.sessions.map(({ session_id }) => session_id));
    cursor = structured.next_cursor;
  }
  expect(new Set(seen).size).toBe(12);
  expect(seen).toHaveLength(12);
});
