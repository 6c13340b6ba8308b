import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Act, edited, linesOfActs, ran, wrote } from "../../../test/support/attribution-fixture.ts";
import type { FileEdit } from "../../agents/agent.ts";
import { computeLineKey, stripFormatting, toBareLine } from "../lines/line-keys.ts";
import { extractActivity, KeySet } from "./writes.ts";

const activityBy = (...acts: Act[]) =>
  extractActivity({ sessionUid: "s", number: 3, lines: linesOfActs(acts) }, (path) =>
    path.replace("/repo/", ""),
  );

/** Each write with its lines as a diff has them. */
const said = (...acts: Act[]) =>
  activityBy(...acts).writes.map(({ path, how, hunks }) => [
    path,
    how,
    hunks.map(({ lines, removed }) => [
      ...removed.map(({ bare }) => `-${bare}`),
      ...lines.map(({ bare, isNew }) => `${isNew ? "+" : " "}${bare}`),
    ]),
  ]);

const call = (tool: string, input: Record<string, unknown>, more: Partial<Act> = {}): Act => ({
  tool,
  input,
  at: 1000,
  ...more,
});

describe("the tool's result counts", () => {
  it("for a patch each hunk, with its context and removed lines", () => {
    const hunk = (lines: string[]) => ({ oldStart: 1, oldLines: 3, newStart: 1, newLines: 3, lines });
    const edits: FileEdit[] = [
      {
        path: "/repo/a.ts",
        content: null,
        hunks: [
          hunk([" first();", "-old();", "+new();", "+", " ", "\\ No newline at end of file"]),
          hunk(["+last();"]),
        ],
      },
    ];
    const asked = { file_path: "/repo/a.ts", old_string: "x", new_string: "not this" };
    expect(said(call("Edit", asked, { edits }))).toEqual([
      ["a.ts", "edit", [["-old()", " first()", "+new()"], ["+last()"]]],
    ]);
  });

  it("for a whole file each line", () => {
    expect(said(wrote("/repo/a.ts", "one();\n\n  two();\r\n", 1000))).toEqual([
      ["a.ts", "edit", [["+one()", "+two()"]]],
    ]);
  });

  it("a hunk rather than the resulting content", () => {
    const act = wrote("a.ts", "one();\ntwo();\n", 1000);
    const lines = [" one();", "+two();"];
    act.edits![0]!.hunks = [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 2, lines }];
    expect(said(act)).toEqual([["a.ts", "edit", [[" one()", "+two()"]]]]);
  });

  it("for several files each", () => {
    const edits = ["a.ts", "b.ts"].map((path): FileEdit => ({ path, content: `in ${path}`, hunks: [] }));
    expect(said(call("apply_patch", {}, { edits })).map(([path]) => path)).toEqual(["a.ts", "b.ts"]);
  });

  it("for a notebook its source lines", () => {
    const lines = ['     "a = 1\\n",', '-    "b = 1"', '+    "b = \\"x\\""', "+   ]"];
    expect(said(edited("a.ipynb", lines, 1000))).toEqual([["a.ipynb", "edit", [["-b=1", " a=1", '+b="x"']]]]);
  });
});

describe("without a result, the request counts", () => {
  it.each<[string, Record<string, unknown>, unknown[]]>([
    ["Write", { file_path: "a.ts", content: "one();\ntwo();" }, ["+one()", "+two()"]],
    ["create", { path: "a.ts", file_text: "one();" }, ["+one()"]],
    [
      "Edit",
      { file_path: "a.ts", old_string: "{\n  old();\n}", new_string: "{\n  new();\n  more();\n}" },
      ["-old()", " {", "+new()", "+more()", " }"],
    ],
    ["insert", { path: "a.ts", new_str: "one();" }, ["+one()"]],
    ["str_replace", { path: "a.ts", old_str: "a();", new_str: "b();" }, ["-a()", "+b()"]],
    ["NotebookEdit", { notebook_path: "a.ts", new_source: "x = 1\ny = 2" }, ["+x=1", "+y=2"]],
    ["Edit", { file_path: "a.ts", old_string: "same\nsame", new_string: "same" }, ["-same", " same"]],
    ["Edit", { file_path: "a.ts", old_string: "a();\nb();", new_string: "" }, ["-a()", "-b()"]],
  ])("of %s %j", (tool, input, lines) => {
    expect(said(call(tool, input))).toEqual([["a.ts", "edit", [lines]]]);
  });

  it("for MultiEdit each edit", () => {
    const edits = [
      { old_string: "a();", new_string: "b();" },
      { old_string: "x", new_string: "x\ny", replace_all: true },
      { nonsense: true },
      null,
      "text",
    ];
    expect(said(call("MultiEdit", { file_path: "/repo/a.ts", edits }))).toEqual([
      [
        "a.ts",
        "edit",
        [
          ["-a()", "+b()"],
          [" x", "+y"],
        ],
      ],
    ]);
  });

  it.each<[string, Record<string, unknown>]>([
    ["Read", { file_path: "a.ts" }],
    ["Grep", { pattern: "x", path: "src" }],
    ["TodoWrite", { todos: [{ content: "x" }] }],
    ["Edit", { file_path: "a.ts", new_string: 5 }],
    ["Edit", { new_string: "x" }],
    ["MultiEdit", { file_path: "a.ts", edits: [] }],
  ])("nothing of %s %j", (tool, input) => {
    expect(activityBy(call(tool, input))).toMatchObject({
      writes: [],
      runs: [],
      delegations: [],
    });
  });
});

