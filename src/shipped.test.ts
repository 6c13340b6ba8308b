import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

/** What is shipped or read by those who install it, without tests. */
const files = execFileSync(
  "git",
  ["-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
  {
    encoding: "utf8",
  },
)
  .split("\0")
  .filter((file) =>
    /^(?:src|editors|ci|plugin|\.claude-plugin|bin|docs|\.github|examples)\/|^[^/]+\.(?:md|json)$|^Dockerfile$|^scripts\/.*\.sh$/.test(
      file,
    ),
  )
  .filter(
    (file) => !/\.test\.tsx?$|\.(?:png|svg|woff2|snap)$|^package-lock\.json$|^CHANGELOG\.md$/.test(file),
  );
const textOf = (file: string) => {
  try {
    return readFileSync(`${root}${file}`, "utf8");
  } catch {
    // Removed, and not committed yet.
    return "";
  }
};
const linesWith = (pattern: RegExp, among: readonly string[]) =>
  among.flatMap((file) =>
    textOf(file)
      .split("\n")
      .flatMap((line) => (pattern.test(line) ? `${file}: ${line.trim()}` : [])),
  );

/** From a registry, by its name: a file (`./pommel-0.1.0.tgz`, `pommel-*.tgz`) is not meant. */
const byName =
  /\b(?:(?:npm|pnpm|yarn|bun)\s+(?:i|install|add|exec|dlx|x)|npx|bunx)\b(?:\s+-{1,2}[\w-]+)*(?:\s+--)?\s+"?pommel(?![\w-]*\*?\.tgz)(?![\w.-]*-)\b/;

it("nothing installs or runs Pommel by its name, which is anybody's until it is published", () => {
  for (const line of [
    "npm install --global pommel",
    "npx --yes pommel mcp",
    "npm i -g pommel@latest",
    "pnpm dlx pommel",
  ])
    expect(line).toMatch(byName);
  for (const line of [
    "npm install --global ./pommel-*.tgz",
    "npm install --global pommel-*.tgz",
    "npm run pommel",
  ])
    expect(line).not.toMatch(byName);
  // It recognises commands that agents ran.
  const shipped = files.filter((file) => file !== "src/agents/reading/own-output.ts");
  expect(shipped.length).toBeGreaterThan(500);
  expect(linesWith(byName, shipped)).toEqual([]);
  expect(JSON.parse(textOf("server.json"))).not.toHaveProperty("packages");
});

it("jobs with a token run the commit of Pommel that the workflow names", () => {
  const jobs = ["ci/action.yml", "ci/gitlab.yml", "docs/pull-requests.md"];
  expect(linesWith(/\/main\/ci|@main\b|command -v pm\b|npm root --global/, jobs)).toEqual([]);
  expect(textOf("docs/pull-requests.md")).toContain("uses: OWNER/pommel/ci@COMMIT");
});

it("no program is started through a shell, or looked for where somebody else may have put one", () => {
  const code = files.filter((file) => /\.(?:[cm]?[jt]sx?)$/.test(file) && !/^(?:docs|examples)\//.test(file));
  expect(linesWith(/\bshell:\s*(?:true|process|is[A-Z]|platform)\b|\bexecSync\(/, code)).toEqual([]);
  // `ps` asks what a process is that holds a lock, where there is no /proc; a job's own machine has one git.
  const allowed = /daemon-record\.ts|^ci\/review\.mjs/;
  const named = linesWith(/\b(?:spawn|execFile)(?:Sync)?\(\s*["'`]/, code);
  expect(named.filter((line) => !allowed.test(line))).toEqual([]);
});
