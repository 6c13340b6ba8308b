import type { Embedder } from "../../models/embed/embedder.ts";
import { Asker } from "./asker.ts";
import { type Nearness, PassageIndex, type PassageSource } from "./passage-index.ts";

/** A question as the models understand it, in the order of the models; null for one that could not. */
export interface EmbeddedQuestion {
  vectors: (Int8Array | null)[];
  notes: string[];
}

/** Search by meaning over what was said: asks each model, and its passages. */
export class PassageSearch {
  private readonly models: { asker: Asker; passages: PassageIndex }[];

  /**
   * @param first embeds every chunk when it is made
   * @param second embeds them in the background; null when there is none
   * @param deadlineMs how long a search waits for the second
   */
  constructor(source: PassageSource, first: Embedder, second: Embedder | null = null, deadlineMs = 400) {
    const waits: [Embedder | null, number][] = [
      [first, Number.POSITIVE_INFINITY],
      [second, deadlineMs],
    ];
    this.models = waits.flatMap(([embedder, wait]) =>
      embedder ? [{ asker: new Asker(embedder, wait), passages: new PassageIndex(source, embedder.id) }] : [],
    );
  }

  /** Never fails and never waits long: what a model cannot do in time is left out, and said. */
  async embed(question: string): Promise<EmbeddedQuestion> {
    const told = await Promise.all(
      this.models.map(({ asker, passages }, i) =>
        i === 0 || passages.size() > 0 ? asker.ask(question) : { vector: null, problem: null },
      ),
    );
    return {
      vectors: told.map(({ vector }) => vector),
      notes: told.flatMap(({ problem }) => problem ?? []),
    };
  }

  /** How near all chunks are to a question, by each model that understood it. */
  nearness({ vectors }: EmbeddedQuestion): (Nearness & { model: string })[] {
    return this.models.flatMap(({ asker, passages }, i) => {
      const vector = vectors[i];
      const nearness = vector ? passages.nearness(vector) : null;
      return nearness ? [{ ...nearness, model: asker.model }] : [];
    });
  }

  async release(): Promise<void> {
    for (const { passages } of this.models) passages.release();
    await Promise.all(this.models.map(({ asker }) => asker.close()));
  }
}
