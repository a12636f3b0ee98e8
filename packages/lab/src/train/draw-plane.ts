// What is drawn on the plane, in layers: the score, the borders of regions, the points.
import { heatImage } from "./colours.ts";
import { canvasSide, gridSize, type PlaneBox, type Points } from "./messages.ts";
import type { Palette } from "./palette.svelte.ts";

type Pen = CanvasRenderingContext2D;

/** The score as colours, a pixel a point. */
export function drawSurface(pen: Pen, surface: Float32Array, colours: Palette): void {
  pen.putImageData(new ImageData(heatImage(surface, colours), gridSize, gridSize), 0, 0);
}

/** The borders of regions in the colour of ink. */
export function drawBorders(pen: Pen, borders: ImageBitmap, { ink }: Palette): void {
  pen.globalCompositeOperation = "copy";
  pen.drawImage(borders, 0, 0);
  pen.globalCompositeOperation = "source-in";
  pen.fillStyle = ink;
  pen.fillRect(0, 0, canvasSide, canvasSide);
}

/** Class 0 as discs, class 1 as squares; those of the test are hollow. */
export function drawPoints(
  pen: Pen,
  box: PlaneBox,
  { x: coordinates, classes }: Points,
  { classes: colours, card }: Palette,
  isHollow: boolean,
): void {
  const scale = canvasSide / (box.upper[0] - box.lower[0]);
  const radius = classes.length > 1200 ? 3.5 : 6;
  classes.forEach((label, k) => {
    const [u, v] = [
      (coordinates[2 * k]! - box.lower[0]) * scale,
      (box.upper[1] - coordinates[2 * k + 1]!) * scale,
    ];
    pen.beginPath();
    if (label === 0) pen.arc(u, v, radius, 0, 2 * Math.PI);
    else pen.rect(u - radius + 0.5, v - radius + 0.5, 2 * radius - 1, 2 * radius - 1);
    const colour = colours[label as 0 | 1];
    [pen.lineWidth, pen.fillStyle, pen.strokeStyle] = isHollow ? [3, card, colour] : [1.5, colour, card];
    pen.fill();
    pen.stroke();
  });
}
