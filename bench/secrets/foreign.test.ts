import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { credsweeperCases } from "./credsweeper.ts";
import { foreignPattern, secretIn } from "./foreign-pattern.ts";
import { ruleExamples, semgrepCases } from "./semgrep.ts";
import { gitleaksCases, trufflehogCases } from "./trufflehog.ts";

let checkout: string;
beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), "pommel-foreign-"));
});
afterEach(() => rmSync(checkout, { recursive: true }));
const file = (path: string, text: string) => {
  mkdirSync(dirname(join(checkout, path)), { recursive: true });
  writeFileSync(join(checkout, path), text);
};
const found = ({ secrets }: { secrets: { text: string; secrets: string[] }[] }) =>
  secrets.map(({ text, secrets: parts }) => [text, ...parts]);

describe("the secret of an example", () => {
  const secret = (pattern: string, text: string) => secretIn(text, foreignPattern(pattern)!);

  it("is what the last group holds, or all of the match", () => {
    expect(secret("(?i)USER=(\\w+) PASS=(\\w+)", "user=ann pass=open")).toBe("open");
    expect(secret("k[0-9]+", "the k42 here")).toBe("k42");
  });

  it("is found by patterns with a layout, flags of parts and other names of classes", () => {
    expect(secret("(?xi)\n key # a name\n \\s = [ ]? (?-i:[[:alnum:]#]+) \\b", "KEY = a#1")).toBe(
      "KEY = a#1",
    );
  });

  it("of a URL is its password", () => {
    expect(secret("db://\\S+", "at db://ann:open@example.org/x")).toBe("open");
  });
});

it("kingfisher's examples are those of visible rules that find what lets one in", () => {
  const rule = (name: string, more: string) => `  - name: ${name}\n    pattern: 'k_(\\d+)'\n${more}`;
  file(
    "data/rules/acme.yml",
    `rules:\n${rule("Acme Key", "    examples: [key k_42, nothing]\n    negative_examples: [k_x]\n")}${rule("Acme Client ID", "    examples: [k_43]\n")}${rule("Acme Secret", "    visible: false\n    examples: [k_44]\n")}`,
  );
  const cases = ruleExamples(checkout, "kingfisher");
  expect(found(cases)).toEqual([["key k_42", "42"]]);
  expect(cases.lookAlikes.map(({ kind, text }) => [kind, text])).toEqual([["acme", "k_x"]]);
  expect(cases.unplaced).toBe(1);
});

it("gitleaks' texts are those that stand in its source word for word", () => {
  file("config/gitleaks.toml", "[[rules]]\nid = 'acme-key'\nregex = 'k_(\\d+)'\n");
  file(
    "cmd/generate/config/rules/acme.go",
    [
      "package rules",
      "func Acme() *config.Rule {",
      '  r := config.Rule{RuleID: "acme-key"}',
      "  tps := []string{",
      '    "a \\"k_1\\"", // first',
      "    `b\nk_` + `2`,",
      '    "made " + secrets.NewSecret(`k_[0-9]`),',
      "  }",
      '  tps = append(tps, "c k_3")',
      "  fps := []string{`k_x`}",
      "  return utils.Validate(r, tps, fps)",
      "}",
    ].join("\n"),
  );
  const cases = gitleaksCases(checkout);
  expect(found(cases)).toEqual([
    ['a "k_1"', "1"],
    ["b\nk_2", "2"],
    ["c k_3", "3"],
  ]);
  expect(cases.lookAlikes.map(({ text }) => text)).toEqual(["k_x"]);
});

it("trufflehog's texts are put together from constants, and of what they hold a URL counts by what follows its host", () => {
  file(
    "pkg/detectors/acme/acme_test.go",
    [
      'var (\n  key = "k_1"\n  hook = "https://acme.test/h/" + "abcdefgh"\n)',
      '{ input: fmt.Sprintf("%s token = \'%s\'", "acme", key), want: []string{key} },',
      "{ input: `at ` + hook, want: []string{hook} },",
      "{ input: made(), want: []string{key} },",
      '{ input: "nothing", want: []string{} },',
      '{ input: "both", want: []string{key} },',
    ].join("\n"),
  );
  const cases = trufflehogCases(checkout);
  expect(found(cases)).toEqual([
    ["acme token = 'k_1'", "k_1"],
    ["at https://acme.test/h/abcdefgh", "h/abcdefgh"],
  ]);
  expect(cases.unplaced).toBe(1);
});

it("credsweeper's finds are the lines in which they stand, without those of identifiers", () => {
  const find = (rule: string, line_num: number, value: string, info = "") => ({
    rule,
    line_data_list: [{ path: "sample", line_num, value, info }],
  });
  file("sample", "a\nkey = k_1\nid = k_2");
  file(
    "tests/data/output.json",
    JSON.stringify([
      find("Key", 2, "k_1"),
      find("Client ID", 3, "k_2"),
      find("Key", 3, "k_3"),
      find("Key", 2, "k_1", "BASE64"),
    ]),
  );
  const cases = credsweeperCases(checkout);
  expect(found(cases)).toEqual([["key = k_1", "k_1"]]);
  expect(cases.unplaced).toBe(2);
});

it("semgrep's lines are those after the comment that names their rule", () => {
  const rule = (id: string) => `- id: ${id}\n  patterns:\n    - pattern-regex: key (\\w+)\n`;
  file("generic/secrets/acme.yaml", `rules:\n${rule("acme-key")}${rule("acme-client-id")}`);
  file(
    "generic/secrets/acme.txt",
    "# ruleid: acme-key\nkey k_1\n# ok: acme-key\nkey\n# ruleid: acme-client-id\nkey k_2\n",
  );
  const cases = semgrepCases(checkout);
  expect(found(cases)).toEqual([["key k_1", "k_1"]]);
  expect(cases.lookAlikes.map(({ text }) => text)).toEqual(["key"]);
});
