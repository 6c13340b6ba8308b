import type { Embedder } from "../models/embed/embedder.ts";
import { type Embedders, modelsOf } from "../models/embed/embedders.ts";
import { messageOf } from "../project/errors.ts";

interface ModelsAtHand {
  /** Without those that cannot be used. */
  embedders: Embedders;
  /** The ids of the others, joined by " + "; null when there are none. */
  names: string | null;
  /** What is missing and why, for a person. */
  notes: string[];
}

/** Leaves out models that cannot be used, so that the rest is measured. */
export async function modelsAtHand({ first, second, deadlineMs }: Embedders): Promise<ModelsAtHand> {
  const notes: string[] = [];
  const ifUsable = async (model: Embedder | null) => {
    try {
      await model?.prepare();
      return model;
    } catch (error) {
      notes.push(`${model?.id} was left out: ${messageOf(error)}`);
      return null;
    }
  };
  const embedders = { first: await ifUsable(first), second: await ifUsable(second), deadlineMs };
  const names = modelsOf(embedders).map(({ id }) => id);
  if (names.length === 0) notes.push("Without vectors only the lexical mode was measured.");
  return { embedders, names: names.join(" + ") || null, notes };
}
