import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { ScriptedAgent } from "../support/scripted-agent.ts";
import { until } from "./daemon-fixture.ts";
import { callPm, temporaryDir } from "./run-pm.ts";

/** Two agents of one project, in two worktrees, with the built hooks and daemon. */

const parser = `export function parse(text: string): string[] {
  const lines = text.split("\\n");
  return lines.filter((line) => line !== "");
}
`;
const loader = `import { parse } from "./parse";

export function load(text: string): number {
  const found = parse(text);
  return found.length;
}
`;

let main: string;
let worktree: string;
beforeAll(async () => {
  const dir = temporaryDir("pommel-radar-");
  [main, worktree] = [join(dir, "main"), join(dir, "fix-42")];
  mkdirSync(join(main, "src"), { recursive: true });
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", main, "-c", "user.name=a", "-c", "user.email=a@b.c", ...args]);
  git("init", "--quiet");
  writeFileSync(join(main, "src/parse.ts"), parser);
  writeFileSync(join(main, "src/load.ts"), loader);
  git("add", ".");
  git("commit", "--quiet", "--message", "Start");
  git("worktree", "add", "--quiet", "-b", "fix-42", worktree);
  for (const root of [main, worktree]) await pm(root, "init", "--yes", "--no-hooks", "--no-import");
  await pm(main, "start");
  for (const root of [main, worktree]) await pm(root, "reindex");
});
afterAll(async () => {
  await callPm(["stop"], { cwd: main });
});

async function pm(cwd: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await callPm(args, { cwd });
  expect({ args, code, stderr: code === 0 ? "" : stderr + stdout }).toEqual({ args, code: 0, stderr: "" });
  return stdout;
}
const agents: ScriptedAgent[] = [];
const agentIn = async (root: string) => {
  const agent = new ScriptedAgent(root, process.env.HOME!);
  agents.push(agent);
  await agent.start();
  return agent;
};
afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.end();
  for (const root of [main, worktree]) execFileSync("git", ["-C", root, "checkout", "--quiet", "."]);
});
const contextOf = (said: string): string =>
  (JSON.parse(said) as { hookSpecificOutput: { additionalContext: string } }).hookSpecificOutput
    .additionalContext;

const signature = {
  path: "src/parse.ts",
  input: { old_string: "text: string", new_string: "text: string, strict: boolean" },
};
const body = { path: "src/parse.ts", input: { old_string: 'line !== ""', new_string: "line.length > 0" } };
const caller = { path: "src/load.ts", input: { old_string: "found.length", new_string: "found.length + 1" } };

it("is off until it is turned on", async () => {
  const [one, two] = [await agentIn(worktree), await agentIn(main)];
  await one.edit(signature);
  await until(async () =>
    (JSON.parse(await pm(main, "radar", "--json")) as { sessions: { files: unknown[] }[] }).sessions.some(
      ({ files }) => files.length > 0,
    ),
  );
  expect(await pm(main, "radar")).toContain("pm config set radar.warn true");
  expect(await two.ask(body)).toBe("");
});

it("tells an agent of a function that another one changed, and of one that calls it; and shows both", async () => {
  await pm(main, "config", "set", "radar.warn", "true");
  const [one, two, three] = [await agentIn(worktree), await agentIn(main), await agentIn(main)];
  await one.edit(signature);
  const said = await until(() => two.ask(body));
  expect(contextOf(said)).toMatch(
    /^<pommel-context>\n- Another session \[\w{8}\] changed `parse\(\)` in worktree fix-42 (?:just now|\d+ \w+ ago) \(uncommitted\): its new signature is “export function parse\(text: string, strict: boolean\): string\[\]”, was “export function parse\(text: string\): string\[\]”\.\n<\/pommel-context>$/,
  );
  expect(await two.ask(body)).toBe("");
  const ofCall = await until(() => three.ask(caller));
  expect(contextOf(ofCall)).toContain("changed `parse()`, which `load()` calls, in worktree fix-42");

  // Both are at it: the first is told at its next edit, and people see it.
  await two.edit(body);
  const shown = await until(async () => {
    const text = await pm(main, "radar");
    return text.includes("Overlaps") ? text : null;
  });
  expect(shown).toContain("parse() src/parse.ts");
  expect(shown).toContain("in worktree fix-42");
  const again = { path: "src/parse.ts", input: { old_string: "const lines", new_string: "const all" } };
  const { before, after } = await one.edit(again);
  expect(contextOf(before || after)).toContain(`changed \`parse()\` in worktree main`);
});

it("says nothing any more once the other session is over", async () => {
  const [one, two] = [await agentIn(worktree), await agentIn(main)];
  await one.edit({ path: "src/load.ts", input: { old_string: "const found", new_string: "const all" } });
  await until(() => two.ask(caller));
  await one.end();
  // Whoever was told is not told again: each asks for the first time.
  await until(async () => (await (await agentIn(main)).ask(caller)) === "");
});
