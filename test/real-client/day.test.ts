import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { UndoAnswer } from "../../src/features/undo/operation.ts";
import { until } from "../e2e/daemon-fixture.ts";
import { pmFile } from "../e2e/run-pm.ts";
import { type Conversation, converse, environment } from "./client.ts";
import {
  type Awaited,
  cuedPrompt,
  dayScripts,
  type Hour,
  planDay,
  sources,
  type Who,
} from "./day-scripts.ts";
import { type Ground, layGround, logsBelow } from "./ground.ts";
import { type MockApi, startMockApi } from "./mock-api.ts";
import { describeClient } from "./suite.ts";

/** What rules, dead ends, the radar and undo do for a person who uses two agents for a day: ten prompts each. */

const enough = 3;

/** What automatic context says after an edit, which is of the file, not of a function: no warning of an overlap. */
const saysOfFile = /^- Another session changed this file /;

/** What the four said in a request: their reminders, and why a call was denied. */
const saidIn = (body: string): string[] =>
  listTexts(JSON.parse(body)).flatMap((text) => {
    const context = /<pommel-context>\n(- [\s\S]*?)\n<\/pommel-context>/g;
    const reminded = [...text.matchAll(context)].map(([, said]) =>
      said!
        .split("\n")
        .filter((line) => !saysOfFile.test(line))
        .join("\n"),
    );
    return [
      ...reminded.filter((said) => said !== ""),
      ...(text.replace(context, "").match(/The user's rule[\s\S]*/g) ?? []),
    ];
  });

function listTexts(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(listTexts) : [];
}

describeClient("Claude Code", "a day of two agents", (bin) => {
  let ground: Ground;
  let api: MockApi;
  let day: Hour[];
  let worktree: string;
  const sessions: Partial<Record<Who, string>> = {};
  /** By hour. */
  const told: string[][] = [];

  const pm = <T>(...args: string[]) => ground.pm<T>(...args);
  const git = (dir: string, ...args: string[]) =>
    execFileSync("git", ["-C", dir, ...args], { env: ground.env, encoding: "utf8" });
  /** In a terminal: what a program asks for is nobody's words, and only a person sets rules. */
  const pmAsPerson = (args: string) =>
    execFileSync("script", ["-qec", `${process.execPath} ${pmFile} ${args}`, "/dev/null"], {
      cwd: ground.repo,
      env: { ...ground.env },
    });
  /** What hooks of a checkout go by. */
  const readReady = (feature: string, root: string): string => {
    const dir = join(ground.kept.cacheDir, "context");
    return (existsSync(dir) ? readdirSync(dir) : [])
      .filter((name) => name.endsWith(`.${feature}.json`))
      .map((name) => readFileSync(join(dir, name), "utf8"))
      .filter((text) => text.includes(JSON.stringify(root)))
      .join();
  };
  const awaited: Record<Awaited, () => Promise<unknown>> = {
    // What they noted is proposed, and they accept it.
    "the rule": async () => {
      pmAsPerson("note never push to main");
      const [proposal] = await until(async () => {
        const { proposals } = await pm<{ proposals: { id: string }[] }>("rules", "propose");
        return proposals.length > 0 ? proposals : null;
      });
      pmAsPerson(`rules accept ${proposal!.id} --mode deny`);
      await until(() => readReady("rules", ground.repo));
    },
    "the dead end": () => until(() => readReady("dead-ends", ground.repo)),
    "Ada's change": () => until(() => readReady("radar", worktree).includes(sessions.Ada!)),
    "Ada's commit": () => until(() => !readReady("radar", worktree).includes(sessions.Ada!)),
  };

  beforeAll(async () => {
    ground = layGround("day", sources);
    worktree = join(dirname(ground.repo), "fix-42");
    const at = { Ada: ground.repo, Bert: worktree };
    day = planDay(at);
    api = await startMockApi({ scripts: dayScripts(day), compaction: "" });
    const key = `sk-ant-api03-${randomBytes(69).toString("base64url")}-AAAA`;
    git(ground.repo, "worktree", "add", "--quiet", "-b", "fix-42", worktree);
    const remote = join(dirname(ground.repo), "remote.git");
    git(ground.repo, "init", "--quiet", "--bare", remote);
    git(ground.repo, "remote", "add", "origin", remote);
    for (const setting of ["rules.check", "dead_ends.check", "radar.warn"])
      await pm("config", "set", "--global", setting, "true");
    await pm("setup", "--yes", "--agent", "claude");
    await pm("start", "--wait");
    await pm("-C", worktree, "start", "--wait");
    const env = environment(ground, { url: api.url, key });
    const agents: Record<Who, Conversation> = {
      Ada: converse({ bin, cwd: at.Ada, env }),
      Bert: converse({ bin, cwd: at.Bert, env }),
    };
    const heard: Record<Who, Set<string>> = { Ada: new Set(), Bert: new Set() };
    for (const [hour, one] of day.entries()) {
      if (one.after) await awaited[one.after]();
      const asked = api.requests.length;
      sessions[one.who] = await agents[one.who].say(cuedPrompt(one, hour));
      const said = api.requests.slice(asked).flatMap(saidIn);
      told.push([...new Set(said)].filter((text) => !heard[one.who].has(text)));
      for (const text of said) heard[one.who].add(text);
    }
    for (const agent of Object.values(agents)) await agent.end();
    await ground.settled(() => logsBelow(join(ground.home, ".claude", "projects")));
  }, 600_000);

  afterAll(async () => {
    await ground?.clear();
    await api?.close();
  });

  it("is as it was planned", () => {
    expect(api.problems).toEqual([]);
    expect(day.map(({ who }) => who).sort()).toEqual([...Array(10).fill("Ada"), ...Array(10).fill("Bert")]);
    expect(ground.hooksRun().filter(({ code }) => code !== "0")).toEqual([]);
  });

  it("has help at least three times, and is misled never", () => {
    const spoken = day.map(({ who, prompt, told: expected }, hour) => {
      const said = told[hour]!.join("\n");
      const isRight = expected === undefined ? said === "" : expected.test(said) && told[hour]!.length === 1;
      return isRight ? null : { who, prompt, said };
    });
    expect(spoken.filter((one) => one !== null)).toEqual([]);
    expect(told.filter((one) => one.length > 0).length).toBeGreaterThanOrEqual(enough);
  });

  it("keeps main as it was, and lets an agent's own branch go", () => {
    expect(git(ground.repo, "ls-remote", "--heads", "origin").trim()).toMatch(/^\w+\trefs\/heads\/importer$/);
  });

  it("ends with one agent's work taken back, and a line of the person's left", async () => {
    const file = join(worktree, "src/report.ts");
    const written = readFileSync(file, "utf8");
    expect(written).toContain("rows");
    writeFileSync(file, written.replace("  return `## ", '  if (title === "") return title;\n  return `## '));
    git(worktree, "commit", "--quiet", "--all", "--message", "Allow no title");
    const undone = await until(async () => {
      const answer = await pm<UndoAnswer>("-C", worktree, "undo", sessions.Bert!);
      return answer.files.some(({ path, action }) => path === "src/report.ts" && action === "changed")
        ? answer
        : null;
    });
    expect(undone.files.flatMap(({ conflicts }) => conflicts)).toEqual([]);
    await pm("-C", worktree, "undo", sessions.Bert!, "--apply");
    expect(readFileSync(file, "utf8")).toBe(
      sources["src/report.ts"].replace("  return `# ", '  if (title === "") return title;\n  return `# '),
    );
    for (const path of ["src/parse.ts", "src/load.ts"] as const)
      expect(readFileSync(join(worktree, path), "utf8")).toBe(sources[path]);
    expect(existsSync(join(worktree, "TOMORROW"))).toBe(false);
    expect(readFileSync(join(ground.repo, "src/parse.ts"), "utf8")).toContain("strict: boolean");
  });
});
