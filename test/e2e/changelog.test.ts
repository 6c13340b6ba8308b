import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { beforeEach, expect, it } from "vitest";

const script = resolve(import.meta.dirname, "../../scripts/changelog.mjs");
let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "pommel-changelog-"));
});

const write = (text: string) => writeFileSync(join(dir, "CHANGELOG.md"), text);
const read = () => readFileSync(join(dir, "CHANGELOG.md"), "utf8");

function changelog(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
    cwd: dir,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

it("names what is unreleased after the version, and gives it out as the release's text", () => {
  write("# Changelog\n\n## Unreleased\n\n- New.\n\n## 1.2.3 (2026-01-01)\n\n- Old.\n");
  expect(changelog("release", "1.3.0")).toMatchObject({ status: 0, stderr: "" });
  expect(read()).toMatch(
    /^# Changelog\n\n## Unreleased\n\n## 1\.3\.0 \(\d{4}-\d\d-\d\d\)\n\n- New\.\n\n## 1\.2\.3 \(2026-01-01\)\n\n- Old\.\n$/,
  );
  expect(changelog("notes", "1.3.0")).toEqual({ status: 0, stdout: "- New.\n", stderr: "" });
  expect(changelog("notes", "1.2.3").stdout).toBe("- Old.\n");
});

it("refuses a release that says nothing, or that there is", () => {
  const text = "## Unreleased\n\n## 1.2.3\n\n- Old.\n";
  write(text);
  expect(changelog("release", "1.3.0")).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("Unreleased"),
  });
  expect(changelog("notes", "1.2.30").status).toBe(1);
  write(`${text.replace("Unreleased\n", "Unreleased\n\n- New.\n")}`);
  expect(changelog("release", "1.2.3").status).toBe(1);
  expect(read()).toContain("## Unreleased\n\n- New.\n");
});
