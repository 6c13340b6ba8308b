import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newRepository, type TestRepository } from "../../../test/support/repository-fixture.ts";
import type { GitHookName } from "../../protocol/hooks.ts";
import { findBlock, isShellScript, makeBlock, makeWrapper, placeInScript } from "./script.ts";

/** Shebang lines and their shells. */
const shells = ["sh", "dash", "bash", "bash --posix", "zsh", "ksh", "mksh", "busybox sh"].map(
  (line) => [line, line.split(" ")[0]!] as const,
);
const isHere = (program: string) => !spawnSync(program, ["-c", ":"]).error;

let repository: TestRepository;
let bin: string;
beforeEach(() => {
  repository = newRepository();
  bin = mkdtempSync(join(tmpdir(), "pommel-bin-"));
});
afterEach(() => {
  repository.write({ ".": null });
});

/**
 * A fake `pm` that writes its arguments, one per line, and its stdin to a file, as soon as `go` lets it; or after ten
 * seconds, so that who waits for it gets on, too.
 */
function fakePm(): void {
  const script = [
    "#!/bin/sh",
    'f=$(mktemp "$0.XXXXXX")',
    "n=0",
    'until [ -e "$0-go" ] || [ $n = 500 ]; do sleep 0.02; n=$((n + 1)); done',
    '{ printf "%s\\n" "$#" "$@"; cat; } > "$f.part"',
    'mv "$f.part" "$f.done"',
  ];
  writeFileSync(join(bin, "pommel"), `${script.join("\n")}\n`, { mode: 0o755 });
}

const go = () => writeFileSync(join(bin, "pommel-go"), "");

const calls = () =>
  readdirSync(bin)
    .filter((name) => name.endsWith(".done"))
    .map((name) => readFileSync(join(bin, name), "utf8"));

