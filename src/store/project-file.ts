import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { writeJson } from "../base/files/replace-file.ts";
import { makeDirectory } from "../base/home.ts";

/** By what a project is recognised, and what it is called. */
export const projectIdentity = z.object({
  id: z.string(),
  name: z.string(),
  roots: z.array(z.string()),
  remotes: z.array(z.string()),
  within: z.string(),
});

/** What a project says of itself, beside its memory: `projects/<id>/project.json`. A lost registry is made again from these. */
const projectFile = z.extend(projectIdentity, {
  named: z.boolean(),
  off: z.boolean(),
  /** Their directories. */
  checkouts: z.array(z.string()),
});
type ProjectFile = z.infer<typeof projectFile>;

/** Best effort: the registry itself has it. */
export function writeProjectFile(dataDir: string, content: ProjectFile): void {
  const dir = join(dataDir, "projects", content.id);
  try {
    makeDirectory(dir);
    writeJson(join(dir, "project.json"), content);
  } catch {
    // It is there for the day on which the registry is lost.
  }
}

/** What the project says of itself whose directory this is; null where it says nothing. */
export function readProjectFile(dir: string): ProjectFile | null {
  try {
    return z.parse(projectFile, JSON.parse(readFileSync(join(dir, "project.json"), "utf8")));
  } catch {
    return null;
  }
}

/** Those of all projects; [] where there is no directory of projects. */
export function listProjectFiles(dataDir: string): ProjectFile[] {
  const dir = join(dataDir, "projects");
  if (!existsSync(dir)) return [];
  return readdirSync(dir).flatMap((id) => {
    const content = readProjectFile(join(dir, id));
    return content?.id === id ? content : [];
  });
}
