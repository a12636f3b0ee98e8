// Pieces that every section of a report uses.
import { type Html, type HtmlPart, html } from "./html.ts";

/** A section with its heading; the id is what links lead to. */
export const section = (id: string, title: string, ...body: readonly HtmlPart[]): Html => html`
<section id="audit-${id}">
<h2>${title}</h2>
${body.map((part) => html`${part}`)}
</section>`;

export interface Column<T> {
  readonly head: HtmlPart;
  readonly cell: (row: T) => HtmlPart;
  /** Numbers stand to the right. */
  readonly numeric?: boolean;
  /** What the row is called. */
  readonly isName?: boolean;
}

const cellOf = <T>({ cell, numeric, isName }: Column<T>, row: T): Html =>
  isName
    ? html`<th scope="row">${cell(row)}</th>`
    : html`<td${numeric ? html` class="number"` : ""}>${cell(row)}</td>`;

/** Column heads of a table. */
const headsOf = <T>(columns: readonly Column<T>[]): Html =>
  html`<thead><tr>${columns.map(
    ({ head, numeric }) => html`<th scope="col"${numeric ? html` class="number"` : ""}>${head}</th>`,
  )}</tr></thead>`;

const bodyRows = <T>(columns: readonly Column<T>[], rows: readonly T[]): readonly Html[] =>
  rows.map((row) => html`<tr>${columns.map((column) => cellOf(column, row))}</tr>\n`);

/** A table that scrolls by itself where the page is narrow. */
export const table = <T>(caption: HtmlPart, columns: readonly Column<T>[], rows: readonly T[]): Html =>
  groupedTable(caption, columns, [{ rows }]);

export interface RowGroup<T> {
  readonly name?: string;
  readonly rows: readonly T[];
}

/** A table whose rows have headings of their own. */
export const groupedTable = <T>(
  caption: HtmlPart,
  columns: readonly Column<T>[],
  groups: readonly RowGroup<T>[],
): Html => html`<div class="scroll" tabindex="0" role="group"><table><caption>${caption}</caption>
${headsOf(columns)}
${groups.map(
  ({ name, rows }) => html`<tbody>${
    name === undefined
      ? ""
      : html`<tr class="group"><th scope="rowgroup" colspan="${columns.length}">${name}</th></tr>\n`
  }${bodyRows(columns, rows)}</tbody>
`,
)}</table></div>`;

/** A picture with its words below. */
export const figure = (picture: Html, caption: HtmlPart): Html =>
  html`<figure><div class="picture">${picture}</div><figcaption>${caption}</figcaption></figure>`;

/** Coloured samples with their names. */
export const legend = (items: readonly { readonly colour: string; readonly name: string }[]): Html =>
  html`<ul class="legend">${items.map(
    ({ colour, name }) => html`<li><span class="sample" style="background: ${colour}"></span>${name}</li>`,
  )}</ul>`;
