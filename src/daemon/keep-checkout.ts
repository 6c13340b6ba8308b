import { queueWith } from "../answers/jobs-status.ts";
import { keptQueue } from "../features/jobs/answer.ts";
import { keptSettings } from "../features/settings/answer.ts";
import { keptStatus, measuring } from "../features/status/answer.ts";
import { buildStatus, describeCode } from "../features/status/status.ts";
import type { UndoStep } from "./lifecycle/endings.ts";
import type { LiveSettings } from "./lifecycle/live-settings.ts";
import type { OpenCheckout } from "./projects/open-checkout.ts";

/** An open checkout, with its settings, which follow the files. */
export interface InUse {
  checkout: OpenCheckout;
  settings: LiveSettings;
}

/** Shares what works on an open checkout with the operations that report on it. @returns stops that */
export function keepCheckout(inUse: InUse): UndoStep[] {
  const { checkout, settings } = inUse;
  const { project, work, of } = checkout;
  const { transcripts, report } = of;
  return [
    keptSettings.share(project.root, () => void settings.reload()),
    keptStatus.share(project.root, () => describeKept(inUse)),
    keptQueue.share(project.root, () => {
      const sessions = report.reportJobs();
      return { ...queueWith(work.queue(), sessions), sessions, past: transcripts.countPastSessions() };
    }),
  ];
}

/** The status of a checkout that is in use. */
async function describeKept({ checkout, settings }: InUse) {
  const { project, config, work, embedders, of } = checkout;
  const { transcripts, report } = of;
  const memory = report.reportStatus();
  const queue = queueWith(work.queue(), memory.jobs);
  const how = { embedders: () => embedders, pending: queue.pending, life: work };
  const described = await describeCode(project, config, work, how);
  if (described.error !== undefined) work.suspect(described.error);
  const status = buildStatus(project, config, described, report.reportModels());
  const { health, models } = status;
  const isDegraded =
    memory.llm.problem !== null ||
    [...models.code, ...models.text].some(({ state }) => state === "unavailable");
  if (isDegraded && health.status === "healthy") health.status = "degraded";
  return {
    ...status,
    daemon: { running: true, has_open: true, ...measuring.get()() },
    queue,
    memory: { ...memory, vanishing: await transcripts.getVanishing() },
    notes: [
      ...(settings.problem === null ? [] : [settings.problem]),
      ...checkout.listNotes(),
      ...(queue.last_error === null ? [] : [queue.last_error]),
    ],
  };
}
