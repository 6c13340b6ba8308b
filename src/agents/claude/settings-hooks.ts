import type { Node } from "jsonc-parser";
import { PommelError } from "../../project/errors.ts";
import { anyHook, eventOfHook, type HookEvent, type HookName, hookNamed, hookNames } from "./hook-names.ts";
import {
  addItem,
  addProperty,
  applyEdit,
  inverseOf,
  parseJson,
  problemAt,
  propertyOf,
  removeChild,
  type TextEdit,
  valueAt,
} from "./json-edit.ts";

/** Our hooks in the text of a Claude Code settings file: whether they are there, how to add and remove them. */

/** Seconds. Without one, SessionEnd is killed after about 1.5. */
const timeout = 10;

/** What an event's group of ours says besides its command: only tools that change files matter. */
const matchers: Partial<Record<HookName, string>> = {
  "pre-compact": "",
  "post-tool-use": "Edit|Write|MultiEdit|NotebookEdit",
};

/** The same in every checkout, as settings.json is usually committed: `pm` is found on the PATH. */
function commandOf(hook: HookName): string {
  return `pm hook ${hook}`;
}

function groupOf(hook: HookName): unknown {
  const matcher = matchers[hook];
  const hooks = [{ type: "command", command: commandOf(hook), timeout }];
  return matcher === undefined ? { hooks } : { matcher, hooks };
}

/** `pm hook <name>`, in one of the spellings that people write, possibly with a path; nothing else in the command. */
const ourCommand =
  /^(?:(?:\S*[\\/])?node(?:\.exe)?\s+)?(?:[^\s;&|]*[\\/])?pm(?:\.cjs|\.cmd|\.exe)?\s+hook\s+(\S+)$/;

/** What a command line of ours runs; null for everybody else's. */
function hookRunBy(command: string): HookName | typeof anyHook | null {
  const name = ourCommand.exec(command.trim())?.[1] ?? "";
  return name === anyHook ? anyHook : hookNamed(name);
}

/** What adding our hooks to a settings file made of it. */
export interface Addition {
  text: string;
  /** The events that had no hook of ours. */
  added: HookEvent[];
  empty: EmptyContainers;
  /** Applied in this order, they take `text` back to what it was; null where some of ours were there before. */
  undo: TextEdit[] | null;
}

/** What stood in the file without holding anything, and stays when our hooks leave it. */
export interface EmptyContainers {
  /** `"hooks": {}`. */
  hooks: boolean;
  /** The events with an empty array. */
  events: string[];
}

/**
 * The events of which `text` has no hook of ours.
 * @param name of the file, for errors
 * @throws PommelError `settings_invalid`
 */
export function missingEvents(text: string, name: string): HookEvent[] {
  const hooks = hooksIn(text, name);
  return hookNames.filter((hook) => !hasOurs(hooks, hook)).map((hook) => eventOfHook[hook]);
}

function hasOurs(hooks: Node | undefined, hook: HookName): boolean {
  const groups = hooks && valueAt(hooks, eventOfHook[hook]);
  return handlersIn(groups).some(({ runs }) => runs === hook || runs === anyHook);
}

