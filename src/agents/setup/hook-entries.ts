import type { Node } from "jsonc-parser";
import { anyHook, findHookName, type HookName, hookNames } from "../../protocol/hooks.ts";
import type { AgentHooks } from "../agent.ts";
import { defaultAgentName } from "../profiles.ts";
import {
  type Addition,
  type AgentPartSpec,
  type FindFiles,
  makePart,
  type PartEditor,
  type PartLook,
} from "../setup.ts";
import { addProperty, applyEdit, findProperty, findValue, removeChild, type TextEdit } from "./json-edit.ts";
import {
  addUnder,
  isBlankObject,
  type JsonFile,
  parseRootObject,
  refuse,
  removeUnder,
  startAddition,
} from "./json-entry.ts";

/**
 * Pommel's hooks in an agent's settings, in the nested format that Claude Code, Codex and Gemini CLI share, or with the
 * commands directly under their events (`isFlat`).
 */

/** An agent's hooks. */
export interface HookSpec {
  /** As `Agent.name`. */
  agent: string;
  hooks: readonly AgentHook[];
  /** The handlers' name, if the agent merges those of the same name. */
  handlerName?: string;
  /** Whether the agent takes JSON with comments. */
  comments?: boolean;
  /** Hooks run in Git's bash on Windows; other agents use cmd or PowerShell. */
  hasShEverywhere?: boolean;
  /** Of a hook of all commands: what its payload holds at least one of, so that a shell sees whether it is worth a process. */
  onlyIf?: Partial<Record<HookName, readonly string[]>>;
  /** An event has its handlers, not groups of them, beside the `version` of the file. */
  isFlat?: boolean;
}

interface AgentHook {
  hook: HookName;
  /** The agent's name of the event. */
  event: string;
  matcher: string | undefined;
  /** In the agent's unit. */
  timeout: number;
}

/**
 * Equal in every checkout and scope: settings are often committed, and an agent runs a command from several files once
 * only if the strings are equal. `pommel` and not `pm`, which is another program's name on some machines; without it,
 * nothing happens. `exec` replaces the shell, so that a timeout ends the hook itself. cmd and PowerShell have no such
 * guard.
 */
function makeHookCommand({ agent, hasShEverywhere = false, onlyIf = {} }: HookSpec, hook: HookName): string {
  const command = `pommel ${makeHookArguments(agent, hook)}`;
  const wanted = onlyIf[hook];
  if (wanted !== undefined) return `${filterBefore(wanted)}${command}${filterAfter}`;
  return hasShEverywhere || process.platform !== "win32" ? `${guard}exec ${command}${otherwise}` : command;
}

/** The default agent's hooks do not name it. */
function makeHookArguments(agent: string, hook: HookName): string {
  return agent === defaultAgentName ? `hook ${hook}` : `hook --agent ${agent} ${hook}`;
}

/**
 * The hooks for an agent's events.
 * @param options.timeout of a hook, in the agent's unit; `timeouts` has exceptions
 */
export function makeHookSpec(
  { name, hooks: { events } }: { name: string; hooks: AgentHooks },
  {
    timeout,
    timeouts = {},
    matchers = {},
    ...format
  }: Omit<HookSpec, "agent" | "hooks"> & {
    timeout: number;
    timeouts?: Partial<Record<HookName, number>>;
    matchers?: Partial<Record<HookName, string>>;
  },
): HookSpec {
  const hooks = hookNames.flatMap((hook): AgentHook[] => {
    const event = events[hook];
    if (event === undefined) return [];
    return [{ hook, event, matcher: matchers[hook], timeout: timeouts[hook] ?? timeout }];
  });
  return { agent: name, hooks, ...format };
}

/** Hooks in an agent's settings. */
export const makeHooksPart = (files: FindFiles, spec: HookSpec): AgentPartSpec =>
  makePart("hooks", files, makeHooksEditor(spec));

/** Reads the payload, and hands it on where it holds one of these. */
const filterBefore = (wanted: readonly string[]): string =>
  `${filterStart}${wanted.map((text) => `*'${text}'*`).join("|")}) command -v pommel >/dev/null 2>&1 && printf '%s' "$in" | `;
const filterStart = "in=$(cat); case $in in ";
const filterAfter = " || true;; esac";
const filtered =
  /^in=\$\(cat\); case \$in in [^)]*\) command -v pommel >\/dev\/null 2>&1 && printf '%s' "\$in" \| (.*) \|\| true;; esac$/;

