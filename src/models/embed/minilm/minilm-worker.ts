import { readFileSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import * as z from "zod/mini";
import { quantise } from "../quantise.ts";
import { ensureModelFile } from "./model-file.ts";
import { loadModel } from "./onnx-runtime.ts";
import { WordPiece } from "./word-piece.ts";
import type { EmbedAnswer, EmbedTask, WorkerTask } from "./worker-messages.ts";

/** A thread of the embedder: makes the model file, or embeds with it. What goes wrong at the start is thrown. */

/** What the model was trained with; longer texts are cut. */
const mostTokens = 128;

/** The part of tokenizer.json that says which id a token has. */
const tokenizerFile = z.object({ model: z.object({ vocab: z.record(z.string(), z.int()) }) });

const task = workerData as WorkerTask;
if (task.kind === "make") ensureModelFile(task);
else await embedTexts(task);

async function embedTexts({ model, tokenizer, runtime }: EmbedTask): Promise<void> {
  const port = parentPort!;
  const answer = (message: EmbedAnswer): void => port.postMessage(message);
  giveWay();
  const wordPiece = readTokenizer(tokenizer);
  const run = await loadModel(runtime, model);
  // A model that does not run at all shows before any text is blamed for it.
  await run(wordPiece.encode("ready", mostTokens));

  async function embed(text: string): Promise<Int8Array | null> {
    const tokens = wordPiece.encode(text, mostTokens);
    return tokens.length === 0 ? null : quantise(await run(tokens));
  }

  // Running awaits, so a text that arrives meanwhile has to queue behind the one under way.
  let work = Promise.resolve();
  port.on("message", (text: string) => {
    work = work
      .then(() => embed(text))
      .catch(() => null)
      .then((vector) => answer({ kind: "vector", vector }));
  });
  answer({ kind: "ready" });
}

function readTokenizer(file: string): WordPiece {
  try {
    const { vocab } = tokenizerFile.parse(JSON.parse(readFileSync(file, "utf8"))).model;
    return new WordPiece(new Map(Object.entries(vocab)));
  } catch (cause) {
    throw new Error(`${file} is missing or damaged`, { cause });
  }
}

/** On Linux a thread has a priority of its own; elsewhere this would be that of the whole process. */
function giveWay(): void {
  if (process.platform === "linux") setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
}
