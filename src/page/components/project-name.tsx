import { isEverywhere, placeShown } from "../api/place.ts";
import { projects } from "../api/project.ts";
import { Badge } from "./badge.tsx";

/** The name of the project that something is of, where it may be another than the one that is shown. */
export function ProjectName({ root }: { root: string | undefined }) {
  if (root === undefined || (root === placeShown() && !isEverywhere())) return null;
  return <Badge>{projects.value.find((one) => one.root === root)?.name ?? root}</Badge>;
}
