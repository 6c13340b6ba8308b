import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { AgentPart } from "../../setup/agent-part.ts";
import type { SetupTarget } from "../setup.ts";
import { codexSetup } from "./setup.ts";

let dir: string;
let place: SetupTarget;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "pommel-codex-"));
  for (const name of ["repo", "repo/.codex", ".codex"]) mkdirSync(join(dir, name));
  const repo = join(dir, "repo");
  place = { scope: "project", dir: repo, recordFile: join(dir, "setup.json"), env: { HOME: dir } };
});
afterEach(() => rmSync(dir, { recursive: true }));

const spec = codexSetup.parts.find(({ name }) => name === "instructions")!;
const part = () => new AgentPart(place, codexSetup, spec);
const put = () => part().put()[0];
const write = (name: string, text: string) => writeFileSync(join(place.dir, name), text);
const read = (name: string) => readFileSync(join(place.dir, name), "utf8");

test("instructions go to the file that Codex reads, and are removed from earlier ones", () => {
  expect(put()).toMatchObject({ file: "AGENTS.md", outcome: "created" });
  write("AGENTS.override.md", "# Mine");
  expect(part().look().state).toBe("absent");
  expect(put()).toMatchObject({ file: "AGENTS.override.md", outcome: "changed" });
  expect(put()).toMatchObject({ file: "AGENTS.override.md", outcome: "already" });
  expect(part().look()).toMatchObject({ state: "current", file: "AGENTS.override.md" });
  rmSync(place.recordFile);
  expect(part().take()).toMatchObject([
    { file: "AGENTS.override.md", outcome: "removed" },
    { file: "AGENTS.md", outcome: "removed" },
  ]);
  expect(read("AGENTS.override.md").trimEnd()).toBe("# Mine");
});

test.each([
  [".codex", true],
  ["../.codex", true],
  ["../.codex", false],
])("a fallback file configured in %s/config.toml is not hidden by a new AGENTS.md", (config, exists) => {
  write(`${config}/config.toml`, 'project_doc_fallback_filenames = ["../up.md", "CLAUDE.md", "HELP.md"]\n');
  if (exists) write("HELP.md", "# Help\n");
  write(".codex/AGENTS.md", "");
  expect(put().file).toBe(exists ? "HELP.md" : "AGENTS.md");
  part().take();
  expect(existsSync(join(place.dir, "AGENTS.md"))).toBe(false);
  if (exists) expect(read("HELP.md")).toBe("# Help\n");
});

test("instructions ignore an invalid config.toml", () => {
  write(".codex/config.toml", "= 1");
  expect(put()).toMatchObject({ file: "AGENTS.md", outcome: "created" });
});
