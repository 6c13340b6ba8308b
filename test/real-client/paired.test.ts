import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { mockKey, pairedCommand } from "../../bench/agent/paired/command.ts";
import { foreignInstruction, plantForeign, startMock } from "../../bench/agent/paired/mock.ts";
import type { Run } from "../../bench/agent/paired/run.ts";
import { temporaryDir } from "../e2e/run-pm.ts";
import { environment, run } from "./client.ts";
import { cue } from "./mock-api.ts";
import { describeClient } from "./suite.ts";

/** `npm run bench:agent -- paired` leads, isolates and counts the real client. */

describeClient("Claude Code", "paired runs", (bin) => {
  afterEach(() => vi.restoreAllMocks());

  /** @returns the exit code and what was printed */
  async function paired(...args: string[]) {
    const printed = { log: "", error: "" };
    for (const name of ["log", "error"] as const) {
      vi.spyOn(console, name).mockImplementation((text: string) => {
        printed[name] += `${text}\n`;
      });
    }
    const code = await pairedCommand(["--mock", "--claude", bin, ...args]);
    return { code, ...printed };
  }

  it("are counted as they are scripted, and leave the key nowhere", async () => {
    const kept = temporaryDir();
    const { code, log, error } = await paired("--json", "--keep", kept);
    expect(error).toContain("counted as they are scripted, and nothing planted was seen");
    expect(code).toBe(0);
    const runs = JSON.parse(log) as Run[];
    const counted = runs.map(({ task, arm, isSuccess, counts }) => [
      task,
      arm,
      isSuccess,
      counts.turns,
      counts.toolCalls,
      counts.filesRead,
      counts.tokens,
    ]);
    expect(counted.sort()).toEqual([
      ["place", "with", true, 2, 1, 0, 240],
      ["place", "without", true, 3, 4, 3, 360],
      ["reason", "with", true, 2, 1, 0, 240],
      ["reason", "without", false, 4, 5, 2, 480],
      ["repair", "with", true, 5, 4, 1, 600],
      ["repair", "without", true, 5, 5, 2, 600],
    ]);
    const files = readdirSync(kept, { recursive: true, encoding: "utf8" }).map((file) => join(kept, file));
    const withKey = files.filter((file) => statSync(file).isFile() && readFileSync(file).includes(mockKey));
    expect(files.some((file) => file.endsWith(".jsonl"))).toBe(true);
    expect(withKey).toEqual([]);
  }, 300_000);

  it("fail where something planted is seen", async () => {
    const { code, error } = await paired("--only", "place", "--setting-sources", "user,project");
    expect(error).toContain("the planted hook-of-repository was started");
    expect(error).toContain("the planted instructions reached the model");
    expect(code).toBe(1);
  });

  it("are planted with what a client without isolation does see", async () => {
    const root = temporaryDir();
    const [home, repository] = [join(root, "home"), join(root, "repository")];
    for (const dir of [home, repository]) mkdirSync(dir);
    const planted = plantForeign(home, repository, join(root, "planted"));
    const mock = await startMock();
    try {
      const ground = { home, env: { HOME: home, PATH: process.env.PATH ?? "", TMPDIR: home } };
      const env = environment(ground, { url: mock.url, key: mockKey });
      await run({ bin, cwd: repository, env }, ["-p", `Where? ${cue("place")}`]);
      expect(mock.wasGiven(foreignInstruction)).toBe(true);
      const places = ["home", "repository"];
      expect(planted()).toEqual(
        ["hook", "server"].flatMap((what) => places.map((where) => `${what}-of-${where}`)),
      );
    } finally {
      await mock.close();
    }
  });
});
