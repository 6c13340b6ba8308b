import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { EmbeddedKind, Embedder } from "../../src/models/embed/embedder.ts";
import { computeCosine } from "../../src/models/embed/quantise.ts";

interface ContractOptions {
  /** What the id has to contain. */
  driver: string;
  /**
   * How like two vectors of one text are at least (cosine), where a text's neighbours in a batch may change its
   * vector by a rounding; 1, the default, asks for the very same bytes.
   */
  sameness?: number;
  /** Whether it has a vector for every script; false for a model that knows some words only. */
  everyScript?: boolean;
}

const otherScripts = [
  "解析配置文件并重试请求",
  "تحليل ملف الإعدادات",
  "🦀🚀 ✨",
  "Разбор файла",
  "a\ud800b \udfff",
];

/**
 * What every embedder does, whatever it is made of: to be run by the tests of each driver. `make` gives a new one
 * of the same kind each time.
 */
export function embedderContract(
  name: string,
  make: () => Embedder | Promise<Embedder>,
  { driver, sameness = 1, everyScript = true }: ContractOptions,
): void {
  describe(`${name} keeps the embedder's contract:`, () => {
    let embedder: Embedder;

    beforeAll(async () => {
      embedder = await make();
    });
    afterAll(() => embedder.close());

    /** The vectors of texts that must all have one. */
    async function embed(texts: string[], kind: EmbeddedKind = "passage"): Promise<Int8Array[]> {
      const vectors = await embedder.embed(texts, kind);
      expect(vectors).toHaveLength(texts.length);
      for (const vector of vectors) expectVector(vector);
      return vectors as Int8Array[];
    }

    function expectVector(vector: Int8Array | null | undefined): void {
      expect(vector).toBeInstanceOf(Int8Array);
      expect(vector).toHaveLength(embedder.dimensions);
      expect(Math.max(...vector!.map(Math.abs))).toBe(127);
    }

    function expectSame(found: Int8Array, wanted: Int8Array): void {
      if (sameness === 1) expect(found).toEqual(wanted);
      else expect(computeCosine(found, wanted)).toBeGreaterThanOrEqual(sameness);
    }

    it("knows its length once it is prepared, and may be prepared again", async () => {
      await embedder.prepare();
      await embedder.prepare();
      expect(embedder.dimensions).toBeGreaterThan(0);
    });

    it("has an id that names the driver and stays as it is", async () => {
      const other = await make();
      expect(other.id).toContain(driver);
      expect(other.id).toBe(embedder.id);
      await other.close();
    });

    it("gives int8 vectors of its length whose largest component is 127", async () => {
      await embed(["how are failed requests retried", "parse the configuration file"]);
    });

    it("keeps the order of the texts", async () => {
      const texts = ["open a socket", "sort the list", "hash a password", "read the file"];
      const together = await embed(texts);
      for (const [at, text] of texts.entries()) {
        const [alone] = await embed([text]);
        expectSame(together[at]!, alone!);
      }
    });

    it("gives one text one vector, in another embedder of the same id too", async () => {
      const other = await make();
      const [first, second] = await embed(["close the connection", "close the connection"]);
      expectSame(second!, first!);
      const [third] = await other.embed(["close the connection"], "passage");
      expectSame(third!, first!);
      await other.close();
    });

    it("gives different texts different vectors", async () => {
      const [one, other] = await embed(["open the file", "sort the list"]);
      expect(one).not.toEqual(other);
    });

    it("embeds questions and passages into one space", async () => {
      const [question] = await embed(["retry a request"], "query");
      const [passage] = await embed(["retry a request"], "passage");
      expect(question).toHaveLength(passage!.length);
    });

    it("has no vector for an empty text, and vectors for those around it", async () => {
      const [before, empty, after] = await embedder.embed(["open a file", "", "close a file"], "passage");
      expectVector(before);
      expect(empty).toBeNull();
      expectVector(after);
      expect(await embedder.embed([], "passage")).toEqual([]);
      expect(await embedder.embed([""], "query")).toEqual([null]);
    });

    it("takes a text of 1 MB", async () => {
      await embed([`${"open the file and read it\n".repeat(40_000)}`]);
    });

    it("takes other scripts, emoji and half characters", async () => {
      const vectors = await embedder.embed(otherScripts, "passage");
      for (const vector of vectors) {
        if (everyScript || vector !== null) expectVector(vector);
      }
      expect(vectors).toHaveLength(otherScripts.length);
    });

    it("takes 300 texts at once", async () => {
      const texts = Array.from({ length: 300 }, (_, i) => `open file ${i} and read line ${i * 7}`);
      const vectors = await embed(texts);
      for (const at of [0, 1, 150, 299]) {
        const [alone] = await embed([texts[at]!]);
        expectSame(vectors[at]!, alone!);
      }
    });

    it("answers calls made at the same time, each with its own", async () => {
      const texts = ["open a file", "sort a list", "hash a password", "send a request", "read a line"];
      const alone: Int8Array[] = [];
      for (const text of texts) alone.push(...(await embed([text])));
      const together = await Promise.all(texts.map((text) => embed([text])));
      for (const [at, [vector]] of together.entries()) expectSame(vector!, alone[at]!);
    });

    it("rejects with the reason it was aborted for, and works on", async () => {
      const reason = new Error("no longer wanted");
      const aborted = embedder.embed(["open a file"], "passage", AbortSignal.abort(reason));
      await expect(aborted).rejects.toBe(reason);
      await embed(["open a file"]);
    });

    it("can be closed, also twice, and embeds again afterwards", async () => {
      const [before] = await embed(["open a file"]);
      await embedder.close();
      await embedder.close();
      const [after] = await embed(["open a file"]);
      expectSame(after!, before!);
    });
  });
}
