import { asBlocks } from "../reading/content-blocks.ts";
import { asObject, decodeJsonText, isWholeJson, parseTime } from "../reading/json.ts";
import { isOwnCommand, isOwnTool } from "../reading/own-output.ts";
import { readLines } from "../reading/read-lines.ts";
import { type ClaudeLine, parseRecords } from "./line-schema.ts";
import { classifyUserText, findShellCommand } from "./message-text.ts";

/** State that earlier lines of a transcript leave for later ones. */
export interface Earlier {
  /** Calls that ran Pommel. */
  ownUses: Set<string>;
  /** Lines where the human ran Pommel with "!". */
  ownShells: Set<string>;
  /** Queued prompts and notices that the agent has not received yet, oldest first. */
  queued: string[];
  /** The last prompts the agent received, with their line kind: some clients write two kinds for one prompt. */
  given: { text: string; by: string; at: number | null }[];
}

/** Rebuilds the state from the lines before `end`. */
export async function recall(file: string, end: number, signal?: AbortSignal): Promise<Earlier> {
  const earlier: Earlier = { ownUses: new Set(), ownShells: new Set(), queued: [], given: [] };
  if (end === 0) return earlier;
  for await (const { lines } of readLines(file, null, { end, signal, isWhole: isWholeJson })) {
    for (const { bytes } of lines) {
      if (canAffectState(bytes)) for (const line of parseRecords(bytes)) remember(earlier, line);
    }
  }
  return earlier;
}

/** Searching without the surrounding quotes, which are frequent, takes half the time. */
const needles = {
  queue: Buffer.from("queue-operation"),
  queued: Buffer.from("queued_command"),
  pm: Buffer.from("pm"),
  pommel: Buffer.from("pommel"),
};

/** Whether a line may affect the state; most lines are skipped without parsing. */
function canAffectState(line: Buffer): boolean {
  if (line.includes(needles.queue) || line.includes(needles.queued)) return true;
  if (!line.includes(needles.pm) && !line.includes(needles.pommel)) return false;
  return line.includes('"tool_use"') || line.includes("<bash-input>");
}

/**
 * Updates the state with a line.
 * @returns the queued prompt that the agent receives with this line; null for other lines
 */
export function remember(earlier: Earlier, line: ClaudeLine): string | null {
  if (line.type === "queue-operation") return queueOperation(earlier, line);
  if (line.type === "attachment") return takeQueuedCommand(earlier, line);
  if (line.type === "assistant") {
    for (const block of asBlocks(line.message?.content)) {
      if (block.id && isOwnUse(block.name, block.input)) earlier.ownUses.add(block.id);
    }
  } else if (line.type === "user" && line.uuid) {
    const ran = asBlocks(line.message?.content).map((block) => findShellCommand(block.text ?? ""));
    if (ran.some((command) => command !== null && isOwnCommand(command))) earlier.ownShells.add(line.uuid);
  }
  return null;
}

function isOwnUse(name: string | null | undefined, input: unknown): boolean {
  if (!name) return false;
  if (isOwnTool(name)) return true;
  const { command, server } = asObject(input);
  if (/^(?:List|Read)McpResource/.test(name)) return isOwnServer(server);
  return typeof command === "string" && isOwnCommand(command);
}

/**
 * The client's tools list and read resources, without a server those of all servers. A plugin's is
 * `plugin:pommel:pommel`.
 */
function isOwnServer(server: unknown): boolean {
  return typeof server !== "string" || /(?:^|:)pommel$/.test(server);
}

/**
 * A prompt that is typed while the agent works is queued. "dequeue": it becomes a user's line of its own later.
 * "remove": the agent got it between two steps, and clients up to 2.1.42 at least write it nowhere else. "popAll": the
 * human took all queued prompts back for editing.
 *
 * Started tasks are queued as well, and removed at the end of the turn at the latest. "remove" does not say which item
 * it means; prompts go first.
 */
function queueOperation(earlier: Earlier, line: ClaudeLine): string | null {
  const content = typeof line.content === "string" ? line.content : null;
  const isTask = content !== null && isStartedTask(content);
  if (line.operation === "enqueue" && !isTask) earlier.queued.push(content ?? "");
  else if (line.operation === "popAll") earlier.queued = [];
  else if (line.operation === "dequeue") take(earlier.queued);
  else if (line.operation === "remove") {
    return give(earlier, { text: take(earlier.queued) ?? (isTask ? null : content), by: "queue", line });
  }
  return null;
}

/** Removes and returns the oldest prompt, or the oldest notice where there is no prompt. */
function take(queued: string[]): string | null {
  const prompt = queued.findIndex((text) => classifyUserText(text)?.kind === "prompt");
  return queued.splice(Math.max(prompt, 0), 1)[0] ?? null;
}

/** Clients around 2.1.44 queue this when a task starts in the background. */
function isStartedTask(content: string): boolean {
  if (!content.startsWith("{")) return false;
  const { task_id, task_type } = asObject(decodeJsonText(content));
  return typeof task_id === "string" && typeof task_type === "string";
}

/**
 * Whether a user's line repeats a prompt that was given a moment ago: a task was removed from the queue, and then the
 * prompt was dequeued.
 */
export function isGiven(earlier: Earlier, line: ClaudeLine, texts: string[]): boolean {
  const [text, at] = [texts.join("\n"), parseTime(line.timestamp)];
  if (at === null) return false;
  return earlier.given.some(
    (other) =>
      other.by === "queue" && other.text === text && other.at !== null && Math.abs(at - other.at) < repeatMs,
  );
}

/** Within this a client writes both lines, and no human the same prompt again. */
const repeatMs = 2000;

/** Newer clients write the received prompt as an attachment. */
function takeQueuedCommand(earlier: Earlier, line: ClaudeLine): string | null {
  const { attachment } = line;
  if (attachment?.type !== "queued_command" || attachment.commandMode === "task-notification") return null;
  const texts = asBlocks(attachment.prompt).map((block) => block.text ?? "");
  return give(earlier, { text: texts.filter((text) => text !== "").join("\n"), by: "attachment", line });
}

function give(
  earlier: Earlier,
  { text, by, line }: { text: string | null; by: string; line: ClaudeLine },
): string | null {
  if (!text) return null;
  const again = earlier.given.findIndex((other) => other.text === text && other.by !== by);
  if (again !== -1) {
    earlier.given.splice(again, 1);
    return null;
  }
  earlier.given = [...earlier.given.slice(-7), { text, by, at: parseTime(line.timestamp) }];
  return text;
}
