import { expect, it } from "vitest";
import { describeStart } from "./pm-start.ts";

const report = { pid: 1, port: 2, already_running: false, past_sessions: null };

it("shows how long indexing takes, if known", () => {
  const shown = (files_to_index: number | null, eta_seconds: number | null) =>
    describeStart({ ...report, files_to_index, eta_seconds }).join("\n");
  expect(shown(3250, 12)).toContain("Files to index:     3,250\n  Estimated time:     about 12 s\n");
  expect(shown(3250, null)).not.toMatch(/time|known/);
  expect(shown(0, 0)).toContain("up to date");
  expect(shown(null, null)).toContain("Pommel is still counting the files to index.");
});
