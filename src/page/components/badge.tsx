import type { ComponentChildren } from "preact";
import { wordLinesByAuthor } from "../../protocol/reading/authors.ts";
import { blameAuthors } from "../../protocol/values.ts";

/** Colours by meaning: styles/components.css. */
export type Tone = "agent" | "human" | "unknown" | "good" | "warning" | "bad" | "plain";

export function Badge({
  tone = "plain",
  title,
  children,
}: {
  tone?: Tone;
  title?: string | undefined;
  children: ComponentChildren;
}) {
  return (
    <span class={`badge ${tone}`} title={title}>
      {children}
    </span>
  );
}

const freshnessNames = { drifted: "changed since", orphaned: "files gone" } as const;

/** A turn whose session was continued from an earlier turn. */
export const AbandonedBadge = () => (
  <Badge tone="warning" title="Somebody went back to an earlier turn, and continued the session from there">
    abandoned
  </Badge>
);

/** Fresh is the rule, and not worth a word. */
export function Freshness({ of }: { of: "fresh" | "drifted" | "orphaned" | null }) {
  if (of === null || of === "fresh") return null;
  return <Badge tone={of === "drifted" ? "warning" : "bad"}>{freshnessNames[of]}</Badge>;
}

/** Numbers of lines by who wrote them. */
export interface CountedLines {
  agent: number;
  human: number;
  unknown: number;
  before_agents?: number;
}

export const authorNames = {
  agent: "agents",
  human: "people",
  unknown: "unknown",
  before_agents: "before agents",
} as const;

/** The kinds of authors that wrote any. */
const listAuthorCounts = (lines: CountedLines) =>
  blameAuthors.flatMap((author) => {
    const count = lines[author] ?? 0;
    return count > 0 ? [{ author, name: authorNames[author], count }] : [];
  });

/** Lines by who wrote them, as a bar. */
export function LinesBar({ lines }: { lines: CountedLines }) {
  const parts = listAuthorCounts(lines);
  if (parts.length === 0) return null;
  const label = wordLinesByAuthor(lines);
  return (
    <span class="lines-bar" role="img" aria-label={label} title={label}>
      {parts.map(({ author, count }) => (
        <span key={author} class={author} style={{ flexGrow: count }} />
      ))}
    </span>
  );
}
