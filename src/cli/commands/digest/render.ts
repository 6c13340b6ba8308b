import type { DigestAnswer } from "../../../protocol/operations/stats.ts";
import { asText } from "../../../text/markdown/inert.ts";
import type { Screen } from "../../terminal/output.ts";
import { counted, exactWhen, fitted, hanging, heading, localTime, oneLine } from "../../terminal/text.ts";
import type { Item, Outline } from "./outline.ts";

/** A digest for a person at a terminal. */
export function renderDigest(answer: DigestAnswer, parts: readonly Outline[], screen: Screen): string {
  const { colors } = screen;
  const since = exactWhen(answer.since, screen);
  if (parts.length === 0) return `Nothing recorded since ${since}.`;
  const head = [
    colors.bold(`Since ${since}`),
    ...(answer.until === null ? [] : [`until ${localTime(answer.until)}`]),
  ].join(" ");
  return [
    `${head}: ${totals(answer)}`,
    ...parts.flatMap(({ title, sections }) => [
      ...(title === null ? [] : [heading(oneLine(title), colors)]),
      ...sections.map(({ title: name, items, more }) =>
        [
          colors.bold(name),
          ...items.flatMap((item) => itemLines(item, screen)),
          ...(more > 0 ? [colors.dim(`  and ${more.toLocaleString("en")} more`)] : []),
        ].join("\n"),
      ),
    ]),
  ].join("\n\n");
}

function itemLines({ id, title, facts, lines }: Item, screen: Screen): string[] {
  const { colors } = screen;
  const start = id === null ? "  " : `  ${colors.id(id)}  `;
  const about = facts.length === 0 ? "" : `  ${colors.dim(oneLine(facts.join(", ")))}`;
  const indent = id === null ? 4 : 4 + id.length;
  return [
    ...hanging(`${start}${oneLine(title)}${about}`, screen, indent),
    ...lines.map(({ mark, text }) => {
      const line = fitted(text, (screen.columns ?? 0) - indent - 2, screen);
      return `${" ".repeat(indent)}${mark === "asked" ? colors.dim(`> ${line}`) : `→ ${line}`}`;
    }),
  ];
}

/**
 * A digest to paste. What people and agents wrote stands in it as text: it can neither format anything, nor mention
 * anybody, nor link anywhere.
 */
export function digestAsMarkdown(answer: DigestAnswer, parts: readonly Outline[]): string {
  const since = localTime(answer.since);
  if (parts.length === 0) return `Nothing recorded since ${since}.`;
  const until = answer.until === null ? "" : ` until ${localTime(answer.until)}`;
  return [
    `Since ${since}${until}: ${totals(answer)}`,
    ...parts.flatMap(({ title, sections }) => [
      ...(title === null ? [] : [`## ${asText(title)}`]),
      ...sections.flatMap(({ title: name, items, more }) => [
        `${title === null ? "##" : "###"} ${name}`,
        [...items.map(itemAsMarkdown), ...(more > 0 ? [`- and ${more.toLocaleString("en")} more`] : [])].join(
          "\n",
        ),
      ]),
    ]),
  ].join("\n\n");
}

function itemAsMarkdown({ id, title, facts, lines }: Item): string {
  const about = [...(id === null ? [] : [id]), ...facts].map((fact) => asText(fact)).join(", ");
  return [
    `- ${id === null ? asText(title, 400) : `**${asText(title)}**`}${about === "" ? "" : ` (${about})`}`,
    ...lines.map(({ mark, text }) => `  - ${mark === "asked" ? `*${asText(text)}*` : asText(text, 400)}`),
  ].join("\n");
}

function totals({ parts }: DigestAnswer): string {
  const sum = (of: (part: DigestAnswer["parts"][number]) => number) =>
    parts.reduce((total, part) => total + of(part), 0);
  return `${[
    counted(
      sum(({ sessions_total }) => sessions_total),
      "session",
    ),
    counted(
      sum(({ commits_total }) => commits_total),
      "commit",
    ),
    counted(
      sum(({ decisions_total }) => decisions_total),
      "decision",
    ),
  ].join(", ")}.`;
}
