import { describe, expect, it } from "vitest";
import { readMessage, readModel } from "../../../../test/support/read-onnx.ts";
import { OnnxGraph } from "./onnx.ts";
import { MessageWriter } from "./protobuf.ts";

describe("MessageWriter", () => {
  it("writes the examples of the format's documentation", () => {
    expect(Buffer.from(new MessageWriter().integer(1, 150).finish()).toString("hex")).toBe("089601");
    expect(Buffer.from(new MessageWriter().string(2, "testing").finish()).toString("hex")).toBe(
      "120774657374696e67",
    );
    const inner = new MessageWriter().integer(1, 150);
    expect(Buffer.from(new MessageWriter().message(3, inner).finish()).toString("hex")).toBe("1a03089601");
  });

  it("writes whole numbers of every length, negative ones as 64 bits", () => {
    const numbers = [0, 1, 127, 128, 16383, 16384, 2 ** 32, Number.MAX_SAFE_INTEGER, -1, -2147483648];
    const writer = new MessageWriter();
    for (const number of numbers) writer.integer(7, number);
    expect(readMessage(Buffer.from(writer.finish())).get(7)).toEqual(numbers.map(BigInt));
    expect(new MessageWriter().integer(1, -1).finish()).toHaveLength(11);
  });

  it("writes fields above 15 with two bytes, floats with four, nested messages whole", () => {
    const inner = new MessageWriter().string(1, "é").bytes(2, new Uint8Array(300).fill(7));
    const bytes = Buffer.from(new MessageWriter().float(20, 0.5).message(300, inner).finish());
    const outer = readMessage(bytes);
    expect((outer.get(20)![0] as Buffer).readFloatLE(0)).toBe(0.5);
    const read = readMessage(outer.get(300)![0] as Buffer);
    expect(String(read.get(1)![0])).toBe("é");
    expect(read.get(2)![0]).toEqual(Buffer.alloc(300, 7));
  });
});

describe("OnnxGraph", () => {
  it("comes out again as it was put in", () => {
    const graph = new OnnxGraph("test");
    graph.input("ids", "int32", ["tokens", 3]);
    graph.floats("f", [2, 1], [0.5, -2]);
    graph.int8s("b", [3], Int8Array.of(-128, 0, 127));
    graph.integers("shape", [0, -1]);
    expect(graph.node("sum", "Add", ["ids", "f"])).toBe("sum");
    graph.nodeOf(["left", "right"], "Split", ["sum"], { axis: -1, perm: [1, 0], epsilon: { float: 0.25 } });
    graph.output("left", "float", [384]);
    expect(readModel(graph.model())).toEqual({
      irVersion: 9,
      opsets: { "": 20 },
      nodes: [
        { operator: "Add", name: "sum", inputs: ["ids", "f"], outputs: ["sum"], attributes: {} },
        {
          operator: "Split",
          name: "left",
          inputs: ["sum"],
          outputs: ["left", "right"],
          attributes: { axis: -1, perm: [1, 0], epsilon: 0.25 },
        },
      ],
      tensors: new Map([
        ["f", { shape: [2, 1], values: [0.5, -2] }],
        ["b", { shape: [3], values: [-128, 0, 127] }],
        ["shape", { shape: [2], values: [0, -1] }],
      ]),
      inputs: { ids: "int32[tokens,3]" },
      outputs: { left: "float[384]" },
    });
  });
});
