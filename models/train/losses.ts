import { OnnxGraph } from "../../src/models/embed/minilm/onnx.ts";
import type { Runtime, Session } from "./runtime.ts";

/**
 * Adds to `gradient` that of `weight` times the mean of 1 - cosine between rows and targets (unit vectors).
 * @returns the mean cosine
 */
export function pullTowards(
  vectors: Float32Array,
  targets: Float32Array,
  rows: number,
  weight: number,
  gradient: Float32Array,
): number {
  let sum = 0;
  for (let i = 0; i < vectors.length; i++) {
    sum += vectors[i]! * targets[i]!;
    gradient[i]! -= (weight / rows) * targets[i]!;
  }
  return sum / rows;
}

/**
 * Symmetric InfoNCE (van den Oord 2018; the form of CLIP): question b belongs to passage b, all other passages of
 * the batch do not, and the other way round. Its gradients are written out as one graph for the ONNX runtime, whose
 * matrix products are a hundred times as fast as loops.
 */
export class Contrast {
  private constructor(
    private readonly runtime: Runtime,
    private readonly session: Session,
    private readonly shape: [number, number],
  ) {}

  static async create(runtime: Runtime, rows: number, dimensions: number, temperature: number) {
    const graph = new OnnxGraph("contrast");
    const shape: [number, number] = [rows, dimensions];
    const questions = graph.input("questions", "float", shape);
    const passages = graph.input("passages", "float", shape);
    const identity = Float32Array.from({ length: rows * rows }, (_, i) => (i % (rows + 1) === 0 ? 2 : 0));
    graph.floats("twice_identity", [rows, rows], identity);
    graph.floats("sharpness", [1], [1 / temperature]);
    graph.floats("share", [1], [1 / (2 * rows * temperature)]);
    const turned = graph.node("turned", "Transpose", [passages], { perm: [1, 0] });
    const cosines = graph.node("cosines", "MatMul", [questions, turned]);
    const logits = graph.node("logits", "Mul", [cosines, "sharpness"]);
    const along = graph.node("along", "Softmax", [logits], { axis: 1 });
    const across = graph.node("across", "Softmax", [logits], { axis: 0 });
    const both = graph.node("both", "Add", [along, across]);
    const less = graph.node("less", "Sub", [both, "twice_identity"]);
    const byLogits = graph.node("by_logits", "Mul", [less, "share"]);
    graph.node("by_questions", "MatMul", [byLogits, passages]);
    const turnedBack = graph.node("turned_back", "Transpose", [byLogits], { perm: [1, 0] });
    graph.node("by_passages", "MatMul", [turnedBack, questions]);
    graph.output("along", "float", [rows, rows]);
    graph.output("by_questions", "float", shape);
    graph.output("by_passages", "float", shape);
    return new Contrast(runtime, await runtime.InferenceSession.create(graph.model()), shape);
  }

  /** The gradients of a batch, and its loss by the questions. Unit vectors, row-major. */
  async gradients(questions: Float32Array, passages: Float32Array) {
    const tensor = (values: Float32Array) => new this.runtime.Tensor("float32", values, this.shape);
    const out = await this.session.run({ questions: tensor(questions), passages: tensor(passages) });
    const data = (name: string) => out[name]!.data as Float32Array;
    const [rows] = this.shape;
    const along = data("along");
    let loss = 0;
    for (let i = 0; i < rows; i++) loss -= Math.log(along[i * (rows + 1)]! + 1e-12) / rows;
    return { loss, questions: data("by_questions"), passages: data("by_passages") };
  }
}
