import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { putPart } from "../setup/parts.ts";
import type { Place } from "../setup.ts";
import { codexSetup } from "./setup.ts";
import { distrust } from "./trust.ts";

let home: string;
let place: Place;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "pommel-codex-")));
  mkdirSync(join(home, "repo"));
  mkdirSync(join(home, ".codex"));
  place = {
    scope: "project",
    dir: join(home, "repo"),
    recordFile: join(home, "setup.json"),
    env: { HOME: home },
  };
  putPart(place, codexSetup, codexSetup.parts[0]!);
});
afterEach(() => rmSync(home, { recursive: true }));

const config = (text: string) => writeFileSync(join(home, ".codex/config.toml"), text);
const trusted = () => `[projects."${place.dir}"]\ntrust_level = "trusted"\n`;
const events = [
  "pre_compact",
  "user_prompt_submit",
  "session_start",
  "stop",
  "post_tool_use",
  "session_end",
  "subagent_stop",
];
const state = (dir: string, names: string[], more = "") =>
  names
    .map(
      (event) => `[hooks.state."${dir}/.codex/hooks.json:${event}:0:0"]\ntrusted_hash = "sha256:0"\n${more}`,
    )
    .join("");

test("hooks of a project want the project trusted, and each of them", () => {
  expect(distrust(place)).toContain("does not trust this project");
  config(`[projects."${place.dir}"]\ntrust_level = "untrusted"\n`);
  expect(distrust(place)).toContain("does not trust this project");
  config(trusted());
  expect(distrust(place)).toMatch(/\/hooks \(PreCompact, UserPromptSubmit, SessionStart, .*\)/);
  config(trusted() + state(place.dir, events.slice(1)));
  expect(distrust(place)).toContain("/hooks (PreCompact)");
  config(trusted() + state(place.dir, events, "enabled = false\n"));
  expect(distrust(place)).toContain("/hooks (PreCompact, ");
  config(trusted() + state(place.dir, events));
  expect(distrust(place)).toBeNull();
});

test("the user's hooks want only themselves trusted, wherever Codex lives", () => {
  const own: Place = { ...place, scope: "user", dir: home };
  putPart(own, codexSetup, codexSetup.parts[0]!);
  expect(distrust(own)).toContain("/hooks (");
  config(state(home, events));
  expect(distrust(own)).toBeNull();
  const moved = { ...own, env: { HOME: home, CODEX_HOME: join(home, "codex") } };
  expect(codexSetup.parts.map((part) => part.files(moved)[0])).toEqual(
    ["hooks.json", "config.toml", "AGENTS.md"].map((name) => join(home, "codex", name)),
  );
});

test("a config.toml that makes no sense is told", () => {
  config("= 1");
  expect(distrust(place)).toContain("config.toml:1:");
});
