import type { CostSum } from "./operation.ts";

/** A sum of money, which is a lower bound where something has no price or was not recorded. */
export function formatCost(sum: Pick<CostSum, "dollars" | "without_output" | "unpriced_tokens">): string {
  const isLeast = sum.without_output > 0 || sum.unpriced_tokens > 0;
  if (isLeast && sum.dollars === 0) return "";
  return `${isLeast ? "≥ " : ""}${formatDollars(sum.dollars)}`;
}

const formatDollars = (sum: number): string =>
  sum > 0 && sum < 0.005 ? "< $0.01" : sum.toLocaleString("en", { style: "currency", currency: "USD" });

/** "1.2M", "340k", "12". */
export function formatTokens(count: number | null): string {
  if (count === null) return "not recorded";
  if (count < 1000) return `${count}`;
  return count < 999_500 ? `${Math.round(count / 1000)}k` : `${(count / 1e6).toFixed(1)}M`;
}
