import type { Entry, Usage } from "../agent.ts";
import { bounded } from "../reading/bounded.ts";
import { withoutOwnContext } from "../reading/own-output.ts";
import { isFirstTold, type State, uidOf } from "./state.ts";

/** What there is to keep of a line; nothing without a uid. */
export interface Understood {
  uid?: string;
  entries?: Entry[];
  usage?: Usage;
  parentUid?: string | null;
  /** A call of which only its end is told: a line of its own, from when it began. */
  began?: { uid: string; entries: Entry[]; tookMs: number };
}

/** Put into the human's own message by an editor's extension, before what they wrote. */
const requestMark = "## My request for Codex:";
/** Put in the human's place by older clients. */
const notHuman =
  /^(?:<environment_context>|<user_instructions>|<turn_aborted>|# AGENTS\.md instructions for )/;

/** Something that a human said: a turn begins. */
export function userText(state: State, form: "event" | "item", written: string, images: number): Understood {
  const at = written.indexOf(requestMark);
  const human = at === -1 ? written : written.slice(at + requestMark.length);
  const text = bounded(withoutOwnContext(human).trim());
  if ((text === "" && images === 0) || notHuman.test(text)) return {};
  if (!isFirstTold(state, form, `user\0${text}`)) return {};
  const uid = uidOf(state, "prompt", text);
  const parentUid = state.follows;
  state.follows = null;
  state.prompts.push(uid);
  return { uid, parentUid, entries: [{ kind: "prompt", text, images }] };
}

export function agentText(state: State, form: "event" | "item", written: string): Understood {
  const text = bounded(written).trim();
  if (text === "" || !isFirstTold(state, form, `agent\0${text}`)) return {};
  return { uid: uidOf(state, "text", text), entries: [{ kind: "text", text }] };
}
