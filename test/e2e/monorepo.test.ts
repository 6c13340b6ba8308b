import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PackagesAnswer } from "../../src/features/packages/operation.ts";
import type { SearchResponse } from "../../src/protocol/results.ts";
import { call, connect } from "./mcp-fixture.ts";
import { callPm } from "./run-pm.ts";

/** A directory with a monorepo, which holds a project of its own, and another project beside it. */
const home = realpathSync(mkdtempSync(join(tmpdir(), "pommel-monorepo-")));
const env = { POMMEL_DAEMON_AUTOSTART: "false", POMMEL_HOME: join(home, ".pommel-home") };
const mono = join(home, "code/mono");
const other = join(home, "code/other");

const retry = "export function retryRequest(send: () => void) {\n  for (let i = 0; i < 3; i++) send();\n}\n";
const files = {
  "code/mono/package.json": '{"name": "acme", "workspaces": ["packages/*"]}',
  "code/mono/packages/api/package.json": '{"name": "@acme/api"}',
  "code/mono/packages/api/src/retry.ts": retry,
  "code/mono/packages/web/package.json": '{"name": "@acme/web"}',
  "code/mono/packages/web/src/retry.ts": retry,
  "code/mono/tools/deploy/ship.ts": "export function shipRelease(tag: string) {\n  return tag;\n}\n",
  "code/other/bake.ts": "export function bakeBread(flour: number) {\n  return flour * 2;\n}\n",
};

const pm = (cwd: string, ...args: string[]) => callPm(args, { cwd, env });
const json = async <T>(cwd: string, ...args: string[]): Promise<T> =>
  JSON.parse((await pm(cwd, ...args, "--json")).stdout);

beforeAll(async () => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  for (const root of [mono, join(mono, "tools/deploy"), other]) {
    execFileSync("git", ["init", "--quiet", root]);
    await pm(root, "init", "--no-hooks");
    await pm(root, "reindex");
  }
  // What has become a project since is taken out.
  await pm(mono, "reindex");
});

describe("pm in a monorepo", () => {
  it("lists packages, and marks the one around", async () => {
    const listed = await json<PackagesAnswer>(join(mono, "packages/web/src"), "code", "packages");
    expect(listed).toEqual({
      packages: [
        { name: "acme", dir: ".", kind: "npm", files: 1 },
        { name: "@acme/api", dir: "packages/api", kind: "npm", files: 2 },
        { name: "@acme/web", dir: "packages/web", kind: "npm", files: 2 },
      ],
      current: "@acme/web",
    });
    expect((await pm(mono, "complete", "packages")).stdout).toContain("@acme/api\tpackages/api\n");
  });

  it("shows the package first that somebody works in, and limits a search to one", async () => {
    const files = async (cwd: string, ...more: string[]) =>
      (
        await json<SearchResponse>(cwd, "search", "code", "retryRequest", "--level", "method", ...more)
      ).results.flatMap(({ file, also_in }) => [file, ...also_in]);
    const [api, web] = ["packages/api/src/retry.ts", "packages/web/src/retry.ts"];
    expect(await files(join(mono, "packages/web/src"))).toEqual([web, api]);
    expect(await files(join(mono, "packages/api"))).toEqual([api, web]);
    expect(await files(mono, "--package", "web")).toEqual([web]);
    const unknown = await pm(mono, "search", "retry", "--package", "wep");
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining("@acme/web") });
  });

  it("leaves a project inside it out, and says so", async () => {
    expect((await pm(mono, "search", "code", "shipRelease")).stdout).not.toContain("ship.ts");
    const status = await json<{ index: { skipped: { by_reason: object } } }>(mono, "status");
    expect(status.index.skipped.by_reason).toEqual({ nested_project: 1 });
    expect((await pm(mono, "doctor")).stdout).toContain("tools/deploy is a project of its own");
    expect((await pm(mono, "init", "--no-hooks")).stderr).toContain("tools/deploy is a project of its own");
  });
});

describe("pm mcp above several projects", () => {
  let client: Client;
  beforeAll(async () => {
    client = await connect({ cwd: join(home, "code"), env });
  });
  afterAll(() => client.close());

  it("searches all of them, and names each result's project", async () => {
    const { text } = await call(client, "code", { query: "bakeBread", level: ["method"] });
    expect(text).toMatch(/^other\/bake\.ts:\d+-\d+ function bakeBread/m);
    expect((await call(client, "search_code", { query: "shipRelease" })).text).toContain(
      "mono/tools/deploy/ship.ts",
    );
  });

  it("takes the project of the files that a call names, and asks for one otherwise", async () => {
    const limited = await call(client, "search_code", {
      query: "retryRequest",
      level: ["method"],
      path: ["mono/packages/api"],
    });
    expect(limited.text).toMatch(/^packages\/api\/src\/retry\.ts:/m);
    const refused = await call(client, "list_checkpoints");
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining("answers for 3 projects") });
  });

  it("searches other projects where asked to, or with --all-projects", async () => {
    const query = { query: "bakeBread", level: ["method"] };
    const inMono = await connect({ cwd: mono, env });
    expect((await call(inMono, "search_code", query)).text).not.toContain("bake.ts");
    const asked = await call(inMono, "search_code", { ...query, all_projects: true });
    expect(asked.text).toContain(join(other, "bake.ts"));
    await inMono.close();
    const across = await connect({ cwd: mono, env, args: ["--all-projects"] });
    expect((await call(across, "search_code", query)).text).toContain(join(other, "bake.ts"));
    await across.close();
  });
});
