import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { temporaryHome } from "../../../test/support/temporary-home.ts";
import { toldProject } from "../../../test/support/told-project.ts";
import { locateDaemonFiles } from "../../base/home.ts";
import type { Project } from "../../base/paths.ts";
import { makeReady } from "../../features/context/ready.ts";
import { readGivenRefs, removeOldGiven } from "../../protocol/ready-context.ts";
import { readReadyContext, tell } from "./ready.ts";

let home: ReturnType<typeof temporaryHome>;
let project: Project;
beforeEach(async () => {
  home = temporaryHome();
  project = toldProject(join(home.dir, "shop"));
  await makeReady(project);
});
afterEach(() => home.remove());

type Request = Parameters<typeof tell>[2];
const start = (session_id: string, source: string): Request => ({
  event: "session-start",
  session_id,
  source,
});
const edit = (session_id: string, file = "src/a.ts"): Request => ({
  event: "post-tool-use",
  session_id,
  files: [join(project.root, file)],
});

function told(request: Request): string | null {
  const ready = readReadyContext(project.root, request);
  return ready === null ? null : tell(ready, project.root, request);
}

const spooled = () =>
  existsSync(locateDaemonFiles().spoolDir) ? readdirSync(locateDaemonFiles().spoolDir) : [];

it("a new session is told what is ready, and once, which is written down before", () => {
  const text = told(start("new", "startup"));
  expect(text).toContain("releases are cut on Fridays");
  const [name = ""] = spooled();
  const item: unknown = JSON.parse(readFileSync(join(locateDaemonFiles().spoolDir, name), "utf8"));
  expect(item).toMatchObject({ kind: "given-context", session_id: "new", event: "session-start", text });
  expect(told(start("new", "startup"))).toBeNull();
  expect(told(start("other", "clear"))).toBe(text);
  expect(spooled()).toHaveLength(2);
});

it("of a session that goes on, only the daemon knows what is new", () => {
  for (const source of ["resume", "fork"])
    expect(readReadyContext(project.root, start("new", source))).toBeNull();
  expect(readReadyContext(project.root, start("unknown", "compact"))).toBeNull();
  expect(
    readReadyContext(project.root, { event: "user-prompt", session_id: "new", prompt: "go on" }),
  ).toBeNull();
});

it("an edit is told once of what others said about its file, and the daemon may know more", () => {
  expect(readReadyContext(project.root, edit("new"))).toMatchObject({ isBehind: true, files: ["src/a.ts"] });
  expect(told(edit("new"))).toContain("retry three times instead of once");
  expect(told(edit("new"))).toBeNull();
  expect(told(edit("new", "src/b.ts"))).toBeNull();
  // What it said itself, a session knows, and so do its subagents.
  expect(told(edit("earlier"))).toBeNull();
  expect(readGivenRefs("new")).toContain("file:src/a.ts");
});

it("tells nothing that cannot be written down", () => {
  rmSync(locateDaemonFiles().spoolDir, { recursive: true, force: true });
  mkdirSync(join(locateDaemonFiles().spoolDir, ".."), { recursive: true });
  writeFileSync(locateDaemonFiles().spoolDir, "in the way");
  expect(told(start("new", "startup"))).toBeNull();
});

it("tells nothing where Pommel was stopped", () => {
  mkdirSync(locateDaemonFiles().autostartDir, { recursive: true });
  writeFileSync(join(locateDaemonFiles().autostartDir, "stopped"), "");
  expect(told(start("new", "startup"))).toBeNull();
});

it("forgets what sessions were told that are long over", () => {
  told(start("old", "startup"));
  told(start("new", "startup"));
  const given = join(locateDaemonFiles().spoolDir, "..", "given");
  utimesSync(join(given, "old"), 1000, 1000);
  removeOldGiven();
  expect(readdirSync(given)).toEqual(["new"]);
});
