#!/usr/bin/env node
/**
 * `pm`. An agent waits for its hooks at every step, so that `pm hook <name>` alone loads nothing but what it needs;
 * everything else, with its options and its help, is the command line of pm.ts.
 */
const [, , command, name, ...more] = process.argv;
if (command === "hook" && name !== undefined && !name.startsWith("-") && more.length === 0) {
  void import("../hooks/main.ts");
} else {
  void import("./pm.ts");
}
