import rules from "./commands.json" with { type: "json" };

/** They follow any work, and say nothing of how it is done or checked. */
export const versionControl = new RegExp(`^(?:${rules.versionControl.join("|")})\\b`);

/** Programs whose failure says that work is not done. */
const checks = new RegExp(`\\b(?:${rules.checks.join("|")})\\b`, "i");
/** A branch that is named after a build, and a look at a cluster, check nothing; a container may run the tests. */
const otherPrograms = new RegExp(
  `^(?:\\w+=\\S+ )*(?:${rules.notOfTheProject.filter((program) => program !== "docker").join("|")})\\b`,
);
export const isCheck = (line: string): boolean =>
  !versionControl.test(line) && !otherPrograms.test(line) && checks.test(line);
