import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { AgentPart } from "../../setup/agent-part.ts";
import type { SetupTarget } from "../setup.ts";
import { codexSetup } from "./setup.ts";
import { explainDistrust } from "./trusted-hooks.ts";

let home: string;
let place: SetupTarget;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "pommel-codex-")));
  mkdirSync(join(home, "repo"));
  mkdirSync(join(home, ".codex"));
  place = placeAt(join(home, "repo"));
  putEarlier(place);
});
afterEach(() => rmSync(home, { recursive: true }));

const placeAt = (dir: string): SetupTarget => ({
  scope: "project",
  dir,
  recordFile: join(home, "setup.json"),
  env: { HOME: home },
});
/** Hooks by an older Pommel, which stay unchanged because they were trusted as they are. */
function putEarlier(at: SetupTarget): void {
  const [hooks] = codexSetup.parts;
  new AgentPart(at, codexSetup, hooks!).put();
  const file = hooks!.files(at)[0]!;
  const earlier = readFileSync(file, "utf8").replaceAll(
    /"command": ".*exec pommel (.*) \|\| true"/g,
    '"command": "pm $1"',
  );
  writeFileSync(file, earlier);
  expect(new AgentPart(at, codexSetup, hooks!).put()[0].outcome).toBe("already");
}
const config = (text: string) => writeFileSync(join(home, ".codex/config.toml"), text);
const trusted = (level = "trusted") => `[projects."${place.dir}"]\ntrust_level = "${level}"\n`;
/** The hashes that client 0.169.0 reports for Pommel's hooks. */
const hashes: Record<string, string> = {
  pre_compact: "8fc570a7ec46b000678dbc863c93a40fafa61a3581041febb9bad6741622d376",
  user_prompt_submit: "4c3afece784777239ab1ce1614a3c9744cd182866cd31dc0e8603250adad86d7",
  session_start: "68f26a6d9c81b9f7b476f656965f79037a4d3505ccfb8535305634d7a6663e6b",
  stop: "6c9e3e31aa43965d7d3501182cfeaef7b15c25669e6dbf5afaecccf5ae407f24",
  post_tool_use: "d6b633efe0c895a9492baffcde496d08f782d956f17db0548151f1bef4ec4436",
  session_end: "f73e2366927d6cba809adc8c80187eaf42ad7226471a1d4cba394a192aa42cf7",
  subagent_stop: "c2aac918f69c2b1620ec19d3db19a9b028ba3f3ceaf9a7bdb0027a7f3665dc97",
};
const events = Object.keys(hashes);
const state = (dir: string, names = events, more = "") =>
  names
    .map(
      (event) =>
        `[hooks.state."${dir}/.codex/hooks.json:${event}:0:0"]\ntrusted_hash = "sha256:${hashes[event]}"\n${more}`,
    )
    .join("");

test("project hooks need trust for the project and for each hook", () => {
  expect(explainDistrust(place)).toContain("does not trust this project");
  config(trusted("untrusted"));
  expect(explainDistrust(place)).toContain("does not trust this project");
  config(trusted());
  expect(explainDistrust(place)).toMatch(/\/hooks \(PreCompact, UserPromptSubmit, SessionStart, .*\)/);
  config(trusted() + state(place.dir, events.slice(1)));
  expect(explainDistrust(place)).toContain("/hooks (PreCompact)");
  config(trusted() + state(place.dir, events, "enabled = false\n"));
  expect(explainDistrust(place)).toContain("/hooks (PreCompact, ");
  expect(codexSetup.afterwards(place, ["hooks"]).join()).toContain("trust Pommel's hooks with /hooks");
  config(trusted() + state(place.dir));
  expect(explainDistrust(place)).toBeNull();
  expect(codexSetup.afterwards(place, ["hooks"])).toEqual([]);
  config(`${trusted()}[features]\nhooks = false\n${state(place.dir)}`);
  expect(explainDistrust(place)).toContain("Codex hooks are off");
});

test("a hook changed since it was trusted is reported, one with other fields is not judged", () => {
  config(trusted() + state(place.dir));
  const file = join(place.dir, ".codex/hooks.json");
  const written = readFileSync(file, "utf8");
  const stop = '"command": "pm hook --agent codex stop",';
  writeFileSync(file, written.replace(stop, stop.replace("pm", "/opt/bin/pm")));
  expect(explainDistrust(place)).toMatch(/changed since .* again with \/hooks \(Stop\)/);
  writeFileSync(file, written.replace(stop, `${stop} "statusMessage": "Saving",`));
  expect(explainDistrust(place)).toBeNull();
});

test("trust in a repository covers its subdirectories, trust in a main worktree its linked ones", () => {
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=Test", "-c", "user.email=test@example.invalid", ...args], {
      cwd: place.dir,
    });
  git("init", "--quiet");
  git("commit", "--quiet", "--allow-empty", "--message", "Begin");
  git("worktree", "add", "--quiet", join(home, "linked"));
  const [linked, inside] = [placeAt(join(home, "linked")), placeAt(join(place.dir, "shop"))];
  mkdirSync(inside.dir);
  putEarlier(inside);
  expect(explainDistrust(linked)).toContain("does not trust this project");
  expect(codexSetup.afterwards(linked, ["hooks"]).join()).toContain(`in ${place.dir} as well`);
  config(trusted() + state(place.dir));
  // The linked worktree's own hooks are not read.
  expect(explainDistrust(linked)).toBeNull();
  expect(explainDistrust(inside)).toContain("/hooks (PreCompact, ");
  config(trusted() + state(inside.dir));
  expect(explainDistrust(inside)).toBeNull();
  config(`${trusted()}[projects."${inside.dir}"]\ntrust_level = "untrusted"\n`);
  expect(explainDistrust(inside)).toContain("does not trust this project");
  config(trusted());
  rmSync(join(place.dir, ".codex"), { recursive: true });
  expect(explainDistrust(linked)).toContain(`run \`pm init --agent codex\` in ${place.dir}`);
});

test("user hooks need trust only for themselves, wherever CODEX_HOME is", () => {
  const own: SetupTarget = { ...place, scope: "user", dir: home };
  putEarlier(own);
  expect(explainDistrust(own)).toContain("/hooks (");
  config(state(home));
  expect(explainDistrust(own)).toBeNull();
  const moved = { ...own, env: { HOME: home, CODEX_HOME: join(home, "codex") } };
  const files = ["hooks.json", "config.toml", "AGENTS.md"].map((name) => join(home, "codex", name));
  expect(codexSetup.parts.map((part) => part.files(moved)[0])).toEqual([
    ...files,
    join(home, ".agents", "skills", "pommel", "SKILL.md"),
  ]);
});

test("an invalid config.toml is reported", () => {
  config("= 1");
  expect(explainDistrust(place)).toContain("config.toml:1:");
});
