import { join } from "node:path";
import { describeAgent } from "../../test/support/agent-contract.ts";
import { jot } from "./jot.ts";

const picture = `iVBORw0KGgo${"AAAB3NCSVQICAjb4U".repeat(40)}`;
const time = (second: number) => new Date(Date.UTC(2026, 2, 2, 9, 0, second)).toISOString();

function log(session: string, ...said: object[]): string {
  const lines = said.map((each, i) => ({ ...each, time: time(i + 1) }));
  const first = { session, cwd: "/home/dev/shop", time: time(0) };
  return [first, ...lines].map((line) => `${JSON.stringify(line)}\n`).join("");
}

const text = log(
  "7f3a",
  { role: "user", text: "Why is the café's total wrong? 🛒" },
  { role: "tool", name: "write", input: { path: "/home/dev/shop/a.ts", text: "let a = 1;\n" }, output: "ok" },
  { role: "tool", name: "console", input: { command: "npm test" }, output: "1 failed", failed: true },
  { role: "agent", text: "It was rounded twice." },
);
const pictures = log(
  "7f3b",
  { role: "user", text: "look", images: [picture] },
  { role: "tool", name: "console", input: { command: "base64 a.png" }, output: picture },
);

describeAgent("Jot", {
  agent: jot,
  root: (dir) => join(dir, "logs"),
  env: (root) => ({ JOT_HOME: join(root, "..") }),
  transcripts: [
    {
      path: "7f3a.jsonl",
      text,
      info: { session: "7f3a", parent: null, cwd: "/home/dev/shop", startedAt: Date.UTC(2026, 2, 2, 9) },
    },
  ],
  commands: ["npm test"],
  others: ["settings.json", "old/7f3a.txt"],
  withPictures: { text: pictures, picture },
  unknownLine: { line: '{"role":"mystery","text":"?"}', reason: "type:mystery" },
});
