import { type CodeEmbedders, modelsOf } from "../code/index/code-embedders.ts";
import type { Embedder } from "../models/embed/embedder.ts";
import { nullEmbedder } from "../models/embed/null/null-embedder.ts";
import { messageOf } from "../project/errors.ts";

interface ModelsAtHand {
  /** Without those that cannot be used. */
  embedders: CodeEmbedders;
  /** The ids of the others, joined by " + "; null when there are none. */
  names: string | null;
  /** What is missing and why, for a person. */
  notes: string[];
}

/** Leaves out models that cannot be used, so that the rest is measured. */
export async function modelsAtHand({ first, second, deadlineMs }: CodeEmbedders): Promise<ModelsAtHand> {
  const notes: string[] = [];
  const isUsable = async (model: Embedder) => {
    try {
      await model.prepare();
      return true;
    } catch (error) {
      notes.push(`${model.id} was left out: ${messageOf(error)}`);
      return false;
    }
  };
  const embedders = {
    first: (await isUsable(first)) ? first : nullEmbedder,
    second: second !== null && (await isUsable(second)) ? second : null,
    deadlineMs,
  };
  const names = modelsOf(embedders).map(({ id }) => id);
  if (names.length === 0) notes.push("Without vectors only the lexical mode was measured.");
  return { embedders, names: names.join(" + ") || null, notes };
}
