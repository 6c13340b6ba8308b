import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { claudeHooks } from "../claude/setup.ts";
import { codexHooks } from "../codex/trusted-hooks.ts";
import { geminiHooks } from "../gemini/setup.ts";
import { findHookPositions, makeHooksEditor } from "./hook-entries.ts";
import { applyEdit } from "./json-edit.ts";

const { look, add: addHooks, remove: removeHooks } = makeHooksEditor(claudeHooks);
const missingEvents = (text: string, name: string) => look(text, name).detail;
const events = claudeHooks.hooks.map(({ event }) => event);
const file = "settings.json";
const nothing: string[] = [];

/** Adds the hooks, checks them, and removes them with and without the recorded edits. */
function roundTrip(text: string) {
  const { text: added, empty, undo } = addHooks(text, file);
  expect(missingEvents(added, file)).toEqual([]);
  expect(addHooks(added, file)).toMatchObject({ text: added, added: [] });
  // Edits only insert.
  expect(undo.filter(({ put }) => put !== "")).toEqual([]);
  return { added, undone: undo.reduce(applyEdit, added), removed: removeHooks(added, file, empty) };
}

const guarded = (command: string) => `command -v pommel >/dev/null 2>&1 && exec ${command} || true`;
const othersHook = { type: "command", command: "lint --fix" };
const variants: [name: string, text: string][] = [
  ["an empty object", "{}"],
  ["an empty object on two lines", "{\n}\n"],
  ["two blanks", `${JSON.stringify({ model: "opus", env: { A: "1" } }, null, 2)}\n`],
  ["four blanks", `${JSON.stringify({ model: "opus", env: { A: "1" } }, null, 4)}\n`],
  ["tabs", `${JSON.stringify({ model: "opus", list: [1, 2] }, null, "\t")}\n`],
  ["CRLF", `${JSON.stringify({ model: "opus" }, null, 2)}\n`.replaceAll("\n", "\r\n")],
  ["no final newline", JSON.stringify({ model: "opus" }, null, 2)],
  ["one line", '{"model":"opus","env":{}}'],
  ["one airy line", '{ "model": "opus", "env": {} }\n'],
  ["empty hooks", '{\n  "hooks": {},\n  "model": "opus"\n}\n'],
  ["an empty event", '{\n  "hooks": {\n    "Stop": []\n  }\n}\n'],
  [
    "others' hooks",
    `${JSON.stringify({ hooks: { Stop: [{ hooks: [othersHook] }], Other: [] } }, null, 2)}\n`,
  ],
  ["odd layout", '{ "model" : "opus" ,\n\n\n "permissions":{"allow":[ "Bash(ls:*)"\n,"Read" ]}\n  }'],
  ["odd blanks in empty containers", '{\n  "hooks": {   \n\n },\n  "x": [  ]\n}'],
  ["a key twice", '{"hooks": {"Stop": []}, "hooks": {}}'],
  ["escapes", '{"\\u0068ooks": {"\\u0053top": [ ]}, "a": "\\ud83d\\ude00"}'],
];

