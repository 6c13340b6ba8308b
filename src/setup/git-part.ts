import type { Project } from "../base/paths.ts";
import { unhideFromGit } from "../git/hooks/exclude.ts";
import { installGitHooks, removeGitHooks } from "../git/hooks/install.ts";
import { readGitHooksState, readRecord } from "../git/hooks/state.ts";
import type { PartState, PutFile, SetupPart, TakenFile } from "./part.ts";

/** As `SetupPart.key`. */
export const gitHooksKey = "git/hooks";

/** Git's hooks of a project. */
export class GitPart implements SetupPart {
  readonly key = gitHooksKey;
  readonly owner = "git";
  readonly title = "Git";
  readonly name = "hooks";

  constructor(private readonly project: Project) {}

  async look(): Promise<PartState> {
    const { state, dir, missing, error } = await readGitHooksState(this.project);
    const isThere = state === "installed" || state === "partial";
    return {
      state: state === "installed" ? "current" : state === "partial" ? state : "absent",
      detail: missing,
      file: isThere ? `${dir}/` : null,
      error,
    };
  }

  async put(): Promise<PutFile[]> {
    const hooks = await installGitHooks(this.project);
    return hooks.map(({ file, outcome }) => ({ file, outcome, added: [], detail: [] }));
  }

  /** Also what kept a person's own files out of git's status. */
  async take(): Promise<TakenFile[]> {
    const [hooks, hidden] = await Promise.allSettled([
      removeGitHooks(this.project),
      unhideFromGit(this.project.root),
    ]);
    if (hooks.status === "rejected") throw hooks.reason;
    if (hidden.status === "rejected") throw hidden.reason;
    const files = hidden.value === null ? hooks.value : [...hooks.value, hidden.value];
    return files.map((file) => ({ file, outcome: "removed", detail: [] }));
  }

  isOff(): boolean {
    return readRecord(this.project).disabled;
  }
}
