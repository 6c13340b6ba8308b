import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { anyCharacter } from "../../../test/support/any-text.ts";
import { namedProject } from "../../../test/support/named-project.ts";
import { runs } from "../../../test/support/runs.ts";
import { locateOwnConfig } from "../home.ts";
import type { Project } from "../paths.ts";
import { loadConfig } from "./config.ts";
import { setConfig, unsetConfig } from "./config-edit.ts";
import { settingKeys, toTomlLiteral } from "./setting-values.ts";
import { makeDefaultConfig, type SettingKey } from "./settings.ts";

let project: Project;

beforeEach(() => {
  project = namedProject(mkdtempSync(join(tmpdir(), "pommel-edit-")));
});

const write = (text: string) => writeFileSync(project.configFile, text);
const read = () => readFileSync(project.configFile, "utf8");
const valueIn = (key: SettingKey) => loadConfig(project, {}).config[key];

describe("setConfig", () => {
  it("sets what is one setting for all projects there only, but removes it anywhere", () => {
    const key = "daemon.port";
    const set = (global: boolean) => setConfig(project, key, "7420", { global });
    expect(() => set(false)).toThrow(
      expect.objectContaining({ code: "usage", hint: `Run \`pm config set --global ${key} 7420\`.` }),
    );
    expect(set(true).changed).toBe(true);
    expect(valueIn(key)).toBe(7420);
    rmSync(locateOwnConfig());
    write("[daemon]\nport = 7420\n");
    expect(unsetConfig(project, key).changed).toBe(true);
    expect(valueIn(key)).toBe(0);
  });

  it("writes to the repository's file only what a repository may set", () => {
    const team = { team: true };
    expect(() => setConfig(project, "openai.url", "http://example.com", team)).toThrow(
      expect.objectContaining({
        code: "usage",
        hint: "Run `pm config set openai.url http://example.com` without --team.",
      }),
    );
    expect(existsSync(project.teamConfigFile)).toBe(false);
    expect(setConfig(project, "index.languages", "go", team).file).toBe(project.teamConfigFile);
    expect(loadConfig(project, {}).origin["index.languages"]).toBe("team");
    expect(existsSync(project.configFile)).toBe(false);
    unsetConfig(project, "index.languages", team);
    expect(valueIn("index.languages")).toEqual([]);
  });

  it("makes the file, for its owner only, and leaves no other behind", () => {
    rmSync(project.dataDir, { recursive: true });
    expect(setConfig(project, "search.limit", "20").changed).toBe(true);
    expect(statSync(project.configFile).mode & 0o777).toBe(0o600);
    expect(statSync(project.dataDir).mode & 0o777).toBe(0o700);
    expect(readdirSync(project.dataDir)).toEqual(["config.toml"]);
  });

  it.each([
    ["a value with a comment", "[search]\nlimit  =  3   # few\n", "[search]\nlimit  =  20   # few\n"],
    ["CRLF", "[search]\r\n# mine\r\n", "[search]\r\nlimit = 20\r\n# mine\r\n"],
    ["no final line break", "[backup]\nkeep = 3", "[backup]\nkeep = 3\n\n[search]\nlimit = 20\n"],
    ["a section at the end", "[search]", "[search]\nlimit = 20"],
    [
      "a section with others after it",
      '[search]\n\n[index]\nlevels = [\n  "file", # ]\n]\n',
      '[search]\nlimit = 20\n\n[index]\nlevels = [\n  "file", # ]\n]\n',
    ],
    ["dotted keys", "context.kinds = []\n", "context.kinds = []\n\n[search]\nlimit = 20\n"],
    ["a dotted value", "search . limit = 3\n", "search . limit = 20\n"],
    ["quoted keys", "[\"search\"]\n'limit' = 3\n", "[\"search\"]\n'limit' = 20\n"],
    ["an inline table", "search = { limit = 3 } # x\n", "search = { limit = 20 } # x\n"],
    [
      "text that looks like a setting",
      '[index]\nexclude = ["""\n[search]\nlimit = 3\n"""]\n',
      '[index]\nexclude = ["""\n[search]\nlimit = 3\n"""]\n\n[search]\nlimit = 20\n',
    ],
    ["nothing", "", "[search]\nlimit = 20\n"],
  ])("edits a file with %s in place", (_, before, after) => {
    write(before);
    setConfig(project, "search.limit", "20");
    expect(read()).toBe(after);
    expect(valueIn("search.limit")).toBe(20);
  });

  it("does not touch a file that has the value already", () => {
    write("[search]\nlimit=20");
    const before = statSync(project.configFile, { bigint: true }).mtimeNs;
    expect(setConfig(project, "search.limit", "20").changed).toBe(false);
    expect(statSync(project.configFile, { bigint: true }).mtimeNs).toBe(before);
  });

  it("can mend the value that makes the file invalid", () => {
    write('[search]\nlimit = "ten"\n');
    setConfig(project, "search.limit", "10");
    expect(valueIn("search.limit")).toBe(10);
  });

  it("keeps a linked file a link", () => {
    const target = join(project.root, "elsewhere.toml");
    writeFileSync(target, "");
    symlinkSync(target, project.configFile);
    setConfig(project, "search.limit", "20");
    expect(lstatSync(project.configFile).isSymbolicLink()).toBe(true);
    expect(readFileSync(target, "utf8")).toContain("limit = 20");
  });

  it("refuses unknown keys and values, and leaves the file alone", () => {
    write("[search]\nlimit = 3\n");
    expect(() => setConfig(project, "search.limt", "3")).toThrow(
      expect.objectContaining({ code: "config_unknown_key", hint: "Did you mean search.limit?" }),
    );
    expect(() => setConfig(project, "search.limit", "0")).toThrow(
      expect.objectContaining({ code: "config_bad_value", hint: "Allowed: a whole number from 1 to 1000." }),
    );
    write("[search\nlimit = 3\n");
    expect(() => setConfig(project, "search.limit", "4")).toThrow(
      expect.objectContaining({ code: "config_invalid" }),
    );
    expect(read()).toBe("[search\nlimit = 3\n");
  });

  it("writes the user's own file, creating its directory", () => {
    expect(existsSync(locateOwnConfig())).toBe(false);
    setConfig(null, "daemon.port", "7420", { global: true });
    expect(loadConfig(null).origin["daemon.port"]).toBe("global");
    unsetConfig(null, "daemon.port", { global: true });
    expect(loadConfig(null).origin["daemon.port"]).toBe("default");
    expect(() => setConfig(null, "search.limit", "20")).toThrow(
      expect.objectContaining({ code: "not_initialised" }),
    );
  });
});

