import { loadCurrentConfig } from "../answers/open.ts";
import type { Config } from "../base/config/settings.ts";
import type { Project } from "../base/paths.ts";
import type { Memory } from "../store/memory/memory.ts";

/** What is asked about, as far as it is known. */
export interface AskedAbout {
  /** Lines of a file, which is named from the root. */
  file?: { path: string; lines: readonly string[] };
  /** As it was printed. */
  error?: string;
  words?: string;
}

/** @returns sentences, as notes are */
export type FindAsides = (project: Project, memory: Memory, about: AskedAbout) => Promise<string[]>;

interface Aside {
  isOn: (config: Config) => boolean;
  load: () => Promise<FindAsides>;
}

/** What features say beside the answers of others, by feature. */
const asides: Readonly<Record<string, Aside>> = {
  "dead-ends": {
    isOn: (config) => config["dead_ends.check"],
    load: async () => (await import("./dead-ends/aside.ts")).findAsides,
  },
};

/** For the notes of an answer. */
export async function listAsides(
  project: Project,
  memory: Memory | null,
  about: AskedAbout,
): Promise<string[]> {
  if (memory === null) return [];
  const config = loadCurrentConfig(project);
  const found: string[] = [];
  for (const { isOn, load } of Object.values(asides))
    if (isOn(config)) found.push(...(await (await load())(project, memory, about)));
  return found;
}
