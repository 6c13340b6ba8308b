import { loadConfig } from "../../base/config/config.ts";
import { exitCode, PommelError } from "../../base/errors.ts";
import { findProjectIfAny } from "../../git/projects/find-project.ts";
import type { Embedder, EmbedderSettings } from "../../models/embed/embedder.ts";
import { computeCosine } from "../../models/embed/quantise.ts";
import { readEmbedderSpec, toEmbedderSettings } from "../../models/embed/registry.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { renderDocument } from "../../terminal/render-document.ts";
import { type TestedEmbedder, wordTested } from "./words.ts";

const question = "where are failed requests tried again";
const answer = "/** Sends the request; when it fails, waits a little longer each time and retries. */";
const unrelated = "A cake of three eggs, sugar and flour, half an hour in the oven.";

/**
 * `pm models test [embedder]`
 * @returns 1 when an embedder cannot be used or its vectors make no sense
 */
export async function modelsTestCommand(
  { cwd, output }: CommandContext,
  embedder: string | undefined,
): Promise<number> {
  const { config } = loadConfig(await findProjectIfAny(cwd));
  const wanted = embedder === undefined ? [config["embed.code"], config["embed.text"]] : [embedder];
  const specs = new Set(wanted.map((spec) => readEmbedderSpec(spec).spec));
  const embedders: TestedEmbedder[] = [];
  for (const spec of specs) {
    const tested = await testEmbedder(spec, toEmbedderSettings(config));
    embedders.push(tested);
    output.print(renderDocument(wordTested(tested), { screen: output }));
  }
  if (output.json) output.result({ embedders }, "");
  return embedders.every(({ ok }) => ok) ? exitCode.ok : exitCode.failed;
}

async function testEmbedder(spec: string, settings: EmbedderSettings): Promise<TestedEmbedder> {
  const { driver, model } = readEmbedderSpec(spec);
  const untested = {
    embedder: spec,
    ok: false,
    message: "",
    hint: "",
    dimensions: null,
    prepare_ms: null,
    embed_ms: null,
    similarity: null,
    usage: null,
  };
  const embedder = driver.create(model, settings);
  try {
    return { ...untested, ...(await measure(embedder)) };
  } catch (error) {
    if (!(error instanceof PommelError)) throw error;
    return { ...untested, message: error.message, hint: error.hint };
  } finally {
    await embedder.close();
  }
}

async function measure(embedder: Embedder): Promise<Partial<TestedEmbedder>> {
  const start = performance.now();
  await embedder.prepare();
  const prepared = performance.now();
  const [asked] = await embedder.embed([question], "query");
  const [related, other] = await embedder.embed([answer, unrelated], "passage");
  const done = performance.now();
  const measured = {
    dimensions: embedder.dimensions,
    prepare_ms: Math.round(prepared - start),
    embed_ms: Math.round((done - prepared) * 10) / 10,
    usage: embedder.usage?.() ?? null,
  };
  if (embedder.dimensions === 0) return { ...measured, ok: true };
  if (!asked || !related || !other) {
    const message = "It returns no vector for a plain English sentence.";
    return { ...measured, message, hint: "Choose another model; `pm models` lists what there is." };
  }
  const similarity = {
    related: round(computeCosine(asked, related)),
    unrelated: round(computeCosine(asked, other)),
  };
  if (similarity.related > similarity.unrelated) return { ...measured, similarity, ok: true };
  return {
    ...measured,
    similarity,
    message: "It ranks an unrelated text above the code that answers the question.",
    hint: "Check that it is a model for embeddings.",
  };
}

function round(cosine: number): number {
  return Math.round(cosine * 1000) / 1000;
}
