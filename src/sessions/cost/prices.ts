import { addTo } from "../../base/multimap.ts";
import type { UsageSum } from "../../store/memory/sessions/usage.ts";
import published from "./prices.json" with { type: "json" };

/** In dollars for a million tokens. */
interface Rates {
  input: number;
  output: number;
  cacheRead: number;
  /** Missing: as input. */
  cacheWrite?: number;
  /** Of what is kept for an hour. Missing: as cacheWrite. */
  cacheWriteHour?: number;
}

export interface Price extends Rates {
  /** The vendor whose list has it; null: it is the person's own. */
  vendor: string | null;
  /** Of messages whose prompt has more tokens than `above`. */
  long?: Rates & { above: number };
}

interface PriceRow extends Omit<Price, "vendor"> {
  model: string;
  /** The first day on which it is no longer the price, in UTC. The last row of a model has none. */
  until?: string;
}

/** Prices by vendor. */
export const priceLists: readonly {
  vendor: string;
  source: string;
  /** The day on which the source had them: "2026-10-24". */
  asOf: string;
  models: readonly PriceRow[];
}[] = published;

/** As clients write them: "anthropic/claude-opus-4.5", "us.anthropic.claude-opus-4-5-20251101-v1:0", "claude-opus-4-5[1m]". */
const modelForm =
  /^(?:.*\/|(?:[a-z]+\.)?[a-z]+\.(?=claude))?(.*?)(?:-preview|-latest)?(?:[-@]\d{8}|-\d{4}-\d{2}-\d{2})?(?:-v\d+(?::\d+)?)?(?:\[1m\])?$/;

const toModelKey = (model: string): string =>
  modelForm.exec(model.trim().toLowerCase())![1]!.replaceAll(".", "-");

/**
 * Finds the price of a model at a time (milliseconds since the epoch); null: nobody says it.
 * @param own rows of the setting `cost.prices`, which come before what vendors publish
 */
export function makePriceFinder(own: readonly string[]): (model: string, at: number) => Price | null {
  const rows = new Map<string, (PriceRow & Price)[]>();
  for (const { vendor, models } of priceLists)
    for (const row of models) addTo(rows, toModelKey(row.model), { ...row, vendor });
  for (const text of own) {
    const [model = "", ...rates] = text.trim().split(/\s+/);
    const [input = 0, output = 0, cacheRead = 0, cacheWrite = 0] = rates.map(Number);
    rows.set(toModelKey(model), [{ model, vendor: null, input, output, cacheRead, cacheWrite }]);
  }
  return (model, at) => {
    const day = new Date(at).toISOString().slice(0, 10);
    return rows.get(toModelKey(model))?.find(({ until }) => until === undefined || day < until) ?? null;
  };
}

export interface Tokens {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** Of cacheWrite. */
  cacheWriteHour: number;
}

/** What tokens cost, in dollars. @param isLong they are of messages with prompts longer than `price.long.above` */
export function priceTokens(price: Price, tokens: Tokens, isLong: boolean): number {
  const {
    input,
    output,
    cacheRead,
    cacheWrite = input,
    cacheWriteHour = cacheWrite,
  } = isLong ? (price.long ?? price) : price;
  return (
    (tokens.input * input +
      tokens.output * output +
      tokens.cacheRead * cacheRead +
      (tokens.cacheWrite - tokens.cacheWriteHour) * cacheWrite +
      tokens.cacheWriteHour * cacheWriteHour) /
    1e6
  );
}

/** Of fewer messages any may be brief. */
const fewMessages = 8;

/**
 * Whether what messages wrote was recorded: some clients note it when a message begins, as a few tokens, and never again.
 * A quarter of brief messages is more than agents write.
 */
export const isOutputRecorded = ({ messages, brief }: { messages: number; brief: number }): boolean =>
  messages < fewMessages || brief * 4 <= messages;

/** What messages cost, of all models together. */
export function sumTokens(usage: readonly UsageSum[]): {
  input: number;
  /** null: the client did not record it. */
  output: number | null;
  cache_read: number;
  cache_write: number;
} {
  const sum = (of: (part: UsageSum) => number) => usage.reduce((total, part) => total + of(part), 0);
  return {
    input: sum(({ input }) => input),
    output: isOutputRecorded({
      messages: sum(({ messages }) => messages),
      brief: sum(({ brief }) => brief),
    })
      ? sum(({ output }) => output)
      : null,
    cache_read: sum(({ cacheRead }) => cacheRead),
    cache_write: sum(({ cacheWrite }) => cacheWrite),
  };
}
