import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AgentProfile } from "./agent.ts";
import { claudeProfile } from "./claude/profile.ts";
import { codexProfile } from "./codex/profile.ts";
import { geminiProfile } from "./gemini/profile.ts";
import {
  agentNames,
  detectSpeaker,
  findCurrentSession,
  findProfile,
  profiles,
  readCallingSession,
  setupNames,
} from "./profiles.ts";

it("a profile is found by its name, not by Object.prototype properties", () => {
  for (const name of agentNames) expect(findProfile(name)?.name).toBe(name);
  expect(findProfile("toString")).toBeUndefined();
});

describe("Claude Code's hooks", () => {
  const { shouldIgnore, editedFiles } = claudeProfile.hooks;

  it("ignore prompts by the client", () => {
    const ignored = (prompt?: string) => shouldIgnore("user-prompt", { prompt });
    expect(ignored("<task-notification>\n<task-id>a</task-id>")).toBe(true);
    expect(ignored("what is a <task-notification>?")).toBe(false);
    expect(ignored()).toBe(false);
  });

  it("ignore compaction's subagent, which has no transcript", () => {
    const there = join(mkdtempSync(join(tmpdir(), "pommel-profiles-")), "a.jsonl");
    writeFileSync(there, "");
    const ignored = (agent_type: string, agent_transcript_path?: string) =>
      shouldIgnore("subagent-stop", { agent_type, agent_transcript_path });
    expect([ignored("", "/nowhere/a.jsonl"), ignored("")]).toEqual([true, true]);
    expect([ignored("", there), ignored("Explore", "/nowhere/a.jsonl")]).toEqual([false, false]);
    expect(shouldIgnore("stop", { agent_type: "" })).toBe(false);
  });

  it("extract changed files", () => {
    expect(editedFiles("Edit", { file_path: "/p/a.ts" })).toEqual(["/p/a.ts"]);
    expect(editedFiles("NotebookEdit", { notebook_path: "/p/a.ipynb" })).toEqual(["/p/a.ipynb"]);
    expect(editedFiles("Read", { file_path: "/p/a.ts" })).toEqual([]);
  });
});

it("Codex CLI's hooks extract the files of a patch", () => {
  const command = "*** Begin Patch\n*** Update File: a.ts\n*** Add File: b.ts\n*** End Patch";
  expect(codexProfile.hooks.editedFiles("apply_patch", { command })).toEqual(["a.ts", "b.ts"]);
  expect(codexProfile.hooks.editedFiles("Bash", { command })).toEqual([]);
});

describe("Gemini CLI's hooks", () => {
  const { read, shouldIgnore } = geminiProfile.hooks;

  it("remove earlier hook output from the prompt", () => {
    const promptOf = (prompt: unknown) => read({ prompt }).prompt;
    const said =
      "<hook_context>&lt;pommel-context&gt;\nNote to Pommel: again\n&lt;/pommel-context&gt;</hook_context>";
    expect(promptOf(`${said}\n\n<hook_context>b</hook_context>\nWhy <hook_context>?`)).toBe(
      "Why <hook_context>?",
    );
    for (const prompt of ["", " Note to Pommel: x", "<hook_context> Note", 7]) {
      expect(promptOf(prompt)).toBe(prompt);
    }
  });

  it("ignore automatic compressions, which may not happen", () => {
    expect(shouldIgnore("pre-compact", { trigger: "auto" })).toBe(true);
    expect(shouldIgnore("pre-compact", { trigger: "manual" })).toBe(false);
  });
});

it("knows the session that it runs in by the agent's own variable", () => {
  expect(findCurrentSession({ CLAUDE_CODE_SESSION_ID: "s" })).toBe("s");
  expect(findCurrentSession({ CLAUDE_CODE_SESSION_ID: "" })).toBeNull();
  expect(findCurrentSession({})).toBeNull();
  expect(readCallingSession({ threadId: "t-1" })).toBe("t-1");
  expect(readCallingSession({ threadId: "../t" })).toBeNull();
  expect(readCallingSession()).toBeNull();
});

describe("whose words a command is", () => {
  it("in an agent's shell the agent's, whether in a terminal or not", () => {
    for (const { shellVariables = [], sessionVariable, name } of Object.values<AgentProfile>(profiles))
      for (const variable of [...shellVariables, ...(sessionVariable ? [sessionVariable] : [])])
        for (const hasTerminal of [true, false])
          expect(detectSpeaker({ [variable]: "1" }, hasTerminal), `${name} ${variable}`).toBe("agent");
    // Every agent that runs commands is known by a variable.
    const silent = setupNames.filter((name) => (findProfile(name)?.shellVariables ?? []).length === 0);
    expect(silent).toEqual([]);
  });

  it("elsewhere a person's in a terminal, and a tool's without one", () => {
    expect(detectSpeaker({ CLAUDECODE: "" }, true)).toBe("person");
    expect(detectSpeaker({}, false)).toBe("tool");
  });
});
