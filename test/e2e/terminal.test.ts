import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { hostname } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Project } from "../../src/base/paths.ts";
import { measureWidth } from "../../src/base/text/display-width.ts";
import { cleanUp, createProject } from "./daemon-fixture.ts";
import { pmFile, runPm } from "./run-pm.ts";

/** `script` of util-linux gives a program a terminal of its own. */
const hasTerminals =
  process.platform === "linux" &&
  spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux");
if (!hasTerminals) console.warn("Skipped: without `script` of util-linux, nothing runs in a terminal.");

let project: Project;

beforeAll(async () => {
  project = createProject({ "src/retry.ts": "/** Tries again. */\nexport function retryLater(): void {}\n" });
  for (let i = 1; i <= 4; i++) {
    await runPm(
      [
        "note",
        `Note ${i}: **bold** \u001b]0;evil\u0007\u001b[2J 修正登录页面 ${"with many words ".repeat(6)}`,
      ],
      {
        cwd: project.root,
      },
    );
  }
});

afterAll(cleanUp);

function scriptOf(args: readonly string[], columns: number, rows: number): string[] {
  const command = [`stty cols ${columns} rows ${rows};`, `'${process.execPath}' '${pmFile}'`, ...args].join(
    " ",
  );
  return ["--quiet", "--return", "--command", command, "/dev/null"];
}

function environment(more: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { NO_COLOR: _, FORCE_COLOR: __, CI: ___, ...inherited } = process.env;
  const own = { TERM: "xterm-256color", POMMEL_DAEMON_AUTOSTART: "false", POMMEL_PAGER: "cat" };
  return { ...inherited, ...own, ...more };
}

/** Runs `pm` in a terminal; what it prints there. */
function inTerminal(
  args: readonly string[],
  { columns = 80, rows = 24, env = {} }: { columns?: number; rows?: number; env?: NodeJS.ProcessEnv } = {},
): string {
  const { stdout } = spawnSync("script", scriptOf(args, columns, rows), {
    cwd: project.root,
    env: environment(env),
    encoding: "utf8",
  });
  return stdout.replaceAll("\r\n", "\n");
}

const styles = /\u001b\[\d+m/g;

describe.skipIf(!hasTerminals)("in a terminal", () => {
  it("lists fit, have colours, and nothing recorded reaches the terminal raw", () => {
    for (const columns of [60, 80, 140]) {
      const shown = inTerminal(["memory", "notes"], { columns });
      expect(shown).toMatch(styles);
      expect(shown).not.toContain("evil\u0007");
      const plain = shown.replace(styles, "");
      expect(plain).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
      for (const line of plain.split("\n")) expect(measureWidth(line)).toBeLessThanOrEqual(columns);
      expect(plain).toContain("just now");
    }
  });

  it("has no escapes with NO_COLOR, and in a pipe neither relative times nor broken lines", async () => {
    expect(inTerminal(["memory", "notes"], { env: { NO_COLOR: "1" } })).not.toContain("\u001b");
    const piped = (await runPm(["memory", "notes"], { cwd: project.root, env: { FORCE_HYPERLINK: "1" } }))
      .stdout;
    expect(piped).not.toContain("\u001b");
    expect(piped).not.toContain("just now");
    expect(piped).toContain("with many words ".repeat(6).trim());
  });

  it("shows what is longer than the screen in the reader's pager", () => {
    const env = { POMMEL_PAGER: "sed 's/^/paged: /'" };
    expect(inTerminal(["memory", "notes"], { rows: 10, env })).toContain(
      "paged: Another tool's note: Note 4",
    );
    expect(inTerminal(["memory", "notes", "-n", "1"], { rows: 24, env })).not.toContain("paged:");
    expect(inTerminal(["memory", "notes", "--no-pager"], { rows: 10, env })).not.toContain("paged:");
    expect(inTerminal(["memory", "notes", "--json"], { rows: 10, env })).not.toContain("paged:");
    // A pager that is not there loses nothing.
    const without = inTerminal(["memory", "notes"], { rows: 10, env: { POMMEL_PAGER: "no-such-pager" } });
    expect(without.replace(styles, "")).toContain("Note 4");
  });

  it("links files where the terminal opens links", () => {
    const link = `\u001b]8;;file://${hostname().toLowerCase()}${project.root}/src/retry.ts\u0007`;
    const search = ["search", "code", "retryLater"];
    execFileSync(process.execPath, [pmFile, "reindex"], { cwd: project.root, stdio: "pipe" });
    expect(inTerminal(search, { env: { FORCE_HYPERLINK: "1" } })).toContain(link);
    expect(inTerminal(search)).not.toContain("\u001b]8");
  });

  it("shows the status until q, and leaves the terminal as it was", async () => {
    const child = spawn("script", scriptOf(["status", "--watch"], 80, 24), {
      cwd: project.root,
      env: environment({}),
    });
    let shown = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      // A key that comes before the picture is for the shell.
      if (!shown.includes("q ends") && `${shown}${text}`.includes("q ends")) child.stdin.write("q");
      shown += text;
    });
    const [code] = await once(child, "close");
    expect(code).toBe(0);
    expect(shown).toContain("\u001b[?1049h\u001b[?25l");
    expect(shown.trimEnd().endsWith("\u001b[?25h\u001b[?1049l")).toBe(true);
  });
});
