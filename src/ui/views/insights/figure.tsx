import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";

interface FigureProps {
  title: string;
  /** What it shows, in a sentence. */
  says: string;
  /** Its numbers: the first row names the columns. */
  table: readonly (readonly (string | number)[])[];
  legend?: readonly (readonly [colour: string, name: string])[];
  children: ComponentChildren;
}

/** A picture (an `svg`) that can be saved, with its numbers as a table. */
export function Figure({ title, says, table, legend, children }: FigureProps) {
  const picture = useRef<HTMLDivElement>(null);
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
        <button
          type="button"
          class="quiet small"
          onClick={() => save(`${name}.svg`, svgOf(picture.current!))}
        >
          Save as SVG
        </button>
        <button
          type="button"
          class="quiet small"
          onClick={() => void savePicture(`${name}.png`, picture.current!)}
        >
          Save as PNG
        </button>
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
function svgOf(place: HTMLElement): Blob {
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

async function savePicture(name: string, place: HTMLElement): Promise<void> {
  const { width, height } = place.querySelector("svg")!.viewBox.baseVal;
  const image = new Image();
  // The Content-Security-Policy allows pictures from data: alone.
  image.src = `data:image/svg+xml,${encodeURIComponent(await svgOf(place).text())}`;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: width * 2, height: height * 2 });
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => blob && save(name, blob));
}

function save(name: string, blob: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
