import { describe, expect, it } from "vitest";
import { findMatch, type RuleCheck, readCall, readRequest } from "./check.ts";
import { makePathCheck } from "./find-rules.ts";

const command = (line: string): RuleCheck => ({ kind: "command", words: line.split(" ") });
const run = (check: RuleCheck, line: string) =>
  findMatch(check, { tool: "Bash", command: line, files: [], created: [], added: "" });

describe("a rule about a command", () => {
  it.each([
    ["git push", "git push origin main"],
    ["git push", "cd x && git -C y -c a=b push"],
    ["git push main", "git push -u origin HEAD:main"],
    ["git push --force", "git push -f"],
    ["git push --force", "git push --force-with-lease origin x"],
    ["git commit --amend", "git add . && git commit --amend --no-edit"],
    ["git commit", "git commit -m \"$(cat <<'EOF'\nit's done\nEOF\n)\""],
    ["npm", "FOO=1 sudo npm ci"],
    ["gh pr create", "gh pr create --title x"],
    ["git add -A", "(git add -A; ls)"],
    ["git commit -a", "git commit -am x"],
  ])("%s: %s", (words, line) => {
    expect(run(command(words), line)).not.toBeNull();
  });

  it.each([
    ["git push", "git stash push"],
    ["git push", 'echo "git push"; git log --grep push'],
    ["git push", "git push --dry-run"],
    ["git push", "cat <<EOF\ngit push\nEOF"],
    ["git push", 'git commit -m "then\ngit push"'],
    ["git push main", "git push origin feature/main-page"],
    ["git push --force", "git push origin x"],
    ["git commit --amend", "git commit -m amend"],
    ["npm", "pnpm install && ls node_modules/npm"],
    ["git commit", "git commit-tree x"],
  ])("does not hold %s against: %s", (words, line) => {
    expect(run(command(words), line)).toBeNull();
  });
});

it("a rule about files is about those of a directory, of a name, or of a pattern", () => {
  const finds = (named: string, file: string) =>
    findMatch(makePathCheck(named), { tool: "Edit", command: "", files: [file], created: [], added: "" }) !==
    null;
  expect(finds("docs/legacy/", "docs/legacy/a/b.md")).toBe(true);
  expect(finds("docs/legacy/", "docs/legacy.md")).toBe(false);
  expect(finds("package-lock.json", "web/package-lock.json")).toBe(true);
  expect(finds("package-lock.json", "web/my-package-lock.json")).toBe(false);
  expect(finds("db/*.sql", "db/1.sql")).toBe(true);
  expect(finds("db/*.sql", "db/old/1.sql")).toBe(false);
});

it("a rule about a text is about whole names, in lines that are new", () => {
  const check: RuleCheck = { kind: "added", text: "fmt.Print" };
  const edit = (old_string: string, new_string: string) =>
    findMatch(
      check,
      readCall(
        "Edit",
        { file_path: "a.go", old_string, new_string },
        (path) => path,
        () => true,
      ),
    );
  expect(edit("", "  fmt.Print(1)")).toBe("  fmt.Print(1)");
  expect(edit("", "fmt.Println(1)")).toBeNull();
  expect(edit("  fmt.Print(1)", "  fmt.Print(1)\n  x()")).toBeNull();
});

it("a rule about a text is also about who is named in a commit's message", () => {
  const check: RuleCheck = { kind: "added", text: "Co-Authored-By" };
  const made = (message: string) =>
    findMatch(
      check,
      readCall(
        "Bash",
        { command: `git commit -m "$(cat <<'EOF'\n${message}\nEOF\n)"` },
        () => null,
        () => true,
      ),
    );
  expect(made("Add x\n\nCo-Authored-By: Claude <noreply@anthropic.com>")).toContain("Claude");
  expect(made("Say what Co-Authored-By is")).toBeNull();
});

it("a rule about new files is about those that were not there", () => {
  const check: RuleCheck = { ...makePathCheck("*.md"), kind: "created" };
  const write = (file_path: string, isThere: boolean, more: object = { content: "x" }) =>
    findMatch(
      check,
      readCall(
        "Write",
        { file_path, ...more },
        (path) => path,
        () => isThere,
      ),
    );
  expect(write("SUMMARY.md", false)).toBe("SUMMARY.md");
  expect(write("docs/a.md", true)).toBeNull();
  expect(write("a.ts", false)).toBeNull();
  expect(write("a.md", false, { old_string: "a", new_string: "b" })).toBeNull();
  expect(readRequest(check, "write a README for it")).toBe("now");
  expect(readRequest(check, "add a flag, without any markdown")).toBe("refused");
});

