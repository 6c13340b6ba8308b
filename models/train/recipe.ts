/** Every number the model depends on, chosen on the held-out repositories; the model card says what else was tried. */
export const recipe = {
  /** Tokens; with `dimensions` it decides the size of the model: tokens × (dimensions + 4) bytes. */
  vocabulary: 37_000,
  dimensions: 256,
  /** WordNet glosses that words are counted in. */
  glosses: 40_000,
  /** Questions, and as many passages, to learn from the teacher; and glosses. */
  lessons: 14_000,
  lessonGlosses: 8_000,
  /** Characters of a passage that the teacher reads. */
  lessonLength: 500,
  /** Share of all tokens at which a token counts half. */
  damping: 1e-3,
  distil: { steps: 600, batch: 512, rate: 0.003 },
  contrast: {
    epochs: 2,
    batch: 512,
    rate: 0.005,
    temperature: 0.05,
    sameGroup: 0.5,
    groupSize: 64,
    teacher: 3,
  },
};
