import { expect, it } from "vitest";
import { clientForms, countDoorTokens, maxDoorTokens } from "../../../test/support/client-forms.ts";
import { listTools } from "./listed-tools.ts";
import { prompts } from "./prompts.ts";
import { instructions } from "./server/server.ts";

const listed = listTools().tools;

it("lists four tools, loaded from the start by a client that defers tools", () => {
  expect(listed.map(({ name }) => name)).toEqual(["code", "recall", "why", "note"]);
  for (const { inputSchema, annotations, _meta, outputSchema } of listed) {
    expect(inputSchema).toMatchObject({ type: "object", properties: expect.any(Object) });
    expect(annotations).toMatchObject({ title: expect.any(String), openWorldHint: false });
    expect(_meta).toEqual({ "anthropic/alwaysLoad": true });
    // A client that has one shows its model the structure, and no text.
    expect(outputSchema).toBeUndefined();
  }
});

it("says in each description when to call it", () => {
  const silent = listed.filter(
    ({ description }) => !/\bCall it (?:instead|when|before)\b/.test(description ?? ""),
  );
  expect(silent.map(({ name }) => name)).toEqual([]);
});

it("describes every argument", () => {
  const silent = listed.flatMap(({ name, inputSchema }) =>
    Object.entries(inputSchema.properties ?? {})
      .filter(([, schema]) => !(schema as { description?: string }).description)
      .map(([argument]) => `${name} ${argument}`),
  );
  expect(silent).toEqual([]);
});

it("calls only note one that writes, and not one that destroys", () => {
  const writing = listed.filter(({ annotations }) => !annotations?.readOnlyHint);
  expect(writing.map(({ name, annotations }) => [name, annotations?.destructiveHint])).toEqual([
    ["note", false],
  ]);
});

it.each(Object.keys(clientForms))("is short in %s: every request of every session may carry it", (client) => {
  expect(countDoorTokens(client, listed, instructions)).toBeLessThanOrEqual(maxDoorTokens);
});

it("has instructions of fifty words that fit what Codex shows of them", () => {
  expect(instructions.split(/\s+/).length).toBeLessThanOrEqual(50);
  expect(instructions.slice(0, 250)).toMatch(/recall[\s\S]*code/);
  expect(prompts.map(({ name }) => name)).toEqual(["what_do_we_know"]);
});
