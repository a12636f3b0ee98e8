// A drawing: 28 x 28 pixels of 16 levels of ink, painted by strokes and written compactly for links.
export const boardSide = 28;
const most = 15;

/** Levels of ink, 0 to 15, row by row. */
export type Drawing = Uint8Array;

export interface Place {
  readonly x: number;
  readonly y: number;
}

export const emptyDrawing = (): Drawing => new Uint8Array(boardSide ** 2);
export const isEmpty = (drawing: Drawing): boolean => drawing.every((level) => level === 0);
/** Ink from 0 to 1. */
export const inkOf = (drawing: Drawing): Float32Array => Float32Array.from(drawing, (level) => level / most);
export const fromInk = (ink: ArrayLike<number>): Drawing =>
  Uint8Array.from(ink, (v) => Math.round(most * Math.min(1, Math.max(0, v))));

export type Tool = "pen" | "eraser";
const radius: Readonly<Record<Tool, number>> = { pen: 1.7, eraser: 2.6 };

function distance({ x, y }: Place, from: Place, to: Place): number {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = dx * dx + dy * dy;
  const t = length === 0 ? 0 : ((x - from.x) * dx + (y - from.y) * dy) / length;
  const s = Math.min(1, Math.max(0, t));
  return Math.hypot(x - from.x - s * dx, y - from.y - s * dy);
}

/** The drawing after a straight stroke; its edge is soft over one pixel. */
export function stroke(drawing: Drawing, tool: Tool, from: Place, to: Place): Drawing {
  return drawing.map((level, k) => {
    const centre = { x: (k % boardSide) + 0.5, y: Math.floor(k / boardSide) + 0.5 };
    const touch = Math.min(1, Math.max(0, radius[tool] - distance(centre, from, to)));
    return tool === "pen"
      ? Math.max(level, Math.round(most * touch))
      : Math.min(level, Math.round(most * (1 - touch)));
  });
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const longestRun = alphabet.length - most;

/** A letter a level; letters after the 16th are runs of 2 and more pixels without ink. What ends the drawing is left out. */
export function encodeDrawing(drawing: Drawing): string {
  let [text, blank] = ["", 0];
  const flush = (): void => {
    for (; blank > 1; ) {
      const run = Math.min(blank, longestRun);
      text += alphabet[most + run - 1];
      blank -= run;
    }
    if (blank === 1) text += alphabet[0];
    blank = 0;
  };
  for (const level of drawing) {
    if (level === 0) blank++;
    else {
      flush();
      text += alphabet[level];
    }
  }
  return text;
}

/** The drawing of a link; letters that mean nothing are blank. */
export function decodeDrawing(text: string): Drawing {
  const drawing = emptyDrawing();
  let at = 0;
  for (const letter of text) {
    const code = Math.max(0, alphabet.indexOf(letter));
    if (code <= most) {
      if (at < drawing.length) drawing[at] = code;
      at++;
    } else at += code - most + 1;
  }
  return drawing;
}