it("a rule about a tool is about that tool, or about all of a server", () => {
  const finds = (name: string, tool: string) =>
    findMatch({ kind: "tool", name }, { tool, command: "", files: [], created: [], added: "" }) !== null;
  expect(finds("WebSearch", "WebSearch")).toBe(true);
  expect(finds("WebSearch", "WebFetch")).toBe(false);
  expect(finds("mcp__playwright__*", "mcp__playwright__browser_click")).toBe(true);
  expect(finds("mcp__playwright__*", "mcp__play__x")).toBe(false);
  expect(finds("Agent", "Task")).toBe(true);
  expect(finds("*", "")).toBe(false);
});

it("reading a file is no change of it, and writing a script is no command", () => {
  expect(
    readCall(
      "Read",
      { file_path: "a.go" },
      (path) => path,
      () => true,
    ).files,
  ).toEqual([]);
  const script = { file_path: "a.sh", content: "git push", command: "git push" };
  expect(
    readCall(
      "Write",
      script,
      (path) => path,
      () => false,
    ),
  ).toEqual({
    tool: "Write",
    command: "",
    files: ["a.sh"],
    created: ["a.sh"],
    added: "git push",
  });
});

it("what a prompt asks for is allowed, and what it forbids is not asked for", () => {
  const commit = command("git commit");
  for (const prompt of ["commit this", "/commit", "Fix it and commit", "yes, go ahead", "ok"])
    expect(readRequest(commit, prompt), prompt).toBe("now");
  for (const prompt of ["push it", "create a new PR for this", "lets get a pr up"])
    expect(readRequest(commit, prompt), prompt).toBe("now");
  for (const prompt of [
    "don't create a pr, just a commit",
    "shouldn't this be added to an existing commit?",
    "can't we just push it?",
  ])
    expect(readRequest(commit, prompt), prompt).toBe("now");
  for (const prompt of ["fix the test", "address the comment on the PR"])
    expect(readRequest(commit, prompt), prompt).toBeNull();
  for (const prompt of [
    "fix it, but don't commit",
    "do it without committing",
    "why did you commit that?",
    "we shouldn't commit this",
  ])
    expect(readRequest(commit, prompt), prompt).toBe("refused");
  expect(readRequest(command("git push"), "open a PR")).toBe("now");
  expect(readRequest(makePathCheck("db/migrations/"), "change db/migrations/1.sql")).toBe("now");
  const server: RuleCheck = { kind: "tool", name: "mcp__playwright__*" };
  expect(readRequest(server, "look at it with playwright")).toBe("now");
  expect(readRequest(server, "look at it, without playwright")).toBe("refused");
  expect(readRequest({ kind: "tool", name: "WebSearch" }, "look up the API")).toBe("now");
});

it("a log that was pasted into a prompt is read as quickly as it is long", () => {
  const log = "commit ".repeat(40_000);
  expect(readRequest(command("git commit"), `don't ${log}`)).toBe("now");
});

it("an answer agrees to what the agent asked; what only lets it go on, or is about something else, does not", () => {
  const commit = command("git commit");
  for (const prompt of ["y", "yes, go ahead", "OK.", "ok, do it", "go for it", "go!", "2", "sure, both"])
    expect(readRequest(commit, prompt), prompt).toBe("now");
  for (const prompt of [
    "go on",
    "go on with the tests",
    "continue",
    "ok continue",
    "ok, now fix the typo",
    "ok what should we do?",
    "great, now the docs",
    "1. rename it",
    "go to main.ts",
  ])
    expect(readRequest(commit, prompt), prompt).toBeNull();
});

it("who asks for a push asks for none to main, and for none by force", () => {
  const asked = (rule: string, prompt: string) => readRequest(command(rule), prompt);
  expect(asked("git push main", "fix it and push")).toBeNull();
  expect(asked("git push main", "fix it and push to main")).toBe("now");
  expect(asked("git push --force", "fix it and push")).toBeNull();
  expect(asked("git push --force", "rebase and push it")).toBe("now");
  expect(asked("git commit --amend", "commit it")).toBeNull();
  expect(asked("git commit --amend", "add it to the last commit")).toBe("now");
  expect(asked("gh pr create --draft", "make a pr")).toBeNull();
  expect(asked("gh pr create release", "make a pr against release")).toBe("now");
  expect(asked("gh pr create", "make a pr")).toBe("now");
});

it("what is asked for after each step is asked for in all that follows", () => {
  const commit = command("git commit");
  for (const prompt of [
    "do it, and commit after each step",
    "commit each section atomically",
    "commit as you go",
  ])
    expect(readRequest(commit, prompt), prompt).toBe("always");
  for (const prompt of ["commit it. Then look at each file", "commit every file"])
    expect(readRequest(commit, prompt), prompt).toBe("now");
});
