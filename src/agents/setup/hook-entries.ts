import type { Node } from "jsonc-parser";
import { anyHook, type HookName, hookNamed, hookNames } from "../../protocol/hooks.ts";
import type { AgentHooks } from "../agent.ts";
import { defaultAgentName } from "../profiles.ts";
import type { Addition, PartEditor, PartLook } from "../setup.ts";
import {
  addItem,
  addProperty,
  applyEdit,
  propertyOf,
  removeChild,
  type TextEdit,
  valueAt,
} from "./json-edit.ts";
import { additionTo, isBlankObject, objectIn, refuse } from "./json-entry.ts";

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
  /** An event has its handlers, not groups of them, beside the `version` of the file. */
  isFlat?: boolean;
}

interface AgentHook {
  hook: HookName;
  /** The agent's name of the event. */
  event: string;
  matcher?: string;
  /** In the agent's unit. */
  timeout: number;
}

/**
 * Equal in every checkout and scope: settings are often committed, and an agent runs a command from several files once
 * only if the strings are equal. `pommel` and not `pm`, which is another program's name on some machines; without it,
 * nothing happens. `exec` replaces the shell, so that a timeout ends the hook itself. cmd and PowerShell have no such
 * guard.
 */
function commandOf({ agent, hasShEverywhere = false }: HookSpec, hook: HookName): string {
  const command = `pommel ${argumentsOf(agent, hook)}`;
  return hasShEverywhere || process.platform !== "win32" ? `${guard}exec ${command}${otherwise}` : command;
}

/** The default agent's hooks do not name it. */
function argumentsOf(agent: string, hook: HookName): string {
  return agent === defaultAgentName ? `hook ${hook}` : `hook --agent ${agent} ${hook}`;
}

/** The hooks for an agent's events. */
export function hooksFor(
  { events }: AgentHooks,
  detail: (hook: HookName) => Pick<AgentHook, "matcher" | "timeout">,
): AgentHook[] {
  return hookNames.flatMap((hook) => {
    const event = events[hook];
    return event === undefined ? [] : [{ hook, event, ...detail(hook) }];
  });
}

const guard = "command -v pommel >/dev/null 2>&1 && ";
const otherwise = " || true";

/** An event's entry in the agent's settings. */
export function groupOf(spec: HookSpec, { hook, matcher, timeout }: AgentHook): Record<string, unknown> {
  if (spec.isFlat) return { command: commandOf(spec, hook), timeout };
  const name = spec.handlerName === undefined ? {} : { name: spec.handlerName };
  const hooks = [{ type: "command", ...name, command: commandOf(spec, hook), timeout }];
  return matcher === undefined ? { hooks } : { matcher, hooks };
}

/** `pommel hook <name>` in any common spelling, possibly with a path and the guard. */
const ourCommand =
  /^(?:exec\s+)?(?:(?:\S*[\\/])?node(?:\.exe)?\s+)?(?:[^\s;&|]*[\\/])?(?:pm|pommel)(?:\.cjs|\.cmd|\.exe)?\s+hook\s+(?:--agent[ =](\w+)\s+)?(\S+)$/;

/** The hook that a command runs; null for other commands and other agents. */
function hookRunBy({ agent }: HookSpec, command: string): HookName | typeof anyHook | null {
  const bare = command.startsWith(guard) ? command.slice(guard.length).replace(/ \|\| true$/, "") : command;
  const [, whose = defaultAgentName, name = ""] = ourCommand.exec(bare.trim()) ?? [];
  if (whose !== agent) return null;
  return name === anyHook ? anyHook : hookNamed(name);
}

/** The editor for hooks in an agent's settings. */
export function hookEntries(spec: HookSpec): PartEditor {
  return {
    look: (text, name) => look(spec, text, name),
    add: (text, name) => addHooks(spec, text, name),
    remove: (text, name, empty) => removeHooks(spec, text, name, empty),
    isBlank: isBlankObject,
  };
}

/** The positions of Pommel's hooks: the group's index under its event, and the handler's in the group. */
export function placesOfHooks(
  spec: HookSpec,
  text: string,
  name: string,
): { event: string; group: number; handler: number }[] {
  return spec.hooks.flatMap(({ event }) => {
    const hooks = hooksIn(spec, text, name);
    return handlersIn(spec, hooks && valueAt(hooks, event)).map(({ groups, group, handlers, node }) => ({
      event,
      group: groups.children!.indexOf(group),
      handler: handlers.children!.indexOf(node),
    }));
  });
}

function look(spec: HookSpec, text: string, name: string): PartLook {
  const hooks = hooksIn(spec, text, name);
  const missing = spec.hooks.filter((hook) => !hasOurs(spec, hooks, hook)).map(({ event }) => event);
  if (missing.length === 0) return { state: "current", detail: [] };
  return { state: countOurs(spec, text, name) === 0 ? "absent" : "partial", detail: missing };
}

function hasOurs(spec: HookSpec, hooks: Node | undefined, { event, hook }: AgentHook): boolean {
  const groups = hooks && valueAt(hooks, event);
  return handlersIn(spec, groups).some(({ runs }) => runs === hook || runs === anyHook);
}

