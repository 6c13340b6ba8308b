import type { ComponentChildren, RenderableProps } from "preact";
import { useId } from "preact/hooks";

type PartProps = RenderableProps<{ title: ComponentChildren; as?: "part" | "panel" }>;

/** A part of a view, by its heading. A panel stands apart from the others. */
export function Part({ title, as = "part", children }: PartProps) {
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
      <thead hidden={head.every((name) => name === "")}>
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

type SmallButtonProps = RenderableProps<{ onClick: () => void; what?: string; isDisabled?: boolean }>;

/** A button that stays in the background. `what` it is about is said to those who do not see where it stands. */
export function SmallButton({ onClick, what, isDisabled = false, children }: SmallButtonProps) {
  return (
    <button type="button" class="quiet small" disabled={isDisabled} onClick={onClick}>
      {children}
      {what !== undefined && <span class="hidden"> {what}</span>}
    </button>
  );
}

type FormButtonsProps = { submit: string; isDisabled: boolean; onCancel: () => void };

/** The end of a form: it is given up or sent. */
export function FormButtons({ submit, isDisabled, onCancel }: FormButtonsProps) {
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
