import { useState } from "preact/hooks";
import { formatWithUnit } from "../../../base/text/units.ts";
import { useAnswer, useChange } from "../../../page/api/use-answer.ts";
import { Badge } from "../../../page/components/badge.tsx";
import { FilterChips } from "../../../page/components/chips.tsx";
import { Part, SmallButton } from "../../../page/components/layout.tsx";
import { Inline } from "../../../page/components/marked.tsx";
import { Empty, Failure, Loading, Refusal } from "../../../page/components/states.tsx";
import { findSectionTitle } from "../../../protocol/reading/setting-sections.ts";
import type { Setting } from "../operation.ts";

const origins = {
  default: "default",
  global: "your own file",
  team: "the repository's file",
  project: "yours, for this project",
  env: "the environment",
} as const;

/** Every setting with its value and where it comes from; harmless ones can be changed. */
export function AllSettings({ query }: { query: URLSearchParams }) {
  const { data, error, reload } = useAnswer("settings", {});
  if (error) return <Failure error={error} onRetry={reload} />;
  if (data === null) return <Loading rows={10} />;
  const words = (query.get("setting") ?? "").toLowerCase();
  const origin = query.get("from") ?? "";
  const shown = data.settings.filter(
    (one) =>
      (one.key.includes(words) || one.about.toLowerCase().includes(words)) &&
      (origin === "" || (origin === "changed" ? one.origin !== "default" : one.origin === origin)),
  );
  const titles = [...new Set(shown.map(({ key }) => findSectionTitle(key)))];
  return (
    <>
      <div class="view-head">
        <p class="count">
          {shown.length} of {data.settings.length}
        </p>
        <FilterChips
          filters={[
            { name: "setting", label: "Name or words" },
            {
              name: "from",
              label: "Any source",
              values: [["changed", "Changed"], ...Object.entries(origins)],
            },
          ]}
        />
      </div>
      {data.notes.map((note) => (
        <p key={note} class="refusal">
          {note}
        </p>
      ))}
      {shown.length === 0 && <Empty title="No setting matches" />}
      {titles.map((title) => (
        <Part key={title} title={title}>
          <ul class="rows">
            {shown
              .filter(({ key }) => findSectionTitle(key) === title)
              .map((setting) => (
                <SettingRow key={setting.key} setting={setting} />
              ))}
          </ul>
        </Part>
      ))}
    </>
  );
}

function SettingRow({ setting }: { setting: Setting }) {
  const { key, value, origin, source, about, allowed, changeable } = setting;
  const [isEditing, setEditing] = useState(false);
  const change = useChange("changeSetting");
  return (
    <li class="row setting">
      <p class="setting-head">
        <code class="setting-key">{key}</code>
        <span class="setting-value">{formatValue(value, setting)}</span>
        <Badge tone={origin === "default" ? "unknown" : "agent"} title={source ?? undefined}>
          {origins[origin]}
        </Badge>
      </p>
      <p class="faint">
        <Inline text={about} /> Allowed: {allowed}.
        {origin !== "default" && ` Default: ${formatValue(setting.default, setting)}.`}
      </p>
      {change.error && <Refusal error={change.error} />}
      {isEditing ? (
        <SettingForm
          setting={setting}
          isRunning={change.isRunning}
          onClose={() => setEditing(false)}
          onSave={async (given) => {
            if ((await change.run({ key, value: given })) !== null) setEditing(false);
          }}
        />
      ) : (
        changeable &&
        origin !== "env" && (
          <p class="entry-actions">
            <SmallButton onClick={() => setEditing(true)} what={key}>
              Change
            </SmallButton>
            {origin === "project" && (
              <SmallButton isDisabled={change.isRunning} onClick={() => void change.run({ key })} what={key}>
                Reset
              </SmallButton>
            )}
          </p>
        )
      )}
    </li>
  );
}

interface SettingFormProps {
  setting: Setting;
  isRunning: boolean;
  onClose: () => void;
  onSave: (value: string) => Promise<void>;
}

function SettingForm({ setting, isRunning, onClose, onSave }: SettingFormProps) {
  const { key, value, choices } = setting;
  const [text, setText] = useState(Array.isArray(value) ? value.join(",") : formatNumber(value, setting));
  const common = { "aria-label": key, value: text };
  return (
    <form
      class="setting-form"
      onSubmit={(event) => {
        event.preventDefault();
        void onSave(text);
      }}
    >
      {choices === null ? (
        <input {...common} spellcheck={false} onInput={(event) => setText(event.currentTarget.value)} />
      ) : (
        <select {...common} onChange={(event) => setText(event.currentTarget.value)}>
          {choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      )}
      <button type="submit" class="primary" disabled={isRunning}>
        Save for this project
      </button>
      <button type="button" onClick={onClose}>
        Cancel
      </button>
    </form>
  );
}

function formatValue(value: Setting["value"], setting: Setting): string {
  if (!Array.isArray(value)) return value === "" ? '""' : formatNumber(value, setting);
  return value.length === 0 ? "[]" : value.join(", ");
}

const formatNumber = (value: string | number | boolean, { unit }: Setting) =>
  typeof value === "number" && unit !== null ? formatWithUnit(value, unit) : String(value);