function addHooks(spec: HookSpec, text: string, name: string): Addition {
  const { addition, apply } = additionTo(text);
  addition.empty.push(...emptyIn(spec, text, name));
  if (spec.isFlat) {
    if (versionIn(spec, addition.text, name)) addition.empty.push("version");
    else apply(addProperty(addition.text, rootIn(spec, addition.text, name), "version", 1));
  }
  for (const agentHook of spec.hooks) {
    const { event } = agentHook;
    const root = rootIn(spec, addition.text, name);
    const hooks = hooksIn(spec, addition.text, name);
    if (hasOurs(spec, hooks, agentHook)) continue;
    const group = groupOf(spec, agentHook);
    if (!hooks) {
      apply(addProperty(addition.text, root, "hooks", { [event]: [group] }));
    } else {
      const groups = valueAt(hooks, event);
      apply(
        groups ? addItem(addition.text, groups, group) : addProperty(addition.text, hooks, event, [group]),
      );
    }
    addition.added.push(event);
  }
  return addition;
}

/** "hooks", and "hooks.Stop" for an event with an empty array. */
function emptyIn(spec: HookSpec, text: string, name: string): string[] {
  const hooks = hooksIn(spec, text, name);
  if (!hooks) return [];
  const isEmpty = (node: Node | undefined) => node?.children?.length === 0;
  const events = spec.hooks.filter(({ event }) => isEmpty(valueAt(hooks, event)));
  return [...(isEmpty(hooks) ? ["hooks"] : []), ...events.map(({ event }) => `hooks.${event}`)];
}

function removeHooks(spec: HookSpec, text: string, name: string, empty: readonly string[]): string {
  let rest = text;
  for (let left = countOurs(spec, text, name); left > 0; left--) {
    const hooks = hooksIn(spec, rest, name)!;
    const ours = hooks.children!.flatMap((property) => {
      const handler = handlersIn(spec, property.children?.[1])[0];
      return handler ? [{ ...handler, property }] : [];
    })[0]!;
    rest = applyEdit(rest, removal(rest, rootIn(spec, rest, name), hooks, ours, empty));
  }
  // A version that was not there before.
  if (!spec.isFlat || empty.includes("version")) return rest;
  const root = rootIn(spec, rest, name);
  const version = propertyOf(root, "version");
  return version ? applyEdit(rest, removeChild(rest, root, root.children!.indexOf(version))) : rest;
}

function versionIn(spec: HookSpec, text: string, name: string): Node | undefined {
  return text.trim() === "" ? undefined : propertyOf(rootIn(spec, text, name), "version");
}

interface Handler {
  runs: HookName | typeof anyHook;
  node: Node;
  /** Its array of handlers. */
  handlers: Node;
  group: Node;
  groups: Node;
}

/** Removes Pommel's entry from the innermost container that has other content. */
function removal(
  text: string,
  root: Node,
  hooks: Node,
  { node, handlers, group, groups, property }: Handler & { property: Node },
  empty: readonly string[],
): TextEdit {
  if (handlers.children!.length > 1) return removeChild(text, handlers, handlers.children!.indexOf(node));
  const event = String(property.children![0]!.value);
  if (groups.children!.length > 1 || empty.includes(`hooks.${event}`)) {
    return removeChild(text, groups, groups.children!.indexOf(group));
  }
  if (hooks.children!.length > 1 || empty.includes("hooks")) {
    return removeChild(text, hooks, hooks.children!.indexOf(property));
  }
  return removeChild(text, root, root.children!.indexOf(propertyOf(root, "hooks")!));
}

function countOurs(spec: HookSpec, text: string, name: string): number {
  const hooks = hooksIn(spec, text, name);
  return (hooks?.children ?? []).flatMap((property) => handlersIn(spec, property.children?.[1])).length;
}

/** Pommel's handlers in an event's groups. Skips malformed entries, as agents do. */
function handlersIn(spec: HookSpec, groups: Node | undefined): Handler[] {
  if (groups?.type !== "array") return [];
  return groups.children!.flatMap((group) => {
    if (spec.isFlat)
      return runBy(spec, group).map(({ runs, node }) => ({ runs, node, handlers: groups, group, groups }));
    const handlers = group.type === "object" ? valueAt(group, "hooks") : undefined;
    if (handlers?.type !== "array") return [];
    return handlers.children!.flatMap((node) =>
      runBy(spec, node).map(({ runs }) => ({ runs, node, handlers, group, groups })),
    );
  });
}

/** The hook that a handler runs; none for others'. */
function runBy(spec: HookSpec, node: Node): Pick<Handler, "runs" | "node">[] {
  const command = node.type === "object" ? valueAt(node, "command") : undefined;
  const runs = command?.type === "string" ? hookRunBy(spec, String(command.value)) : null;
  return runs === null ? [] : [{ runs, node }];
}

function rootIn({ comments = false }: HookSpec, text: string, name: string): Node {
  return objectIn(text, { name, comments });
}

/** The `hooks` object; undefined when missing. */
function hooksIn(spec: HookSpec, text: string, name: string): Node | undefined {
  if (text.trim() === "") return undefined;
  const hooks = valueAt(rootIn(spec, text, name), "hooks");
  if (!hooks) return undefined;
  if (hooks.type !== "object") throw refuse(name, text, hooks.offset, `"hooks" is not an object`);
  for (const { event } of spec.hooks) {
    const groups = valueAt(hooks, event);
    if (groups && groups.type !== "array") {
      throw refuse(name, text, groups.offset, `"hooks.${event}" is not an array`);
    }
  }
  return hooks;
}
