import type { FileEdit } from "../../agents/agent.ts";

/** What a call asked to be written, where its result does not say: by the fields that such tools have. */

const pathFields = /^(?:file_?path|notebook_path|path|relative_?path|file_?name|file|target_?file|uri)$/i;
const wholeFields = /^(?:contents?|file_text|text|code|data|body|new_content)$/i;
const afterFields =
  /^(?:new_?(?:string|text|str|source|content|code)|replace(?:ment)?|insert(?:ed)?_?text|after)$/i;
const beforeFields = /^(?:old_?(?:string|text|str|code|content)|search|find|before|original)$/i;
const listFields = /^(?:edits|changes|replacements|operations)$/i;
/** Their texts are what they look for. */
const lookingUp = /search|find|grep|read|list|get|query|fetch|lookup|view/i;

export function parseEditsOfInput(input: Readonly<Record<string, unknown>>, tool = ""): FileEdit[] {
  const path = findTextField(input, pathFields)?.replace(/^file:\/\//, "");
  if (path === undefined || path.includes("\n") || path === "") return [];
  const list = Object.entries(input).find(([name, value]) => listFields.test(name) && Array.isArray(value));
  const after = findTextField(input, afterFields);
  const whole = findTextField(input, wholeFields);
  if (list === undefined && after === undefined && whole !== undefined) {
    return lookingUp.test(tool) ? [] : [{ path, content: whole, hunks: [] }];
  }
  const changes = list === undefined ? [input] : (list[1] as unknown[]);
  const hunks = changes.flatMap((change) => {
    if (typeof change !== "object" || change === null) return [];
    const given = change as Record<string, unknown>;
    const now = findTextField(given, afterFields) ?? (list && findTextField(given, wholeFields));
    if (now === undefined) return [];
    return [buildReplacementHunk((findTextField(given, beforeFields) ?? "").split("\n"), now.split("\n"))];
  });
  return hunks.length > 0 ? [{ path, content: null, hunks }] : [];
}

function findTextField(input: Readonly<Record<string, unknown>>, names: RegExp): string | undefined {
  const found = Object.entries(input).find(([name, value]) => names.test(name) && typeof value === "string");
  return found?.[1] as string | undefined;
}

/** Lines at both ends that stay are context. */
function buildReplacementHunk(before: string[], after: string[]): FileEdit["hunks"][number] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  while (
    tail < before.length - head &&
    tail < after.length - head &&
    before.at(-1 - tail) === after.at(-1 - tail)
  )
    tail++;
  const lines = [
    ...after.slice(0, head).map((line) => ` ${line}`),
    ...before.slice(head, before.length - tail).map((line) => `-${line}`),
    ...after.slice(head, after.length - tail).map((line) => `+${line}`),
    ...after.slice(after.length - tail).map((line) => ` ${line}`),
  ];
  return { oldStart: 0, oldLines: before.length, newStart: 0, newLines: after.length, lines };
}
