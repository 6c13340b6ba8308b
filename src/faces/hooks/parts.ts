import type { AgentHooks, GivenPayload } from "../../agents/agent.ts";
import { hookParts, type SaidOfCall } from "../../features/hook-parts.ts";
import type { HookName, HookPayload } from "../../protocol/hooks.ts";
import { ownContext, readReadyPart } from "../../protocol/ready-context.ts";
import { toObject } from "./stdio.ts";
import { isStopped, recordTold } from "./told.ts";

/** What features say before a call or after an edit (features/hook-parts.ts), in the agent's format; null: nothing. */
export async function answerCall(
  place: string,
  hooks: AgentHooks,
  event: HookName,
  given: GivenPayload,
  { session_id: session, tool_name: tool = "", tool_use_id: callId, cwd = place }: HookPayload,
): Promise<object | null> {
  if (event !== "pre-tool-use" && event !== "post-tool-use") return null;
  if (session === undefined || hooks.takesContext?.includes(event) === false || isStopped()) return null;
  for (const [feature, { hook }] of Object.entries(hookParts)) {
    const ready = readReadyPart(place, feature);
    if (ready === null) continue;
    const part = await hook();
    const call = { session, tool, input: toObject(given.tool_input), cwd };
    const said =
      event === "pre-tool-use" ? part.beforeCall(ready, call) : (part.afterCall?.(ready, call) ?? null);
    if (said === null) continue;
    const items = said.items.map(({ ref, why }) => ({ ref, why, score: null }));
    const worded = wordForClient(said, hooks, event);
    const isRecorded = recordTold({
      place,
      session_id: session,
      event,
      text: worded.text,
      items,
      ...(callId !== undefined && { call_id: callId }),
      ...(said.decision !== null && { decision: said.decision }),
    });
    // If the text cannot be recorded, the agent is not told it. A decision is passed on all the same.
    if (isRecorded || said.decision !== null) return worded.answer;
  }
  return null;
}

/** Passes a prompt to the features that use it. */
export async function hearPrompt(
  place: string,
  event: HookName,
  given: GivenPayload,
  { session_id: session }: HookPayload,
): Promise<void> {
  if (event !== "user-prompt" || session === undefined || typeof given.prompt !== "string") return;
  for (const [feature, { hook }] of Object.entries(hookParts)) {
    const ready = readReadyPart(place, feature);
    if (ready !== null) (await hook()).onPrompt?.(ready, session, given.prompt);
  }
}

function wordForClient(
  { text: said, decision }: SaidOfCall,
  hooks: AgentHooks,
  event: HookName,
): { text: string; answer: object } {
  // The reason of a decision has a field of its own, which people read as well, so it has no markers around it.
  if (decision !== null && hooks.decide !== undefined)
    return { text: said, answer: hooks.decide(decision, said) };
  const text = `${ownContext.start}\n${said}\n${ownContext.end}`;
  const context = { hookEventName: hooks.events[event], additionalContext: text };
  return { text, answer: hooks.answer?.(text) ?? { hookSpecificOutput: context } };
}
