import { createHash } from "node:crypto";
import { once } from "node:events";
import { closeSync, existsSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { callDaemon } from "../../src/client/daemon-client.ts";
import { showQueue } from "../../src/features/jobs/operation.ts";
import { readState } from "../../src/features/status/operation.ts";
import { daemonOf, memoryOf, pm } from "./processes.ts";
import { base, options, report, userHome } from "./setting.ts";

/** What makes a regex engine that goes back slow, or a compiled program large. */
const hostilePatterns = [
  "(a+)+$",
  "(a|aa)+!",
  "^(([a-z])+.)+[A-Z]([a-z])+$",
  "(.*a){30}",
  "(x+x+)+y",
  "(?:a{1,1000}){1,1000}",
  "((a{0,100}){0,100}){0,100}",
  "[\\s\\S]{1000}x",
  `${"(".repeat(1000)}a${")".repeat(1000)}`,
  "a".repeat(100_000),
  Array(20_000).fill("b").join("|"),
];

/** The daemon's peak while it reads what somebody made to hurt it. MB. */
const mostMb = 600;

export async function hostileInput(): Promise<void> {
  const big = Number(options.big);
  const line = (root: string, text: string) =>
    `{"type":"user","uuid":"${createHash("sha256").update(text.slice(0, 99)).digest("hex").slice(0, 32)}","sessionId":"SESSION","timestamp":"2026-03-02T09:00:00.000Z","cwd":"${root}","message":{"role":"user","content":"${text}"}}\n`;
  const inputs: [string, (descriptor: number, root: string) => void][] = [
    [
      `a line of ${big} MB`,
      (to, root) => {
        const [before, after] = line(root, "HERE").split("HERE");
        writeSync(to, before!);
        for (let n = 0; n < big; n++) writeSync(to, Buffer.alloc(1e6, "word "));
        writeSync(to, after!);
      },
    ],
    [
      "a million tiny lines",
      (to) => {
        for (let n = 0; n < 1000; n++) writeSync(to, '{"a":1}\n'.repeat(1000));
      },
    ],
    [
      "100,000 lines of conversation",
      (to, root) => {
        for (let n = 0; n < 100_000; n++) writeSync(to, line(root, `${n} what?`));
      },
    ],
    [
      "JSON 100,000 deep",
      (to, root) => {
        const [before, after] = line(root, "HERE").split('"HERE"');
        for (let n = 0; n < 5; n++)
          writeSync(to, `${before}${"[".repeat(100_000)}${"]".repeat(100_000)}${after}`);
      },
    ],
  ];
  for (const [what, write] of inputs) {
    const project = base(`hostile-${inputs.findIndex(([name]) => name === what)}`, { end: 0 });
    const { root } = project;
    const dir = join(userHome, ".claude/projects", root.replace(/[^A-Za-z0-9]/g, "-"));
    mkdirSync(dir, { recursive: true });
    const session = "99999999-1111-4111-8111-111111111111";
    const file = join(dir, `${session}.jsonl`);
    const descriptor = openSync(file, "w");
    writeSync(descriptor, line(root, "first").replace("SESSION", session));
    write(descriptor, root);
    closeSync(descriptor);
    await once(pm(root, "start", "--wait"), "close");
    await once(pm(root, "import", "claude", "--yes"), "close");
    const pid = daemonOf(root);
    let peak = 0;
    let isRead = false;
    for (let i = 0; i < 240 && !isRead && pid !== null && existsSync(`/proc/${pid}`); i++) {
      await sleep(500);
      peak = memoryOf(pid, "VmHWM");
      await callDaemon(project.root, readState, {}).catch(() => null);
      isRead = (await callDaemon(project.root, showQueue, {}).catch(() => null))?.sessions.is_idle ?? false;
    }
    const [shown] = await once(pm(root, "session", "show", session), "close");
    const isGood = isRead && shown === 0 && peak <= mostMb;
    report(`memory: ${what}`, 1, isGood ? 1 : 0, `daemon's peak ${Math.round(peak)} MB`);
    await once(pm(root, "stop"), "close");
    rmSync(file);
  }
  const { root } = base("hostile-source", { end: 3 });
  writeFileSync(join(root, "src/huge.ts"), "export const a = 1;\n".repeat(10_000_000));
  writeFileSync(join(root, "src/long.js"), `const a = [${"1,".repeat(450_000)}];`);
  await once(pm(root, "start", "--wait"), "close");
  const peakOf = () => memoryOf(daemonOf(root)!, "VmHWM");
  const huge = peakOf();
  report(
    "memory: a source of 200 MB, one line of 900 kB",
    1,
    huge <= mostMb ? 1 : 0,
    `daemon's peak ${Math.round(huge)} MB`,
  );
  await once(pm(root, "import", "claude", join(root, "../transcripts"), "--yes"), "close");
  let answered = 0;
  for (const pattern of hostilePatterns) {
    for (const what of ["code", "sessions"]) {
      const [code] = await once(pm(root, "search", what, "--regex", pattern), "close");
      // Found, refused, or nothing found; a daemon that does not answer is 1 or 4.
      if ([0, 2, 5].includes(Number(code)) && daemonOf(root) !== null) answered++;
    }
  }
  const tried = hostilePatterns.length * 2;
  const peak = daemonOf(root) === null ? Infinity : peakOf();
  report(
    `memory: ${hostilePatterns.length} hostile regular expressions, asked of code and of sessions`,
    tried,
    peak <= mostMb ? answered : 0,
    `daemon's peak ${Math.round(peak)} MB`,
  );
  await once(pm(root, "stop"), "close");
}
