import { createIgnoreRules } from "../../../../code/files/ignore.ts";
import { nestedIn } from "../../../../code/files/scan.ts";
import { loadConfig } from "../../../../project/config/config.ts";
import type { Project } from "../../../../project/paths.ts";
import { nestedText } from "../../../results/nested.ts";
import { type CheckResult, ok } from "./check.ts";

/** Repositories and projects inside this one. */
export function checkNested(project: Project): CheckResult {
  const found = nestedIn(project.root, createIgnoreRules(project.root, loadConfig(project).config));
  return ok(found.length === 0 ? "no projects or repositories inside this one" : nestedText(found).join(" "));
}
