import { createHash } from "node:crypto";
import { resolve } from "node:path";
import type { ContextKind } from "../../project/config/settings/session-settings.ts";
import type { ContextRequest, ContextResponse } from "../../protocol/operations/context.ts";
import type { ContextEvent } from "../../protocol/values.ts";
import { relativizer } from "../../sessions/relative-paths.ts";
import { refsInjected, saveInjection } from "../../store/memory/injections.ts";
import { toTellAfterCompaction, toTellAtStart } from "./at-start.ts";
import { toTellForEdit } from "./for-edit.ts";
import { injectionsForFailure } from "./for-failure.ts";
import { injectionForPrompt } from "./for-prompt.ts";
import { toTellOfRevert } from "./for-revert.ts";
import { frameQuotes, type Injection } from "./quote.ts";
import { minRelevance } from "./relevance.ts";
import type { ContextSource } from "./source.ts";

/**
 * The automatic context for an agent at one moment of its session: usually nothing. What is injected is recorded, and
 * not injected into the same session again.
 * @throws PommelError what a search throws
 */
export async function answerContext(
  source: ContextSource,
  request: ContextRequest,
): Promise<ContextResponse> {
  const start = performance.now();
  const { memory, config } = source;
  const { session_id: sessionUid, within_ms: within = Number.POSITIVE_INFINITY, preview = false } = request;
  const took = () => Math.round((performance.now() - start) * 10) / 10;
  const silent = (reason: string): ContextResponse => ({
    text: null,
    reason,
    tokens: 0,
    took_ms: took(),
    items: [],
  });
  if (within <= 0) return silent("it timed out");
  // What an agent was told before its compaction, it was told in vain.
  const injected = isCompaction(request) ? new Set<string>() : refsInjected(memory, sessionUid);
  const files = filesOf(source, request).filter((file) => !injected.has(fileRef(file)));
  const found = await itemsFor(source, request, files);
  if (typeof found === "string") return silent(found);
  const fresh = found.filter(({ ref }) => !injected.has(ref));
  const answer = frameQuotes(fresh, config["context.max_tokens"]);
  if (answer === null) {
    return silent(found.length === 0 ? "no relevant memory" : "the session already has it");
  }
  if (took() > within) return silent("it timed out");
  const { text, tokens } = answer;
  const reason = [...new Set(answer.included.map(({ why }) => why))].join("; ");
  const response = { text, reason, tokens, took_ms: took(), items: answer.included };
  if (!preview) {
    saveInjection(memory, {
      sessionUid,
      event: request.event,
      at: source.now,
      reason,
      tokens,
      tookMs: response.took_ms,
      textHash: createHash("sha256").update(text).digest("hex").slice(0, 16),
      items: [
        ...answer.included.map(({ ref, why, score }) => ({ ref, why, score })),
        ...files.map((file) => ({ ref: fileRef(file), why: "edited", score: null })),
      ],
    });
  }
  return response;
}

/**
 * @param files edited files whose context was not injected into the session yet
 * @returns why there is no search, or the candidates, best first
 */
async function itemsFor(
  source: ContextSource,
  request: ContextRequest,
  files: readonly string[],
): Promise<string | Injection[]> {
  const mode = source.config["context.mode"];
  if (mode === "off") return "context.mode is off";
  const { event, session_id: sessionUid } = request;
  const asked = isCompaction(request) ? (["compaction"] as const) : kindsOf[event];
  const kinds = asked.filter((kind) => source.config["context.kinds"].includes(kind));
  if (kinds.length === 0) return `context.kinds has no ${asked.join(" and no ")}`;
  if (event === "session-start") {
    if (!isCompaction(request)) return toTellAtStart(source, sessionUid);
    return toTellAfterCompaction(source, sessionUid, (await source.summary?.()) ?? null);
  }
  if (event === "user-prompt") {
    const { prompt = "" } = request;
    const said = await injectionForPrompt(source, { sessionUid, prompt, least: minRelevance[mode] });
    return [...said, ...(await source.namedCode(prompt))];
  }
  if (event === "tool-failure") {
    return injectionsForFailure(source, { sessionUid, error: request.error ?? "" });
  }
  const edited = filesOf(source, request);
  if (edited.length === 0) return "no file given";
  const { removed = "", added = "" } = request;
  const [file = ""] = edited;
  const reverted =
    kinds.includes("revert") && edited.length === 1
      ? await toTellOfRevert(source, sessionUid, file, { removed, added })
      : [];
  const all = kinds.includes("edit") ? files.flatMap((one) => toTellForEdit(source, sessionUid, one)) : [];
  // An item about several of them is injected once.
  const items = [...new Map([...reverted, ...all].map((one) => [one.ref, one])).values()];
  return items.length === 0 && files.length === 0 ? "the session already got context for this file" : items;
}

const isCompaction = ({ event, source }: ContextRequest) => event === "session-start" && source === "compact";

const kindsOf: Readonly<Record<ContextEvent, readonly ContextKind[]>> = {
  "session-start": ["start"],
  "user-prompt": ["prompt"],
  "tool-failure": ["failure"],
  "post-tool-use": ["revert", "edit"],
};

/** Paths as stored, from any worktree. An agent may work anywhere, which does not make its session foreign. */
function filesOf(
  { root, worktrees }: ContextSource,
  { event, file, files = [], cwd = root }: ContextRequest,
): string[] {
  if (event !== "post-tool-use") return [];
  const named = file === undefined ? files : [file, ...files];
  const stored = relativizer({ root, worktrees, cwd: root });
  return [...new Set(named.map((one) => stored(resolve(cwd, one))))];
}

const fileRef = (file: string) => `file:${file}`;
