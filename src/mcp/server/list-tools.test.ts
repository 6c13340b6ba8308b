import { expect, it } from "vitest";
import { instructions } from "../instructions.ts";
import { prompts } from "../prompts.ts";
import { tools } from "../shapes/definitions.ts";
import { listTools } from "./list-tools.ts";

const listed = listTools().tools;
const loaded = listed.filter(({ _meta }) => _meta?.["anthropic/alwaysLoad"] === true);

it("lists ten tools, each with its arguments", () => {
  expect(listed.map(({ name }) => name)).toEqual([
    "search_code",
    "search_sessions",
    "get_session",
    "get_session_summary",
    "list_decisions",
    "list_checkpoints",
    "why",
    "rewind_preview",
    "related",
    "add_note",
  ]);
  for (const { inputSchema, annotations } of listed) {
    expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
    expect(annotations).toMatchObject({ title: expect.any(String), openWorldHint: false });
  }
});

it("has three tools loaded from the start by a client that defers tools", () => {
  expect(loaded.map(({ name }) => name)).toEqual(["search_code", "search_sessions", "why"]);
});

it("describes every argument", () => {
  const silent = listed.flatMap(({ name, inputSchema }) =>
    Object.entries(inputSchema.properties ?? {})
      .filter(([, schema]) => !(schema as { description?: string }).description)
      .map(([argument]) => `${name} ${argument}`),
  );
  expect(silent).toEqual([]);
});

it("calls only add_note one that writes, and not one that destroys", () => {
  const writing = listed.filter(({ annotations }) => !annotations?.readOnlyHint);
  expect(writing.map(({ name, annotations }) => [name, annotations?.destructiveHint])).toEqual([
    ["add_note", false],
  ]);
});

it("is short: every request of every session may carry it", () => {
  expect(JSON.stringify(loaded).length).toBeLessThanOrEqual(4000);
  expect(JSON.stringify(listed).length).toBeLessThanOrEqual(9000);
});

it("has instructions that fit, and that name every tool", () => {
  expect(instructions.length).toBeLessThanOrEqual(1500);
  const unnamed = Object.keys(tools).filter((name) => !instructions.includes(name));
  expect(unnamed).toEqual([]);
  const [firstLine = ""] = instructions.split("\n");
  expect(firstLine.length).toBeLessThanOrEqual(250);
  expect(loaded.filter(({ name }) => !firstLine.includes(name))).toEqual([]);
  expect(prompts.map(({ name }) => name)).toEqual(["what_do_we_know"]);
});
