import { expect, it } from "vitest";
import { tools } from "./definitions.ts";
import { instructions } from "./instructions.ts";
import { listTools } from "./list-tools.ts";
import { prompts } from "./prompts.ts";

const listed = listTools().tools;

it("lists ten tools, each with what it takes and gives", () => {
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
  for (const { inputSchema, outputSchema, annotations } of listed) {
    expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
    expect(outputSchema).toMatchObject({ type: "object" });
    expect(annotations).toMatchObject({ destructiveHint: false, openWorldHint: false });
  }
});

it("says of every argument what it is", () => {
  const silent = listed.flatMap(({ name, inputSchema }) =>
    Object.entries(inputSchema.properties ?? {})
      .filter(([, schema]) => !(schema as { description?: string }).description)
      .map(([argument]) => `${name} ${argument}`),
  );
  expect(silent).toEqual([]);
});

it("calls only add_note one that writes", () => {
  const writing = listed.filter(({ annotations }) => !annotations?.readOnlyHint).map(({ name }) => name);
  expect(writing).toEqual(["add_note"]);
});

it("costs a client that shows all of it less than 4,000 tokens", () => {
  // What is given back is no part of what a model is shown.
  const shown = listed.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  expect(JSON.stringify(shown).length / 4).toBeLessThan(4000);
});

it("has instructions that fit, and that name every tool", () => {
  expect(instructions.length).toBeLessThanOrEqual(1500);
  const unnamed = Object.keys(tools).filter((name) => !instructions.includes(name));
  expect(unnamed).toEqual([]);
  expect(prompts.map(({ name }) => name)).toEqual(["what_do_we_know"]);
});
