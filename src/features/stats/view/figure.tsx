import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { SmallButton } from "../../../page/components/layout.tsx";

interface FigureProps {
  title: string;
  /** What it shows, in a sentence. */
  says: string;
  /** Its numbers: the first row names the columns. */
  table: readonly (readonly (string | number)[])[];
  legend?: readonly (readonly [colour: string, name: string])[];
  children: ComponentChildren;
}

/** A picture or a list, with its numbers as a table; both can be saved. */
export function Figure({ title, says, table, legend, children }: FigureProps) {
  const picture = useRef<HTMLDivElement>(null);
  const [isDrawn, setDrawn] = useState(false);
  useEffect(() => setDrawn(picture.current?.querySelector("svg") !== null), []);
  const [columns = [], ...rows] = table;
  const name = title.toLowerCase().replace(/\W+/g, "-");
  return (
    <figure class="figure">
      <figcaption>
        <h2>{title}</h2>
        <p class="faint">{says}</p>
      </figcaption>
      <div ref={picture} class="picture">
        {children}
      </div>
      {legend && (
        <ul class="legend">
          {legend.map(([colour, label]) => (
            <li key={label}>
              <span style={{ background: colour }} /> {label}
            </li>
          ))}
        </ul>
      )}
      <p class="figure-actions">
        <SmallButton onClick={() => save(`${name}.csv`, exportCsv(table))}>Save as CSV</SmallButton>
        {isDrawn && (
          <SmallButton onClick={() => save(`${name}.svg`, exportSvg(picture.current!))}>
            Save as SVG
          </SmallButton>
        )}
      </p>
      <details>
        <summary class="faint">The numbers</summary>
        <div class="numbers">
          <table>
            <thead>
              <tr>
                {columns.map((column) => (
                  <th key={column} scope="col">
                    {column}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row, i) => (
                <tr key={i}>
                  {row.map((cell, column) => (
                    <td key={column}>{typeof cell === "number" ? cell.toLocaleString("en") : cell}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}

/** The picture on its own: with the colours and fonts that it has here now. */
function exportSvg(place: HTMLElement): Blob {
  const drawn = place.querySelector("svg")!;
  const copy = drawn.cloneNode(true) as SVGSVGElement;
  const originals = [drawn, ...drawn.querySelectorAll<SVGElement>("*")];
  for (const [i, element] of [copy, ...copy.querySelectorAll<SVGElement>("*")].entries()) {
    const style = getComputedStyle(originals[i]!);
    for (const property of ["fill", "stroke", "font-size", "font-family", "opacity"]) {
      element.style.setProperty(property, style.getPropertyValue(property));
    }
    element.removeAttribute("class");
  }
  const { width, height } = drawn.viewBox.baseVal;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height));
  copy.style.background = getComputedStyle(place.closest("figure")!).backgroundColor;
  return new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" });
}

/** Its numbers. A spreadsheet runs what begins like a formula. */
const exportCsv = (table: FigureProps["table"]) =>
  new Blob([table.map((row) => `${row.map(escapeCell).join(",")}\r\n`).join("")], { type: "text/csv" });

function escapeCell(value: string | number): string {
  if (typeof value === "number") return String(value);
  const text = /^[=+\-@\t]/.test(value) ? `'${value}` : value;
  return `"${text.replaceAll('"', '""')}"`;
}

function save(name: string, blob: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
