/** The repository of `pm demo`, as if its story had just happened, for pictures of the page. */
import { join } from "node:path";
import { story } from "../src/features/demo/story.ts";
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

const notes = ["The provider's sandbox allows ten requests a second; production allows two hundred."];

/**
 * Makes the project below a home, with the sessions where Claude Code would keep them.
 * @param pm runs `pm` in a directory
 * @returns its root, the id of the session that is worth a picture, and what adds one more session
 */
export function makeDemoProject(home, pm) {
  const root = join(home, "harbor");
  const place = { root, home, now: Date.now() };
  tellStory(place);
  pm(root, "init", "--no-hooks", "--no-start");
  pm(root, "start");
  pm(root, "import", "claude", "--yes");
  pm(root, "checkpoint", "backfill", "--all");
  for (const note of notes) pm(root, "note", note);
  const addSession = () => {
    tellSession(place, webhooks);
    pm(root, "import", "claude", "--yes");
  };
  return { root, session: story[1].id, addSession };
}
