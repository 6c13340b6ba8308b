#!/usr/bin/env node
// Written so that a Node too old for the real program can read it and say so.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major > 20 || (major === 20 && minor >= 19)) {
  require("../dist/pommeld.cjs");
} else {
  console.error(`error: Pommel needs Node 20.19 or later, and this is Node ${process.versions.node}.`);
  process.exitCode = 1;
}
