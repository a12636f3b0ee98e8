// Draws a block diagram, from above to below.

import { okabeIto, type SvgMaker } from "../svg/element.ts";
import type { BlockDiagram, NetworkBlock } from "./block-diagram.ts";
import type { Drawing } from "./drawing.ts";
import { layeredLayout } from "./layered-layout.ts";

const [labelSize, detailSize, padding, stripe] = [13, 11.5, 18, 4];
const longest = 44;

/** Whole names are in the tooltip. */
const shortened = (text: string): string =>
  text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
/** A letter of the system's typeface is a little more than half as wide as high. */
const textWidth = (text: string, size: number): number => [...text].length * size * 0.58;
const number = (n: number): string => n.toLocaleString("en-US");
const parametersText = (n: number): string => (n === 1 ? "1 parameter" : `${number(n)} parameters`);

function detailOf({ kind, shape, parameters }: NetworkBlock): string {
  const count = parameters > 0 ? parametersText(parameters) : undefined;
  return [kind === "folded" ? undefined : shape, count].filter((part) => part !== undefined).join("  ·  ");
}

function boxOf(block: NetworkBlock) {
  const [label, detail] = [shortened(block.label), shortened(detailOf(block))];
  const width = Math.max(textWidth(label, labelSize * 1.06), textWidth(detail, detailSize)) + 2 * padding;
  return { label, detail, width: Math.max(96, Math.round(width)), height: detail ? 46 : 30 };
}

/** Straight through rows, bent between them. */
function routePath(points: readonly (readonly [number, number])[]): string {
  const [first, ...rest] = points;
  let [x, y] = first!;
  const parts = [`M${x.toFixed(1)} ${y.toFixed(1)}`];
  for (const [u, v] of rest) {
    const middle = ((y + v) / 2).toFixed(1);
    parts.push(
      Math.abs(u - x) < 0.5
        ? `L${u.toFixed(1)} ${v.toFixed(1)}`
        : `C${x.toFixed(1)} ${middle} ${u.toFixed(1)} ${middle} ${u.toFixed(1)} ${v.toFixed(1)}`,
    );
    [x, y] = [u, v];
  }
  return parts.join("");
}

/** Names of the nodes, not too many of them. */
function tooltip({ label, nodes, shape }: NetworkBlock): string {
  const names = nodes.slice(0, 12).map((n) => `${n.op} ${n.name || n.outputs[0] || ""}`.trim());
  const rest = nodes.length - names.length;
  return [label, ...(shape ? [shape] : []), ...names, ...(rest > 0 ? [`and ${rest} more`] : [])].join("\n");
}

/** The diagram as SVG elements; each block is a group with the class of its kind. */
export function drawBlocks({ blocks, edges }: BlockDiagram, make: SvgMaker): Drawing {
  const boxes = blocks.map(boxOf);
  const layout = layeredLayout(boxes, edges);
  const lines = layout.routes.map((route) => {
    const [x, y] = route.at(-1)!;
    const group = make("g", { class: "network-edge" });
    group.append(
      make("path", {
        d: routePath([...route.slice(0, -1), [x, y - 6]]),
        fill: "none",
        stroke: "currentColor",
        "stroke-opacity": 0.55,
        "stroke-width": 1.4,
      }),
      make("path", {
        d: `M${x.toFixed(1)} ${(y - 0.5).toFixed(1)}l-4 -7h8z`,
        "fill-opacity": 0.7,
      }),
    );
    return group;
  });
  const groups = blocks.map((block, k) => drawBlock(block, boxes[k]!, layout.boxes[k]!, make));
  const nodes = blocks.reduce((sum, b) => sum + b.nodes.length, 0);
  const parameters = blocks.reduce((sum, b) => sum + b.parameters, 0);
  return {
    elements: [...lines, ...groups],
    width: layout.width,
    height: layout.height,
    description: `${nodes === 1 ? "1 operator" : `${number(nodes)} operators`}, ${parametersText(parameters)}`,
  };
}

function drawBlock(
  block: NetworkBlock,
  { label, detail, width, height }: ReturnType<typeof boxOf>,
  { x, y }: { readonly x: number; readonly y: number },
  make: SvgMaker,
): SVGElement {
  const group = make("g", { class: `network-${block.kind}` });
  const [left, top] = [x - width / 2, y - height / 2];
  const isEnd = block.kind === "input" || block.kind === "output";
  const frame = make("rect", {
    x: left.toFixed(1),
    y: top.toFixed(1),
    width,
    height,
    rx: isEnd ? height / 2 : 6,
    "fill-opacity": block.parameters > 0 ? 0.08 : 0.03,
    stroke: "currentColor",
    "stroke-opacity": 0.45,
    ...(block.kind === "folded" ? { "stroke-dasharray": "5 4" } : {}),
  });
  group.append(make("title", {}, tooltip(block)), frame);
  if (block.parameters > 0)
    group.append(
      make("rect", {
        x: (left + 6).toFixed(1),
        y: (top + 7).toFixed(1),
        width: stripe,
        height: height - 14,
        rx: stripe / 2,
        fill: okabeIto[0],
        style: `fill: var(--lemmata-accent, ${okabeIto[0]})`,
      }),
    );
  const text = { x: x.toFixed(1), "text-anchor": "middle" };
  group.append(
    make(
      "text",
      { ...text, y: (detail ? top + 19 : y + 4.5).toFixed(1), "font-size": labelSize, "font-weight": 600 },
      label,
    ),
  );
  if (detail)
    group.append(
      make(
        "text",
        { ...text, y: (top + 36).toFixed(1), "font-size": detailSize, "fill-opacity": 0.82 },
        detail,
      ),
    );
  return group;
}
