import {
  type Document,
  faint,
  indentedLine,
  line,
  makeDocument,
  type Paragraph,
  quoted,
  strong,
} from "../../answers/document.ts";
import { formatCount } from "../../base/text/counted.ts";
import { formatDuration } from "../../base/text/duration.ts";
import { shortenSessionId } from "../../protocol/reading/short-id.ts";
import { contextUses } from "../../protocol/values.ts";
import type { ContextResponse, Injected, InjectedUse } from "./operation.ts";

const useNames = { used: "used", not_used: "not used", unknown: "use unknown" } as const;

/** What agents were given by themselves, and whether they used it. */
export function wordInjected(injected: readonly Injected[], mode: string): Document {
  if (injected.length === 0) {
    const none =
      mode === "off"
        ? "Automatic context is off (context.mode)."
        : "No automatic context yet. Most prompts get none; `pm session context --start` shows what a new session gets.";
    return [[line(none)]];
  }
  return [...injected.map(wordOne), ...makeDocument(wordUses(injected))];
}

const wordOne = ({ session_id, event, at, reason, tokens, took_ms, items }: Injected): Paragraph => [
  line({ at, form: "time" }, strong(`  ${event}  `), {
    text: `session ${shortenSessionId(session_id)}`,
    session: { id: session_id, turn: null },
  }),
  indentedLine(2, 4, quoted(reason, 160), faint(` | ${wordEffort(tokens, took_ms)}`)),
  ...items.flatMap(({ ref, why, score, about, use }) => [
    indentedLine(2, 4, about === null ? faint("(forgotten since)") : quoted(about, 100)),
    indentedLine(4, 6, faint(`${why}${score === null ? "" : `, ${score.toFixed(2)}`}  ${ref}`)),
    ...(use === null ? [] : [wordUse(use)]),
  ]),
];

const wordEffort = (tokens: number, ms: number): string =>
  `about ${formatCount(tokens, "token")}, ${formatDuration(ms)}`;

function wordUse({ outcome, reason, turn }: InjectedUse) {
  const text = `${useNames[outcome]}: ${reason}${turn === null ? "" : `, turn ${turn}`}`;
  return indentedLine(4, 6, { text, role: outcome === "used" ? "good" : "faint" });
}

/** How many of the items were used. */
function wordUses(injected: readonly Injected[]): Paragraph {
  const uses = injected.flatMap(({ items }) => items.flatMap(({ use }) => use?.outcome ?? []));
  if (uses.length === 0) return [];
  const counts = contextUses.map(
    (outcome) => `${uses.filter((one) => one === outcome).length} ${useNames[outcome]}`,
  );
  return [line(`Of ${formatCount(uses.length, "item")}: ${counts.join(", ")}.`)];
}

/** Answers that came too late for the agent, which then went on without them. */
export function wordMissed(missed: readonly { at: string; took_ms: number }[], deadlineMs: number): Document {
  const last = missed.at(-1);
  if (last === undefined) return [];
  return [
    [
      line(
        `${formatCount(missed.length, "answer")} came too late in the last 30 days, the last one at `,
        { at: last.at, form: "time" },
        ` (timed out after ${last.took_ms} ms of ${deadlineMs} ms).`,
      ),
      indentedLine(
        2,
        4,
        faint(`If this keeps happening: \`pm config set context.deadline_ms ${2 * deadlineMs}\``),
      ),
    ],
  ];
}

/** What a prompt or a new session would be given. */
export function wordPreview({ text, reason, tokens, took_ms }: ContextResponse): Document {
  if (text === null) return [[line(`Nothing would be injected: ${reason}.`)]];
  return [
    [
      { is: "lines", lines: text.trimEnd().split("\n") },
      line(quoted(reason, 160), faint(` | ${wordEffort(tokens, took_ms)}`)),
    ],
  ];
}
