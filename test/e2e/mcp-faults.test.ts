import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Project } from "../../src/base/paths.ts";
import { preloaded } from "../support/preloaded.ts";
import { cleanUp, spawnDaemon, until, untilIdle } from "./daemon-fixture.ts";
import { call, connect, initialize, line, rawServer, refreshing, rememberedProject } from "./mcp-fixture.ts";
import { temporaryDir } from "./run-pm.ts";

let project: Project;
const servers: ChildProcess[] = [];
beforeAll(async () => {
  project = await rememberedProject();
});
afterEach(() => {
  for (const server of servers.splice(0)) server.kill("SIGKILL");
});
afterAll(cleanUp);

function serve(env: Record<string, string> = {}): ChildProcess {
  const server = rawServer({ cwd: project.root, env });
  servers.push(server);
  // It may end before it has read everything.
  server.stdin!.on("error", () => {});
  return server;
}

/** Waits for the end, and says how it was. */
async function endOf(server: ChildProcess): Promise<{ code: number | null; signal: string | null }> {
  if (server.exitCode === null && server.signalCode === null) await once(server, "exit");
  return { code: server.exitCode, signal: server.signalCode };
}

/** What it says, line by line. */
function linesOf(server: ChildProcess): string[] {
  const lines: string[] = [];
  createInterface({ input: server.stdout! }).on("line", (text) => lines.push(text));
  return lines;
}

/** What it says besides. */
function errorsOf(server: ChildProcess): string[] {
  const said: string[] = [];
  server.stderr!.setEncoding("utf8").on("data", (text: string) => said.push(text));
  return said;
}

const search = (id: number) =>
  line({
    id,
    method: "tools/call",
    params: { name: "search_sessions", arguments: { query: "token refresh lock", max_tokens: 20_000 } },
  });

describe("a server ends", () => {
  it("when stdin closes, before anything was asked", async () => {
    const server = serve();
    server.stdin!.end();
    expect(await endOf(server)).toEqual({ code: 0, signal: null });
  });

  it("when stdin closes while calls are worked on", async () => {
    const server = serve();
    const lines = linesOf(server);
    server.stdin!.write(initialize);
    await until(() => lines.length > 0);
    for (let id = 1; id <= 30; id++) server.stdin!.write(search(id));
    server.stdin!.end();
    expect(await endOf(server)).toEqual({ code: 0, signal: null });
    expect(lines.length).toBeLessThan(31);
  });

  it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("on %s, without a word", async (signal) => {
    const server = serve();
    const lines = linesOf(server);
    const said = errorsOf(server);
    server.stdin!.write(initialize);
    await until(() => lines.length > 0);
    server.kill(signal);
    expect(await endOf(server)).toEqual({ code: 0, signal: null });
    expect(said.join("")).toBe("");
  });

  it("at a message that is too long, and not as if all were well", async () => {
    const server = serve();
    const lines = linesOf(server);
    const said = errorsOf(server);
    server.stdin!.write(initialize);
    await until(() => lines.length > 0);
    server.stdin!.write(
      line({ id: 2, method: "tools/list", params: { cursor: "x".repeat(5 * 1024 * 1024) } }),
    );
    expect(await endOf(server)).toEqual({ code: 1, signal: null });
    expect(said.join("")).toMatch(/^pm mcp: .*\n$/);
  });

  it("when no client reads its answers", async () => {
    const server = serve();
    server.stdin!.write(initialize);
    await once(server.stdout!, "data");
    server.stdout!.destroy();
    server.stdin!.write(search(1));
    expect(await endOf(server)).toEqual({ code: 0, signal: null });
  });
});

it.each(["2025-11-25", "2024-10-07"])(
  "says the same of itself before and after it is loaded: %s",
  async (version) => {
    const opening = initialize.replace("2025-06-18", version);
    const questions = ["tools/list", "prompts/list", "resources/templates/list"].map((method, i) =>
      line({ id: i + 1, method }),
    );
    const ready = line({ method: "notifications/initialized" });
    const ask = async (...first: string[]) => {
      const server = serve();
      const lines = linesOf(server);
      for (const text of [...first, opening, ready, ...questions]) server.stdin!.write(text);
      await until(() => lines.length === first.length + 1 + questions.length);
      return lines.slice(first.length).map((one) => JSON.parse(one) as object);
    };
    // A ping is not among the first questions.
    expect(await ask()).toEqual(await ask(line({ id: 9, method: "ping" })));
  },
);

