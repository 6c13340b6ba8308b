import { expect, it } from "vitest";
import { namesIn } from "./for-search.ts";
import { fileReadBy, searchAskedBy } from "./search-asked.ts";

it.each([
  ["Grep", { pattern: "func.*retry", path: "src" }, ["func.*retry", "src", false]],
  ["Glob", { pattern: "**/retry*.ts" }, ["**/retry*.ts", "", true]],
  ["grep_search", { query: "retry" }, ["retry", "", false]],
  ["Bash", { command: "grep -rn 'retry later' src | head -5" }, ["retry later", "src", false]],
  ["Bash", { command: "grep -rE 'retry(Now|Later)' src | head; ls" }, ["retry(Now|Later)", "src", false]],
  ["Bash", { command: 'ls && grep -rn "a && b; c|d" src' }, ["a && b; c|d", "src", false]],
  ["Bash", { command: "cd app && rg -t ts -e retry lib" }, ["retry", "lib", false]],
  ["Bash", { command: "git grep -n retryLater -- src" }, ["retryLater", "src", false]],
  ["Bash", { command: "find . -type f -name '*retry*'" }, ["*retry*", ".", true]],
  ["Bash", { command: 'FOO=1 grep -A 3 "a\\|b" x.ts 2>/dev/null' }, ["a\\|b", "x.ts", false]],
])("%s %j is a search", (tool, input, [pattern, path, isForFiles]) => {
  expect(searchAskedBy(tool as string, input as Record<string, unknown>)).toEqual({
    pattern,
    path,
    isForFiles,
  });
});

it.each([
  ["Bash", { command: "npm test | grep FAIL" }],
  ["Bash", { command: "git log --grep=retry" }],
  ["Bash", { command: "find . -delete" }],
  ["Bash", {}],
  ["Read", { file_path: "grep.ts" }],
  ["Grep", { pattern: "" }],
])("%s %j is none", (tool, input) => {
  expect(searchAskedBy(tool, input)).toBeNull();
});

it("names in a pattern are what it looks for, without what the language and the expression say", () => {
  expect(namesIn("func \\(s \\*GitStore\\) ListCommitted")).toEqual(["GitStore", "ListCommitted"]);
  expect(namesIn("\\bretryLater\\b|backoff.*\\d+")).toEqual(["retryLater", "backoff"]);
  expect(namesIn("[a-z]+")).toEqual([]);
});

it("knows the file that a call reads, and takes nothing else for a reading", () => {
  expect(fileReadBy("Read", { file_path: "/p/a.ts" })).toBe("/p/a.ts");
  expect(fileReadBy("read_file", { path: "a.ts" })).toBe("a.ts");
  expect(fileReadBy("Edit", { file_path: "/p/a.ts" })).toBeNull();
  expect(fileReadBy("Read", {})).toBeNull();
});
