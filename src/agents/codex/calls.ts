import { quoteForShell } from "../../base/text/shell.ts";
import type { FileTouch } from "../agent.ts";
import { boundInput, bounds, boundText, pictureMark } from "../reading/bounds.ts";
import { asObject, decodeJsonText } from "../reading/json.ts";
import { isOwnCommand, isOwnTool, withoutOwnContext } from "../reading/own-output.ts";
import { makeTouches, toAbsolutePath } from "../reading/tool-calls.ts";
import { asParts } from "./line-schema.ts";
import { type FilePatch, listTouches, parsePatch } from "./patch.ts";

/** A tool call in the shape shared by all agents. */
export interface CodexCall {
  tool: string;
  input: Record<string, unknown>;
  files: FileTouch[];
  /** The patch; null for other tools. */
  patch: FilePatch[] | null;
  /** A call of Pommel, whose result is not stored. */
  isOwn: boolean;
}

/** Names of the shell tool: 0.63 "shell_command" and "shell", later ones "exec_command". */
const shells = new Set(["shell", "shell_command", "exec_command", "local_shell", "container.exec"]);

/** @param args an object, or JSON of one */
export function parseCall(name: string, args: unknown, cwd: string | null): CodexCall {
  const input = asRecord(args);
  if (shells.has(name))
    return makeCommandCall(formatCommandLine(input.cmd ?? input.command), input.workdir, cwd);
  if (name === "update_plan")
    return makeCall(name, { explanation: input.explanation, todos: convertPlan(input.plan) });
  if (name === "spawn_agent" && typeof input.message === "string") {
    const { message: prompt, task_name: description = "subagent", ...rest } = input;
    return makeCall(name, { ...rest, description, prompt });
  }
  return {
    ...makeCall(name, input),
    files: name === "view_image" ? makeTouches(input.path, "read", cwd) : [],
  };
}

export function patchCall(text: string, cwd: string | null): CodexCall {
  const patch = parsePatch(text, cwd);
  return { ...makeCall("apply_patch", { patch: text }), files: listTouches(patch), patch };
}

/** A command; `apply_patch` with a patch becomes a patch, because the client applies it without a shell. */
export function makeCommandCall(command: string, workdir: unknown, cwd: string | null): CodexCall {
  const dir = typeof workdir === "string" && workdir !== "" ? workdir : null;
  const patch = patchIn(command);
  if (patch !== null) return patchCall(patch.text, resolveWithin(resolveWithin(cwd, dir), patch.dir));
  const input = dir === null || dir === cwd ? { command } : { command, workdir: dir };
  return { ...makeCall("Bash", input), isOwn: isOwnCommand(command) };
}

/** "mcp__server__tool", as all clients of MCP call it. */
export function formatMcpName(server: string, tool: string): string {
  return `mcp__${server}__${tool}`;
}

/** A function's full name: the namespace of an MCP tool is its server. */
export function qualifyToolName(name: string, namespace: string | null): string {
  if (!namespace?.startsWith("mcp__") || name.startsWith("mcp__")) return name;
  return `${namespace.replace(/__$/, "")}__${name}`;
}

export function makeCall(tool: string, input: Record<string, unknown>): CodexCall {
  const isOwn = isOwnTool(tool) || isOwnResource(tool, input);
  return { tool, input: boundInput(input), files: [], patch: null, isOwn };
}

const resourceTools = new Set(["list_mcp_resources", "list_mcp_resource_templates", "read_mcp_resource"]);

/** Whether the client's resource tools access Pommel's; without a server they list all. */
function isOwnResource(tool: string, { server }: Record<string, unknown>): boolean {
  return resourceTools.has(tool) && (server === "pommel" || typeof server !== "string");
}

/** The command line of a command array, `["bash", "-lc", "npm test"]`, or string. */
export function formatCommandLine(command: unknown): string {
  if (typeof command === "string") return command;
  if (!Array.isArray(command)) return "";
  const words = command.filter((word) => typeof word === "string");
  const [program = "", flag = "", script] = words;
  const isShell = /(?:^|[\\/])(?:ba|z|da|fi)?sh(?:\.exe)?$/.test(program) && /^-\w*c$/.test(flag);
  const isPowerShell = /(?:^|[\\/])(?:powershell|pwsh)(?:\.exe)?$/i.test(program) && /^-command$/i.test(flag);
  if ((isShell || isPowerShell) && words.length === 3) return script!;
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : quoteForShell(word))).join(" ");
}

const applies = /^\s*(?:cd\s+("[^"]+"|'[^']+'|\S+)\s*&&\s*)?(?:\S*\/)?apply_?patch\b/;

function patchIn(command: string): { text: string; dir: string | null } | null {
  const found = applies.exec(command);
  const begin = found ? command.indexOf("*** Begin Patch") : -1;
  if (begin === -1) return null;
  const end = command.indexOf("*** End Patch", begin);
  const text = end === -1 ? command.slice(begin) : command.slice(begin, end + "*** End Patch".length);
  return { text, dir: found?.[1]?.replace(/^["']|["']$/g, "") ?? null };
}

const resolveWithin = (cwd: string | null, dir: string | null) =>
  dir === null ? cwd : toAbsolutePath(dir, cwd);

/** A plan's steps as todos, as other agents have them. */
function convertPlan(plan: unknown): unknown[] {
  if (!Array.isArray(plan)) return [];
  return plan.map((step: unknown) => {
    const { step: content, status } = asRecord(step);
    return { content, status };
  });
}

/** An object, or JSON of one. */
export const asRecord = (value: unknown): Record<string, unknown> => asObject(decodeJsonText(value));

/** A call's result. */
interface CodexResult {
  /** Without the client's header. */
  text: string;
  isError: boolean;
  /** The client's id of a command that is still running and ends later; else null. */
  running: string | null;
}

/** The client's header before a command's output, including the exit code. */
const head =
  /^(?:Chunk ID: [^\n]*\n)?(?:Exit code: (-?\d+)\n)?(?:Wall time: [^\n]*\n)(?:Process (?:exited with code (-?\d+)|running with session ID [^\n]*)\n)?(?:Original token count: [^\n]*\n)?(?:Total output lines: [^\n]*\n)?(?:Output:\n)?/;
const running = /^Process running with session ID (.+)$/m;
const failed =
  /^(?:apply_patch verification failed|aborted by user|exec_command failed|failed to |unsupported call|execution error|patch rejected)/im;

/** Parses a `function_call_output`, whose wrapping depends on the client's version. */
export function parseOutcome(output: unknown): CodexResult {
  const wrapped = typeof output === "string" && !output.startsWith("{") ? {} : asRecord(output);
  const whole = extractText(wrapped.output ?? wrapped.content ?? output);
  const code = asRecord(wrapped.metadata).exit_code;
  const found = head.exec(whole);
  const exitText = found?.[1] ?? found?.[2];
  const exit = typeof code === "number" ? code : exitText === undefined ? null : Number(exitText);
  const text = found === null ? whole : whole.slice(found[0].length);
  const isError = exit === null ? wrapped.success === false || failed.test(text) : exit !== 0;
  return { text: boundResult(text), isError, running: running.exec(found?.[0] ?? "")?.[1] ?? null };
}

/** The stored part of a tool's result. */
export function boundResult(text: string): string {
  return boundText(withoutOwnContext(text).trim(), bounds.result);
}

/** The text of a result's parts, with a mark for each image. */
export function extractText(content: unknown): string {
  if (typeof content === "string") return content;
  const parts = asParts(content).map(({ type, text }) => (type.includes("image") ? pictureMark : text));
  return parts.filter((part) => part !== "").join("\n");
}
