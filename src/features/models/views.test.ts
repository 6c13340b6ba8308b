import { expect, test } from "vitest";
import { screenOf } from "../../../test/support/screen.ts";
import { renderDocument } from "../../terminal/render-document.ts";
import { type ListedEmbedder, type TestedEmbedder, wordEmbedders, wordTested } from "./words.ts";

const renderEmbedders = (listed: ListedEmbedder[]) =>
  renderDocument(wordEmbedders(listed), { screen: screenOf(undefined) });
const renderTested = (one: TestedEmbedder) =>
  renderDocument(wordTested(one), { screen: screenOf(undefined) });

test("marks usable models, and as a fault only one that is configured and unusable", () => {
  const nothing = { about: "a b", detail: "c", hint: "", used_for: [] };
  const shown = renderEmbedders([
    { ...nothing, embedder: "static", usable: true, used_for: ["code"] },
    { ...nothing, embedder: "ollama/nomic-embed-text", usable: false, hint: "Do d.", models: ["x", "y"] },
    { ...nothing, embedder: "openai/e", usable: false, used_for: ["code", "text"] },
    { ...nothing, embedder: "none", usable: null },
  ]);
  expect(shown).toBe(
    `✓ static                   a b (used for code)
                           c
- ollama/nomic-embed-text  a b
                           c
                           Do d.
                           available models: x, y
✗ openai/e                 a b (used for code and text)
                           c
- none                     a b
                           c`,
  );
});

const tested = {
  embedder: "openai/text-embedding-3-large",
  ok: true,
  message: "",
  hint: "",
  dimensions: 3072,
  prepare_ms: 412,
  embed_ms: 350.5,
  similarity: { related: 0.5123, unrelated: 0.049 },
  usage: { requests: 3, tokens: 61, dollars: 0.00000793 },
};

test("shows what a test of an embedder found, and what it cost", () => {
  expect(renderTested(tested)).toBe(
    `✓ openai/text-embedding-3-large
  Vectors:     3072 numbers
  Ready in:    412 ms; three texts in 350.5 ms
  Similarity:  0.51 to a text that answers the question, 0.05 to another
  Usage:       3 requests, 61 tokens, $0.000008`,
  );
  const usage = { ...tested.usage, dollars: null };
  expect(renderTested({ ...tested, usage })).toContain("61 tokens, price unknown");
});

test("shows what is wrong and what to do", () => {
  const untested = { dimensions: null, prepare_ms: null, embed_ms: null, similarity: null, usage: null };
  const failed = { ...tested, ...untested, ok: false, message: "It is down.", hint: "Start it." };
  expect(renderTested(failed)).toBe("✗ openai/text-embedding-3-large\n  It is down.\n  Start it.");
});
