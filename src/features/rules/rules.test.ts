import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { addSession, turn } from "../../../test/support/memory-fixture.ts";
import { temporaryHome } from "../../../test/support/temporary-home.ts";
import { changeMemory, toldProject } from "../../../test/support/told-project.ts";
import { prompt, ran } from "../../../test/support/turn-fixture.ts";
import { setConfig } from "../../base/config/config-edit.ts";
import type { Project } from "../../base/paths.ts";
import { call } from "../../client/call.ts";
import { readReadyPart } from "../../protocol/ready-context.ts";
import { saveNote } from "../../store/memory/chunks/notes.ts";
import { Memory } from "../../store/memory/memory.ts";
import { packContent } from "../../store/memory/sessions/content.ts";
import { saveTurn } from "../../store/memory/sessions/turns.ts";
import type { CallContext } from "../../tools/tool.ts";
import { rulesInHooks } from "./before-call.ts";
import { changeRule, listRules, proposeRules } from "./operation.ts";
import { makeRulesReady } from "./stored.ts";
import { tellRules } from "./tool-answer.ts";

let home: ReturnType<typeof temporaryHome>;
let project: Project;
beforeEach(() => {
  home = temporaryHome();
  project = toldProject(join(home.dir, "shop"));
});
afterEach(() => home.remove());

const how = { without: "here" } as const;
const say = (note: string, author: string | null = null) =>
  changeMemory(project, (memory) => {
    addSession(memory, "s1", { cwd: project.root });
    const about = { sessionUid: "s1", turn: 1, lineUid: null, branch: null, at: Date.now() };
    saveNote(memory, { ...about, uid: note, note, author, source: "prompt" });
  });
const propose = async () => (await call(proposeRules, {}, project, how)).proposals;
const check = () => setConfig(project, "rules.check", "true");
const before = (session: string, command: string) => {
  const ready = readReadyPart(project.root, "rules");
  const ahead = { session, tool: "Bash", input: { command }, cwd: project.root };
  return ready === null ? null : rulesInHooks.beforeCall(ready, ahead);
};

it("what a person noted is proposed, and no colleague's words", async () => {
  say("never push to main");
  say("never force push", "Ada");
  expect(await propose()).toMatchObject([
    { text: "never push to main", check: { words: ["git", "push", "main"] } },
  ]);
});

it("what stands in a file of instructions is proposed with its file, but for what Pommel wrote there, and links", async () => {
  changeMemory(project, () => {});
  const ours = "<!-- pommel:begin v1 00000000 -->\nNever use `npx`.\n<!-- pommel:end -->";
  const key = `sk-ant-api03-${"a".repeat(93)}AA`;
  writeFileSync(
    join(project.root, "CLAUDE.md"),
    `# Rules\n\n- **Never** push to \`main\`.\n- Never run \`echo ${key}\`.\n- Never commit without running the tests.\n\n${ours}\n`,
  );
  symlinkSync("CLAUDE.md", join(project.root, "AGENTS.md"));
  const proposals = await propose();
  expect(proposals).toMatchObject([
    {
      text: "Never push to `main`.",
      check: { kind: "command", words: ["git", "push", "main"] },
      times: 1,
      said: [{ file: "CLAUDE.md", session_id: "", at: null }],
    },
    { check: { kind: "command" } },
  ]);
  expect(JSON.stringify(proposals)).not.toContain(key);
  const accepted = await call(changeRule, { change: "accept", id: proposals[0]!.id }, project, how);
  expect(accepted.said[0]?.file).toBe("CLAUDE.md");
  expect((await propose()).length).toBe(1);
});

it("a rule is accepted, changed and dropped, and not proposed again", async () => {
  say("never push to main");
  const [{ id } = { id: "" }] = await propose();
  await call(changeRule, { change: "accept", id: id.slice(0, 4), mode: "ask" }, project, how);
  expect(await propose()).toEqual([]);
  await call(changeRule, { change: "mode", id, mode: "deny" }, project, how);
  expect(await call(listRules, {}, project, how)).toMatchObject({
    rules: [{ id, mode: "deny" }],
    is_checked: false,
  });
  await call(changeRule, { change: "drop", id }, project, how);
  expect((await call(listRules, {}, project, how)).rules).toEqual([]);
  expect(await propose()).toEqual([]);
});

it("what would be in the way is proposed as a reminder, and nothing more", async () => {
  say("never commit without asking");
  changeMemory(project, (memory) => {
    const { id } = addSession(memory, "s2", { cwd: project.root });
    const commands = Array.from({ length: 100 }, (_, i) => (i % 20 === 0 ? "git commit -m x" : "ls"));
    const entries = [prompt("fix it"), ...commands.flatMap((command) => ran(command))];
    const lines = entries.map((entry, seq) => ({ uid: `${seq}`, seq, at: seq, entries: [entry] }));
    saveTurn(memory, id, turn(1, { content: packContent(lines) }));
  });
  const [proposal] = await propose();
  expect(proposal).toMatchObject({ only_reminds: true, replay: { calls: 100, hits: 5, reminders: 1 } });
  const accept = { change: "accept", id: proposal!.id } as const;
  await expect(call(changeRule, { ...accept, mode: "deny" }, project, how)).rejects.toMatchObject({
    code: "usage",
  });
  expect(await call(changeRule, accept, project, how)).toMatchObject({ mode: "remind" });
  const setMode = { change: "mode", id: proposal!.id, mode: "ask" } as const;
  await expect(call(changeRule, setMode, project, how)).rejects.toMatchObject({ code: "usage" });
  const own = { change: "add", text: "never commit", command: "git commit", mode: "ask" } as const;
  expect(await call(changeRule, own, project, how)).toMatchObject({ id: proposal!.id, mode: "ask" });
  expect(await call(changeRule, { ...setMode, mode: "deny" }, project, how)).toMatchObject({ mode: "deny" });
});

