import { Tabs } from "../../components/tabs.tsx";
import type { ViewProps } from "../../router.ts";
import { linkTo } from "../../router.ts";
import { AllSettings } from "./all-settings.tsx";
import { Checks } from "./checks.tsx";
import { Log } from "./log.tsx";
import { Work } from "./work.tsx";
import "./settings.css";

const parts = [
  ["", "Settings"],
  ["health", "Health"],
  ["work", "Models and queue"],
  ["log", "Log"],
] as const;

/** How Pommel is set up, and whether all is well. */
export default function Settings({ rest: part, query }: ViewProps) {
  return (
    <div class="settings">
      <h1 class="hidden">Settings and health</h1>
      <Tabs
        label="Parts of the settings"
        tabs={parts.map(([path, label]) => ({
          href: linkTo(`/settings/${path}`),
          label,
          isCurrent: path === part,
        }))}
      />
      {part === "" && <AllSettings query={query} />}
      {part === "health" && <Checks />}
      {part === "work" && <Work />}
      {part === "log" && <Log />}
    </div>
  );
}
