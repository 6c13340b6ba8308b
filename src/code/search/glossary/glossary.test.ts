import { expect, it } from "vitest";
import { stem } from "../../../base/text/tokens.ts";
import { createStaticEmbedder } from "../../../models/embed/static/static-embedder.ts";
import { analyseQuery } from "../query.ts";
import data from "./glossary.json" with { type: "json" };
import { findDescribed, findTerms } from "./glossary.ts";

it("says each thing once", () => {
  for (const { terms } of data) expect(new Set(terms.split(" ")).size).toBe(terms.split(" ").length);
  expect(new Set(data.map(({ means }) => means)).size).toBe(data.length);
});

const embedder = createStaticEmbedder();
async function ask(question: string, isByMeaning = true): Promise<string[]> {
  const described = findDescribed(analyseQuery(question).stems);
  const texts = [question, ...described.map(({ means }) => means)];
  const [vector, ...vectors] = isByMeaning ? await embedder.embed(texts, "passage") : [];
  return [...findTerms(described, vector ?? null, vectors).keys()];
}

it.each([
  ["server sent events", "sse"],
  ["clickable text", "hyperlink"],
  ["sign in with a fingerprint", "webauthn"],
  ["keep several machines' files the same", "sync"],
])("knows what %s are called", async (question, term) => {
  expect(await ask(question)).toContain(stem(term));
});

it("knows it by words alone", async () => {
  expect(await ask("server sent events", false)).toContain("sse");
});

it.each([
  "runtime shutdown order of drop",
  "mpsc channel bounded send permit",
  "how the timer wheel fires expired timers",
  "",
])("leaves %j as it is", async (question) => {
  expect(await ask(question)).toEqual([]);
});

it("adds nothing where the question has the term", async () => {
  expect(await ask("sse for server sent events")).toEqual([]);
});
