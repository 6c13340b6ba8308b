import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { PommelError } from "../errors.ts";
import { locateOwnConfig } from "../home.ts";
import { makeNewProject, type Project } from "../paths.ts";
import { loadConfig, toEnvName } from "./config.ts";
import { settingKeys, toTomlLiteral } from "./setting-values.ts";
import { homeSettings, makeDefaultConfig, type SettingKey, teamSettings } from "./settings.ts";

let project: Project;

beforeEach(() => {
  project = makeNewProject(mkdtempSync(join(tmpdir(), "pommel-config-")));
  rmSync(locateOwnConfig(), { force: true });
});

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** The key is on the second line. */
function asToml(key: SettingKey, value: unknown): string {
  const [section, name] = key.split(".");
  return `[${section}]\n${name} = ${toTomlLiteral(value)}\n`;
}

function errorOf(action: () => unknown): PommelError {
  try {
    action();
  } catch (error) {
    return error as PommelError;
  }
  throw new Error("nothing was thrown");
}

describe("loadConfig", () => {
  it("has defaults without any file", () => {
    const { config, origin } = loadConfig(project, {});
    expect(config).toEqual(makeDefaultConfig());
    expect(new Set(Object.values(origin))).toEqual(new Set(["default"]));
  });

  it("lets the project win over the user and the environment over both", () => {
    write(
      locateOwnConfig(),
      "[search]\nlimit = 1\n[index]\nmax_file_size = 3\n[sessions]\nretention_days = 9\n",
    );
    write(project.configFile, "[search]\nlimit = 2\n[index]\nmax_file_size = 4\n");
    const env = { ...process.env, POMMEL_SEARCH_LIMIT: "5", POMMEL_INDEX_EXCLUDE: "a,b" };
    const { config, origin } = loadConfig(project, env);
    expect(config["search.limit"]).toBe(5);
    expect(config["index.max_file_size"]).toBe(4);
    expect(config["sessions.retention_days"]).toBe(9);
    expect(config["index.exclude"]).toEqual(["a", "b"]);
    expect(origin).toMatchObject({
      "search.limit": "env",
      "index.max_file_size": "project",
      "sessions.retention_days": "global",
      "daemon.port": "default",
    });
    expect(loadConfig(null, env).config["index.max_file_size"]).toBe(3);
  });

  it("takes an empty variable for none", () => {
    expect(loadConfig(project, { POMMEL_SEARCH_LIMIT: "" }).origin["search.limit"]).toBe("default");
  });

  it("reads a file with a byte order mark and CRLF", () => {
    write(project.configFile, "\uFEFF[search]\r\nlimit = 3\r\n");
    expect(loadConfig(project, {}).config["search.limit"]).toBe(3);
  });

  it("shows where TOML is broken", () => {
    write(project.configFile, "[search]\nlimit = = 3\n");
    const error = errorOf(() => loadConfig(project, {}));
    expect(error.code).toBe("config_invalid");
    expect(error.message).toContain(`${project.configFile}:2:`);
    expect(error.message).toContain("2:  limit = = 3");
  });

  it("names file, line, key and what is allowed for a value of the wrong type", () => {
    write(project.configFile, '# mine\n[search]\n\nlimit = "ten"\n');
    const error = errorOf(() => loadConfig(project, {}));
    expect(error.code).toBe("config_invalid");
    expect(error.message).toContain(`${project.configFile}:4: invalid value for search.limit`);
    expect(error.hint).toBe("Allowed: a whole number from 1 to 1000.");
  });

  it.each([
    ["[index]\nexlude = []\n", "index.exlude", ":2:", "Did you mean index.exclude?"],
    ["limit = 3\n", "limit", ":1:", "Did you mean search.limit?"],
    ["[colours]\nred = 1\n", "colours.red", ":2:", "`pm config list` lists all settings."],
    ["index = { exlude = [] }\n", "index.exlude", ":1:", "Did you mean index.exclude?"],
    ["[[index]]\nmax_file_size = 1\n", "index", ":1:", "`pm config list` lists all settings."],
  ])("refuses an unknown key: %j", (text, key, line, hint) => {
    write(project.configFile, text);
    const error = errorOf(() => loadConfig(project, {}));
    expect(error.code).toBe("config_invalid");
    expect(error.message).toBe(`${project.configFile}${line} unknown setting ${key}.`);
    expect(error.hint).toBe(hint);
  });

  it("refuses in a project's file what is one setting for all projects", () => {
    for (const key of homeSettings) {
      const text = asToml(key, makeDefaultConfig()[key]);
      write(project.configFile, text);
      const error = errorOf(() => loadConfig(project, {}));
      expect(error.code).toBe("config_invalid");
      expect(error.message).toContain(`${project.configFile}:2: ${key}`);
      expect(error.hint).toContain(`pm config set --global ${key}`);
      rmSync(project.configFile);
      write(locateOwnConfig(), text);
      expect(loadConfig(project, {}).origin[key]).toBe("global");
      rmSync(locateOwnConfig());
    }
  });

  it("names the environment variable that is wrong", () => {
    const error = errorOf(() => loadConfig(project, { POMMEL_SEARCH_LIMIT: "many" }));
    expect(error.message).toContain("POMMEL_SEARCH_LIMIT");
    expect(error.code).toBe("config_invalid");
  });
});