describe("unsetConfig", () => {
  it("undoes setConfig byte for byte", () => {
    const text = "# mine\n[search] # s\n# limit = 10\n\n[index]\nmax_file_size = 2\n";
    write(text);
    setConfig(project, "search.limit", "20");
    unsetConfig(project, "search.limit");
    expect(read()).toBe(text);
    expect(unsetConfig(project, "search.limit").changed).toBe(false);
  });

  it("removes all lines of a long list, the last line of a file, and a misspelt key", () => {
    write('[index]\nexclude = [\n  "a",\n]\nexlude = []\n[search]\nlimit = 3');
    unsetConfig(project, "index.exclude");
    unsetConfig(project, "index.exlude");
    unsetConfig(project, "search.limit");
    expect(read()).toBe("[index]\n[search]");
  });

  it("refuses a key that is neither a setting nor in the file", () => {
    expect(() => unsetConfig(project, "search.limt")).toThrow(
      expect.objectContaining({ code: "config_unknown_key" }),
    );
  });
});

/** Any valid value of a few settings of each type, as typed. */
const texts = fc.array(fc.string({ unit: anyCharacter, maxLength: 20 }), { maxLength: 4 });
const assignment = fc.oneof(
  fc.tuple(fc.constantFrom<SettingKey>("index.exclude", "index.include", "index.languages"), texts),
  fc.tuple(fc.constant<SettingKey>("index.levels"), fc.subarray(["file", "class", "method", "block"])),
  fc.tuple(fc.constant<SettingKey>("search.limit"), fc.integer({ min: 1, max: 1000 })),
  fc.tuple(fc.constant<SettingKey>("sessions.retention_days"), fc.nat()),
  fc.tuple(fc.constant<SettingKey>("context.mode"), fc.constantFrom("off", "gentle", "eager")),
);
/** Each section with its defaults, commented out. */
const commented = [...new Set(settingKeys.map((key) => key.split(".")[0]!))]
  .map((section) => {
    const keys = settingKeys.filter((key) => key.startsWith(`${section}.`));
    const lines = keys.map((key) => `# ${key.split(".")[1]} = ${toTomlLiteral(makeDefaultConfig()[key])}`);
    return `# Of ${section}.\n[${section}]\n${lines.join("\n")}\n`;
  })
  .join("\n");
const startingFiles = [
  commented,
  commented.replaceAll("\n", "\r\n"),
  '# mine\n[search] # s\nlimit=3# x\n\n[ index ]\nexclude = ["a", # why\n  "b]"] # end\nmax_file_size = 2\n',
  "sessions.retention_days = 10\nindex.exclude = ['''x''']\n\n[context]\nkinds = []",
  "",
];

it("gets what was set and leaves every other line as it was", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...startingFiles),
      fc.array(assignment, { minLength: 1, maxLength: 5 }),
      (start, assignments) => {
        write(start);
        const before = loadConfig(project, {}).config;
        const expected: Record<string, unknown> = { ...before };
        for (const [key, value] of assignments) {
          setConfig(project, key, typeof value === "string" ? value : toTomlLiteral(value));
          expected[key] = value;
        }
        expect(loadConfig(project, {}).config).toEqual(expected);

        const names = new Set(assignments.map(([key]) => key.split(".")[1]));
        const untouched = start
          .split("\n")
          .filter((line) => line !== "" && ![...names].some((name) => line.includes(`${name}`)))
          // The second half of the one list that spans lines goes with its key.
          .filter((line) => !(names.has("exclude") && line.includes('"b]"')));
        const after = read().split("\n");
        for (const line of untouched) expect(after.map((l) => l.trimEnd())).toContain(line.trimEnd());

        for (const [key] of assignments) unsetConfig(project, key);
        for (const [key] of assignments) {
          expect(loadConfig(project, {}).config[key]).toEqual(makeDefaultConfig()[key]);
        }
        if (start.startsWith("# Of")) expect(read()).toBe(start);
      },
    ),
    { numRuns: runs(50) },
  );
});
