import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { runPm } from "./run-pm.ts";

it("completes pm in a real bash", async () => {
  const { code, stdout: script } = await runPm(["completion", "bash"]);
  expect(code).toBe(0);
  const complete = (...words: string[]) => {
    const ask = `eval "$SCRIPT"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _pm; echo "\${COMPREPLY[*]}"`;
    const { stdout, stderr } = spawnSync("bash", ["-c", ask, "bash", ...words], {
      encoding: "utf8",
      env: { ...process.env, SCRIPT: script },
    });
    expect(stderr).toBe("");
    return stdout.trim();
  };
  expect(complete("pm", "doc")).toBe("doctor");
  expect(complete("pm", "config", "s")).toBe("set");
  expect(complete("pm", "config", "set", "daemon.log")).toBe("daemon.log_level");
  expect(complete("pm", "init", "--lang")).toBe("--languages");
  expect(complete("pm", "completion", "")).toBe("bash zsh fish");
  expect(complete("pm", "models", "pull", "oll")).toBe("ollama/nomic-embed-text");
});

it("knows which shells there are", async () => {
  expect(await runPm(["completion", "tcsh"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("bash, zsh, fish"),
  });
  expect((await runPm(["completion", "--help"])).stdout).toContain("~/.bashrc");
  expect(JSON.parse((await runPm(["completion", "fish", "--json"])).stdout).script).toContain(
    "complete -c pm",
  );
});
