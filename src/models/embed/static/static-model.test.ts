import { readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { embedderContract } from "../../../../test/support/embedder-contract.ts";
import { writeTinyModel } from "../../../../test/support/tiny-model.ts";
import { computeCosine } from "../quantise.ts";
import { createStaticEmbedder } from "./static-embedder.ts";
import { StaticModel } from "./static-model.ts";

const shared = writeTinyModel();
const kind = { id: "static-1", dimensions: 256 };

embedderContract("static", () => createStaticEmbedder(shared), { driver: "static", everyScript: false });

function flipByte(file: string, at: number): void {
  const bytes = readFileSync(file);
  bytes[at]! ^= 1;
  writeFileSync(file, bytes);
}

describe("StaticModel.load", () => {
  it("names the missing file", () => {
    for (const name of ["model.json", "vocabulary.txt", "weights.bin"]) {
      const dir = writeTinyModel();
      rmSync(join(dir, name));
      expect(() => StaticModel.load(dir, kind)).toThrow(name);
    }
  });

  it("notices a single flipped bit", () => {
    for (const name of ["vocabulary.txt", "weights.bin"]) {
      const dir = writeTinyModel();
      flipByte(join(dir, name), 17);
      expect(() => StaticModel.load(dir, kind)).toThrow(`${name} is damaged`);
    }
  });

  it("notices a file that was cut off", () => {
    const dir = writeTinyModel();
    truncateSync(join(dir, "weights.bin"), 1000);
    expect(() => StaticModel.load(dir, kind)).toThrow("weights.bin is damaged");
  });

  it("refuses weights that do not fit the vocabulary, though their checksum is right", () => {
    const dir = writeTinyModel();
    const file = join(dir, "model.json");
    const described = JSON.parse(readFileSync(file, "utf8"));
    writeFileSync(file, JSON.stringify({ ...described, dimensions: 128 }));
    expect(() => StaticModel.load(dir, { ...kind, dimensions: 128 })).toThrow("not the vectors of");
  });

  it("refuses another model, and a description that is none", () => {
    const other = writeTinyModel({ id: "static-0" });
    expect(() => StaticModel.load(other, kind)).toThrow("static-0");
    const smaller = writeTinyModel({ dimensions: 64 });
    expect(() => StaticModel.load(smaller, kind)).toThrow("64 dimensions");
    writeFileSync(join(smaller, "model.json"), "{}");
    expect(() => StaticModel.load(smaller, kind)).toThrow();
    writeFileSync(join(smaller, "model.json"), "no JSON");
    expect(() => StaticModel.load(smaller, kind)).toThrow();
  });
});

describe("StaticModel.embed", () => {
  const model = StaticModel.load(shared, kind);

  it("gives zero for a text without a known token", () => {
    for (const text of ["", " \n\t", "。、！", "ß".repeat(50)]) {
      expect(model.embed(text).every((component) => component === 0)).toBe(true);
    }
  });

  it("does not remember the text before", () => {
    const first = model.embed("open the file");
    model.embed("retry, retry and retry");
    expect(model.embed("open the file")).toEqual(first);
  });

  it("cares for the words, not for their order, case or punctuation", () => {
    expect(computeCosine(model.embed("open(file)"), model.embed("File OPEN"))).toBeCloseTo(1, 6);
    expect(computeCosine(model.embed("open file"), model.embed("retry 7"))).toBeLessThan(0.5);
  });

  it("damps repetition", () => {
    const [once, often] = [model.embed("open file"), model.embed(`file ${"open ".repeat(50)}`)];
    const [open, file] = [model.embed("open"), model.embed("file")];
    expect(computeCosine(often, open)).toBeGreaterThan(computeCosine(once, open));
    // Undamped, a file opened fifty times would be a file no more: 1/50.
    expect(computeCosine(often, file)).toBeGreaterThan(0.1);
  });

  it("takes 1 MB without a blank", () => {
    expect(model.embed("x".repeat(1_000_000)).every((component) => component === 0)).toBe(true);
    expect(model.embed("解".repeat(1_000_000)).some((component) => component !== 0)).toBe(true);
  });
});

describe("the static embedder", () => {
  it("reports what is wrong with its files and the fix, and works once they are repaired", async () => {
    const dir = writeTinyModel();
    const weights = join(dir, "weights.bin");
    flipByte(weights, 5);
    const embedder = createStaticEmbedder(dir);
    const failure = { code: "embedder_unavailable", hint: expect.stringContaining("Reinstall Pommel") };
    await expect(embedder.prepare()).rejects.toMatchObject(failure);
    await expect(embedder.embed(["open"], "query")).rejects.toMatchObject(failure);
    flipByte(weights, 5);
    expect(await embedder.embed(["open"], "query")).not.toContain(null);
  });
});
