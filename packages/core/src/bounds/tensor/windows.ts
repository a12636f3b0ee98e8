// Which places of earlier pictures a row depends on, so that rows far from each other can share an image of coefficients:
// where their forms never meet, the form of each can be read off its own places.
import type { Field, Reading, TensorLayer, TensorNetwork } from "./operator.ts";
import { isOperated } from "./operator.ts";
import type { Owners, OwnersOf } from "./substitution.ts";

/** Row y depends on the places from y scale + first to y scale + last, as far as they are in the picture. */
interface Span {
  readonly scale: number;
  readonly first: number;
  readonly last: number;
}
type Window = readonly [Span, Span];

const area = ({ height, width }: Field): number => height * width;

/** The pictures of all layers, where their rows read from the same places of earlier ones, or by operators. */
export function fieldsOf({ layers, inputs, inputField }: TensorNetwork): readonly (Field | undefined)[] {
  const fields: (Field | undefined)[] = [];
  const firsts = layers.map(({ firstSlot }) => firstSlot);
  for (const layer of layers) {
    if (isOperated(layer)) {
      fields.push(layer.operator.field);
      continue;
    }
    const sources = [...layersRead(layer, firsts, inputs)].map((l) => (l < 0 ? inputField : fields[l]));
    const [field] = sources;
    const isPicture =
      field !== undefined &&
      layer.groups.length === 0 &&
      !layer.dense &&
      layer.units % area(field) === 0 &&
      sources.every((other) => other && other.height === field.height && other.width === field.width) &&
      keepsPlaces(layer, area(field), firsts, inputs);
    fields.push(isPicture ? { ...field, channels: layer.units / area(field) } : undefined);
  }
  return fields;
}

/** The layer that has a slot; -1: the inputs. */
function layerAt(slot: number, firsts: readonly number[], inputs: number): number {
  if (slot < inputs) return -1;
  let [low, high] = [0, firsts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (firsts[middle]! <= slot) low = middle;
    else high = middle - 1;
  }
  return low;
}

function layersRead(layer: TensorLayer, firsts: readonly number[], inputs: number): ReadonlySet<number> {
  if (isOperated(layer) || layer.dense) return new Set([layerAt(layer.source, firsts, inputs)]);
  const found = new Set<number>();
  let last = -2;
  let [from, end] = [0, 0];
  for (const slot of layer.slots) {
    if (last !== -2 && slot >= from && slot < end) continue;
    last = layerAt(slot, firsts, inputs);
    found.add(last);
    from = last < 0 ? 0 : firsts[last]!;
    end = last < 0 ? inputs : (firsts[last + 1] ?? Number.POSITIVE_INFINITY);
  }
  return found;
}

/** Does each row read slots of its own place only? */
function keepsPlaces(
  { starts, slots, rows }: TensorLayer,
  places: number,
  firsts: readonly number[],
  inputs: number,
) {
  for (let row = 0; row < rows; row++)
    for (let k = starts[row]!; k < starts[row + 1]!; k++) {
      const l = layerAt(slots[k]!, firsts, inputs);
      if ((slots[k]! - (l < 0 ? 0 : firsts[l]!)) % places !== row % places) return false;
    }
  return true;
}

const through = ({ scale, first, last }: Span, { stride, before, reach }: Reading): Span => ({
  scale: scale * stride,
  first: first * stride - before,
  last: last * stride - before + reach,
});

const around = (p: Span, q: Span): Span | undefined =>
  p.scale === q.scale
    ? { scale: p.scale, first: Math.min(p.first, q.first), last: Math.max(p.last, q.last) }
    : undefined;

/**
 * What the rows of layer `target` depend on, by layer, the inputs first; undefined where some of it is no picture that
 * moves with them.
 */
