import { useState } from "preact/hooks";
import { goTo, linkTo, route } from "../router.ts";

export interface Filter {
  /** Its name in the address. */
  name: string;
  label: string;
  /** Its values with their labels; without them it is free text. */
  values?: readonly (string | readonly [value: string, label: string])[];
}

/** Filters of a list. Their values are in the address, so that a filtered list can be kept and shared. */
export function FilterChips({ filters }: { filters: readonly Filter[] }) {
  const { path, query } = route.value;
  const given = Object.fromEntries(query);
  const set = (name: string, value: string) =>
    goTo(linkTo(path, { ...given, [name]: value }), { replace: true });
  const shown = filters.filter(
    ({ name, values }) => values === undefined || values.length > 1 || query.has(name),
  );
  const isFiltered = filters.some(({ name }) => query.has(name));
  return (
    <fieldset class="chips">
      <legend class="hidden">Filters</legend>
      {shown.map((filter) => (
        <Chip
          key={filter.name}
          filter={filter}
          value={query.get(filter.name) ?? ""}
          onChange={(value) => set(filter.name, value)}
        />
      ))}
      {isFiltered && (
        <button
          type="button"
          class="quiet"
          onClick={() => goTo(linkTo(path, { q: given.q }), { replace: true })}
        >
          Clear filters
        </button>
      )}
    </fieldset>
  );
}

type ChipProps = { filter: Filter; value: string; onChange: (value: string) => void };

function Chip({ filter, value, onChange }: ChipProps) {
  const { name, label, values } = filter;
  const className = value === "" ? "chip" : "chip active";
  if (values === undefined) {
    return (
      <input
        class={className}
        name={name}
        aria-label={label}
        placeholder={label}
        // All of the label can be read.
        size={Math.max(label.length, 10)}
        value={value}
        spellcheck={false}
        onChange={(event) => onChange(event.currentTarget.value.trim())}
      />
    );
  }
  const options = values.map((one) => (typeof one === "string" ? ([one, one] as const) : one));
  const isListed = value === "" || options.some(([known]) => known === value);
  return (
    <select
      class={className}
      name={name}
      aria-label={label}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    >
      <option value="">{label}</option>
      {(isListed ? options : [...options, [value, value] as const]).map(([known, text]) => (
        <option key={known} value={known}>
          {text}
        </option>
      ))}
    </select>
  );
}

interface AskBoxProps {
  label: string;
  /** What the address asks for. */
  words: string;
  onWords: (words: string) => void;
}

/** A wide box for a question that is answered while it is typed. */
export function AskBox({ label, words, onWords }: AskBoxProps) {
  const [typed, setTyped] = useState(words);
  return (
    <input
      class="chip ask"
      type="search"
      aria-label={label}
      placeholder={label}
      value={typed}
      onInput={({ currentTarget: { value } }) => {
        setTyped(value);
        onWords(value.trim());
      }}
    />
  );
}

interface ChipTab {
  href: string;
  label: string;
  isCurrent: boolean;
}

type ViewParts = readonly (readonly [path: string, label: string])[];
type PartTabsProps = { label: string; view: string; parts: ViewParts; current: string };

/** The parts of a view, each with an address below the view's own. */
export function PartTabs({ label, view, parts, current }: PartTabsProps) {
  const tabs = parts.map(([path, name]) => ({
    href: linkTo(`/${view}/${path}`),
    label: name,
    isCurrent: path === current,
  }));
  return <Tabs label={label} tabs={tabs} />;
}

/** Parts of a view, each with an address of its own. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly ChipTab[] }) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <a key={tab.href} href={tab.href} aria-current={tab.isCurrent ? "true" : undefined}>
          {tab.label}
        </a>
      ))}
    </nav>
  );
}