describe("adding Pommel's hooks", () => {
  it("writes the nested format, in seconds, for all events", () => {
    const { hooks } = JSON.parse(addHooks("", file).text);
    expect(Object.keys(hooks)).toEqual(events);
    expect(hooks.PreCompact).toEqual([
      { matcher: "", hooks: [{ type: "command", command: guarded("pommel hook pre-compact"), timeout: 10 }] },
    ]);
    expect(hooks.PostToolUse).toEqual([
      {
        matcher: "Edit|Write|MultiEdit|NotebookEdit",
        hooks: [{ type: "command", command: guarded("pommel hook post-tool-use"), timeout: 10 }],
      },
    ]);
    expect(hooks.SessionEnd[0].hooks[0].timeout).toBe(10);
  });

  it("matches the file's formatting", () => {
    expect(addHooks('{\r\n\t"a": [],\r\n\t"hooks": {}\r\n}\r\n', file).text).toMatch(
      /^{\r\n\t"a": \[\],\r\n\t"hooks": {\r\n\t\t"PreCompact": \[\r\n\t\t\t{\r\n\t\t\t\t"matcher": "",\r\n/,
    );
    expect(addHooks('{"a":1}', file).text).toMatch(
      /^{"a":1,"hooks":{"PreCompact":\[{"matcher":"","hooks":\[{"type":"command",/,
    );
    expect(addHooks('{ "a": 1 }', file).text).toMatch(
      /^{ "a": 1, "hooks": { "PreCompact": \[{ "matcher": ""/,
    );
    expect(addHooks("{}", file).text).toBe(addHooks("", file).text.trimEnd());
  });

  it.each(variants)("leaves the rest unchanged, and can be undone: %s", (_, text) => {
    const { undone, removed } = roundTrip(text);
    expect(undone).toBe(text);
    expect(JSON.parse(removed)).toEqual(JSON.parse(text));
  });

  it("recognises older spellings, paths and `handle`, and adds only what is missing", () => {
    const group = (command: string) => [{ hooks: [{ type: "command", command }] }];
    const hooks = {
      PreCompact: group("pm hook precompact"),
      Stop: group("/opt/pommel/bin/pm hook stop"),
      SessionEnd: group("pm hook handle"),
      SessionStart: group("npm hook session-start"),
      UserPromptSubmit: group("pm hook user-prompt && rm -rf /tmp/x"),
    };
    const text = JSON.stringify({ hooks }, null, 2);
    expect(look(text, file).state).toBe("partial");
    const { text: added, added: news } = addHooks(text, file);
    expect(news).toEqual([
      "UserPromptSubmit",
      "SessionStart",
      "PreToolUse",
      "PostToolUse",
      "SubagentStop",
      "Notification",
    ]);
    const left = JSON.parse(removeHooks(added, file, nothing)).hooks;
    expect(left).toEqual({ SessionStart: hooks.SessionStart, UserPromptSubmit: hooks.UserPromptSubmit });
  });

  it("writes commands that do nothing without pommel installed", () => {
    const { hooks } = JSON.parse(addHooks("", file).text);
    const bin = mkdtempSync(join(tmpdir(), "pommel-bin-"));
    const run = () =>
      spawnSync("/bin/sh", ["-c", hooks.Stop[0].hooks[0].command], {
        env: { PATH: bin },
        encoding: "utf8",
        input: "{}",
      });
    expect(run()).toMatchObject({ status: 0, stdout: "", stderr: "" });
    // Another program named `pm` must not be started.
    writeFileSync(join(bin, "pm"), "#!/bin/sh\necho another\n", { mode: 0o755 });
    expect(run()).toMatchObject({ status: 0, stdout: "", stderr: "" });
    writeFileSync(join(bin, "pommel"), '#!/bin/sh\nread -r line\necho "$* $line"\n', { mode: 0o755 });
    expect(run()).toMatchObject({ status: 0, stdout: "hook stop {}\n", stderr: "" });
    rmSync(bin, { recursive: true });
  });

  it("keeps other entries in Pommel's groups", () => {
    const { hooks } = JSON.parse(addHooks("", file).text);
    hooks.Stop[0].hooks.push(othersHook);
    hooks.PreCompact.unshift({ hooks: [othersHook] });
    expect(JSON.parse(removeHooks(JSON.stringify({ hooks }), file, nothing))).toEqual({
      hooks: { PreCompact: [{ hooks: [othersHook] }], Stop: [{ hooks: [othersHook] }] },
    });
  });

  it.each([
    ["{\n  // mine\n}", "settings.json:2:3 is not valid JSON"],
    ['{"a": 1,}', "settings.json:1:9 is not valid JSON"],
    ['{"a": 1\r\n "b": 2}', "settings.json:2:2 is not valid JSON"],
    ['{"a": "', "settings.json:1:7 is not valid JSON"],
    ["[]", "settings.json:1:1 cannot hold Pommel's entries: it is not a JSON object"],
    ["nul", "settings.json:1:1 is not valid JSON"],
    ["{}{}", "settings.json:1:3 is not valid JSON"],
    ['{"hooks": []}', `settings.json:1:11 cannot hold Pommel's entries: "hooks" is not an object`],
    [
      '{"hooks":\n{"Stop": {}}}',
      `settings.json:2:10 cannot hold Pommel's entries: "hooks.Stop" is not an array`,
    ],
    ["[".repeat(100_000), "settings.json:1:1 is not valid JSON"],
  ])("refuses what is no object of hooks, %#", (text, message) => {
    const refusal = expect.objectContaining({
      code: "settings_invalid",
      message: expect.stringContaining(message),
    });
    expect(() => addHooks(text, file)).toThrow(refusal);
    expect(() => removeHooks(text, file, nothing)).toThrow(refusal);
    expect(() => missingEvents(text, file)).toThrow(refusal);
  });
});

describe("other agents", () => {
  it("have the same format with their own event names and units", () => {
    const codex = JSON.parse(makeHooksEditor(codexHooks).add("", "hooks.json").text).hooks;
    expect(codex.PostToolUse).toEqual([
      {
        matcher: "apply_patch",
        hooks: [
          { type: "command", command: guarded("pommel hook --agent codex post-tool-use"), timeout: 10 },
        ],
      },
    ]);
    expect(codex.SessionEnd[0].hooks[0].timeout).toBe(3);
    const gemini = JSON.parse(makeHooksEditor(geminiHooks).add("{}", "settings.json").text).hooks;
    expect(gemini.BeforeAgent).toEqual([
      {
        hooks: [
          {
            type: "command",
            name: "pommel",
            command: guarded("pommel hook --agent gemini user-prompt"),
            timeout: 10_000,
          },
        ],
      },
    ]);
    expect(gemini.PreCompress[0].matcher).toBe("manual");
  });

  it("are distinguished by command, and their hooks found by position", () => {
    const claudes = addHooks("", file).text;
    expect(makeHooksEditor(codexHooks).look(claudes, file).state).toBe("absent");
    const { hooks } = JSON.parse(makeHooksEditor(codexHooks).add("", file).text);
    hooks.Stop.unshift({ hooks: [othersHook] });
    hooks.PreCompact[0].hooks.unshift(othersHook);
    const text = JSON.stringify({ hooks });
    const places = findHookPositions(codexHooks, text, file);
    expect(places).toHaveLength(codexHooks.hooks.length);
    expect(places).toContainEqual({ event: "Stop", group: 1, handler: 0 });
    expect(places).toContainEqual({ event: "PreCompact", group: 0, handler: 1 });
    expect(look(text, file).state).toBe("absent");
  });
});

describe("any settings", () => {
  const command = fc.oneof(fc.string(), fc.constantFrom("lint", "pm", "pm hook", "npm hook stop"));
  const handler = fc.oneof(fc.record({ type: fc.constant("command"), command }), fc.jsonValue());
  const group = fc.oneof(
    fc.record({ matcher: fc.string(), hooks: fc.array(handler, { maxLength: 3 }) }, { requiredKeys: [] }),
    fc.jsonValue(),
  );
  const hooks = fc.dictionary(
    fc.oneof(fc.constantFrom(...events), fc.string()),
    fc.array(group, { maxLength: 2 }),
  );
  const settings = fc
    .record({ other: fc.dictionary(fc.string(), fc.jsonValue()), hooks: fc.option(hooks) })
    .map(({ other, hooks }) => {
      const { hooks: _, ...rest } = other;
      return hooks === null ? rest : { ...rest, hooks, last: 1 };
    });
  const layout = fc.constantFrom<(value: unknown) => string>(
    (value) => JSON.stringify(value),
    (value) => JSON.stringify(value, null, 2),
    (value) => `${JSON.stringify(value, null, 4)}\n`,
    (value) => `\n${JSON.stringify(value, null, "\t")}\n\n`,
    (value) => JSON.stringify(value, null, 2).replaceAll("\n", "\r\n"),
    (value) => JSON.stringify(value, null, 1).replaceAll("\n", " "),
  );

  it("survive adding and removing unchanged", () => {
    fc.assert(
      fc.property(settings, layout, (value, write) => {
        const text = write(value);
        const { added, undone, removed } = roundTrip(text);
        expect(undone).toBe(text);
        expect(removed).toBe(text);
        const expected = JSON.parse(text);
        const actual = JSON.parse(added);
        for (const [key, others] of Object.entries(expected)) {
          if (key !== "hooks") expect(actual[key]).toEqual(others);
        }
        for (const [event, groups] of Object.entries(expected.hooks ?? {})) {
          const isOurs = events.includes(event);
          expect(actual.hooks[event].slice(0, isOurs ? -1 : undefined)).toEqual(groups);
        }
      }),
    );
  });
});
