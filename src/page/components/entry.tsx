import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.tsx";

interface EntryProps {
  icon: IconName;
  /** What the icon means. */
  kind: string;
  title: ComponentChildren;
  /** Where it comes from; null: nowhere that could be shown. */
  href: string | null;
  aside?: ComponentChildren;
  meta?: ComponentChildren;
  /** Buttons. */
  actions?: ComponentChildren;
  children?: ComponentChildren;
}

/** Something remembered in a list, with what can be done about it. */
export function Entry({ icon, kind, title, href, aside, meta, actions, children }: EntryProps) {
  const content = (
    <>
      <span class="row-icon" title={kind}>
        <Icon name={icon} />
      </span>
      <span class="row-head">
        <span class="row-title entry-title">{title}</span>
        {aside && <span class="row-aside">{aside}</span>}
      </span>
      {meta && <span class="row-meta">{meta}</span>}
    </>
  );
  return (
    <li class="row entry">
      {href === null ? (
        <div data-row tabIndex={-1}>
          {content}
        </div>
      ) : (
        <a data-row href={href}>
          {content}
        </a>
      )}
      {children}
      {actions && <p class="entry-actions">{actions}</p>}
    </li>
  );
}
