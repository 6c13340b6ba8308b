import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { namedProject } from "../../../test/support/named-project.ts";
import type { Project } from "../../base/paths.ts";
import { changeSetting, listSettings } from "./settings.ts";

let project: Project;
beforeEach(() => {
  project = namedProject(mkdtempSync(join(tmpdir(), "pommel-settings-")));
  writeFileSync(project.configFile, "# mine\n[search]\nlimit = 20\n");
});
afterEach(() => rmSync(project.root, { recursive: true, force: true }));

const settingOf = (key: string) => listSettings(project).settings.find((one) => one.key === key);

test("each setting has its value, its origin and what it may be", () => {
  expect(settingOf("search.limit")).toMatchObject({
    value: 20,
    default: 10,
    origin: "project",
    source: project.configFile,
    changeable: true,
    allowed: "a whole number from 1 to 1000",
    choices: null,
  });
  expect(settingOf("context.mode")).toMatchObject({ origin: "default", source: null });
  expect(settingOf("context.mode")?.choices).toEqual(["off", "gentle", "eager"]);
});

test("a harmless setting is changed in the project's file, and reset", () => {
  expect(changeSetting(project, { key: "search.limit", value: "30" })).toMatchObject({
    changed: true,
    setting: { value: 30, origin: "project" },
  });
  expect(readFileSync(project.configFile, "utf8")).toBe("# mine\n[search]\nlimit = 30\n");
  expect(changeSetting(project, { key: "search.limit" }).setting).toMatchObject({
    value: 10,
    origin: "default",
  });
});

test.each([
  ["search.limit", "many", "config_bad_value"],
  ["search.limits", "3", "config_unknown_key"],
  // They send texts elsewhere, start programs, delete, or restart the daemon.
  ["openai.url", "https://evil.example", "forbidden"],
  ["ui.editor", "cursor", "forbidden"],
  ["sessions.retention_days", "1", "forbidden"],
  ["daemon.port", "1", "forbidden"],
  ["sessions.capture", "false", "forbidden"],
])("%s = %s is refused", (key, value, code) => {
  expect(() => changeSetting(project, { key, value })).toThrow(expect.objectContaining({ code }));
  expect(readFileSync(project.configFile, "utf8")).toContain("limit = 20");
});
