import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { SetupTarget } from "../setup.ts";
import { geminiSetup } from "./setup.ts";

let home: string;
let place: SetupTarget;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "pommel-gemini-")));
  mkdirSync(join(home, ".gemini"));
  mkdirSync(join(home, "work/repo"), { recursive: true });
  place = { scope: "project", dir: join(home, "work/repo"), recordFile: "", env: { HOME: home } };
});
afterEach(() => rmSync(home, { recursive: true }));

const write = (name: string, said: unknown) =>
  writeFileSync(join(home, ".gemini", name), `// mine\n${JSON.stringify(said)}`);
const folders = (said: unknown) => write("trustedFolders.json", said);
const undecided = /until it trusts the folder/;

test("an undecided or untrusted folder is reported", () => {
  expect(geminiSetup.distrust(place)).toMatch(undecided);
  expect(geminiSetup.distrust({ ...place, scope: "user" })).toBeNull();
  folders({ [join(home, "work")]: "DO_NOT_TRUST" });
  expect(geminiSetup.distrust(place)).toContain(`does not trust ${join(home, "work")},`);
  folders({ [join(home, "work")]: "DO_NOT_TRUST", [place.dir]: "TRUST_FOLDER" });
  expect(geminiSetup.distrust(place)).toBeNull();
  folders({ [join(home, "work/rep")]: "TRUST_FOLDER" });
  expect(geminiSetup.distrust(place)).toMatch(undecided);
  folders("no object");
  expect(geminiSetup.distrust(place)).toMatch(undecided);
});

test("trust may come from a folder's parent, and links are resolved", () => {
  folders({ [join(home, "work/other")]: "TRUST_PARENT" });
  expect(geminiSetup.distrust(place)).toBeNull();
  folders({ [place.dir]: "TRUST_FOLDER" });
  symlinkSync(dirname(place.dir), join(home, "link"));
  expect(geminiSetup.distrust({ ...place, dir: join(home, "link/repo") })).toBeNull();
});

test("trust depends on settings, environment and hooks that ran before", () => {
  const here = (env: NodeJS.ProcessEnv) => geminiSetup.distrust({ ...place, env: { HOME: home, ...env } });
  expect(here({ GEMINI_CLI_TRUST_WORKSPACE: "true" })).toBeNull();
  expect(here({ GEMINI_CLI_TRUST_WORKSPACE: "false" })).toContain("environment");
  folders({ [place.dir]: "TRUST_FOLDER" });
  expect(here({ GEMINI_CLI_TRUSTED_FOLDERS_PATH: join(home, "none.json") })).toMatch(undecided);
  expect(here({ GEMINI_CLI_HOME: join(home, "elsewhere") })).toMatch(undecided);
  folders({});
  write("trusted_hooks.json", { [place.dir]: ["other:make it so"] });
  expect(here({})).toMatch(undecided);
  write("trusted_hooks.json", { [place.dir]: ["pommel:pm hook --agent gemini stop"] });
  expect(here({})).toBeNull();
  folders({ [place.dir]: "DO_NOT_TRUST" });
  expect(here({})).not.toBeNull();
  write("settings.json", { security: { folderTrust: { enabled: false } } });
  expect(here({})).toBeNull();
});