describe("a repository's own file", () => {
  const load = () => loadConfig(project, {});

  it("sets what is indexed and how it is searched: more than the user, less than the user for this project", () => {
    write(locateOwnConfig(), "[search]\nlimit = 1\n[index]\nmax_file_size = 3\n");
    write(project.teamConfigFile, '[search]\nlimit = 2\n[index]\nexclude = ["a"]\nlanguages = ["go"]\n');
    write(project.configFile, '[index]\nlanguages = ["rust"]\n');
    const { config, origin, notes } = load();
    expect(notes).toEqual([]);
    expect(config).toMatchObject({ "search.limit": 2, "index.exclude": ["a"], "index.languages": ["rust"] });
    expect(origin).toMatchObject({
      "search.limit": "team",
      "index.exclude": "team",
      "index.languages": "project",
      "index.max_file_size": "global",
    });
    expect(loadConfig(null, {}).config["search.limit"]).toBe(1);
  });

  it("sets nothing else: what sends, runs, records, keeps or deletes is a person's own", () => {
    for (const key of settingKeys) {
      write(project.teamConfigFile, asToml(key, makeDefaultConfig()[key]));
      const { config, origin, notes } = load();
      expect(config).toEqual(makeDefaultConfig());
      expect(origin[key]).toBe(teamSettings.has(key) ? "team" : "default");
      if (teamSettings.has(key)) expect(notes).toEqual([]);
      else expect(notes).toEqual([expect.stringContaining(`may not set ${key};`)]);
    }
  });

  it("is left out where it makes no sense, and fails nothing", () => {
    write(project.teamConfigFile, "[search]\nlimit = = 3\n");
    expect(load().notes).toEqual([expect.stringMatching(/^The repository's .* is left out: .*:2:/)]);
    write(project.teamConfigFile, '[index]\nexclude = ["a"]\n[search]\nlimit = "ten"\n[colours]\nred = 1\n');
    const { config, notes } = load();
    expect(config["index.exclude"]).toEqual(["a"]);
    expect(config["search.limit"]).toBe(10);
    expect(notes).toEqual([expect.stringContaining("may not set search.limit, colours.red;")]);
  });

  it("brings no control characters to the terminal, and no long list", () => {
    const names = Array.from({ length: 20 }, (_, i) => `"\\u001b[31m${i}${"x".repeat(200)}" = 1`);
    write(project.teamConfigFile, `[colours]\n${names.join("\n")}\n`);
    const [note] = load().notes;
    expect(note).not.toContain("\u001b");
    expect(note!.length).toBeLessThan(600);
    write(project.teamConfigFile, "\u001b]0;title\u0007 = = 1\n");
    expect(load().notes.join()).not.toMatch(/[\u0000-\u001f]/);
  });

  it("is not read through a link, nor if it is larger than any configuration", () => {
    const elsewhere = join(project.root, "elsewhere.toml");
    writeFileSync(elsewhere, "[search]\nlimit = 3\n");
    mkdirSync(dirname(project.teamConfigFile));
    symlinkSync(elsewhere, project.teamConfigFile);
    expect(load().config["search.limit"]).toBe(10);
    rmSync(dirname(project.teamConfigFile), { recursive: true });
    mkdirSync(join(project.root, "config"));
    writeFileSync(join(project.root, "config/config.toml"), "[search]\nlimit = 3\n");
    symlinkSync(join(project.root, "config"), dirname(project.teamConfigFile));
    expect(load().config["search.limit"]).toBe(10);
    rmSync(dirname(project.teamConfigFile));
    write(project.teamConfigFile, `[search]\nlimit = 3\n#${"x".repeat(70_000)}\n`);
    expect(load().config["search.limit"]).toBe(10);
    rmSync(project.teamConfigFile);
    mkdirSync(project.teamConfigFile);
    expect(load()).toMatchObject({ notes: [], config: { "search.limit": 10 } });
  });
});

it("gives every setting a variable of its own", () => {
  expect(new Set(settingKeys.map(toEnvName)).size).toBe(settingKeys.length);
});

describe("a name that a setting has elsewhere", () => {
  it.each([
    ["[search]\ndefault_limit = 3\n", "search.default_limit", "search.limit"],
    ["chunk_levels = []\n", "chunk_levels", "index.levels"],
    ["[security]\nfilter_secrets = true\n", "security.filter_secrets", "Secrets are always removed"],
  ])("in a file is refused with today's: %j", (text, key, today) => {
    write(locateOwnConfig(), text);
    expect(() => loadConfig(null, {})).toThrow(
      expect.objectContaining({
        code: "config_invalid",
        message: expect.stringContaining(`unknown setting ${key}.`),
        hint: expect.stringContaining(today),
      }),
    );
  });

  it("in a variable is ignored with today's", () => {
    const { config, notes } = loadConfig(null, { POMMEL_SEARCH_DEFAULT_LIMIT: "3" });
    expect(config["search.limit"]).toBe(10);
    expect(notes).toEqual([
      "The environment variable POMMEL_SEARCH_DEFAULT_LIMIT is ignored. Pommel's name for it: POMMEL_SEARCH_LIMIT.",
    ]);
  });
});
