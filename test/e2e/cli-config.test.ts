import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { settingKeys } from "../../src/base/config/setting-values.ts";
import { makeNewProject } from "../../src/base/paths.ts";
import { callPm, temporaryDir } from "./run-pm.ts";

let cwd: string;
let file: string;

beforeEach(async () => {
  cwd = temporaryDir();
  file = makeNewProject(cwd).configFile;
  await callPm(["config", "unset", "--global", "search.limit"], { cwd });
});

const config = (...args: string[]) => callPm(["config", ...args], { cwd });
const json = async (...args: string[]) => JSON.parse((await config(...args, "--json")).stdout);

it("gets, sets and unsets, and says where a value comes from", async () => {
  expect(await json("get", "search.limit")).toEqual({
    key: "search.limit",
    value: 10,
    origin: "default",
    source: null,
  });
  expect((await config("set", "search.limit", "20")).stdout).toBe(`search.limit is 20 (from ${file}).\n`);
  expect(await json("get", "search.limit")).toMatchObject({ value: 20, origin: "project", source: file });
  expect(await json("set", "search.limit", "20")).toMatchObject({ value: 20, changed: false, file });
  expect((await config("unset", "search.limit")).stdout).toBe("search.limit is 10 (the default).\n");
  expect(await json("get", "search.limit")).toMatchObject({ value: 10, origin: "default" });
});

it("prints a bare value, ready for a script", async () => {
  await config("set", "index.exclude", "dist/**,*.{js,css}");
  expect(await config("get", "index.exclude")).toMatchObject({
    code: 0,
    stdout: "dist/**,*.{js,css}\n",
    stderr: "",
  });
  expect((await config("get", "index.include")).stdout).toBe("[]\n");
});

it("lists every setting, or those of a section", async () => {
  expect((await json("list")).settings.map(({ key }: { key: string }) => key)).toEqual(settingKeys);
  expect(await json()).toEqual(await json("list"));
  const { stdout } = await config("list", "search");
  expect(
    stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split(" ")[0]),
  ).toEqual(["search.limit"]);
});

it("keeps the user's own settings apart, and says when the project hides them", async () => {
  expect(await json("set", "--global", "search.limit", "33")).toMatchObject({ value: 33, origin: "global" });
  await config("set", "search.limit", "5");
  expect(await json("get", "--global", "search.limit")).toMatchObject({ value: 33, origin: "global" });
  const hidden = await config("set", "--global", "search.limit", "34");
  expect(hidden.stdout).toBe(`search.limit is 5 (from ${file}).\n`);
  const fromEnv = await callPm(["config", "get", "search.limit", "--json"], {
    cwd,
    env: { POMMEL_SEARCH_LIMIT: "6" },
  });
  expect(JSON.parse(fromEnv.stdout)).toMatchObject({
    value: 6,
    origin: "env",
    source: "POMMEL_SEARCH_LIMIT",
  });
});

it("refuses unknown keys and values that are not allowed", async () => {
  expect(await config("set", "search.limt", "3")).toMatchObject({
    code: 2,
    stderr: "error: Unknown setting: search.limt.\nhint: Did you mean search.limit?\n",
  });
  expect(await config("get", "nonsense")).toMatchObject({ code: 2 });
  expect(await config("set", "search.limit", "-5")).toMatchObject({
    code: 2,
    stderr: 'error: search.limit cannot be "-5".\nhint: Allowed: a whole number from 1 to 1000.\n',
  });
  expect(await config("set", "index.languages", "go,pythn")).toMatchObject({ code: 2 });
  expect(await config("gett", "search.limit")).toMatchObject({ code: 2 });
  expect(existsSync(file)).toBe(false);
});

it("works on files with mistakes: shows them, and can mend them", async () => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "[search]\nlimt = 3\nlimit = 'x'\n");
  expect(await config("list")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`${file}:2: unknown setting`),
  });
  expect(await config("unset", "search.limt")).toMatchObject({ code: 0 });
  expect(await config("list")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`${file}:2: invalid value for search.limit`),
  });
  expect(await config("set", "search.limit", "3")).toMatchObject({ code: 0 });
  expect(readFileSync(file, "utf8")).toBe("[search]\nlimit = 3\n");
});

it("takes from a repository what it may set, and says what it may not", async () => {
  const team = join(cwd, ".pommel/config.toml");
  expect(await json("set", "--team", "search.limit", "3")).toMatchObject({
    value: 3,
    origin: "team",
    source: team,
    file: team,
  });
  expect(await json("set", "search.limit", "4")).toMatchObject({ value: 4, origin: "project" });
  expect(await config("set", "--team", "sessions.retention_days", "1")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("A repository may not set sessions.retention_days"),
  });
  writeFileSync(team, "[sessions]\nretention_days = 1\n");
  expect(await json("get", "sessions.retention_days")).toMatchObject({ origin: "default" });
  const { stdout } = await callPm(["doctor"], { cwd });
  expect(stdout).toContain("The repository's .pommel/config.toml may not set sessions.retention_days");
  expect(await config("set", "daemon.port", "7420")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("pm config set --global daemon.port 7420"),
  });
});

it("reads anywhere, but changes only what is a project", async () => {
  const outside = { cwd: process.env.HOME! };
  expect(await callPm(["config", "get", "search.limit"], outside)).toMatchObject({ code: 0, stdout: "10\n" });
  expect(await callPm(["config", "set", "search.limit", "3"], outside)).toMatchObject({ code: 3 });
});
