import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { PommelError } from "../errors.ts";
import { type Project, projectAt } from "../paths.ts";
import { envName, globalConfigFile, loadConfig } from "./config.ts";
import { setConfig } from "./config-edit.ts";
import { configTemplate, settingKeys, tomlLiteral } from "./setting-values.ts";
import { defaultConfig, ownSettings } from "./settings.ts";

let project: Project;

beforeEach(() => {
  project = projectAt(mkdtempSync(join(tmpdir(), "pommel-config-")));
  rmSync(globalConfigFile(), { force: true });
});

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
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
    expect(config).toEqual(defaultConfig());
    expect(new Set(Object.values(origin))).toEqual(new Set(["default"]));
  });

  it("lets the project win over the user and the environment over both", () => {
    write(globalConfigFile(), "[search]\nlimit = 1\n[index]\nworkers = 3\n[watch]\npoll_seconds = 9\n");
    write(project.configFile, "[search]\nlimit = 2\n[index]\nworkers = 4\n");
    const env = { ...process.env, POMMEL_SEARCH_LIMIT: "5", POMMEL_INDEX_EXCLUDE: "a,b" };
    const { config, origin } = loadConfig(project, env);
    expect(config["search.limit"]).toBe(5);
    expect(config["index.workers"]).toBe(4);
    expect(config["watch.poll_seconds"]).toBe(9);
    expect(config["index.exclude"]).toEqual(["a", "b"]);
    expect(origin).toMatchObject({
      "search.limit": "env",
      "index.workers": "project",
      "watch.poll_seconds": "global",
      "daemon.port": "default",
    });
    expect(loadConfig(null, env).config["index.workers"]).toBe(3);
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
    ["[[index]]\nworkers = 1\n", "index", ":1:", "`pm config list` lists all settings."],
  ])("refuses an unknown key: %j", (text, key, line, hint) => {
    write(project.configFile, text);
    const error = errorOf(() => loadConfig(project, {}));
    expect(error.code).toBe("config_invalid");
    expect(error.message).toBe(`${project.configFile}${line} unknown setting ${key}.`);
    expect(error.hint).toBe(hint);
  });

  it("does not let a project say where texts and a key are sent", () => {
    for (const key of ownSettings) {
      const [section, name] = key.split(".");
      const text = `[${section}]\n${name} = ${tomlLiteral(defaultConfig()[key])}\n`;
      write(project.configFile, text);
      const error = errorOf(() => loadConfig(project, {}));
      expect(error.code).toBe("config_invalid");
      expect(error.message).toContain(`${project.configFile}:2: ${key}`);
      expect(error.hint).toContain(`pm config set --global ${key}`);
      write(project.configFile, "");
      write(globalConfigFile(), text);
      expect(loadConfig(project, {}).origin[key]).toBe("global");
      rmSync(globalConfigFile());
      expect(
        loadConfig(project, {
          [envName(key)]:
            String(defaultConfig()[key]) || (key === "index.url" ? "postgres://ann@localhost/some" : "some"),
        }).origin[key],
      ).toBe("env");
    }
  });

  it("names the environment variable that is wrong", () => {
    const error = errorOf(() => loadConfig(project, { POMMEL_SEARCH_LIMIT: "many" }));
    expect(error.message).toContain("POMMEL_SEARCH_LIMIT");
    expect(error.code).toBe("config_invalid");
  });
});

it("gives every setting a variable of its own", () => {
  expect(new Set(settingKeys.map(envName)).size).toBe(settingKeys.length);
});

describe("a value that no longer exists", () => {
  it("counts as what took its place, and is named with its file and line", () => {
    write(globalConfigFile(), '[embed]\ntext = "minilm"\n');
    write(project.configFile, '[embed]\n\ncode = "minilm"\n');
    const { config, notes } = loadConfig(project, {});
    expect([config["embed.code"], config["embed.text"]]).toEqual(["static", "static"]);
    expect(notes).toEqual([
      `${globalConfigFile()}:2: embed.text = "minilm" no longer exists; "static" is used instead.`,
      `${project.configFile}:3: embed.code = "minilm" no longer exists; "static" is used instead.`,
    ]);
  });

  it("is accepted in the environment as well", () => {
    const { config, notes } = loadConfig(null, { POMMEL_EMBED_CODE: "minilm" });
    expect(config["embed.code"]).toBe("static");
    expect(notes).toEqual([
      'POMMEL_EMBED_CODE: embed.code = "minilm" no longer exists; "static" is used instead.',
    ]);
  });

  it("cannot be set any more", () => {
    expect(errorOf(() => setConfig(project, "embed.code", "minilm")).code).toBe("config_bad_value");
  });
});

describe("configTemplate", () => {
  it("changes nothing by itself", () => {
    write(project.configFile, configTemplate());
    expect(new Set(Object.values(loadConfig(project, {}).origin))).toEqual(new Set(["default"]));
  });

  it("shows every default as it would be written", () => {
    write(project.configFile, configTemplate().replace(/^# (\w+ = )/gm, "$1"));
    const { config, origin } = loadConfig(project, {});
    expect(config).toEqual(defaultConfig());
    for (const key of settingKeys) expect(origin[key]).toBe(ownSettings.has(key) ? "default" : "project");
  });

  it("puts what is set below its default", () => {
    write(project.configFile, configTemplate({ "index.languages": ["go"] }));
    expect(loadConfig(project, {}).config["index.languages"]).toEqual(["go"]);
    expect(configTemplate({ "search.limit": 7 })).toContain("# limit = 10\nlimit = 7\n");
  });
});
