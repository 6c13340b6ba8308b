import { useState } from "preact/hooks";
import { FilterChips } from "../../../page/components/chips.tsx";
import { linkTo, route } from "../../../page/router.ts";
import type { SessionSummary } from "../../sessions/operation.ts";
import { Bars } from "./charts.tsx";
import { Figure } from "./figure.tsx";
import { type Group, linkToWeek, type Price, priceKinds, sumCostBy } from "./figures.ts";

const stored = "pommel.prices";

/** In dollars for a million tokens, by model. */
type Prices = Readonly<Record<string, Price>>;

const groups = [
  ["model", "By model"],
  ["week", "By week"],
  ["branch", "By branch"],
] as const satisfies readonly (readonly [Group, string])[];

/** Rows that are drawn; the table has them all. */
const maxRows = 12;

/** Tokens of sessions, and what they cost by prices that the reader enters. */
export function Cost({ of: sessions }: { of: readonly SessionSummary[] }) {
  const [prices, setPrices] = useState<Prices>(
    () => JSON.parse(localStorage.getItem(stored) ?? "{}") as Prices,
  );
  const group = groups.find(([name]) => name === route.value.query.get("by"))?.[0] ?? "model";
  const rows = sumCostBy(sessions, group, prices);
  if (rows.length === 0) return null;
  const models = [...new Set(sessions.flatMap((session) => session.models))].sort();
  const isPriced = rows.some(({ dollars }) => dollars > 0);
  const total = rows.reduce((sum, { dollars }) => sum + dollars, 0);
  const change = (model: string, kind: keyof Price, value: string) => {
    const price = { ...noPrice, ...prices[model], [kind]: Math.max(0, Number(value) || 0) };
    const changed = { ...prices, [model]: price };
    localStorage.setItem(stored, JSON.stringify(changed));
    setPrices(changed);
  };
  return (
    <Figure
      title="What do sessions cost?"
      says={
        isPriced
          ? `${formatDollars(total)} by the prices below. A session with several models is priced by the first.`
          : "Tokens that models read and wrote. Enter prices below to see money."
      }
      table={[
        [
          groups.find(([name]) => name === group)![1].slice(3),
          "Sessions",
          "Read",
          "From cache",
          "Written",
          "$",
        ],
        ...rows.map(({ name, sessions: count, input, cached, output, dollars: sum }) => [
          name,
          count,
          input,
          cached,
          output,
          Math.round(sum * 100) / 100,
        ]),
      ]}
    >
      <FilterChips filters={[{ name: "by", label: "By model", values: groups.slice(1) }]} />
      <Bars
        label="Cost of sessions"
        parts={[{ name: isPriced ? "dollars" : "tokens", colour: "var(--agent)" }]}
        points={rows.slice(0, maxRows).map((row) => ({
          name: row.name,
          href: group === "week" ? linkToWeek(row.name) : linkTo("/sessions", { [group]: row.name }),
          values: [isPriced ? row.dollars : row.input + row.cached + row.output],
        }))}
      />
      <details>
        <summary class="faint">Prices, in dollars for a million tokens</summary>
        <div class="numbers">
          <table>
            <thead>
              <tr>
                <th scope="col">Model</th>
                {priceKinds.map(([kind, label]) => (
                  <th key={kind} scope="col">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {models.map((model) => (
                <tr key={model}>
                  <td>{model}</td>
                  {priceKinds.map(([kind, label]) => (
                    <td key={kind}>
                      <input
                        class="price"
                        type="number"
                        min="0"
                        step="0.01"
                        aria-label={`${label}, ${model}`}
                        value={prices[model]?.[kind] ?? ""}
                        onChange={(event) => change(model, kind, event.currentTarget.value)}
                      />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </Figure>
  );
}

const noPrice: Price = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

const formatDollars = (sum: number) => sum.toLocaleString("en", { style: "currency", currency: "USD" });
