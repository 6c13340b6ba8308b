import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { addSession, turn } from "../../../test/support/memory-fixture.ts";
import { temporaryHome } from "../../../test/support/temporary-home.ts";
import { makeNewProject } from "../../base/paths.ts";
import { rememberProject } from "../../git/projects/find-project.ts";
import { Memory } from "../../store/memory/memory.ts";
import { saveTurn } from "../../store/memory/sessions/turns.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { createPalette } from "../../terminal/palette.ts";
import { toHomeRelative } from "../../terminal/text.ts";
import { projectsForgetCommand, projectsListCommand } from "../projects/pm-projects.ts";
import { sessionListCommand } from "../sessions/pm-session-list.ts";
import {
  eventCloseCommand,
  eventCreateCommand,
  eventLinkCommand,
  eventListCommand,
  eventShowCommand,
  eventUnlinkCommand,
} from "./pm-event.ts";

let home: ReturnType<typeof temporaryHome>;
let dir: string;
beforeEach(() => {
  home = temporaryHome();
  dir = join(home.dir, "event-views");
  mkdirSync(dir);
  const memory = Memory.open(makeNewProject(dir).memoryDb, { readonly: false });
  const title = { text: "Token\u001b[31m refresh", source: "agent" as const };
  const lastAt = Date.parse("2026-01-28T12:00:00Z");
  const { id } = addSession(memory, "8ecde0fc-091c", {
    branch: "fix/token-refresh",
    startedAt: lastAt,
    lastAt,
    title,
  });
  saveTurn(memory, id, turn(1));
  memory.close();
});
afterEach(() => home.remove());

/** Runs a command; what it would print, and its JSON. */
async function run<A extends unknown[]>(
  command: (context: CommandContext, ...args: A) => Promise<unknown>,
  ...args: A
): Promise<{ text: string; value: unknown; notes: string[] }> {
  const linked = { text: "", value: undefined as unknown, notes: [] as string[] };
  const output: CommandContext["output"] = {
    json: false,
    colors: createPalette(),
    columns: undefined,
    now: Date.now(),
    print: (line = "") => {
      linked.text += `${line}\n`;
    },
    result(value, text) {
      linked.value = value;
      linked.text += typeof text === "string" ? text : text();
    },
    note: (line) => linked.notes.push(line),
  };
  await command({ cwd: dir, debug: false, output }, ...args);
  return linked;
}

it("goes from a suggestion to an event, its sessions, and its end", async () => {
  expect((await run(eventListCommand, [], {})).text).toMatch(
    /^No events.*\n\nSuggested events:\ntitle .*\ntoken refresh +1 +0 +2026-01-28 {2}pm event create --from-branch fix\/token-refresh$/,
  );
  const made = await run(eventCreateCommand, [], {
    fromBranch: "fix/token-refresh",
    description: "All of it",
  });
  expect(made.text).toMatch(/^✓ Event [0-9a-f]{8}: token refresh \(task \| fix\/token-refresh\)$/);
  const listed = await run(eventListCommand, [], {});
  expect(listed.text).toMatch(
    /^event .*\n[0-9a-f]{8} {2}token refresh All of it {2}task +fix\/token-refresh +1 +0$/,
  );
  expect(listed.value).toMatchObject({ events: [{ title: "token refresh" }], suggestions: [] });
  const shown = (await run(eventShowCommand, "token")).text;
  expect(shown).toMatch(/2026-01-28 {2}[0-9a-f]{12}\n\nAll of it\n\n1 session\nsession .*\n8ecde0fc {2}/);
  // What comes from a transcript cannot colour the terminal.
  expect(shown).not.toContain("\u001b");
  expect((await run(eventUnlinkCommand, "token", ["8ecde"])).text).toBe("✓ Removed 1 session: token refresh");
  expect((await run(eventShowCommand, "token")).text).toContain("It is empty");
  expect((await run(eventLinkCommand, "token", ["8ecde"])).text).toBe(
    "✓ Linked with 1 session: token refresh",
  );
  expect((await run(eventCloseCommand, "token", {})).text).toBe("✓ token refresh is frozen.");
  expect((await run(eventCloseCommand, "token", {})).text).toBe("✓ token refresh is frozen already.");
  expect((await run(eventCloseCommand, "token", { archive: true })).text).toBe(
    "✓ token refresh is archived.",
  );
  expect((await run(eventListCommand, [], {})).text).toContain("1 archived event (--status archived)");
  expect((await run(eventListCommand, ["nothing", "such"], {})).text).toBe("No matching events.");
  expect((await run(eventListCommand, [], { suggested: true })).text).toMatch(/^Every branch with sessions/);
});

it("rejects invalid combinations", async () => {
  const usage = { code: "usage" };
  await expect(run(eventCreateCommand, [], {})).rejects.toMatchObject(usage);
  await expect(run(eventCreateCommand, ["x"], { branch: "a", fromBranch: "b" })).rejects.toMatchObject(usage);
  await expect(run(eventCreateCommand, ["x"], { since: "no time" })).rejects.toMatchObject(usage);
  await expect(run(eventShowCommand, "none")).rejects.toMatchObject({ code: "not_found" });
});

it("lists projects, and sessions of all of them, from anywhere", async () => {
  expect((await run(projectsListCommand)).text).toMatch(/^No projects yet/);
  const project = makeNewProject(dir);
  await rememberProject(project);
  expect((await run(projectsListCommand)).value).toMatchObject({
    projects: [{ id: project.id, root: dir, is_gone: false, checkouts: [{ root: dir, is_gone: false }] }],
  });
  const { text, value } = await run(sessionListCommand, undefined, { allProjects: true });
  expect(text).toMatch(/event-views\nsession .*\n8ecde0fc {2}/);
  expect(value).toMatchObject({
    sessions: [{ project: dir, id: "8ecde0fc-091c" }],
    projects: [dir],
    left_out: [],
  });
  expect((await run(projectsForgetCommand, ".", { dryRun: true })).text).toContain("1 session");
  expect(existsSync(project.memoryDb)).toBe(true);
  expect((await run(projectsForgetCommand, ".", { yes: true })).text).toMatch(/^✓ Forgotten/);
  expect(existsSync(project.dataDir)).toBe(false);
  await expect(run(projectsForgetCommand, ".", { yes: true })).rejects.toMatchObject({ code: "usage" });
});

it("names places below the home as people do", () => {
  const home = process.env.HOME!;
  expect(toHomeRelative(`${home}/code/app`)).toBe("~/code/app");
  expect(toHomeRelative(home)).toBe("~");
  expect(toHomeRelative(`${home}-other/app`)).toBe(`${home}-other/app`);
});
