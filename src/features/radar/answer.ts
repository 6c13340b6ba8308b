import type { Subjects } from "../../answers/operation.ts";
import { toRealPath } from "../../base/paths.ts";
import { formatIsoTime } from "../../base/text/iso-time.ts";
import { listProjectRoots } from "../../git/projects/roots.ts";
import { classifyCheckout, findLiveWork, type LiveChange, listOverlaps } from "./changes.ts";
import type { RadarAnswer } from "./operation.ts";
import { isRadarOn } from "./ready.ts";

export async function showRadar({ project, memory }: Subjects["memory"]): Promise<RadarAnswer> {
  const { checkouts, sessions, changes } = await findLiveWork(memory, await listProjectRoots(project.root));
  return {
    sessions: sessions.map(({ session, root, files }) => ({
      session_id: session.uid,
      title: session.title,
      agent: session.agent,
      root,
      branch: session.branch,
      last_at: formatIsoTime(session.lastAt),
      files: files
        .map((file) => ({
          path: file.path,
          root: file.root,
          at: new Date(file.at).toISOString(),
          functions: changes
            .filter((one) => one.session === session.uid && one.root === file.root && one.path === file.path)
            .map(toFunction),
        }))
        .filter(({ functions }) => functions.length > 0)
        .sort((a, b) => (a.at < b.at ? 1 : -1)),
    })),
    overlaps: listOverlaps(changes).map(({ path, name, changes }) => ({
      path,
      name,
      session_ids: changes.map(({ session }) => session),
      roots: changes.map(({ root }) => root),
    })),
    checkouts: checkouts.map((root) => ({ root, is: classifyCheckout(root, toRealPath(project.root)) })),
    is_on: isRadarOn(project),
  };
}

const toFunction = ({ what, now, before, isSignatureChanged }: LiveChange) => ({
  name: now.name,
  what,
  line: now.startLine,
  signature: now.signature,
  former_signature: what === "changed" && isSignatureChanged ? (before?.signature ?? null) : null,
});
