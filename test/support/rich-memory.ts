import { execFileSync } from "node:child_process";
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { tellStory } from "../../src/features/demo/tell-story.ts";
import { idOf, type TranscriptFixture, transcript } from "./transcript-fixture.ts";

const hourMs = 3_600_000;

/** Sessions that show all that a session may hold. */
export const richSessions = {
  long: idOf("long"),
  waiting: idOf("waiting"),
  told: "9e07f3aa-51c8-4c2b-8f4d-6d1b3e9c7a02",
};

const longWord = `ThisNameIsLongerThanAnyColumn${"AndGoesOn".repeat(12)}`;

const markdown = `## What I found

| file | lines | what it does | whether it is tested |
|---|---:|---|:---:|
| \`src/http/retry.ts\` | 21 | sends again, with exponential backoff and a jitter of 50 % | yes |
| \`src/http/payments.ts\` | 14 | asks the provider for a payment and gives up after five attempts | no |

1. A list with **strong** words, \`code\`, and a [link](https://example.com/somewhere/that/is/rather/long).
2. And a quotation:

> We decided to keep five attempts, because the provider's limit is six a minute.

\`\`\`ts
export const policy = { attempts: 5, firstWaitMs: 200, jitter: 0.5, comment: "a line that is much longer than the column in which it is shown, so that it has to scroll" };
\`\`\`

${longWord}
`;

const log = Array.from(
  { length: 60 },
  (_, i) => `${String(i).padStart(4, "0")} GET /v1/payments/${"0123456789abcdef".repeat(8)} 200 in ${i} ms`,
).join("\n");

/** A session in which everything happens that a view draws: 30 turns. */
function tellLong(root: string, start: string): TranscriptFixture {
  const told = transcript({ session: richSessions.long, cwd: root, start, branch: "fix/backoff" });
  told.prompt(`Look at the payments client. ${longWord}`);
  told.read(join(root, "src/http/retry.ts"), "export const attempts = 5;\n");
  told.reply(markdown, { thinking: "The user wants to know what there is." });
  told.prompt("Raise the attempts to six, and run the tests.");
  told.edit(
    join(root, "src/http/payments.ts"),
    "/** Asks the provider for a payment. */",
    "/** Asks the provider for a payment, six times at most. */",
    8,
  );
  told.bash(
    "node --test src/http/payments.test.ts --reporter=spec --test-name-pattern='gives up after six attempts'",
    `Exit code 1\n${log}`,
    { isError: true },
  );
  told.bash("node --test src/http", log);
  told.task(
    "a1b2c3d4",
    "Find out what the provider allows, and say it in a sentence.",
    "Six requests a minute.",
  );
  told.reply(
    "The tests pass now. We should keep five attempts instead of six, because the provider allows six requests a minute.",
  );
  told.compact("The attempts stay at five.");
  for (let turn = 3; turn <= 30; turn++) {
    told.prompt(
      turn % 7 === 0
        ? `Question ${turn}: ${"and what about this case? ".repeat(12)}`
        : `Question ${turn}: what does step ${turn} do?`,
    );
    if (turn % 5 === 0) told.bash(`npm run step -- ${turn}`, `step ${turn} is done`);
    told.reply(`Answer ${turn}: step ${turn} waits ${turn * 100} ms, then goes on.`);
  }
  return told;
}

/** One that asks its user something now. */
function tellWaiting(root: string, start: string): TranscriptFixture {
  const told = transcript({ session: richSessions.waiting, cwd: root, start, branch: "fix/backoff" });
  told.prompt("Release the client, with a changelog in our usual form.");
  told.reply("Which version shall it be?");
  const options = [
    { label: "1.0.0", description: "the first" },
    { label: "0.9.0", description: "not yet" },
  ];
  told.toolUse("AskUserQuestion", {
    questions: [{ question: "Which version shall it be?", header: "Version", options, multiSelect: false }],
  });
  return told;
}

/**
 * Makes a project with whatever the page can show, at a time: the demo's story, a long session with all kinds of answers, one that
 * waits, notes, an event, a merge, a branch and changes that are not committed. The same time gives the same memory.
 * @param pm runs `pm` in the project
 */
export async function makeRichMemory(
  place: { root: string; home: string; now: number },
  pm: (...args: string[]) => Promise<unknown>,
): Promise<void> {
  const { root, home, now } = place;
  tellStory(place);
  const at = (hoursAgo: number) => new Date(now - hoursAgo * hourMs);
  const git = (...args: string[]) => {
    const date = at(1.5).toISOString();
    const env = { ...process.env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
    execFileSync("git", ["-c", "commit.gpgsign=false", ...args], { cwd: root, env, stdio: "pipe" });
  };
  const write = (path: string, text: string, hoursAgo: number) => {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    utimesSync(file, at(hoursAgo), at(hoursAgo));
  };
  for (let i = 0; i < 12; i++)
    write(`src/services/payments/providers/module${i}.ts`, `export const value${i} = ${i};\n`, 1.5);
  write(`docs/${longWord.slice(0, 90)}.md`, "# A long name\n\nIt says little.\n", 1.5);
  git("add", ".");
  git(
    "commit",
    "--quiet",
    "-m",
    "Add providers and a page with a name that nobody would choose, so that rows have to break it",
    "-m",
    "The body says why:\n\n- first\n- second",
  );
  git("checkout", "--quiet", "-b", "side", "HEAD~1");
  write("src/side.ts", "export const side = true;\n", 1.4);
  git("add", ".");
  git("commit", "--quiet", "-m", "Work beside it");
  git("checkout", "--quiet", "fix/backoff");
  git("merge", "--quiet", "--no-ff", "-m", "Merge the work beside it", "side");
  write(
    "src/index.ts",
    'export { payment } from "./http/payments.ts";\nexport { side } from "./side.ts";\n',
    0.5,
  );

  const folder = join(home, ".claude/projects", root.replaceAll(/[^a-zA-Z0-9]/g, "-"));
  mkdirSync(folder, { recursive: true });
  const waiting = tellWaiting(root, at(0.06).toISOString());
  for (const told of [tellLong(root, at(6).toISOString()), waiting]) {
    const last = new Date(told.time());
    utimesSync(told.writeTo(folder), last, last);
  }
  await pm("init", "--no-hooks", "--no-start");
  await pm("start");
  await pm("import", "claude", "--yes");
  await pm("checkpoint", "backfill", "--all");
  await pm("note", "The provider's sandbox allows ten requests a second; production allows two hundred.");
  await pm("note", "src/http/retry.ts:9", "Keep this in step with the worker's own retries.");
  await pm("event", "create", "The outage of the provider", "--session", richSessions.told);
}