it("failed calls write nothing", () => {
  expect(activityBy({ ...wrote("a.ts", "x", 1), isError: true })).toMatchObject({
    writes: [],
    runs: [],
    delegations: [],
    opaque: [],
  });
});

it("calls without an answer yet may have written: the answer comes after all hooks", () => {
  const open = { answeredAt: null };
  expect(activityBy({ ...wrote("a.ts", "one();", 1), ...open }).writes).toMatchObject([
    { path: "a.ts", startedAt: 1, at: 600_001, hunks: [{ lines: [{ bare: "one()" }] }] },
  ]);
  expect(activityBy({ ...ran("rm a", 1), ...open }).runs).toMatchObject([
    { startedAt: 1, endedAt: 600_001, isSilent: true },
  ]);
});

it("a result without a call counts by itself", () => {
  const lines = linesOfActs([wrote("a.ts", "one();", 1000)]).slice(1);
  const { writes } = extractActivity({ sessionUid: "s", number: 3, lines }, (path) => path);
  expect(writes).toMatchObject([{ path: "a.ts", toolUse: "call1", model: null, at: 1000 }]);
});

it("each write has its session and time", () => {
  const { writes, runs } = activityBy(
    { ...wrote("/repo/a.ts", "one();", 1000), answeredAt: 1500 },
    ran("echo 'one' > b.txt && git commit -m x", 2000, 2600, "[main 1a2b3c4] x"),
  );
  const by = { sessionUid: "s", turn: 3, model: "big-model" };
  expect(writes).toEqual([
    {
      ...by,
      toolUse: "call1",
      startedAt: 1000,
      at: 1500,
      path: "a.ts",
      how: "edit",
      hunks: [{ lines: [{ ...toBareLine("one()"), isNew: true }], removed: [] }],
    },
    {
      ...by,
      toolUse: "call2",
      startedAt: 2000,
      at: 2600,
      path: "b.txt",
      how: "shell",
      hunks: [
        { lines: [{ key: computeLineKey("one"), bare: "one", weight: 0.15, isNew: true }], removed: [] },
      ],
    },
  ]);
  expect(runs).toEqual([
    {
      ...by,
      toolUse: "call2",
      startedAt: 2000,
      endedAt: 2600,
      command: "echo 'one' > b.txt && git commit -m x",
      mayWrite: true,
      isBackground: false,
      isSilent: false,
      commits: [{ hash: "1a2b3c4", subject: "x" }],
    },
  ]);
});

it("the output of a command that failed later counts", () => {
  const failed = { ...ran("cat > /repo/a.ts <<'EOF'\none();\nEOF\nfalse", 1000), isError: true };
  expect(said(failed)).toEqual([["a.ts", "shell", [["+one()"]]]]);
  expect(activityBy(failed, ran("git status", 2000)).runs.map(({ mayWrite }) => mayWrite)).toEqual([
    true,
    false,
  ]);
});

it("an agent that delegates is active until the other one answers", () => {
  const task = { description: "Look", prompt: "Look for it", subagent_type: "scout" };
  const { delegations } = activityBy(
    { ...call("Task", task), answeredAt: 9000 },
    { ...call("Task", task), answeredAt: 9500, isError: true },
    { ...call("Task", task), answeredAt: null },
    call("Skill", { prompt: "no name" }),
    call("spawn", { prompt: "x", subagent_type: "scout" }, { at: 20_000 }),
  );
  const by = { sessionUid: "s", turn: 3 };
  expect(delegations).toEqual([
    { ...by, startedAt: 1000, endedAt: 9000, text: "Look for it\n" },
    { ...by, startedAt: 1000, endedAt: 9500, text: "Look for it\n" },
    { ...by, startedAt: 20_000, endedAt: 20_000, text: "x\n" },
  ]);
});

it("code that is told others may be written by whoever reads it: a task, a comment", () => {
  const code = "Add this:\n```ts\nconst one = compute(1);\n```\n";
  const told = (tool: string, input: Record<string, unknown>) =>
    activityBy(call(tool, input)).writes.map(({ path, toolUse, startedAt }) => [path, toolUse, startedAt]);
  expect(told("Task", { description: "Add", prompt: code })).toEqual([["", "", 1000]]);
  expect(told("mcp__tracker__create_comment", { id: 7, body: code })).toEqual([["", "", 1000]]);
  expect(told("mcp__tracker__create_comment", { body: "const one = compute(1);" })).toEqual([]);
});

