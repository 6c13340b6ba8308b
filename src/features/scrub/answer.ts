import { scrubQuestions } from "../../answers/audit.ts";
import { changeMemory } from "../../answers/changing.ts";
import { loadCurrentConfig, openMemory } from "../../answers/open.ts";
import type { RunContext, Subjects } from "../../answers/operation.ts";
import { PommelError } from "../../base/errors.ts";
import { explainWhyNoModelScrubs } from "../../models/generate/registry.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { rescrubMemory } from "../../sessions/scrub/rescrub.ts";
import { countSecrets } from "../../store/memory/privacy/secrets.ts";
import type { rescrubRequest } from "./operation.ts";

export const countRedactions = ({ memory }: Subjects["memory"]) => countSecrets(memory);

export async function scrub(
  { project }: Subjects["project"],
  { llm: withModel = false }: Shaped<typeof rescrubRequest>,
  how: RunContext,
) {
  const kept = openMemory(project);
  if (kept === null) {
    const { isLogEmpty, ...done } = await changeMemory(project, async (work) => {
      await scrubQuestions(project, work.scrubber);
      return rescrubMemory(work, how);
    });
    return { queued: false, ...done, log_emptied: isLogEmpty };
  }
  if (!withModel) {
    kept.scrub();
    return { queued: true };
  }
  const problem = explainWhyNoModelScrubs(loadCurrentConfig(project));
  if (problem !== null)
    throw new PommelError(
      "usage",
      `No language model looks for secrets: ${problem}.`,
      "Set scrub.llm to true, and llm.model to a model on this machine; see docs/scrubbing.md.",
    );
  const sessions = kept.scrubOldLines();
  return { queued: sessions > 0, sessions };
}
