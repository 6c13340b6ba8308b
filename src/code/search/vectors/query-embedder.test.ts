import { afterEach, describe, expect, it, vi } from "vitest";
import { PommelError } from "../../../base/errors.ts";
import type { Embedder } from "../../../models/embed/embedder.ts";
import { listQueryVectors, noMeaning, QueryEmbedder } from "./query-embedder.ts";

afterEach(() => {
  vi.useRealTimers();
});

const right = Int8Array.from([1, 0]);
const up = Int8Array.from([0, 1]);
const always = () => true;
const never = () => false;

/** Understands every query as `vector`. */
function model(id: string, vector: Int8Array | null, more: Partial<Embedder> = {}): Embedder {
  return {
    id,
    dimensions: 2,
    prepare: async () => {},
    close: async () => {},
    embed: vi.fn(async () => [vector]),
    ...more,
  };
}

const unavailable = new PommelError("embedder_unavailable", "No server.", "Start one.");
const failing = () =>
  vi.fn(async () => {
    throw unavailable;
  });

it("gives each model's vector of a query, the first model's first", async () => {
  const embedder = new QueryEmbedder({ first: model("first", right), second: model("second", up) });
  const query = await embedder.embed("which way", always);
  expect(query).toEqual({
    first: { model: "first", vector: right },
    second: { model: "second", vector: up },
    notes: [],
  });
  expect(listQueryVectors(query).map(({ model }) => model)).toEqual(["first", "second"]);
});

it("gives nothing for a model without a vector for the query, and without models", async () => {
  const embedder = new QueryEmbedder({ first: model("first", null) });
  expect(await embedder.embed("?", always)).toEqual(noMeaning);
  expect(await new QueryEmbedder({}).embed("which way", always)).toEqual(noMeaning);
});

describe("a second model", () => {
  it("is not asked while it has no vectors to compare with", async () => {
    const second = model("second", up);
    const embedder = new QueryEmbedder({ first: model("first", right), second });
    expect((await embedder.embed("which way", never)).second).toBeNull();
    expect(second.embed).not.toHaveBeenCalled();
    const asked = vi.fn(always);
    await embedder.embed("which way", asked);
    expect(asked).toHaveBeenCalledExactlyOnceWith("second");
    expect(second.embed).toHaveBeenCalledOnce();
  });

  it("is asked once for the same query", async () => {
    const second = model("second", up);
    const embedder = new QueryEmbedder({ first: model("first", right), second });
    for (let i = 0; i < 3; i++) expect((await embedder.embed("which way", always)).second?.vector).toBe(up);
    await embedder.embed("another way", always);
    expect(second.embed).toHaveBeenCalledTimes(2);
  });

  it("that is late is left out, and not asked again before it has answered", async () => {
    let answer = (_: (Int8Array | null)[]) => {};
    const embed = vi.fn(() => new Promise<(Int8Array | null)[]>((resolve) => (answer = resolve)));
    const second = model("second", up, { embed });
    const embedder = new QueryEmbedder({ first: model("first", right), second, deadlineMs: 5 });
    for (let i = 0; i < 3; i++) {
      const query = await embedder.embed(`which way ${i}`, always);
      expect(query.second).toBeNull();
      expect(query.notes).toEqual(["second did not answer within 5 ms; searched without vectors."]);
    }
    expect(embed).toHaveBeenCalledOnce();
    answer([up]);
    await vi.waitUntil(() => embedder.problemWith("second") === null, 60_000);
    embed.mockImplementation(async () => [up]);
    expect(await embedder.embed("which way", always)).toMatchObject({ second: { vector: up }, notes: [] });
  });

  it("that fails is left alone for a while, longer each time", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const embed = failing();
    const second = model("second", up, { embed });
    const embedder = new QueryEmbedder({ first: model("first", right), second });
    const asked = async (waitMs: number) => {
      vi.setSystemTime(Date.now() + waitMs);
      const { notes } = await embedder.embed("which way", always);
      expect(notes).toEqual(["No server. Start one."]);
      return embed.mock.calls.length;
    };
    expect(await asked(0)).toBe(1);
    expect(await asked(900)).toBe(1);
    expect(await asked(200)).toBe(2);
    expect(await asked(1900)).toBe(2);
    expect(await asked(200)).toBe(3);
    for (let i = 0; i < 10; i++) await asked(61_000);
    expect(await asked(61_000)).toBe(14);
    expect(embedder.problemWith("second")).toBe("No server. Start one.");
    expect(embedder.problemWith("first")).toBeNull();
  });
});

it("frees its models, which the next query loads again", async () => {
  const close = vi.fn(async () => {});
  const embedder = new QueryEmbedder({ first: model("first", right, { close }) });
  const before = await embedder.embed("x", always);
  await embedder.close();
  expect(close).toHaveBeenCalledOnce();
  expect(await embedder.embed("x", always)).toEqual(before);
});

it("continues without the first model when that cannot be used, and reports why", async () => {
  const embedder = new QueryEmbedder({ first: model("first", null, { embed: failing() }) });
  const query = await embedder.embed("which way", always);
  expect(query).toEqual({ first: null, second: null, notes: ["No server. Start one."] });
});