/** @throws PommelError `settings_invalid` */
export function addHooks(text: string, name: string): Addition {
  const hadSome = countOurs(text, name) > 0;
  const addition: Addition = { text, added: [], empty: emptyIn(text, name), undo: [] };
  const apply = (edit: TextEdit) => {
    addition.undo?.unshift(inverseOf(addition.text, edit));
    addition.text = applyEdit(addition.text, edit);
  };
  if (isBlank(text)) apply({ offset: 0, remove: text.length, put: "{}\n" });
  for (const hook of hookNames) {
    const event = eventOfHook[hook];
    const root = objectIn(addition.text, name);
    const hooks = hooksIn(addition.text, name);
    if (hasOurs(hooks, hook)) continue;
    const group = groupOf(hook);
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
  if (hadSome) addition.undo = null;
  return addition;
}

function emptyIn(text: string, name: string): EmptyContainers {
  const hooks = hooksIn(text, name);
  const isEmpty = (node: Node | undefined) => node?.children?.length === 0;
  const events = Object.values(eventOfHook).filter((event) => hooks && isEmpty(valueAt(hooks, event)));
  return { hooks: isEmpty(hooks), events };
}

/**
 * Takes every hook of ours out, with the containers that it leaves empty and that were not `empty` before.
 * @throws PommelError `settings_invalid`
 */
export function removeHooks(text: string, name: string, empty: EmptyContainers): string {
  let rest = text;
  for (let left = countOurs(text, name); left > 0; left--) {
    const hooks = hooksIn(rest, name)!;
    const ours = hooks.children!.flatMap((property) => {
      const handler = handlersIn(property.children?.[1])[0];
      return handler ? [{ ...handler, property }] : [];
    })[0]!;
    rest = applyEdit(rest, removal(objectIn(rest, name), hooks, ours, empty));
  }
  return rest;
}

interface Handler {
  runs: HookName | typeof anyHook;
  node: Node;
  /** The array of handlers that it is in. */
  handlers: Node;
  group: Node;
  groups: Node;
}

/** The innermost container that still holds something else loses what is ours. */
function removal(
  root: Node,
  hooks: Node,
  { node, handlers, group, groups, property }: Handler & { property: Node },
  empty: EmptyContainers,
): TextEdit {
  if (handlers.children!.length > 1) return removeChild(handlers, handlers.children!.indexOf(node));
  const event = String(property.children![0]!.value);
  if (groups.children!.length > 1 || empty.events.includes(event)) {
    return removeChild(groups, groups.children!.indexOf(group));
  }
  if (hooks.children!.length > 1 || empty.hooks) {
    return removeChild(hooks, hooks.children!.indexOf(property));
  }
  return removeChild(root, root.children!.indexOf(propertyOf(root, "hooks")!));
}

function countOurs(text: string, name: string): number {
  const hooks = hooksIn(text, name);
  return (hooks?.children ?? []).flatMap((property) => handlersIn(property.children?.[1])).length;
}

/** Our handlers in an event's groups. What has another shape is nobody's hook, as Claude Code ignores it. */
function handlersIn(groups: Node | undefined): Handler[] {
  if (groups?.type !== "array") return [];
  return groups.children!.flatMap((group) => {
    const handlers = group.type === "object" ? valueAt(group, "hooks") : undefined;
    if (handlers?.type !== "array") return [];
    return handlers.children!.flatMap((node) => {
      const command = node.type === "object" ? valueAt(node, "command") : undefined;
      const runs = command?.type === "string" ? hookRunBy(String(command.value)) : null;
      return runs === null ? [] : [{ runs, node, handlers, group, groups }];
    });
  });
}

/** The object that `hooks` is; undefined where there is none. */
function hooksIn(text: string, name: string): Node | undefined {
  if (isBlank(text)) return undefined;
  const hooks = valueAt(objectIn(text, name), "hooks");
  if (!hooks) return undefined;
  if (hooks.type !== "object") throw invalid(name, text, hooks.offset, `"hooks" is not an object`);
  for (const event of Object.values(eventOfHook)) {
    const groups = valueAt(hooks, event);
    if (groups && groups.type !== "array") {
      throw invalid(name, text, groups.offset, `"hooks.${event}" is not an array`);
    }
  }
  return hooks;
}

function objectIn(text: string, name: string): Node {
  const parsed = parseJson(text);
  if ("problem" in parsed) {
    const { line, column, what } = parsed.problem;
    throw settingsInvalid(`${name}:${line}:${column}`, `is not valid JSON (${what})`);
  }
  if (parsed.root.type !== "object") throw invalid(name, text, parsed.root.offset, "it is not a JSON object");
  return parsed.root;
}

/** An empty file says as much as an empty object. */
function isBlank(text: string): boolean {
  return text.trim() === "";
}

function invalid(name: string, text: string, offset: number, what: string): PommelError {
  const { line, column } = problemAt(text, offset, what);
  return settingsInvalid(`${name}:${line}:${column}`, `cannot hold hooks: ${what}`);
}

export function settingsInvalid(where: string, what: string): PommelError {
  return new PommelError(
    "settings_invalid",
    `${where} ${what}; the file was left as it is.`,
    "Correct it there, then run `pm enable`. Claude Code reads no settings from a file that is not valid JSON.",
  );
}
