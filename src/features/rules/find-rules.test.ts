import { describe, expect, it } from "vitest";
import { findRulesIn, type Used } from "./find-rules.ts";
import { describeCheck } from "./words.ts";

const programs = ["git", "gh", "npm", "pnpm", "go", "mise", "mv", "grep", "jq"];
const used: Used = {
  isProgram: (word) => programs.includes(word),
  findCommand: (named) => ["npm run dev", "npm test"].find((one) => named.test(one))?.split(" ") ?? null,
  findOwner: (option) => (option === "--no-verify" ? ["git", "commit"] : null),
  listCommands: (line) => line.split(" && ").map((one) => one.split(" ").slice(0, 3)),
  findRival: (program) => (program === "pnpm" ? "npm" : null),
  servers: ["playwright"],
};
const find = (sentence: string, denied: string | null = null) =>
  findRulesIn(
    sentence,
    used,
    denied === null ? null : { tool: "Bash", command: denied, files: [], created: [], added: "" },
  ).map(({ check, holdsOn }) => `${describeCheck(check)}${holdsOn ? ", for good" : ""}`);

describe("a rule", () => {
  it.each([
    ["never push to main", "`git push main`, for good"],
    ["Never commit to main, code ends on main via PR only.", "`git push main`, for good"],
    ["never make draft prs", "`gh pr create --draft`, for good"],
    ["never open prs against release!!!", "`gh pr create release`, for good"],
    ["Never open a PR to main", "`gh pr create main`, for good"],
    ["no, don't commit without asking me", "`git commit`, for good"],
    ["No, I did not say commit anything", "`git commit`, for good"],
    ["please don't touch docs/legacy/, it is generated", "changes of `docs/legacy/**`"],
    ["I told you: use pnpm instead of npm", "`npm`, for good"],
    ["always use pnpm, not npm", "`npm`, for good"],
    ["don't use `git add -A`", "`git add -A`, for good"],
    ["stop committing automatically", "`git commit`, for good"],
    ["never force push", "`git push --force`, for good"],
    ["don't use `fmt.Println` for logging", "`fmt.Println` in what is written, for good"],
    ["please don't run `npm test`", "`npm test`"],
    ["we should probably use `git mv` instead of purely mv to retain history.", "`mv`, for good"],
    ["can you use pnpm instead of npm?", "`npm`, for good"],
    ["never use --no-verify", "`git commit --no-verify`, for good"],
    ["Don't use playwright to browse the web", "the tool `mcp__playwright__*`, for good"],
    ["stop searching the web", "the tool `WebSearch`, for good"],
    ["no need to start the dev server, I'll run it", "`npm run dev`, for good"],
    ["don't add yourself as co-author", "`Co-Authored-By` in what is written, for good"],
    ["Do NOT use `supabase db push`", "`supabase db push`, for good"],
    ["Use `bd ready`, not `bd work`.", "`bd work`, for good"],
    ["Do not create README.md files unless explicitly asked", "new files like `README.md`"],
    ["Never create `agent.md`.", "new files like `agent.md`, for good"],
    ["never delete data/cache.json", "`rm data/cache.json`, for good"],
    ["NEVER commit without explicit approval", "`git commit`, for good"],
    ["never push unless I tell you to", "`git push`, for good"],
    ["never touch .env", "changes of `.env`, for good"],
    ["I told you: pnpm", "`npm`, for good"],
    ["always use pnpm", "`npm`, for good"],
    ["use pnpm", "`npm`"],
    ["this project uses pnpm, not npm", "`npm`, for good"],
    ["never run `prisma migrate reset`", "`prisma migrate reset`, for good"],
    ["never edit the migrations folder", "changes of `**/migrations/**`, for good"],
    ["I don't want more MD files unless I ask for them", "new files like `*.md`, for good"],
    ["I don't want a MD as I said.", "new files like `*.md`, for good"],
    ["please stop creating summary documents", "new files like `*.md`, for good"],
    ["don't create any markdown files", "new files like `*.md`"],
    ["no co-authored-by lines please", "`Co-Authored-By` in what is written, for good"],
    ["do not edit package-lock.json by hand", "changes of `package-lock.json`"],
  ])("%s", (sentence, forbids) => {
    expect(find(sentence)).toEqual([forbids]);
  });

  it.each([
    "don't commit yet",
    "for now don't push",
    "don't commit the lock file",
    "we have it in .gitignore so we don't commit it",
    "I did not edit in between shadow commits",
    "Like if I commit B, we don't go back, right?",
    "Not committing merge; use 'git commit' to complete the merge.",
    "do a session, do not commit but validate that there is a branch?",
    "instead of getting the content, use the file",
    "use true/false and not on/off for the flag",
    "EventGitCommit never fires",
    "> never push to main",
    "don't change anything, just let me know",
    "we don't use git submodules",
    "when working with json outputs, never use grep, but rather jq.",
    "shouldn't we use pnpm instead of npm?",
    "don't use npm for this",
    "NEVER commit changes without running the checks",
    "Never amend commits that have already been pushed",
    "Do NOT create markdown TODO lists",
    "Do not use `memory: true`.",
    "You MUST NOT commit, merge, or ship code with failing tests",
    "never `git push` to origin without running the review first",
    "Never commit: `data/`, `dist/`",
    "Never use `else if` in Elixir",
    "Avoid modifying `process.env` directly",
    "never use `JSON`",
    "In tests, never use `.send`: make the method public.",
    "Never amend commits to fix failures",
    "Do not use `curl` to test reloading.",
    "If you maintain a fork, do not open PRs to sync it.",
    "Never use `2>&1` with picocom.",
    "do not run the test suite every time, only on the HEAD.",
    "For hooks that must print JSON, do not use `set -e`.",
    "On `main`, or any protected branch: DO NOT push without explicit confirmation.",
    "use yarn",
    "pnpm is what I use at work",
    "add a co-author field",
    "I don't want a markdown editor here",
    "never create a new user without a name",
    "don't run integration tests, too slow",
    "never edit docs/*a*a*a*a*b",
    "never create docs/*a*a*a*a*b",
  ])("is none: %s", (sentence) => {
    expect(find(sentence)).toEqual([]);
  });
});

describe("why a call was denied", () => {
  it.each([
    [
      "don't run CI or integration tests, too slow",
      "mise run fmt && mise run test:ci",
      "`mise run test:ci`, for good",
    ],
    ["no, don't commit", "git commit -m x", "`git commit`"],
  ])("%s", (sentence, call, forbids) => {
    expect(find(sentence, call)).toEqual([forbids]);
  });

  it.each(["don't check this in", "don't worry about linting for now", "we don't need the test", "no"])(
    "is no rule: %s",
    (sentence) => {
      expect(find(sentence, "mise run test:ci")).toEqual([]);
    },
  );
});
