import rules from "./commands.json" with { type: "json" };

/** They follow any work, and say nothing of how it is done or checked. */
export const versionControl = new RegExp(`^(?:${rules.versionControl.join("|")})\\b`);

/** Programs whose failure says that work is not done. */
const checks = new RegExp(`\\b(?:${rules.checks.join("|")})\\b`, "i");
export const isCheck = (line: string): boolean => checks.test(line);
