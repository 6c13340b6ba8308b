import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

/** A part of a view, by its heading. A panel stands apart from the others. */
export function Part({
  title,
  as = "part",
  children,
}: {
  title: ComponentChildren;
  as?: "part" | "panel";
  children: ComponentChildren;
}) {
  const id = useId();
  return (
    <section class={as} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

/** A table with a heading for each column; its rows are the children. */
export function Table({ head, children }: { head: readonly string[]; children: ComponentChildren }) {
  return (
    <table class="plain-table">
      <thead>
        <tr>
          {head.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

/** A button that stays in the background. `what` it is about is said to those who do not see where it stands. */
export function SmallButton({
  onClick,
  what,
  isDisabled = false,
  children,
}: {
  onClick: () => void;
  what?: string;
  isDisabled?: boolean;
  children: ComponentChildren;
}) {
  return (
    <button type="button" class="quiet small" disabled={isDisabled} onClick={onClick}>
      {children}
      {what !== undefined && <span class="hidden"> {what}</span>}
    </button>
  );
}

/** The end of a form: it is given up or sent. */
export function FormButtons({
  submit,
  isDisabled,
  onCancel,
}: {
  submit: string;
  isDisabled: boolean;
  onCancel: () => void;
}) {
  return (
    <footer class="dialog-buttons">
      <button type="button" onClick={onCancel}>
        Cancel
      </button>
      <button type="submit" class="primary" disabled={isDisabled}>
        {submit}
      </button>
    </footer>
  );
}
