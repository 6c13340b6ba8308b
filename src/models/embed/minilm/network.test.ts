import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type ReadModel, readModel } from "../../../../test/support/read-onnx.ts";
import { tinyShape, weightsOf } from "../../../../test/support/tiny-weights.ts";
import { buildNetwork, inputName, outputName } from "./network.ts";
import { Safetensors } from "./safetensors.ts";

const weights = new Safetensors(weightsOf(tinyShape));
const { hidden, intermediate, vocabulary } = tinyShape;
const int8 = readModel(buildNetwork(weights, tinyShape));
const float32 = readModel(buildNetwork(weights, tinyShape, "float32"));

function valuesOf(model: ReadModel, name: string): number[] {
  return model.tensors.get(name)!.values;
}

function turned(matrix: ArrayLike<number>, rows: number): number[] {
  const columns = matrix.length / rows;
  return Array.from(matrix, (_, i) => matrix[(i % rows) * columns + Math.floor(i / rows)]!);
}

describe.each([
  ["int8", int8],
  ["float32", float32],
])("the network in %s", (_, model) => {
  it("takes the tokens of one text and gives one vector", () => {
    expect(model.inputs).toEqual({ [inputName]: "int32[tokens]" });
    expect(model.outputs).toEqual({ [outputName]: `float[${hidden}]` });
  });

  it("computes every value once, before it is used, and uses every one", () => {
    const known = new Set([...Object.keys(model.inputs), ...model.tensors.keys()]);
    const used = new Set(Object.keys(model.outputs));
    for (const node of model.nodes) {
      for (const input of node.inputs) {
        expect(known, `${node.name} takes ${input}`).toContain(input);
        used.add(input);
      }
      for (const output of node.outputs) {
        expect(known, `${node.name} makes ${output} anew`).not.toContain(output);
        known.add(output);
      }
    }
    expect([...known].filter((name) => !used.has(name))).toEqual([]);
  });

  it("has every layer once", () => {
    const count = (operator: string): number => model.nodes.filter((n) => n.operator === operator).length;
    expect(count("Softmax")).toBe(tinyShape.layers);
    expect(count("Gelu")).toBe(tinyShape.layers);
    expect(count("LayerNormalization")).toBe(1 + 2 * tinyShape.layers);
  });

  it("splits heads, turns keys and joins heads again", () => {
    const perms = model.nodes.filter((n) => n.operator === "Transpose").map((n) => n.attributes.perm);
    const ofLayer = [
      [1, 2, 0, 3],
      [0, 1, 3, 2],
      [0, 2, 1, 3],
    ];
    expect(perms).toEqual(Array.from({ length: tinyShape.layers }, () => ofLayer).flat());
    expect(valuesOf(model, "heads_shape")).toEqual([-1, 3, tinyShape.heads, hidden / tinyShape.heads]);
  });

  it("has the vector of the first token type in the positions", () => {
    const places = weights.tensor("embeddings.position_embeddings.weight", [tinyShape.positions, hidden]);
    const types = weights.tensor("embeddings.token_type_embeddings.weight", [2, hidden]);
    expect(valuesOf(model, "positions")).toEqual(
      Array.from(places, (value, i) => Math.fround(value + types[i % hidden]!)),
    );
  });
});

describe("the network", () => {
  it("multiplies by turned weights", () => {
    const name = "encoder.layer.1.intermediate.dense";
    const matrix = weights.tensor(`${name}.weight`, [intermediate, hidden]);
    expect(float32.tensors.get(`${name}.weight`)).toEqual({
      shape: [hidden, intermediate],
      values: turned(matrix, intermediate),
    });
  });

  it("has the scale of attention in the queries alone, weights and bias", () => {
    const scale = 1 / Math.sqrt(hidden / tinyShape.heads);
    const self = "encoder.layer.0.attention.self";
    const parts = ["query", "key", "value"].map((part) => ({
      matrix: weights.tensor(`${self}.${part}.weight`, [hidden, hidden]),
      bias: weights.tensor(`${self}.${part}.bias`, [hidden]),
      factor: part === "query" ? scale : 1,
    }));
    const joined = parts.flatMap(({ matrix, factor }) => Array.from(matrix, (v) => Math.fround(v * factor)));
    const bias = parts.flatMap(({ bias, factor }) => Array.from(bias, (v) => Math.fround(v * factor)));
    expect(valuesOf(float32, `${self}.weight`)).toEqual(turned(joined, 3 * hidden));
    expect(valuesOf(float32, `${self}.bias`)).toEqual(bias);
  });

  it("keeps each output's weights within 7 bits, and as close as these allow", () => {
    for (const [name, outputs, inputs] of [
      ["encoder.layer.0.attention.self", 3 * hidden, hidden],
      ["encoder.layer.1.output.dense", hidden, intermediate],
    ] as const) {
      const exact = valuesOf(float32, `${name}.weight`);
      const scales = valuesOf(int8, `${name}.scales`);
      const bytes = valuesOf(int8, `${name}.weight`);
      expect(bytes).toHaveLength(inputs * outputs);
      for (let output = 0; output < outputs; output++) {
        const column = bytes.filter((_, i) => i % outputs === output);
        expect(Math.max(...column.map(Math.abs))).toBe(63);
      }
      bytes.forEach((byte, i) => {
        const scale = scales[i % outputs]!;
        expect(Math.abs(byte * scale - exact[i]!)).toBeLessThanOrEqual(scale * 0.5001);
      });
    }
  });

  it("keeps token vectors in 8 bits, with a scale each", () => {
    const exact = weights.tensor("embeddings.word_embeddings.weight", [vocabulary, hidden]);
    const scales = valuesOf(int8, "token_scales");
    const bytes = valuesOf(int8, "token_table");
    expect(Math.max(...bytes.map(Math.abs))).toBe(127);
    bytes.forEach((byte, i) => {
      const scale = scales[Math.floor(i / hidden)]!;
      expect(Math.abs(byte * scale - exact[i]!)).toBeLessThanOrEqual(scale * 0.5001);
    });
  });

  it("refuses the weights of another model", () => {
    expect(() => buildNetwork(weights, { ...tinyShape, hidden: 8 })).toThrow("tensor embeddings.");
    expect(() => buildNetwork(weights, { ...tinyShape, layers: 3 })).toThrow("no tensor encoder.layer.2");
  });

  it("is byte for byte what it was: with another network, the embedder needs another id and checksum", () => {
    const sha256 = createHash("sha256").update(buildNetwork(weights, tinyShape)).digest("hex");
    expect(sha256).toBe("b2e6a16c5f337830cbb90c572f1522baca01c7be34be444dbdad98ca90f01722");
  });
});
