import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { temporaryGit } from "../../test/support/repository-fixture.ts";
import { temporaryHome } from "../../test/support/temporary-home.ts";
import type { SetupTarget } from "../agents/setup.ts";
import { makeNewProject } from "../base/paths.ts";
import { listAgentParts } from "./agent-part.ts";
import { gitHooksKey } from "./git-part.ts";
import {
  hideOwnFiles,
  listMissing,
  listParts,
  planParts,
  previewParts,
  putParts,
  takeParts,
} from "./plan.ts";
import { makeProjectPlace, makeUserPlace } from "./record.ts";

let home: ReturnType<typeof temporaryHome>;
let root: string;
let env: NodeJS.ProcessEnv;
beforeEach(() => {
  home = temporaryHome();
  root = temporaryGit().dir;
  env = { ...process.env, HOME: home.dir };
});
afterEach(() => {
  rmSync(root, { recursive: true });
  home.remove();
});

const placeOf = (own: boolean): SetupTarget => makeProjectPlace(makeNewProject(root), { env, own });
const write = (file: string, text: string) => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
};
const everything = new Set(["claude/hooks", "claude/mcp", "codex/mcp", "codex/instructions", gitHooksKey]);
async function putAll(place: SetupTarget, wanted = everything) {
  return putParts(await planParts(place, wanted, true));
}
const plan = async (place: SetupTarget, asked = true) => {
  const planned = await planParts(place, everything, asked);
  return Object.fromEntries(
    planned.map(({ part, reason }) => [part.key, reason instanceof Error ? reason.message : reason]),
  );
};

/** The files of the checkout, with git's hooks. */
function filesOf(): Record<string, string> {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((path) => !/^\.git\/(?:objects|logs|index|refs)/.test(path));
  return Object.fromEntries(paths.sort().map((path) => [path, readFileSync(join(root, path), "utf8")]));
}

describe("what is wanted", () => {
  it("is put in where it is missing, git's hooks as agents' parts, and is taken out byte for byte", async () => {
    write(join(root, ".codex/config.toml"), 'model = "o" # mine');
    const before = filesOf();
    expect(await listMissing(placeOf(false))).toContain(gitHooksKey);
    const done = await putAll(placeOf(false));
    expect(done.map(({ part, state }) => [part.key, state])).toEqual([
      [gitHooksKey, "installed"],
      ["claude/hooks", "installed"],
      ["claude/mcp", "installed"],
      ["codex/mcp", "installed"],
      ["codex/instructions", "installed"],
    ]);
    const missing = await listMissing(placeOf(false));
    for (const key of everything) expect(missing).not.toContain(key);
    const again = await putAll(placeOf(false));
    expect(new Set(again.flatMap(({ files }) => files.map(({ outcome }) => outcome)))).toEqual(
      new Set(["already"]),
    );
    const { taken, failures } = await takeParts(placeOf(false));
    expect(failures).toEqual([]);
    expect(new Set(taken.map(({ part }) => part.key))).toEqual(everything);
    expect(filesOf()).toEqual(before);
  });

  it("is left out after pm disable unless somebody asks, and where it is provided already", async () => {
    await putAll(makeUserPlace(env), new Set(["claude/mcp"]));
    await takeParts(placeOf(true));
    expect(await plan(placeOf(true), false)).toMatchObject({
      "claude/hooks": "pm disable",
      [gitHooksKey]: "pm disable",
    });
    write(join(root, ".claude/settings.json"), '{"enabledPlugins": {"pommel@x": true}}');
    expect(await plan(placeOf(false))).toMatchObject({
      "claude/hooks": null,
      "claude/mcp": "provided by the plugin",
      "codex/mcp": null,
    });
    rmSync(join(root, ".claude"), { recursive: true });
    expect(await plan(placeOf(true))).toMatchObject({
      "claude/hooks": null,
      "claude/mcp": "set up for all projects",
    });
  });

  it("does not go into a person's own files where git tracks them", async () => {
    write(join(root, "AGENTS.md"), "# Rules\n");
    execFileSync("git", ["-C", root, "add", "."]);
    expect((await plan(placeOf(true)))["codex/instructions"]).toBe("git tracks AGENTS.md.");
    expect((await plan(placeOf(false)))["codex/instructions"]).toBeNull();
  });

  it("is hidden from git's status where it is a person's own", async () => {
    await putAll(placeOf(true));
    await hideOwnFiles(placeOf(true));
    expect(execFileSync("git", ["-C", root, "status", "--porcelain"], { encoding: "utf8" })).toBe("");
  });
});

it("an older Pommel's part is updated without being wanted", async () => {
  const old = "<!-- pommel:begin v0 b7925e38 -->\nAsk Pommel.\n<!-- pommel:end -->\n";
  write(join(root, "AGENTS.md"), old);
  const planned = await planParts(placeOf(false), new Set(), false);
  expect(planned.map(({ part }) => part.key)).toContain("codex/instructions");
  expect((await putParts(planned))[0]!.files).toMatchObject([{ file: "AGENTS.md", outcome: "changed" }]);
});

it("a preview is what putting in does then", async () => {
  write(join(root, "AGENTS.md"), "# Rules");
  const before = filesOf();
  const planned = await planParts(placeOf(false), everything, true);
  const changes = previewParts(planned);
  expect(filesOf()).toEqual(before);
  await putParts(planned);
  const after = filesOf();
  for (const { file, is_new, lines } of changes) {
    expect(is_new).toBe(!(file in before));
    for (const line of lines.filter((one) => one.startsWith("+")))
      expect(after[file]!.split("\n")).toContain(line.slice(1));
  }
  const changed = Object.keys(after).filter(
    (file) => !file.startsWith(".git/") && after[file] !== before[file],
  );
  expect(changes.map(({ file }) => file).sort()).toEqual(changed.sort());
});

it("one part that fails does not keep the others from going in or out", async () => {
  write(join(root, ".mcp.json"), "{");
  const done = await putAll(placeOf(false));
  expect(done.filter(({ state }) => state === "failed").map(({ part }) => part.key)).toEqual(["claude/mcp"]);
  const { failures } = await takeParts(placeOf(false));
  expect(failures).toMatchObject([{ code: "settings_invalid" }]);
  expect(existsSync(join(root, ".git/hooks/post-commit"))).toBe(false);
  const left = listAgentParts(placeOf(false)).filter((part) => part.look().state !== "absent");
  expect(left).toEqual([]);
});

it("says in words that there is no git for hooks", async () => {
  rmSync(join(root, ".git"), { recursive: true });
  const [git] = listParts(placeOf(false));
  expect(await git!.look()).toMatchObject({ state: "absent", error: { code: "not_found" } });
  const [done] = await putAll(placeOf(false), new Set([gitHooksKey]));
  expect(done).toMatchObject({ state: "failed", reason: expect.stringMatching(/^No git hooks: /) });
});
