import { describe, expect, it } from "vitest";
import { makeDefaultConfig, settings } from "../../base/config/settings.ts";
import { createEmbedder, embedderDrivers, readEmbedderSpec, toEmbedderSettings } from "./registry.ts";

describe("readEmbedderSpec", () => {
  it("takes the default model when none is named", () => {
    expect(readEmbedderSpec("ollama")).toMatchObject({
      model: "nomic-embed-text",
      spec: "ollama/nomic-embed-text",
    });
    expect(readEmbedderSpec("openai/")).toMatchObject({ spec: "openai/text-embedding-3-large" });
    expect(readEmbedderSpec("static")).toMatchObject({ model: "", spec: "static" });
  });

  it("keeps the slashes of a model's own name", () => {
    const { driver, model } = readEmbedderSpec("ollama/unclemusclez/jina-embeddings-v2-base-code:q8");
    expect([driver.name, model]).toEqual(["ollama", "unclemusclez/jina-embeddings-v2-base-code:q8"]);
  });

  it("refuses an unknown name, and lists the known ones", () => {
    const names = embedderDrivers.map(({ name }) => name).join(", ");
    expect(() => readEmbedderSpec("olama/x")).toThrow(
      expect.objectContaining({ code: "usage", hint: `Choose from: ${names}.` }),
    );
    expect(() => readEmbedderSpec("static/large")).toThrow(expect.objectContaining({ code: "usage" }));
  });
});

it("makes an embedder of every driver, with an id that names the driver", () => {
  const drivers = embedderDrivers.map(({ name }) => name);
  expect(new Set(drivers).size).toBe(drivers.length);
  for (const name of drivers) {
    expect(createEmbedder(name, toEmbedderSettings(makeDefaultConfig())).id).toContain(name);
  }
});

it("lets the configuration name every driver and any of its models, and nothing else", () => {
  const allows = (spec: string) => settings["embed.code"].schema.safeParse(spec).success;
  for (const { name, defaultModel } of embedderDrivers) {
    expect(allows(name)).toBe(true);
    expect(allows(`${name}/a/b:c@12`)).toBe(defaultModel !== null);
  }
  for (const spec of ["", "ollama/", "ollama/a b", "other", "none "]) expect(allows(spec)).toBe(false);
});

it("has no vectors when there is to be none", async () => {
  const none = createEmbedder("none", toEmbedderSettings(makeDefaultConfig()));
  await none.prepare();
  expect(none.dimensions).toBe(0);
  expect(await none.embed(["open a file", ""], "query")).toEqual([null, null]);
  await none.close();
});
