#!/usr/bin/env node
// `pm` and `pommel`. Written so that a Node too old for the real program can read it and say so.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major > 20 || (major === 20 && minor >= 19)) {
  // Agents wait for their hooks at every step.
  require(process.argv[2] === "hook" ? "../dist/hook.cjs" : "../dist/pm.cjs");
} else {
  console.error(`error: Pommel needs Node 20.19 or later, and this is Node ${process.versions.node}.`);
  // A hook never fails: the agent or git that runs it is not to blame.
  process.exitCode = process.argv[2] === "hook" ? 0 : 1;
}
