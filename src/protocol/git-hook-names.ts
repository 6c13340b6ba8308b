/** The hooks of git that Pommel listens to; `pm hook git-post-commit` is what post-commit runs, and so on. */
export const gitHookNames = ["post-commit", "post-rewrite", "pre-push"] as const;
export type GitHookName = (typeof gitHookNames)[number];