async function call(): Promise<string> {
  go();
  for (;;) {
    const [first] = calls();
    if (first !== undefined) return first;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

interface Run {
  shell?: string;
  rest?: string;
  args?: string[];
  input?: string;
  within?: string;
  env?: NodeJS.ProcessEnv;
}

/** Runs a hook as git would, the block and then `rest`; it would hang on a pipe that `pm` keeps open. */
function runHook(
  hook: GitHookName,
  { shell = "sh", rest = "", args = [], input = "", within = "", env }: Run,
) {
  const file = join(repository.dir, ".git/hooks", hook);
  const script = Buffer.from(`${makeBlock({ hook, within })}${rest}`, "latin1");
  writeFileSync(file, script);
  const [program = "", ...options] = shell.split(" ");
  const { status, stdout, stderr } = spawnSync(program, [...options, file, ...args], {
    cwd: repository.dir,
    input,
    encoding: "utf8",
    env: { ...process.env, PATH: bin + delimiter + process.env.PATH, ...env },
  });
  return { status, stdout, stderr };
}

const old = "a".repeat(40);
const now = "b".repeat(40);

describe.each(shells)("Pommel's block in a script of %s", (shell, program) => {
  describe.skipIf(!isHere(program))(isHere(program) ? "run" : `(${program} is not installed)`, () => {
    it("passes on the commit and the branch, without waiting", async () => {
      fakePm();
      const head = repository.commit("one");
      expect(runHook("post-commit", { shell, rest: "echo rest $? $# $(pwd)\n", args: ["x"] })).toEqual({
        status: 0,
        stdout: `rest 0 1 ${repository.dir}\n`,
        stderr: "",
      });
      expect(calls()).toEqual([]);
      repository.commit("two");
      expect(await call()).toBe(`4\nhook\ngit-post-commit\n${head}\nrefs/heads/main\n`);
    });

    it("passes on the list of rewritten commits, and keeps it on stdin for the rest", async () => {
      fakePm();
      // Its list is longer than a pipe holds: it has to be read.
      go();
      const input = `${old} ${now}\n`.repeat(2000);
      const rest = 'set -eu\necho "$1 $#"\ncat\n';
      const result = runHook("post-rewrite", { shell, rest, args: ["rebase"], input });
      expect(result).toEqual({ status: 0, stdout: `rebase 1\n${input}`, stderr: "" });
      expect(await call()).toBe(`3\nhook\ngit-post-rewrite\nrebase\n${input}`);
    });

    it("keeps stdin for the rest of pre-push, and its exit code for git", async () => {
      fakePm();
      const rest = 'cat\necho "$@"\nexit 3\n';
      const args = ["origin", "https://u:p@example.com/r"];
      const result = runHook("pre-push", { shell, rest, args, input: "refs\n" });
      expect(result).toEqual({ status: 3, stdout: `refs\n${args.join(" ")}\n`, stderr: "" });
      expect(await call()).toBe("3\nhook\ngit-pre-push\norigin\n");
    });

    it.each(["post-commit", "post-rewrite", "pre-push"] as const)("does nothing in %s without pm", (hook) => {
      const rest = "set -eu\ncat\nfalse\necho never\n";
      const env = { PATH: "/usr/bin:/bin" };
      const result = runHook(hook, { shell, rest, input: "as it came", env });
      expect(result).toEqual({ status: 1, stdout: "as it came", stderr: "" });
    });

    it("does not end a script with `set -e`", async () => {
      writeFileSync(join(bin, "pommel"), "#!/bin/sh\nexit 7\n", { mode: 0o755 });
      for (const hook of ["post-commit", "post-rewrite", "pre-push"] as const) {
        const strict = shell === "bash --posix" ? `${shell} -eu` : `${shell} -e`;
        expect(runHook(hook, { shell: strict, rest: "echo rest\n" })).toEqual({
          status: 0,
          stdout: "rest\n",
          stderr: "",
        });
      }
    });
  });
});

describe("Pommel's block", () => {
  it("passes on the project's path, whatever its characters", async () => {
    fakePm();
    const within = "it's $HOME/ä *";
    runHook("pre-push", { within, args: ["up/stream", "/elsewhere"] });
    expect(await call()).toBe(`4\nhook\ngit-pre-push\nup/stream\n./${within}\n`);
  });

  it("does not pass on a URL", async () => {
    fakePm();
    const url = "https://u:p@example.com/r";
    runHook("pre-push", { args: [url, url] });
    expect(await call()).toBe("3\nhook\ngit-pre-push\n\n");
  });

  it("does nothing during a rebase, which reports at its end", async () => {
    fakePm();
    go();
    repository.commit("one");
    repository.write({ ".git/rebase-merge/done": "" });
    expect(runHook("post-commit", { rest: "echo rest\n" })).toMatchObject({ stdout: "rest\n" });
    const { dir } = repository;
    repository.write({ ".git/rebase-merge": null });
    repository.write({ "elsewhere/rebase-apply/next": "" });
    runHook("post-commit", { env: { GIT_DIR: join(dir, "elsewhere") } });
    runHook("pre-push", { args: ["last"] });
    expect(await call()).toContain("last");
    expect(calls()).toHaveLength(1);
    expect(existsSync(join(dir, ".git/rebase-merge"))).toBe(false);
  });

  it("is found by its project, and reported when it has no end", () => {
    const one = makeBlock({ hook: "pre-push", within: "" });
    const other = makeBlock({ hook: "pre-push", within: "a.b/c" });
    const text = `#!/bin/sh\n${other}${one}exit\n`;
    expect(text.slice(...findBlock(text, { within: "" }, "f")!)).toBe(one);
    expect(text.slice(...findBlock(text, { within: "a.b/c" }, "f")!)).toBe(other);
    expect(findBlock(text, { within: "axb/c" }, "f")).toBeNull();
    expect(findBlock(text.replaceAll("\n", "\r\n"), { within: "" }, "f")).not.toBeNull();
    expect(() => findBlock(text.replace("# <<< pommel <<<", ""), { within: "" }, "f")).toThrow("do not end");
  });
});

describe("a hook", () => {
  it.each([
    "",
    "echo a\n",
    "#!/bin/sh",
    "#!/bin/sh -e\nfoo",
    "#! /usr/bin/env bash\n",
    "#!/usr/bin/env -S bash -eu\n",
    "#!/bin/bash -o pipefail\n",
    "#!/usr/local/bin/zsh\r".slice(0, -1),
  ])("is a shell script: %j", (text) => expect(isShellScript(text)).toBe(true));

  it.each([
    "#!/usr/bin/env python3\n",
    "#!/bin/sh\r\necho\r\n",
    "#!/bin/sh -n\n",
    "#!/usr/bin/env fish\n",
    "#!/bin/csh\n",
    "#!\n",
    "#!/bin/sh\nexit\n\0packed",
    "\x7fELF\0",
  ])("is something else: %j", (text) => expect(isShellScript(text)).toBe(false));

  it("gets the block after the shebang and after Husky's restart line", () => {
    expect(placeInScript("echo a\n")).toBe(0);
    expect(placeInScript("#!/bin/sh\necho a\n")).toBe(10);
    expect(placeInScript("#!/bin/sh")).toBe(9);
    const start = '#!/usr/bin/env sh\n. "$(dirname -- "$0")/_/husky.sh"\n';
    expect(placeInScript(`${start}\nnpm test\n`)).toBe(start.length);
  });

  it("that wraps another starts with a shebang", () => {
    expect(isShellScript(makeWrapper("pommel-kept/pre-push").head)).toBe(true);
  });
});
