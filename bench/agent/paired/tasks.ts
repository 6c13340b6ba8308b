import { readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import * as z from "zod/mini";

/** What decides whether a run succeeded. */
const check = z.union([
  /** Run by `sh` in the repository after the agent ended; it must exit 0. TASKS names the directory of the tasks file. */
  z.strictObject({ command: z.string() }),
  /** The answer must contain this, in any case. */
  z.strictObject({ contains: z.string() }),
]);

const task = z.strictObject({
  id: z.string().check(z.regex(/^[\w-]+$/)),
  /** A directory, relative to the tasks file, or a URL that git fetches from. */
  repository: z.string(),
  /** A commit, tag or branch; later commits stay out of sight. */
  revision: z._default(z.string(), "HEAD"),
  prompt: z.string(),
  check,
  /** Transcripts of Claude Code, or directories of them, that Pommel knows; relative to the tasks file. */
  sessions: z._default(z.array(z.string()), []),
});

const tasksFile = z.strictObject({ tasks: z.array(task).check(z.minLength(1)) });

export type Task = z.infer<typeof task>;
export type Check = Task["check"];

export interface TaskList {
  /** The directory of the tasks file. */
  dir: string;
  tasks: Task[];
}

/** The tasks with absolute paths. @throws where the file is wrong, or names what is not there */
export function loadTasks(file: string): TaskList {
  const dir = dirname(resolve(file));
  const { tasks } = z.parse(tasksFile, JSON.parse(readFileSync(file, "utf8")));
  const twice = tasks.find(({ id }, i) => tasks.findIndex((other) => other.id === id) < i);
  if (twice) throw new Error(`There are two tasks ${twice.id}.`);
  const at = (path: string) => {
    const absolute = resolve(dir, path);
    statSync(absolute);
    return absolute;
  };
  const isUrl = (repository: string) => /^[a-z+]+:\/\/|^[\w.-]+@[\w.-]+:/.test(repository);
  return {
    dir,
    tasks: tasks.map((one) => ({
      ...one,
      repository: isUrl(one.repository) ? one.repository : at(one.repository),
      sessions: one.sessions.map(at),
    })),
  };
}
