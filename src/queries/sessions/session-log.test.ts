import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { atifTrajectory } from "../../../test/support/atif-schema.ts";
import { temporaryWork } from "../../../test/support/memory-work-fixture.ts";
import { atif } from "../../agents/atif/atif.ts";
import { projectAt } from "../../project/paths.ts";
import { createScrubber } from "../../redact/create-scrubber.ts";
import { ingestTranscript } from "../../sessions/ingest/ingest.ts";
import { shareOpenMemory } from "../open.ts";
import { exportTrajectory } from "./session-log.ts";

const secret = `ghp_${"a1B2".repeat(9)}`;
const at = (second: number) => new Date(Date.UTC(2026, 2, 2, 9, 0, second)).toISOString();
const steps = [
  { step_id: 1, timestamp: at(0), source: "user", message: `Use the token ${secret} for the cart` },
  {
    ...{ step_id: 2, timestamp: at(5), source: "agent", message: "It is in there.", model_name: "m" },
    tool_calls: [
      {
        tool_call_id: "c1",
        function_name: "write",
        arguments: { path: "cart.ts", content: `const t = "${secret}";\n` },
      },
    ],
    observation: { results: [{ source_call_id: "c1", content: "written" }] },
  },
  { step_id: 3, timestamp: at(9), source: "agent", message: "Done." },
];
const written = {
  ...{ schema_version: "ATIF-v1.7", session_id: "one", steps, extra: { cwd: "/app" } },
  agent: { name: "other", version: "1" },
};

let stores: ReturnType<typeof temporaryWork>[];
/** What another memory would write of a trajectory that it imported. */
async function through(trajectory: object) {
  const store = temporaryWork({
    scrubber: createScrubber({ globalFile: "", projectFile: null, pii: false }),
  });
  stores.push(store);
  const dir = mkdtempSync(join(tmpdir(), "pommel-atif-"));
  const file = join(dir, "run.json");
  writeFileSync(file, JSON.stringify(trajectory));
  await ingestTranscript({ ...store.work, root: "/app", agent: atif }, file);
  const project = projectAt(dir);
  const release = shareOpenMemory(project.memoryDb, {
    memoryIfAny: store.work.memory,
    suspect: () => {},
  } as unknown as Parameters<typeof shareOpenMemory>[1]);
  try {
    return await exportTrajectory(project, "one@atif", (text) => text);
  } finally {
    release();
  }
}

beforeEach(() => {
  stores = [];
});
afterEach(() => {
  for (const store of stores) store.remove();
});

it("a trajectory is stored without its secrets, and what is written of it is the same after another import", async () => {
  const first = await through(written);
  expect(atifTrajectory.safeParse(first).error?.issues ?? []).toEqual([]);
  expect(first).toMatchObject({ session_id: "one", agent: { name: "atif" }, extra: { cwd: "/app" } });
  expect(JSON.stringify(first)).not.toContain(secret);
  expect(first.steps.map(({ source, message, timestamp }) => [source, message, timestamp])).toEqual([
    ["user", "Use the token [REDACTED_GITHUB_TOKEN] for the cart", at(0)],
    ["agent", "It is in there.", at(5)],
    ["agent", "Done.", at(9)],
  ]);
  expect(first.steps[1]!.tool_calls![0]).toMatchObject({
    arguments: { content: 'const t = "[REDACTED_GITHUB_TOKEN]";\n' },
    extra: { pommel: { action: "write" } },
  });
  expect(await through(first)).toEqual(first);
});
