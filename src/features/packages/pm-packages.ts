import { placeInProject } from "../../base/paths.ts";
import { showOperation } from "../../terminal/show-operation.ts";
import { listPackages } from "./operation.ts";
import { wordPackages } from "./words.ts";

/** `pm code packages` */
export const packagesCommand = showOperation(listPackages, wordPackages, ({ project, cwd }) => ({
  near: placeInProject(project, cwd),
}));