it("goes on with a session that was opened before it was loaded, and answers each request once", async () => {
  const server = serve();
  const lines = linesOf(server);
  server.stdin!.write(initialize);
  await until(() => lines.length === 1);
  server.stdin!.write(line({ method: "notifications/initialized" }) + line({ id: 1, method: "tools/list" }));
  server.stdin!.write(search(2) + line({ id: 3, method: "ping" }));
  await until(() => lines.length >= 4);
  expect(lines.map((one) => (JSON.parse(one) as { id: number }).id).sort()).toEqual([0, 1, 2, 3]);
});

it("answers 50 calls at once", async () => {
  const client = await connect({ cwd: project.root });
  const names = ["code", "recall", "search_sessions", "related", "get_session"] as const;
  const calls = Array.from({ length: 50 }, (_, i) => {
    const name = names[i % names.length]!;
    return call(client, name, name === "get_session" ? { session_id: refreshing } : { q: `token ${i}` });
  });
  const answers = await Promise.all(calls);
  await client.close();
  expect(answers.filter(({ isError }) => isError)).toEqual([]);
  expect(answers).toHaveLength(50);
});

it("says nothing on stdout but the protocol, whatever it reads", async () => {
  const server = serve();
  const lines = linesOf(server);
  const garbage = ["not json", "{", "[]", "null", '{"jsonrpc":"2.0"}', '{"id":1}', "\u0000\u001b[31m", ""];
  let said = "";
  server.stderr!.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  server.stdin!.write(initialize);
  await until(() => lines.length > 0);
  for (const text of garbage) server.stdin!.write(`${text}\n`);
  server.stdin!.write(line({ id: 7, method: "no/such/method" }));
  server.stdin!.write(line({ id: 8, method: "tools/call", params: { name: 5, arguments: "x" } }));
  server.stdin!.write(line({ id: 9, method: "tools/call", params: { name: "toString", arguments: {} } }));
  server.stdin!.write(line({ id: 10, method: "tools/call", params: { name: "get_session" } }));
  const answerTo = (id: number) => lines.map((text) => JSON.parse(text)).find((one) => one.id === id);
  await until(() => answerTo(10));
  for (const id of [7, 8, 9]) expect(answerTo(id)).toMatchObject({ error: { code: expect.any(Number) } });
  expect(answerTo(10)).toMatchObject({ result: { content: [{ type: "text", text: expect.any(String) }] } });
  expect(new Set(said.trim().split("\n"))).toEqual(
    new Set(["pm mcp: skipped a message outside the protocol"]),
  );
});

describe.skipIf(!existsSync("/proc/self/status"))("a client that never reads (needs /proc)", () => {
  const memoryMb = (pid: number) =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;

  it("costs little memory, and does not keep the server from ending", async () => {
    const peak = join(temporaryDir(), "peak");
    const server = serve({ ...preloaded("peak-memory.cjs"), POMMEL_TEST_PEAK_TO: peak });
    server.stdin!.write(initialize);
    await once(server.stdout!, "data");
    server.stdout!.pause();
    server.stdout!.removeAllListeners("data");
    const before = memoryMb(server.pid!);
    for (let id = 1; id <= 1500; id++)
      server.stdin!.write(id % 3 === 0 ? search(id) : line({ id, method: "tools/list" }));
    server.stdin!.end();
    expect([0, 1]).toContain((await endOf(server)).code);
    expect(Number(readFileSync(peak, "utf8")) / 1024 - before).toBeLessThan(300);
  });
});

describe("a daemon", () => {
  it("that dies over a question leaves it to the server", async () => {
    const sign = join(temporaryDir(), "dies");
    spawnDaemon([], { env: { ...preloaded("dies-of-questions.cjs"), POMMEL_TEST_DIES_WHILE: sign } });
    await untilIdle(project);
    const client = await connect({ cwd: project.root });
    const asked = (): Promise<Awaited<ReturnType<typeof call>>[]> =>
      Promise.all([
        call(client, "search_code", { query: "token refresh" }),
        call(client, "search_sessions", { query: "token refresh" }),
        call(client, "get_session", { session_id: refreshing }),
      ]);
    const answered = await asked();
    expect(answered.map(({ isError }) => isError)).toEqual([false, false, false]);
    writeFileSync(sign, "");
    const left = await asked();
    expect(left.map(({ isError, text }) => (isError ? text : ""))).toEqual(["", "", ""]);
    expect(left[1]!.text).toContain(`[${refreshing.slice(0, 8)}`);
    const noted = await call(client, "add_note", { text: "The daemon died, and this was kept." });
    expect(noted.isError).toBe(false);
    await client.close();
  });
});
