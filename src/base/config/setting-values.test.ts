import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import {
  describeAllowedValues,
  findNearestSettingKey,
  parseValue,
  settingKeys,
  toTomlLiteral,
} from "./setting-values.ts";
import { settings } from "./settings.ts";

describe("parseValue", () => {
  const list = z.array(z.string());

  it("reads lists with commas, but leaves those inside braces to the glob", () => {
    expect(parseValue(list, "src/**/*.{ts,tsx}, docs/**,")).toEqual(["src/**/*.{ts,tsx}", "docs/**"]);
    expect(parseValue(list, "")).toEqual([]);
    expect(parseValue(list, '["a,b", "c"]')).toEqual(["a,b", "c"]);
  });

  it("refuses a list that is invalid TOML, or has values of the wrong type", () => {
    expect(parseValue(list, '["a"')).toBeUndefined();
    expect(parseValue(list, "[1, 2]")).toBeUndefined();
    expect(parseValue(settings["index.levels"].schema, "file,clas")).toBeUndefined();
  });

  it("reads whole numbers within their bounds only", () => {
    const { schema } = settings["search.limit"];
    expect(parseValue(schema, " 1_000 ")).toBe(1000);
    for (const text of ["0", "1001", "1.5", "ten", "", "0x10", "1e2"]) {
      expect(parseValue(schema, text)).toBeUndefined();
    }
  });

  it("reads true and false", () => {
    expect(parseValue(z.boolean(), "true")).toBe(true);
    expect(parseValue(z.boolean(), "false")).toBe(false);
    expect(parseValue(z.boolean(), "yes")).toBeUndefined();
  });
});

describe("allowedValues", () => {
  it("names bounds and choices", () => {
    expect(describeAllowedValues(settings["search.limit"].schema)).toBe("a whole number from 1 to 1000");
    expect(describeAllowedValues(settings["sessions.retention_days"].schema)).toBe(
      "a whole number, 0 or more",
    );
    expect(describeAllowedValues(settings["daemon.log_level"].schema)).toBe(
      '"debug", "info", "warn" or "error"',
    );
    expect(describeAllowedValues(settings["index.exclude"].schema)).toBe("a list of texts");
    expect(describeAllowedValues(settings["index.levels"].schema)).toMatch(
      /^a list of "file", .* or "lines"$/,
    );
  });

  it("describes the expected text where that helps", () => {
    expect(describeAllowedValues(settings["embed.code"].schema)).toContain("ollama/MODEL");
    expect(describeAllowedValues(settings["openai.key_env"].schema)).toBe(
      "the name of an environment variable",
    );
  });

  it("knows the bounds of every number", () => {
    for (const key of settingKeys)
      expect(describeAllowedValues(settings[key].schema)).not.toContain("undefined");
  });
});

it("finds the intended setting, and none if nothing is near", () => {
  expect(findNearestSettingKey("index.exlude")).toBe("index.exclude");
  expect(findNearestSettingKey("limit")).toBe("search.limit");
  expect(findNearestSettingKey("colour")).toBeNull();
});

it("writes TOML literals", () => {
  expect(toTomlLiteral(["a", 'say "x"'])).toBe('[ "a", "say \\"x\\"" ]');
  expect(toTomlLiteral(20)).toBe("20");
});
