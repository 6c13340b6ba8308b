import { createHash } from "node:crypto";
import * as z from "zod";

/**
 * For tests: the rules of section 1.2 of the Git AI Standard v3.0.0, written from its text
 * (github.com/git-ai-project/git-ai, specs/git_ai_standard_v3.0.0.md), which has no schema of its own.
 */

const agentId = z.strictObject({ tool: z.string().min(1), id: z.string(), model: z.string() });
const attributes = z.record(z.string(), z.string()).optional();
const hex = (length: number) => new RegExp(`^[0-9a-f]{${length}}$`);
const sessionKey = z.string().regex(/^s_[0-9a-f]{14}$/);
const humanKey = z.string().regex(/^h_[0-9a-f]{14}$/);

const metadata = z.object({
  schema_version: z.literal("authorship/3.0.0"),
  base_commit_sha: z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/),
  prompts: z.record(
    z.string().regex(hex(16)),
    z.object({
      agent_id: agentId,
      total_additions: z.int(),
      total_deletions: z.int(),
      accepted_lines: z.int(),
      overriden_lines: z.int(),
      messages: z.undefined(),
    }),
  ),
  sessions: z
    .record(
      sessionKey,
      z.strictObject({
        agent_id: agentId,
        human_author: z.string().optional(),
        custom_attributes: attributes,
      }),
    )
    .default({}),
  humans: z.record(humanKey, z.object({ author: z.string().min(1) })).default({}),
});

/** What breaks the standard in an authorship log; empty: nothing. */
export function violations(log: string): string[] {
  const lines = log.split("\n");
  const divider = lines.indexOf("---");
  if (divider < 0) return ["no divider"];
  let json: unknown;
  try {
    json = JSON.parse(lines.slice(divider + 1).join("\n"));
  } catch (error) {
    return [`metadata: ${error}`];
  }
  const parsed = metadata.safeParse(json);
  if (!parsed.success) return parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  const { sessions, humans, prompts } = parsed.data;
  const problems: string[] = [];
  for (const [key, { agent_id }] of Object.entries(sessions)) {
    const id = createHash("sha256").update(`${agent_id.tool}:${agent_id.id}`).digest("hex").slice(0, 14);
    if (key !== `s_${id}`) problems.push(`${key} is not the hash of its session`);
  }
  for (const [key, { author }] of Object.entries(humans)) {
    const id = createHash("sha256").update(author).digest("hex").slice(0, 14);
    if (key !== `h_${id}`) problems.push(`${key} is not the hash of its author`);
  }
  let entries: number | null = null;
  for (const line of lines.slice(0, divider)) {
    const entry = /^ {2}(\S+) (\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*)$/.exec(line);
    if (entry === null) {
      if (entries === 0) problems.push("a file without an attestation");
      if (/^\s|^$/.test(line)) problems.push(`not a path: ${JSON.stringify(line)}`);
      const path = /^"(.*)"$/.exec(line)?.[1];
      if (path === undefined ? /\s/.test(line) : path.includes('"'))
        problems.push(`wrong quotation: ${JSON.stringify(line)}`);
      entries = 0;
      continue;
    }
    if (entries === null) problems.push("an entry without a file");
    entries = (entries ?? 0) + 1;
    const [, key = "", ranges = ""] = entry;
    const [session, trace] = key.split("::") as [string, string?];
    const isKnown = key.startsWith("s_")
      ? session in sessions && /^t_[0-9a-f]{14}$/.test(trace ?? "")
      : key.startsWith("h_")
        ? key in humans
        : key in prompts;
    if (!isKnown) problems.push(`unknown key ${key}`);
    let before = 0;
    for (const range of ranges.split(",")) {
      const [first, last = first] = range.split("-").map(Number) as [number, number?];
      if (first <= before || last < first) problems.push(`ranges out of order: ${ranges}`);
      before = last;
    }
  }
  if (entries === 0) problems.push("a file without an attestation");
  return problems;
}
