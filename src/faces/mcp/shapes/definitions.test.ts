import { expect, it } from "vitest";
import * as z from "zod/mini";
import { tokensOf } from "../../../base/text/text-size.ts";
import { prompts } from "../prompts.ts";
import { instructions } from "../server/server.ts";
import { listTools, type Tool, tools } from "./definitions.ts";

const listed = listTools().tools;
const loaded = listed.filter(({ _meta }) => _meta?.["anthropic/alwaysLoad"] === true);

it("lists the tools that a model chooses from, each with the arguments that it needs most", () => {
  expect(listed.map(({ name }) => name)).toEqual([
    "search_code",
    "search_sessions",
    "get_session",
    "list_decisions",
    "list_checkpoints",
    "why",
    "related",
    "commands",
    "add_note",
  ]);
  for (const { inputSchema, annotations } of listed) {
    expect(inputSchema).toMatchObject({ type: "object", properties: expect.any(Object) });
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
  const seen = listed.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  expect(tokensOf(JSON.stringify(seen)) + tokensOf(instructions)).toBeLessThanOrEqual(900);
});

it("has instructions that name every tool, and what is not listed", () => {
  const unnamed = listed.filter(({ name }) => !instructions.includes(name));
  expect(unnamed).toEqual([]);
  const [firstLine = ""] = instructions.split("\n");
  expect(firstLine.length).toBeLessThanOrEqual(250);
  expect(loaded.filter(({ name }) => !firstLine.includes(name))).toEqual([]);
  for (const [name, { input, shown }] of Object.entries<Tool>(tools)) {
    const { properties = {} } = z.toJSONSchema(input, { io: "input" });
    const hidden = shown === null ? [] : Object.keys(properties).filter((one) => !shown.includes(one));
    expect([name, hidden.filter((one) => !instructions.includes(one))]).toEqual([name, []]);
  }
  expect(prompts.map(({ name }) => name)).toEqual(["what_do_we_know"]);
});
