import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { dirname } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { locateDaemonFiles, locateSocket } from "../../src/base/home.ts";
import type { Project } from "../../src/base/paths.ts";
import { version } from "../../src/base/version.ts";
import { listenOnSocket } from "../../src/daemon/lifecycle/port.ts";
import { cleanUp, createProject, pmJson, start, untilIdle } from "./daemon-fixture.ts";
import { runPm } from "./run-pm.ts";

afterEach(cleanUp);

const files = { "src/retry.ts": "/** Tries again. */\nexport function retryLater(): void {}\n" };

describe("a question that the daemon answers", () => {
  it("is answered as by the command itself, in every form", async () => {
    const project = createProject(files);
    const git = (...args: string[]) => execFileSync("git", ["-C", project.root, ...args], { stdio: "pipe" });
    git("init", "--quiet");
    git("add", ".");
    git("-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "--quiet", "-m", "Begin");
    await start(project);
    await pmJson(project, "note", "We try again later.");
    // Nothing happens to the memory after that which one of them could see.
    await vi.waitFor(
      async () => expect(await pmJson(project, "blame", "src/retry.ts")).toMatchObject({ notes: [] }),
      { timeout: 60_000, interval: 200 },
    );
    await untilIdle(project);
    const lines = [
      ["search", "code", "retryLater"],
      ["search", "try again", "--json"],
      ["search"],
      ["search", "--help"],
      ["why", "src/retry.ts:2"],
      ["why", "src/nowhere.ts:2"],
      ["blame", "retry.ts", "--json"],
      ["blame", "src/retry.ts"],
      ["stats"],
      ["annotations"],
      ["decisions", "try again"],
      ["session", "list"],
      ["session", "show", "nobody", "--json"],
      ["checkpoint", "list"],
      ["related", "--files", "src/retry.ts"],
      ["event"],
      ["daemon", "queue"],
      ["context"],
      ["status", "--skipped"],
      ["status", "--no-such-option"],
      ["event", "create"],
    ];
    for (const env of [{}, { FORCE_COLOR: "1" }]) {
      for (const line of "FORCE_COLOR" in env ? lines.slice(0, 1) : lines) {
        const cwd = line[1] === "retry.ts" ? `${project.root}/src` : project.root;
        const comparable = ({ stdout, ...rest }: Awaited<ReturnType<typeof runPm>>) => {
          const timeless = stdout.replace(
            /[\d.]+ m?s\b|[\d.]+ \w+ ago|just now|(?<="search_time_ms": )[\d.]+|(?<="as_of": ")[^"]+/g,
            "0",
          );
          // The order of keys does not matter.
          return { ...rest, stdout: line.includes("--json") ? JSON.parse(timeless) : timeless };
        };
        // Between the two, the daemon may have read something more: then both are asked again.
        await vi.waitFor(
          async () => {
            const asked = await runPm(line, { cwd, env });
            // A setting that the daemon does not have keeps it from answering.
            const own = await runPm(line, { cwd, env: { ...env, POMMEL_NO_SUCH_SETTING: "1" } });
            expect(comparable(asked), line.join(" ")).toEqual(comparable(own));
          },
          { timeout: 30_000 },
        );
      }
    }
  });
});

it("a command line in an agent's shell asks as the agent, whether the daemon runs it or it runs itself", async () => {
  const project = createProject(files);
  await pmJson(project, "config", "set", "audit.enabled", "true");
  await start(project);
  const own = { POMMEL_NO_SUCH_SETTING: "1" };
  for (const env of [{}, own, { GEMINI_CLI: "1" }, { GEMINI_CLI: "1", ...own }])
    await runPm(["memory", "decisions"], { cwd: project.root, env: { CLAUDECODE: "", ...env } });
  const { records } = await pmJson<{ records: { channel: string }[] }>(project, "memory", "audit");
  expect(records.map(({ channel }) => channel)).toEqual(["cli", "cli", "agent", "agent"]);
});

describe("the process behind daemon.json", () => {
  let server: Server | undefined;
  const requests: { url: string | undefined; body: unknown }[] = [];

  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
    rmSync(locateDaemonFiles().record, { force: true });
    requests.length = 0;
  });

  /** A project whose daemon answers every request with `status` and `body`, or hangs up. */
  async function projectWith(answer: { status: number; body: string } | null, saysVersion = version) {
    const project = createProject(files);
    server = createServer(async (request, response) => {
      let body = "";
      for await (const part of request) body += part;
      requests.push({
        url: request.url,
        body: body === "" ? null : JSON.parse(body),
      });
      if (answer === null) request.socket.destroy();
      else response.writeHead(answer.status).end(answer.body);
    });
    mkdirSync(dirname(locateDaemonFiles().record), { recursive: true, mode: 0o700 });
    await listenOnSocket(server, locateSocket());
    const context = { mode: "gentle", deadline_ms: 300, places: {} };
    const record = {
      pid: process.pid,
      port: 1,
      token: "0".repeat(64),
      started_at: "2026-01-05T09:00:00Z",
      context,
    };
    writeFileSync(locateDaemonFiles().record, JSON.stringify({ ...record, version: saysVersion }));
    return project;
  }

  const skipped = (project: Project) => runPm(["status", "--skipped"], { cwd: project.root });
  const ownAnswer = { code: 3, stdout: "" };

  it("is asked with the command line and printed as it answers", async () => {
    const output = [
      [1, "one\n"],
      [2, "two\n"],
      [1, "thrée\r\n\r\n"],
    ];
    const project = await projectWith({ status: 200, body: JSON.stringify({ exit_code: 7, output }) });
    const result = await skipped(project);
    expect(result).toMatchObject({ code: 7, stdout: "one\nthrée\n\n", stderr: "two\n" });
    expect(requests).toEqual([
      {
        url: "/command",
        body: expect.objectContaining({
          args: ["status", "--skipped"],
          cwd: project.root,
          columns: null,
          color: [false, false],
        }),
      },
    ]);
  });

  it.each([
    ["does not run the command", { status: 200, body: '{"exit_code":null,"output":[]}' }],
    ["fails", { status: 500, body: '{"error":{}}' }],
    ["is another program", { status: 200, body: "<html>" }],
    ["hangs up", null],
  ])("that %s leaves it to the command itself", async (_, answer) => {
    expect(await skipped(await projectWith(answer))).toMatchObject(ownAnswer);
    expect(requests[0]).toMatchObject({ url: "/command" });
  });

  it("is not asked when it is of another version, or gone", async () => {
    const project = await projectWith({ status: 200, body: '{"exit_code":0,"output":[]}' }, "0.0.1");
    expect(await skipped(project)).toMatchObject(ownAnswer);
    expect(requests).toEqual([]);
    rmSync(locateDaemonFiles().record);
    expect(await skipped(project)).toMatchObject(ownAnswer);
  });
});
