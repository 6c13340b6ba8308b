import type { ComponentChildren } from "preact";

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

const freshnessTitles = {
  drifted: "The files changed since",
  orphaned: "The files are gone",
} as const;

/** Fresh is the rule, and not worth a word. */
export function Freshness({ of }: { of: "fresh" | "drifted" | "orphaned" | null }) {
  if (of === null || of === "fresh") return null;
  return (
    <Badge tone={of === "drifted" ? "warning" : "bad"} title={freshnessTitles[of]}>
      {of}
    </Badge>
  );
}

const confidenceTones = { high: "good", medium: "plain", low: "unknown" } as const;

/** How likely a result answers the query. */
export function Confidence({ of, probability }: { of: "high" | "medium" | "low"; probability: number }) {
  return (
    <Badge
      tone={confidenceTones[of]}
      title={`Answers the query with a probability of ${Math.round(probability * 100)} %`}
    >
      {of}
    </Badge>
  );
}

/** Shares of agents, people and unknown authors, as a bar. */
export function LinesBar({ lines }: { lines: { agent: number; human: number; unknown: number } }) {
  const parts = (["agent", "human", "unknown"] as const).filter((one) => lines[one] > 0);
  if (parts.length === 0) return null;
  const label = `Lines added: ${parts.map((one) => `${lines[one].toLocaleString()} ${one}`).join(", ")}`;
  return (
    <span class="lines-bar" role="img" aria-label={label} title={label}>
      {parts.map((one) => (
        <span key={one} class={one} style={{ flexGrow: lines[one] }} />
      ))}
    </span>
  );
}
