import { spawnSync } from "node:child_process";
import { afterEach, expect, it } from "vitest";
import { agentNames } from "../../src/agents/profiles.ts";
import { Memory } from "../../src/store/memory/memory.ts";
import { saveTurn } from "../../src/store/memory/sessions/turns.ts";
import { addSession, turn } from "../support/memory-fixture.ts";
import { cleanUp, createProject } from "./daemon-fixture.ts";
import { runPm, temporaryDir } from "./run-pm.ts";

afterEach(cleanUp);

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
  expect(complete("pm", "completion", "")).toBe("bash zsh fish powershell");
  expect(complete("pm", "models", "pull", "oll")).toBe("ollama/nomic-embed-text");
});

it("lists what completes from the memory, and nothing but known agents where there is none", async () => {
  const project = createProject({});
  const memory = Memory.open(project.memoryDb, { readonly: false });
  const title = { text: "Fix: the parser", source: "user" } as const;
  const { id } = addSession(memory, "8ecde0fc-1111-4111-8111-111111111111", { title, branch: "topic" });
  saveTurn(memory, id, turn(1));
  memory.close();
  const complete = async (source: string, cwd = project.root) => runPm(["complete", source], { cwd });
  expect((await complete("sessions")).stdout).toBe("8ecde0fc\tFix: the parser\n");
  expect((await complete("branches")).stdout).toBe("topic\n");
  expect((await complete("agents")).stdout).toBe(`${agentNames.join("\n")}\n`);
  const silent = { code: 0, stdout: "", stderr: "" };
  expect(await complete("sessions", temporaryDir())).toMatchObject(silent);
  expect(await complete("nonsense")).toMatchObject(silent);
  expect((await complete("agents", temporaryDir())).stdout).toBe(`${agentNames.join("\n")}\n`);
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
