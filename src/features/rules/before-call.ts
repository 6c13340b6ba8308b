import { existsSync } from "node:fs";
import { join } from "node:path";
import { toRootRelative } from "../../agents/reading/call-input.ts";
import { noteAsked, type ReadyPart, readAsked, readGivenRefs } from "../../protocol/ready-context.ts";
import type { HookPart, SaidOfCall } from "../hook-parts.ts";
import { findMatch, type RuleCheck, readCall, readRequest } from "./check.ts";
import type { RuleMode } from "./operation.ts";

/** A rule, as hooks need it: they have no time to make texts harmless. */
export interface ReadyRule {
  id: string;
  text: string;
  /** The file that a repository has it in; left out: it is the person's. */
  file?: string;
  times: number;
  sessions: number;
  mode: RuleMode;
  check: RuleCheck;
}

export interface ReadyRules extends ReadyPart {
  rules: ReadyRule[];
}

/** Of what a call does, in the message. Characters. */
const maxShown = 160;
/** Before the id of a rule whose subject was asked for in all of a session. */
const always = "always:";
const order = { deny: 0, ask: 1, remind: 2 } as const;

/** The rules of a person, checked before a call: the strictest one speaks. */
export const rulesInHooks: HookPart = {
  beforeCall(ready, call) {
    const { root, rules } = ready as ReadyRules;
    const asked = new Set(readAsked(call.session));
    const told = new Set(readGivenRefs(call.session));
    const made = readCall(
      call.tool,
      call.input,
      (path) => toRootRelative(root, path, call.cwd),
      (file) => existsSync(join(root, file)),
    );
    const broken = rules
      .filter(({ id }) => !asked.has(id) && !asked.has(`${always}${id}`))
      // One reminder in a session is enough.
      .filter(({ id, mode }) => mode !== "remind" || !told.has(ruleRef(id)))
      .flatMap((rule) => {
        const what = findMatch(rule.check, made);
        return what === null ? [] : [{ rule, what }];
      })
      .sort((a, b) => order[a.rule.mode] - order[b.rule.mode]);
    const [first] = broken;
    return first === undefined ? null : wordBroken(first.rule, first.what);
  },
  onPrompt(ready, session, prompt) {
    const { rules } = ready as ReadyRules;
    const before = new Set(readAsked(session));
    noteAsked(
      session,
      rules.flatMap(({ id, check }) => {
        const request = readRequest(check, prompt);
        const goesOn = request === "always" || (request !== "refused" && before.has(`${always}${id}`));
        return [...(request === "now" ? [id] : []), ...(goesOn ? [`${always}${id}`] : [])];
      }),
    );
  },
};

/** How what a rule said is recorded. */
export const ruleRef = (id: string): string => `rule:${id}`;

export const advice = {
  remind: "If the user did not ask for it, don't.",
  ask: "It waits for the user's permission.",
  deny: "It was not run. Ask the user, or do it another way.",
} as const;

function wordBroken({ id, text, file, times, sessions, mode }: ReadyRule, what: string): SaidOfCall {
  const often =
    sessions > 1 ? `, ${times} times in ${sessions} sessions` : times > 1 ? `, ${times} times` : "";
  const whose = file === undefined ? `The user's rule${often}` : `A rule of this repository (${file})`;
  const said = `${whose}: “${text}” (about: ${showCall(what)}).`;
  return {
    text: mode === "remind" ? `- ${said} ${advice.remind}` : `${said}\n${advice[mode]}`,
    decision: mode === "remind" ? null : mode,
    items: [
      { ref: ruleRef(id), why: file === undefined ? "a rule of the user" : "a rule of the repository" },
    ],
  };
}

/** Control characters, and those that are not to be seen or change the direction of writing. */
const unwritable = /[\s\u0000-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/g;

/** The agent's own words, in one line that ends no frame. */
const showCall = (what: string): string =>
  what
    .trim()
    .slice(0, maxShown)
    .replace(unwritable, " ")
    .replace(/<(?=[a-z/|!])/gi, "‹");