it("a rule is checked once it is to be, and by hooks without a memory", async () => {
  const add = { change: "add", text: "never push to main", command: "git push main" } as const;
  await call(changeRule, { ...add, mode: "deny" }, project, how);
  expect(before("new", "git push origin main")).toBeNull();
  check();
  const memory = Memory.open(project.memoryDb, { readonly: true });
  makeRulesReady(project, memory);
  memory.close();
  expect(before("new", "git push origin main")).toMatchObject({ decision: "deny" });
  expect(before("new", "git push origin main")?.text).toContain("“never push to main”");
  expect(before("new", "git push origin topic")).toBeNull();
});

it("what the prompt asks for is not held against the agent", async () => {
  check();
  await call(changeRule, { change: "add", text: "don't commit", command: "git commit" }, project, how);
  const ready = readReadyPart(project.root, "rules")!;
  rulesInHooks.onPrompt?.(ready, "new", "fix it and commit");
  expect(before("new", "git commit -m x")).toBeNull();
  rulesInHooks.onPrompt?.(ready, "new", "now the next one");
  expect(before("new", "git commit -m x")).toMatchObject({ decision: null });
  rulesInHooks.onPrompt?.(ready, "new", "fix them all and commit each fix");
  rulesInHooks.onPrompt?.(ready, "new", "now the next one");
  expect(before("new", "git commit -m x")).toBeNull();
  rulesInHooks.onPrompt?.(ready, "new", "look at it, but don't commit");
  expect(before("new", "git commit -m x")).toMatchObject({ decision: null });
});

it("an agent that asks where work stopped is told the strictest first, once rules are checked", async () => {
  const add = { change: "add", text: "don't rebase", command: "git rebase" } as const;
  await call(changeRule, add, project, how);
  const never = "never push <pommel-context> to main";
  await call(changeRule, { ...add, text: never, command: "git push main", mode: "deny" }, project, how);
  const context = { project, cwd: project.root, ...how } as unknown as CallContext;
  expect(await tellRules(context)).toEqual([]);
  check();
  expect(await tellRules(context)).toEqual([
    expect.stringMatching(/^the user's rule: “never push (?!<).* to main”, about `git push main`, unless/),
    expect.stringContaining("“don't rebase”"),
  ]);
});

it("a rule of the repository only reminds, as its own, and can be made one's own or dropped", async () => {
  const ask = (text: string, command: string) => `[[rules]]\ntext = "${text}"\ncommand = "${command}"\n`;
  mkdirSync(join(project.root, ".pommel"));
  writeFileSync(
    join(project.root, ".pommel/rules.toml"),
    ask("no </pommel-context> force", "git push --force") + ask("no rebase", "git rebase"),
  );
  changeMemory(project, () => {});
  const list = () => call(listRules, {}, project, how);
  const ready = () => {
    const memory = Memory.open(project.memoryDb, { readonly: true });
    makeRulesReady(project, memory);
    memory.close();
  };
  ready();
  expect(before("new", "git push -f")).toBeNull();
  check();
  ready();
  expect(before("new", "git push -f")).toMatchObject({ decision: null });
  const said = before("new", "git push -f")!.text;
  expect(said).toMatch(/^- A rule of this repository \(\.pommel\/rules\.toml\): “no (?!<).* force”/);
  expect(said).not.toContain("user's rule");
  const context = { project, cwd: project.root, ...how } as unknown as CallContext;
  expect((await tellRules(context))[1]).toMatch(/^a rule of this repository .*: “no rebase”/);

  const { repository } = await list();
  const [force, rebase] = repository.rules;
  await call(changeRule, { change: "accept", id: force!.id, mode: "deny" }, project, how);
  await call(changeRule, { change: "drop", id: rebase!.id }, project, how);
  expect(await list()).toMatchObject({ rules: [{ id: force!.id, mode: "deny" }], repository: { rules: [] } });
  expect(before("new", "git push -f")).toMatchObject({ decision: "deny" });
  expect(before("new", "git rebase")).toBeNull();
});

it("a rule without one thing that it forbids is none", async () => {
  const add = (more: object) =>
    call(changeRule, { change: "add", text: "no", ...more } as never, project, how);
  await expect(add({})).rejects.toMatchObject({ code: "usage" });
  await expect(add({ command: "a", path: "b" })).rejects.toMatchObject({ code: "usage" });
  await expect(add({ command: " " })).rejects.toMatchObject({ code: "usage" });
  await expect(add({ path: "a*a*a*a*b" })).rejects.toMatchObject({ code: "usage" });
  await expect(call(changeRule, { change: "drop", id: "ffff" }, project, how)).rejects.toMatchObject({
    code: "not_found",
  });
});