const guard = "command -v pommel >/dev/null 2>&1 && ";
const otherwise = " || true";

/** An event's entry in the agent's settings. */
export function makeHookGroup(
  spec: HookSpec,
  { hook, matcher, timeout }: AgentHook,
): Record<string, unknown> {
  if (spec.isFlat) return { command: makeHookCommand(spec, hook), timeout };
  const name = spec.handlerName === undefined ? {} : { name: spec.handlerName };
  const hooks = [{ type: "command", ...name, command: makeHookCommand(spec, hook), timeout }];
  return matcher === undefined ? { hooks } : { matcher, hooks };
}

/** `pommel hook <name>` in any common spelling, possibly with a path and the guard. */
const ourCommand =
  /^(?:exec\s+)?(?:(?:\S*[\\/])?node(?:\.exe)?\s+)?(?:[^\s;&|]*[\\/])?(?:pm|pommel)(?:\.cjs|\.cmd|\.exe)?\s+hook\s+(?:--agent[ =](\w+)\s+)?(\S+)$/;

/** The hook that a handler runs; null for other commands and other agents. */
function findHookRun({ agent }: HookSpec, handler: Node): HookName | typeof anyHook | null {
  const node = handler.type === "object" ? findValue(handler, "command") : undefined;
  if (node?.type !== "string") return null;
  const command = String(node.value);
  const [, behindFilter] = filtered.exec(command) ?? [];
  const unguarded = command.startsWith(guard)
    ? command.slice(guard.length).replace(/ \|\| true$/, "")
    : command;
  const bare = behindFilter ?? unguarded;
  const [, whose = defaultAgentName, name = ""] = ourCommand.exec(bare.trim()) ?? [];
  if (whose !== agent) return null;
  return name === anyHook ? anyHook : findHookName(name);
}

/** The editor for hooks in an agent's settings. */
export function makeHooksEditor(spec: HookSpec): PartEditor {
  return {
    look: (text, name) => look(spec, text, name),
    add: (text, name) => addHooks(spec, text, name),
    remove: (text, name, empty) => removeHooks(spec, text, name, empty),
    isBlank: isBlankObject,
  };
}

/** The positions of Pommel's hooks: the group's index under its event, and the handler's in the group. */
export function findHookPositions(
  spec: HookSpec,
  text: string,
  name: string,
): { event: string; group: number; handler: number }[] {
  return listOurs(spec, text, name).map(({ event, groups, group, handlers, node }) => ({
    event,
    group: groups.children!.indexOf(group),
    handler: handlers.children!.indexOf(node),
  }));
}

function look(spec: HookSpec, text: string, name: string): PartLook {
  const ours = listOurs(spec, text, name);
  const missing = spec.hooks.filter((hook) => !hasHook(spec, ours, hook)).map(({ event }) => event);
  if (missing.length === 0) return { state: "current", detail: [] };
  return { state: ours.length === 0 ? "absent" : "partial", detail: missing };
}

const hasHook = (spec: HookSpec, ours: readonly HookEntry[], wanted: AgentHook): boolean =>
  ours.some((one) => runsHook(one, wanted) && isWideEnough(spec, one, wanted));

const runsHook = ({ event, runs }: HookEntry, wanted: AgentHook): boolean =>
  event === wanted.event && (runs === wanted.hook || runs === anyHook);

/** Whether it runs for all tools and payloads that it is wanted for: a setting may want more than an earlier one did. */
function isWideEnough(
  spec: HookSpec,
  { group, node }: HookEntry,
  { hook, matcher = "" }: AgentHook,
): boolean {
  const own = String(findValue(group, "matcher")?.value ?? "");
  const tools = listTools(own);
  if (own !== "" && matcher !== "" && !listTools(matcher).every((tool) => tools.includes(tool))) return false;
  const command = String(findValue(node, "command")?.value ?? "");
  const wanted = spec.onlyIf?.[hook];
  return !filtered.test(command) || wanted?.every((text) => command.includes(`*'${text}'*`)) === true;
}

/** A matcher for whole names of tools, some of which are patterns. */
export const makeToolPattern = (tools: readonly string[]): string => `^(?:${tools.join("|")})$`;

const listTools = (matcher: string): string[] => matcher.replace(/^\^\(\?:(.*)\)\$$/, "$1").split("|");

