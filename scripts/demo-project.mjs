/** The repository of `pm demo`, on the day of its story, for pictures. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { story, storyDay } from "../src/features/demo/story.ts";
import { tellSession, tellStory } from "../src/features/demo/tell-story.ts";

/** One with a subject that comes back, by which it can be listed. */
const webhooks = {
  id: "e18c6f20-93b4-4d5a-a7c1-5b0f9e3d8a04",
  hoursAgo: 1,
  branch: "fix/webhooks",
  turns: [
    {
      prompt: "Our webhook signatures fail in staging, but not in production. Why?",
      answer:
        "Staging sits behind a proxy that formats the body again, and webhook signatures are made of its bytes.",
      deeds: [],
    },
    {
      prompt: "Then compare the webhook signatures with the raw body, before anything parses it.",
      answer: "The webhook signatures are compared with the raw body now.",
      deeds: [],
    },
  ],
};

/** One that tried what git does not take, and is still changing a function. */
const atWork = {
  id: "4f0c21aa-6a0e-4b6f-8d27-93c5d1e0b7a2",
  hoursAgo: 0.1,
  branch: "fix/webhooks",
  turns: [
    {
      prompt: "How many attempts are made? Let callers say it.",
      deeds: [
        {
          command: "git status --stat",
          purpose: "See what is changed",
          output: "error: unknown option `stat'\nusage: git status [<options>] [--] [<pathspec>...]",
          hasFailed: true,
        },
        { command: "git status --short", purpose: "See what is changed", output: "" },
        {
          path: "src/http/attempts.ts",
          content:
            "export function countAttempts(wanted: number, most: number): number {\n  return Math.min(wanted, most);\n}\n",
        },
      ],
      answer: "Callers say how many attempts they want, and how many there are at most.",
    },
  ],
};
/** As it was before. */
const attempts =
  "export function countAttempts(wanted: number): number {\n  return Math.min(wanted, 5);\n}\n";

const notes = ["The provider's sandbox allows ten requests a second; production allows two hundred."];

/**
 * Makes the project below a home, with the sessions where Claude Code would keep them.
 * @param pm runs `pm` in a directory
 * @param atTerminal the same at a terminal, where a note is a person's
 * @returns its root, the id of the session that is worth a picture, and what adds one more session, or one that is at work
 */
export function makeDemoProject(home, pm, atTerminal) {
  const root = join(home, "harbor");
  const place = { root, home, now: storyDay };
  tellStory(place);
  pm(root, "init", "--no-hooks", "--no-start");
  pm(root, "import", "claude", "--yes");
  pm(root, "checkpoint", "backfill", "--all");
  for (const note of notes) atTerminal(root, `note ${JSON.stringify(note)}`);
  const addSession = () => {
    tellSession(place, webhooks);
    pm(root, "import", "claude", "--yes");
  };
  const addWork = () => {
    const file = join(root, "src/http/attempts.ts");
    writeFileSync(file, attempts);
    const day = new Date(storyDay).toISOString();
    const dated = { GIT_AUTHOR_DATE: day, GIT_COMMITTER_DATE: day };
    const author = ["-c", "user.name=Robin Falk", "-c", "user.email=robin@example.com"];
    for (const args of [
      ["add", file],
      [...author, "commit", "--quiet", "--message", "Count attempts"],
    ])
      execFileSync("git", ["-C", root, ...args], { env: { ...process.env, ...dated } });
    tellSession(place, atWork);
    pm(root, "import", "claude", "--yes");
  };
  return { root, session: story[1].id, addSession, addWork };
}