export function windowsOf(
  network: TensorNetwork,
  fields: readonly (Field | undefined)[],
  target: number,
): readonly (Window | undefined)[] | undefined {
  const { layers, inputs, inputField } = network;
  const firsts = layers.map(({ firstSlot }) => firstSlot);
  const windows: (Window | undefined)[] = new Array(target + 1).fill(undefined);
  const own = { scale: 1, first: 0, last: 0 };
  windows[target + 1] = [own, own];
  if (!fields[target]) return undefined;
  for (let l = target; l >= 0; l--) {
    const window = windows[l + 1];
    if (!window) continue;
    if (!fields[l]) return undefined;
    const layer = layers[l]!;
    const read: Window = isOperated(layer)
      ? [through(window[0], layer.operator.reading[0]), through(window[1], layer.operator.reading[1])]
      : window;
    for (const source of layersRead(layer, firsts, inputs)) {
      if (!(source < 0 ? inputField : fields[source])) return undefined;
      const known = windows[source + 1];
      const both = known ? [around(known[0], read[0]), around(known[1], read[1])] : read;
      if (!both[0] || !both[1]) return undefined;
      windows[source + 1] = [both[0], both[1]];
    }
  }
  return windows;
}

/** So many places apart, rows never meet. */
const apart = (windows: readonly (Window | undefined)[], axis: 0 | 1): number =>
  windows.reduce((most, window) => {
    if (!window) return most;
    const { scale, first, last } = window[axis];
    return Math.max(most, Math.ceil((last - first + 1) / scale));
  }, 1);

/** Forms in images: form f is of `rows[f]`, in image `images[f]`. */
export interface Packing {
  readonly images: number;
  readonly rows: Int32Array;
  readonly imageOf: Int32Array;
  readonly ownersOf: OwnersOf;
}

/** Rows of a layer in as few images as their windows allow; images in the order of their first rows. */
export function packed(
  network: TensorNetwork,
  fields: readonly (Field | undefined)[],
  target: number,
  rows: readonly number[],
): {
  readonly groups: readonly (readonly number[])[];
  readonly ownersOf: (group: readonly (readonly number[])[]) => OwnersOf;
} {
  const windows = windowsOf(network, fields, target);
  if (!windows)
    return {
      groups: rows.map((row) => [row]),
      ownersOf: () => (_, image) => ({ area: 1, forms: Int32Array.of(image) }),
    };
  const field = fields[target]!;
  const [dy, dx] = [apart(windows, 0), apart(windows, 1)];
  const groups = new Map<string, number[]>();
  const seen = new Map<number, number>();
  for (const row of rows) {
    const place = row % area(field);
    const nth = seen.get(place) ?? 0;
    seen.set(place, nth + 1);
    const [y, x] = [Math.floor(place / field.width), place % field.width];
    const key = `${nth}/${y % dy}/${x % dx}`;
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return { groups: [...groups.values()], ownersOf: (own) => ownersOf(network, fields, windows, field, own) };
}

/** Of the images of a chunk; its forms are the rows of the first group, then those of the second. */
function ownersOf(
  { inputField }: TensorNetwork,
  fields: readonly (Field | undefined)[],
  windows: readonly (Window | undefined)[],
  field: Field,
  groups: readonly (readonly number[])[],
): OwnersOf {
  const firsts = groups.map((_, n) => groups.slice(0, n).reduce((sum, { length }) => sum + length, 0));
  const made = new Map<string, Owners>();
  return (layer, image) => {
    const key = `${layer}/${image}`;
    const known = made.get(key);
    if (known) return known;
    const [window, own] = [windows[layer + 1], layer < 0 ? inputField! : fields[layer]];
    // What no form depends on has no coefficients.
    const result = window && own ? spread(window, own, field, groups[image]!, firsts[image]!) : nobody;
    made.set(key, result);
    return result;
  };
}

const nobody: Owners = { area: 1, forms: Int32Array.of(0) };

function spread([ys, xs]: Window, own: Field, field: Field, rows: readonly number[], first: number): Owners {
  const forms = new Int32Array(area(own));
  for (const [k, row] of rows.entries()) {
    const place = row % area(field);
    const [y, x] = [Math.floor(place / field.width), place % field.width];
    const [top, bottom] = [y * ys.scale + ys.first, y * ys.scale + ys.last];
    const [left, right] = [x * xs.scale + xs.first, x * xs.scale + xs.last];
    for (let v = Math.max(0, top); v <= Math.min(own.height - 1, bottom); v++)
      for (let w = Math.max(0, left); w <= Math.min(own.width - 1, right); w++)
        forms[v * own.width + w] = first + k;
  }
  return { area: area(own), forms };
}