it("of a file that was written anew as a whole, short lines that are as before are written again", () => {
  const before = Array.from({ length: 9 }, (_, i) => `-const was${i} = before(${i});`);
  const again = (lines: string[], content: string | null = "whole") => {
    const hunk = { oldStart: 1, oldLines: 0, newStart: 1, newLines: 0, lines };
    const act: Act = {
      ...edited("/repo/a.ts", [], 1000),
      edits: [{ path: "/repo/a.ts", content, hunks: [hunk] }],
    };
    return activityBy(act).writes[0]!.hunks[0]!.lines.flatMap(({ bare, isBack }) => (isBack ? [bare] : []));
  };
  const lines = (removed: string[], kept: string) => [
    " top",
    ...removed,
    "+one();",
    ` ${kept}`,
    "+two();",
    " }",
  ];
  expect(again(lines(before, "return null;"))).toEqual(["returnnull"]);
  for (const other of [
    again(lines(before, "return null;"), null),
    again(lines(before.slice(1), "return null;")),
    again([...lines(before, "return null;"), " const all = itemsOf(cart);", "+three();"]),
  ])
    expect(other).toEqual([]);
});

describe("what a command writes", () => {
  const patch = [
    "--- a/src/a.ts",
    "+++ b/src/a.ts",
    "@@ -1,2 +1,3 @@",
    " first();",
    "-old();",
    "+one();",
    "+two();",
  ];
  const hunk = [["-old()", " first()", "+one()", "+two()"]];

  it("is what a patch in it says, for the files that the patch names", () => {
    const command = `git apply - <<'PATCH'\n${patch.join("\n")}\nPATCH`;
    expect(said(ran(command, 1000))).toEqual([["src/a.ts", "shell", hunk]]);
    const written = wrote("/tmp/x.patch", patch.join("\n"), 1000);
    expect(said(written)).toContainEqual(["src/a.ts", "shell", hunk]);
  });

  it("may be the text of a script, without the quotes around it", () => {
    const script = "python3 - <<'PY'\nopen('a.py', 'w').write(\"\"\"one()\ntwo()\"\"\")\nPY";
    const [write] = activityBy(ran(script, 1000)).writes;
    expect(write).toMatchObject({ path: "", command: script });
    expect(write!.hunks[0]!.lines.map(({ bare }) => bare)).toEqual(
      expect.arrayContaining(["one()", "two()"]),
    );
  });

  it.each([
    ["'''", '"""Adds one."""'],
    ['"""', "'''Adds one.'''"],
    ["`", '"""Adds one."""'],
    ["'''", "return `one`"],
    ["'''\\\n", '"""Adds one."""'],
  ])("keeps the quotes that a script's text has of its own: %j around %j", (quotes, line) => {
    const end = quotes.slice(0, 3);
    const script = `run - <<'X'\nput("a.py", ${quotes}def add():\n    ${line}\n    more()${end})\nX`;
    const [write] = activityBy(ran(script, 1000)).writes;
    const bare = ["defadd():", stripFormatting(line), "more()"];
    expect(write!.hunks[0]!.lines.map((each) => each.bare)).toEqual(expect.arrayContaining(bare));
  });

  it("counts under whatever name its argument has", () => {
    for (const name of ["cmd", "script", "shell_command"])
      expect(activityBy(call("mcp__shell__run", { [name]: "rm a" })).runs).toMatchObject([
        { command: "rm a" },
      ]);
  });
});

it.each([
  ["mcp__fs__write_file", { path: "/repo/a.ts", content: "one();\n" }],
  ["mcp__ide__create", { relative_path: "a.ts", text: "one();" }],
  ["mcp__fs__edit_file", { path: "/repo/a.ts", edits: [{ oldText: "x", newText: "one();" }] }],
  ["editor", { file: "a.ts", search: "x", replacement: "one();" }],
])("another tool's input says what it writes: %s", (tool, input) => {
  const [write] = activityBy(call(tool, input)).writes;
  expect(write).toMatchObject({ path: "a.ts", hunks: [{ lines: [{ bare: "one()", isNew: true }] }] });
});

it("a tool that looks something up writes nothing", () => {
  expect(activityBy(call("mcp__fs__search", { path: "/repo/a.ts", text: "one();" })).writes).toEqual([]);
});

it("has the keys that were added, and no others", () => {
  // Many that agree in their last digits.
  const key = fc.oneof(
    fc.integer({ min: 1, max: 0xffffffff }),
    fc.nat(300).map((n) => (n << 20) >>> 0 || 1),
  );
  fc.assert(
    fc.property(fc.array(key, { maxLength: 500, size: "max" }), fc.array(key), (added, asked) => {
      const keys = new KeySet();
      for (const each of added) keys.add(each);
      const known = new Set(added);
      for (const each of [...added, ...asked]) expect(keys.has(each)).toBe(known.has(each));
      expect(keys.hasAny(Uint32Array.from(asked))).toBe(asked.some((each) => known.has(each)));
    }),
  );
});

it("has no blank lines", () => {
  const keys = new KeySet();
  expect(keys.has(0)).toBe(false);
  keys.add(0);
  expect(keys.has(0)).toBe(false);
  expect(keys.hasAny(Uint32Array.of(0))).toBe(false);
});