function addHooks(spec: HookSpec, text: string, name: string): Addition {
  const adding = startAddition(text);
  const { addition, apply } = adding;
  if (spec.isFlat) {
    const root = parseRootObject(addition.text, describeFile(spec, name));
    if (findProperty(root, "version")) addition.empty.push("version");
    else apply(addProperty(addition.text, root, "version", 1));
  }
  const ours = listOurs(spec, text, name);
  for (const hook of spec.hooks.filter((one) => !hasHook(spec, ours, one))) {
    const narrow = listOurs(spec, addition.text, name).find((one) => runsHook(one, hook));
    if (narrow === undefined || narrow.handlers.children!.length > 1)
      addUnder(adding, describeFile(spec, name), ["hooks", hook.event], [makeHookGroup(spec, hook)]);
    else for (const edit of widen(spec, narrow, hook)) apply(edit);
    addition.added.push(hook.event);
  }
  return addition;
}

/** Has a hook that is there run for what it is wanted for now. */
function widen(spec: HookSpec, { group, node }: HookEntry, hook: AgentHook): TextEdit[] {
  const put = (old: Node | undefined, value: string | undefined): TextEdit[] =>
    old === undefined || value === undefined
      ? []
      : [{ offset: old.offset, remove: old.length, put: JSON.stringify(value) }];
  return [
    ...put(findValue(node, "command"), makeHookCommand(spec, hook.hook)),
    ...put(findValue(group, "matcher"), hook.matcher),
  ].sort((a, b) => b.offset - a.offset);
}

function removeHooks(spec: HookSpec, text: string, name: string, empty: readonly string[]): string {
  let rest = text;
  for (let [ours] = listOurs(spec, rest, name); ours; [ours] = listOurs(spec, rest, name)) {
    const { event, node, handlers, group, groups } = ours;
    const at = groups.children!.indexOf(group);
    rest =
      handlers !== groups && handlers.children!.length > 1
        ? applyEdit(rest, removeChild(rest, handlers, handlers.children!.indexOf(node)))
        : removeUnder(rest, describeFile(spec, name), ["hooks", event], { at, empty });
  }
  // A version that was not there before.
  if (!spec.isFlat || empty.includes("version")) return rest;
  const root = parseRootObject(rest, describeFile(spec, name));
  const version = findProperty(root, "version");
  return version ? applyEdit(rest, removeChild(rest, root, root.children!.indexOf(version))) : rest;
}

/** One of Pommel's hooks in a file. */
interface HookEntry {
  event: string;
  runs: HookName | typeof anyHook;
  node: Node;
  /** Its array of handlers. */
  handlers: Node;
  group: Node;
  groups: Node;
}

/** Skips malformed entries, as agents do. */
function listOurs(spec: HookSpec, text: string, name: string): HookEntry[] {
  const hooks = findHooks(spec, text, name);
  if (!hooks) return [];
  const events = new Set(hooks.children!.map((property) => String(property.children![0]!.value)));
  return [...events].flatMap((event) => {
    const groups = findValue(hooks, event);
    if (groups?.type !== "array") return [];
    return groups.children!.flatMap((group): HookEntry[] => {
      const handlers = spec.isFlat ? groups : group.type === "object" ? findValue(group, "hooks") : undefined;
      if (handlers?.type !== "array") return [];
      const nodes = spec.isFlat ? [group] : handlers.children!;
      return nodes.flatMap((node) => {
        const runs = findHookRun(spec, node);
        return runs === null ? [] : [{ event, runs, node, handlers, group, groups }];
      });
    });
  });
}

const describeFile = ({ comments = false }: HookSpec, name: string): JsonFile => ({ name, comments });

/** The `hooks` object; undefined when missing. */
function findHooks(spec: HookSpec, text: string, name: string): Node | undefined {
  if (text.trim() === "") return undefined;
  const hooks = findValue(parseRootObject(text, describeFile(spec, name)), "hooks");
  if (!hooks) return undefined;
  if (hooks.type !== "object") throw refuse(name, text, hooks.offset, `"hooks" is not an object`);
  for (const { event } of spec.hooks) {
    const groups = findValue(hooks, event);
    if (groups && groups.type !== "array") {
      throw refuse(name, text, groups.offset, `"hooks.${event}" is not an array`);
    }
  }
  return hooks;
}
