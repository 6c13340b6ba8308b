import { expect, it } from "vitest";
import type { EmbedderSettings } from "../../src/models/embed/embedder.ts";
import { computeCosine } from "../../src/models/embed/quantise.ts";
import { embedderContract } from "../../test/support/embedder-contract.ts";
import { trigramsDriver } from "./trigrams.ts";

const settings: EmbedderSettings = { ollamaUrl: "", openaiUrl: "", openaiKeyVariable: "" };
const make = () => trigramsDriver.create("", settings);

embedderContract("trigrams", make, { driver: "trigrams" });

it("puts a misspelt question near to its passage", async () => {
  const [question] = await make().embed(["how are reqests retryed"], "query");
  const [near, far] = await make().embed(["failed requests are retried", "sort the list by name"], "passage");
  expect(computeCosine(question!, near!)).toBeGreaterThan(computeCosine(question!, far!));
});
