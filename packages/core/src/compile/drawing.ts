// The function graph as a picture: one column for each level, one box for each node with its share of the error.

import { expressionOf } from "../formula/range.ts";
import type { Compiled } from "./compile.ts";
import { methodOf } from "./compile.ts";
import { sourcesOf } from "./expanded-graph.ts";

export interface Drawing {
  readonly svg: string;
  readonly width: number;
  readonly height: number;
}

const [boxWidth, boxHeight, gapX, gapY, margin, title] = [208, 64, 54, 16, 20, 44];
/** Letters that fit into a box: of the expression, and of the smaller lines below it. */
const [longestExpression, longestLine] = [28, 38];
/** Boxes in one column; more are summed up in a line of text. */
const tallest = 24;
const font = "system-ui, -apple-system, 'Segoe UI', sans-serif";

const markup = (text: string): string =>
  text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]!);
const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text;

interface Placed {
  readonly x: number;
  readonly y: number;
}

/** Levels of the nodes that are drawn: those of the formula, without servants. */
function levelsOf({ functionGraph }: Compiled): readonly (readonly number[])[] {
  const level: number[] = [];
  const columns: number[][] = [];
  functionGraph.nodes.forEach((node, id) => {
    level[id] = (node.args as readonly number[]).reduce((most, a) => Math.max(most, level[a]! + 1), 0);
    columns[level[id]!] ??= [];
    columns[level[id]!]!.push(id);
  });
  return columns;
}

/** The units of a node, with those of its servants. */
function unitsOf({ program, realized }: Compiled, id: number): number {
  const seen = new Set<number>();
  const count = (k: number): number => {
    if (seen.has(k)) return 0;
    seen.add(k);
    const inner = sourcesOf(program, k).filter((s) => program.serves.get(s) === id);
    return realized[k]!.plan.units + inner.reduce((sum, s) => sum + count(s), 0);
  };
  return count(id);
}

function boxOf(compiled: Compiled, id: number, { x, y }: Placed): string {
  const { functionGraph, realized, program } = compiled;
  const method = methodOf(realized[id]!.plan, program.polynomials.get(id));
  const { plan, runError } = realized[id]!;
  const isVariable = plan.kind === "variable";
  const units = unitsOf(compiled, id);
  const colour = isVariable ? "#f0f0f0" : units > 0 ? "#dcecf7" : "#ffffff";
  const lines = isVariable
    ? [expressionOf(functionGraph, id)]
    : [
        cut(expressionOf(functionGraph, id), longestExpression),
        cut(method, longestLine),
        `${units} ${units === 1 ? "unit" : "units"}`,
        `local ${plan.localError.toExponential(1)}, in all ${runError.toExponential(1)}`,
      ];
  const text = lines.map(
    (line, k) =>
      `<text x="${x + 8}" y="${y + 17 + 13.5 * k}" font-size="${k === 0 ? 12 : 10}" ${k === 0 ? 'font-weight="600"' : 'fill="#444"'}>${markup(line)}</text>`,
  );
  return `<rect x="${x}" y="${y}" width="${boxWidth}" height="${boxHeight}" rx="5" fill="${colour}" stroke="#5b7f95"/>${text.join("")}`;
}

/**
 * The function graph with the budget of its nodes, as SVG.
 * @example graphDrawing(await compile({ formula: "x^2", box: [{ name: "x", lower: 0, upper: 1 }], eps: 0.1 })).width > 0 // true
 */
export function graphDrawing(compiled: Compiled): Drawing {
  const columns = levelsOf(compiled);
  const shown = columns.map((ids) => ids.slice(0, tallest));
  const rows = Math.max(...shown.map((ids) => ids.length));
  const height = title + margin + rows * (boxHeight + gapY) + 20;
  const width = 2 * margin + columns.length * (boxWidth + gapX) - gapX;
  const places = new Map<number, Placed>();
  shown.forEach((ids, column) => {
    const top = title + ((rows - ids.length) * (boxHeight + gapY)) / 2;
    ids.forEach((id, row) => {
      places.set(id, { x: margin + column * (boxWidth + gapX), y: top + row * (boxHeight + gapY) });
    });
  });
  const edges = [...places].flatMap(([id, to]) =>
    compiled.functionGraph.nodes[id]!.args.flatMap((source) => {
      const from = places.get(source);
      if (!from) return [];
      const [x1, y1, x2, y2] = [from.x + boxWidth, from.y + boxHeight / 2, to.x, to.y + boxHeight / 2];
      const middle = (x1 + x2) / 2;
      return [
        `<path d="M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}" fill="none" stroke="#999"/>`,
      ];
    }),
  );
  const hidden = columns.flatMap((ids, k) =>
    ids.length > tallest
      ? [
          `<text x="${margin + k * (boxWidth + gapX)}" y="${height - 8}" font-size="11">and ${ids.length - tallest} more</text>`,
        ]
      : [],
  );
  const { certificate, sizes } = compiled;
  const heading = `${cut(certificate.formula, 60)}: error at most ${certificate.certifiedError.toExponential(2)} (proved), ${sizes.hiddenUnits} units`;
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${font}">`,
    `<rect width="${width}" height="${height}" fill="white"/>`,
    `<text x="${margin}" y="26" font-size="15" font-weight="600">${markup(heading)}</text>`,
    ...edges,
    ...[...places].map(([id, place]) => boxOf(compiled, id, place)),
    ...hidden,
    "</svg>",
  ].join("\n");
  return { svg, width: Math.max(width, 9 * heading.length), height };
}
