import type { ComponentChildren } from "preact";
import { buildEditorLink } from "../api/project.ts";
import { Icon, type IconName } from "./icon.tsx";

interface ResultRowProps {
  href: string;
  icon: IconName;
  /** What the icon means. */
  kind: string;
  title: ComponentChildren;
  /** Beside the title: badges, a time. */
  aside?: ComponentChildren;
  /** Below it: where it is, why it is there. */
  meta?: ComponentChildren;
  /** A file and a line that `o` and a button open in the editor. */
  place?: { path: string; line: number } | undefined;
  /** Done before it is followed. */
  onClick?: () => void;
  children?: ComponentChildren;
}

/** A row of any list that leads somewhere: the arrow keys go from row to row. */
export function ResultRow({
  href,
  icon,
  kind,
  title,
  aside,
  meta,
  place,
  onClick,
  children,
}: ResultRowProps) {
  const editor = place ? buildEditorLink(place.path, place.line) : null;
  return (
    <li class={children ? "row" : "row compact"}>
      <a href={href} data-row data-place={place && `${place.path}:${place.line}`} onClick={onClick}>
        <span class="row-icon" title={kind}>
          <Icon name={icon} />
        </span>
        <span class="row-head">
          <span class="row-title">{title}</span>
          {aside && <span class="row-aside">{aside}</span>}
        </span>
        {meta && <span class="row-meta">{meta}</span>}
        {children}
      </a>
      {editor !== null && (
        <a
          class="row-action"
          href={editor}
          title="Open in the editor (o)"
          aria-label={`Open ${place?.path} in the editor`}
        >
          <Icon name="external" />
        </a>
      )}
    </li>
  );
}
