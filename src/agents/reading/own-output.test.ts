import fc from "fast-check";
import { expect, it } from "vitest";
import { isOwnCommand, isOwnTool } from "./own-output.ts";

it.each([
  "pm search retries",
  "pm",
  "cd app && pm search x",
  "cd app;pm status --json | head -5",
  "npx pommel search x",
  "npx --yes pommel@latest search x",
  "npm exec -- pm status",
  "pnpm dlx pommel status",
  "yarn pm status",
  "/usr/local/bin/pm search x",
  "node /opt/pommel/dist/pm.cjs search x",
  "NO_COLOR=1 pm search x",
  "sudo -n timeout 5 pm daemon queue",
  "timeout 5s nice -n 10 pm daemon queue",
  'echo "found: $(pm search x)"',
  "echo `pm search x`",
  "bash -lc 'cd y && pm search x'",
  "if pm status; then echo up; fi",
  "cd y &&\n  pm search x",
  "'pm' search x",
  "cd y && \\\n  pm search x",
  "pommeld --foreground",
])("%j runs Pommel", (command) => {
  expect(isOwnCommand(command)).toBe(true);
});

it.each([
  "npm test",
  "npm run pm2",
  "pm2 list",
  "grep -rn pm src",
  "echo pm search x",
  'git commit -m "pm: search x"',
  'git commit -m "first\npm second"',
  "cat docs/pm.md",
  "cat pm",
  "ls .pommel",
  "git grep pommel",
  "rpm -qa; apm install; pnpm test",
  "bash -c 'echo pm'",
  "bash scripts/pm-release.sh",
  "",
  "\\",
  '"pm search',
  "adb shell pm list packages",
])("%j does not", (command) => {
  expect(isOwnCommand(command)).toBe(false);
});

it.each([
  ["mcp__pommel__search", true],
  ["mcp__plugin_memory_pommel__search_all", true],
  ["mcp__pommels__search", false],
  ["mcp__other__pommel__x", false],
  ["Bash", false],
])("knows its own tools: %s %s", (name, own) => {
  expect(isOwnTool(name)).toBe(own);
});

it("survives any command", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."pm $(`\"'\\;&|\n<a=-") }), (command) => {
      expect(typeof isOwnCommand(command)).toBe("boolean");
      // It is always detected on a new line outside of quotes.
      if (!/["'\\`$]/.test(command)) expect(isOwnCommand(`${command}\npm status`)).toBe(true);
    }),
  );
});
