interface KnownModel {
  dimensions: number;
  /** List price for a million tokens, as of November 2026. */
  dollarsPerMillion: number;
}

/** The models of api.openai.com (https://developers.openai.com/api/docs/pricing). */
const knownModels: Record<string, KnownModel> = {
  "text-embedding-3-large": { dimensions: 3072, dollarsPerMillion: 0.13 },
  "text-embedding-3-small": { dimensions: 1536, dollarsPerMillion: 0.02 },
  "text-embedding-ada-002": { dimensions: 1536, dollarsPerMillion: 0.1 },
};

export function knownModel(name: string): KnownModel | null {
  return Object.hasOwn(knownModels, name) ? knownModels[name]! : null;
}

/** "text-embedding-3-large@1024": a model, and the length its vectors are to be shortened to. */
export function readModel(model: string): { name: string; length: number | null } {
  const [, name, length] = /^(.+)@([1-9]\d{0,5})$/.exec(model) ?? [];
  return name === undefined ? { name: model, length: null } : { name, length: Number(length) };
}
