/**
 * The agent's door: asks Pommel's tools what tasks need, through `pm mcp` as an agent's client does, and counts the tokens that its
 * model reads; beside what plain tools print for the same.
 *
 *   npm run bench:door -- --tasks FILE [--shown]
 *
 * FILE is [{name, cwd, calls: [{tool, args}], needs: [text], plain?: shell command line}]: an answer is enough to begin if it holds
 * all texts that the task needs, which are regular expressions; what they are is for a person to say before the answer is seen.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import * as z from "zod/mini";
import { estimateTokens } from "../src/base/text/text-size.ts";
import { printTable } from "./measure.ts";

const { values: options } = parseArgs({
  options: {
    tasks: { type: "string" },
    shown: { type: "boolean", default: false },
    markdown: { type: "boolean", default: false },
  },
});
if (!options.tasks) {
  console.error("usage: npm run bench:door -- --tasks FILE [options, see bench/door.ts]");
  process.exit(2);
}
const taskShape = z.object({
  name: z.string(),
  cwd: z.string(),
  calls: z.array(z.object({ tool: z.string(), args: z.record(z.string(), z.unknown()) })),
  needs: z.array(z.string()),
  plain: z.optional(z.string()),
});
const tasks = z.parse(z.array(taskShape), JSON.parse(readFileSync(options.tasks, "utf8")));
const pm = fileURLToPath(new URL("../bin/pm.cjs", import.meta.url));
const env = {
  ...(process.env as Record<string, string>),
  CLAUDE_PROJECT_DIR: "",
  CLAUDE_CODE_SESSION_ID: "",
};

async function connect(cwd: string): Promise<Client> {
  const client = new Client({ name: "bench", version: "1" });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [pm, "mcp"], cwd, env }));
  return client;
}

function printedBy(command: string, cwd: string): string {
  try {
    return execFileSync("sh", ["-c", command], {
      cwd,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch {
    return "";
  }
}

const clients = new Map<string, Client>();
const rows: string[][] = [];
const sums = { enough: 0, tokens: 0, plain: 0, plainEnough: 0, withPlain: 0, tokensBesidePlain: 0 };
for (const { name, cwd, calls, needs, plain } of tasks) {
  const client = clients.get(cwd) ?? (await connect(cwd));
  clients.set(cwd, client);
  const texts: string[] = [];
  for (const { tool, args } of calls) {
    const { content, structuredContent } = await client.callTool({ name: tool, arguments: args });
    if (structuredContent !== undefined) throw new Error(`${tool} answers with a structure`);
    texts.push(content.map((part) => (part.type === "text" ? part.text : "")).join("\n"));
  }
  const text = texts.join("\n");
  const lacking = needs.filter((need) => !new RegExp(need, "i").test(text));
  const tokens = estimateTokens(text);
  sums.tokens += tokens;
  if (lacking.length === 0) sums.enough++;
  const printed = plain === undefined ? null : printedBy(plain, cwd);
  if (printed !== null) {
    sums.withPlain++;
    sums.plain += estimateTokens(printed);
    sums.tokensBesidePlain += tokens;
    if (needs.every((need) => new RegExp(need, "i").test(printed))) sums.plainEnough++;
  }
  rows.push([
    name,
    `${calls.length}`,
    `${tokens}`,
    lacking.length === 0 ? "yes" : `lacks ${lacking.join(", ")}`,
    printed === null ? "-" : `${estimateTokens(printed)}`,
  ]);
  if (options.shown) console.log(`\n### ${name}\n${text}`);
}
for (const client of clients.values()) await client.close();
printTable(["task", "calls", "tokens", "enough to begin", "plain tools, tokens"], rows, options);
console.log(
  `\nenough: ${sums.enough} of ${tasks.length}; ${Math.round(sums.tokens / tasks.length)} tokens each. ` +
    `Of the ${sums.withPlain} with a plain way: ${Math.round(sums.tokensBesidePlain / Math.max(sums.withPlain, 1))} tokens against ${Math.round(sums.plain / Math.max(sums.withPlain, 1))}, of which ${sums.plainEnough} hold it.`,
);
