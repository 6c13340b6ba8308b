import type { Subjects } from "../../answers/operation.ts";
import { run } from "../../answers/run.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { showCost } from "../cost/operation.ts";
import { listNow, listNowEverywhere, putSessionAside } from "./now.ts";
import type { putAsideRequest } from "./operation.ts";

export async function showNow({ project, memory }: Subjects["memory"]) {
  const { running, ...rest } = listNow(memory);
  const priced = running.map(async (session) => {
    const { total } = await run(showCost, project, { session: session.id, limit: 1 });
    return { ...session, cost: total };
  });
  return { ...rest, running: await Promise.all(priced) };
}

export const nowEverywhere = () => listNowEverywhere();

export const putAside = ({ memory }: Subjects["memory"], { id }: Shaped<typeof putAsideRequest>) =>
  putSessionAside(memory, id);
