#!/usr/bin/env node
/**
 * `pm`. An agent waits for its hooks at every step, for its searches all day, and for its MCP server when it starts: in
 * their plain forms these load nothing but what they need. Everything else, with its options and its help, is the command
 * line of pm.ts.
 */
const [command, ...rest] = process.argv.slice(2);
const words = rest.filter((arg) => arg !== "--json");
const isPlain = words.length > 0 && words.every((word) => !word.startsWith("-"));

if (command === "hook" && rest[0]?.startsWith("git-")) {
  const [name, ...args] = rest;
  void import("../hooks/run-git-hook.ts")
    .then(({ runGitHook }) => runGitHook(name!, args))
    .then(() => process.exit(0));
} else if (command === "hook" && ((isPlain && rest.length === 1) || isOfAgent(rest))) {
  const [name = "", agent] = rest.length === 1 ? rest : [rest[2], rest[1]];
  void import("../hooks/run-hook.ts").then(({ runHook }) => runHook(name, agent)).then(() => process.exit(0));
} else if (command === "search" && isPlain) {
  void import("./plain-search.ts").then(({ plainSearch }) => plainSearch(words, rest.includes("--json")));
} else if (command === "mcp" && rest.length === 0) {
  void import("../mcp/start.ts").then(({ startMcp }) => startMcp(process.cwd()));
} else {
  void import("./pm.ts");
}

/** `pm hook --agent codex stop` */
function isOfAgent([option, agent = "-", name = "-", ...more]: readonly string[]): boolean {
  return option === "--agent" && !agent.startsWith("-") && !name.startsWith("-") && more.length === 0;
}
