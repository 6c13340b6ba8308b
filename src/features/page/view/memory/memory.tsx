import { PartTabs } from "../../../../page/components/chips.tsx";
import type { ViewProps } from "../../../../page/router.ts";
import { memoryParts } from "../../../memory-parts.ts";
import "./memory.css";

const tabs = memoryParts.map(({ path, title }) => [path, title] as const);

/** What is remembered: to read, to correct, to arrange and to forget. */
export default function Memory({ rest, query }: ViewProps) {
  const [current = "", ...named] = rest.split("/");
  const shown = memoryParts.find(({ path }) => path === current);
  return (
    <div class="memory">
      <h1 class="hidden">Memory</h1>
      <PartTabs label="Parts of the memory" view="memory" parts={tabs} current={current} />
      {shown && <shown.Part query={query} name={named.join("/")} />}
    </div>
  );
}
