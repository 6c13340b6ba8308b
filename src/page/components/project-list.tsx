import { showEverywhere } from "../api/place.ts";
import { projects } from "../api/project.ts";
import { linkInto, linkTo } from "../router.ts";
import { ResultRow } from "./result-row.tsx";
import { Time } from "./time.tsx";
import { formatCount } from "./words.ts";

/** All projects, each of which leads to its own view at a path. */
export function ProjectList({ title, path }: { title: string; path: string }) {
  return (
    <>
      <h1 class="view-head">{title}</h1>
      <ul class="rows">
        {projects.value.map(({ id, name, root, remote, sessions, last_used_at }) => (
          <ResultRow
            key={id}
            href={linkInto(root, linkTo(path))}
            onClick={() => showEverywhere(false)}
            icon="pommel"
            kind="Project"
            title={name}
            meta={
              <>
                <span class="path">{remote ?? root}</span>
                {sessions !== null && <span>{formatCount(sessions, "session")}</span>}
                <Time at={last_used_at} />
              </>
            }
          />
        ))}
      </ul>
    </>
  );
}
