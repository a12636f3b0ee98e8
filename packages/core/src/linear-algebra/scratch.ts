// Arrays that blocked algorithms pack their operands into, used again and again: garbage of this size costs more than the
// products that it is for.

/** Numbers that are kept at most: 64 MB. */
const mostKept = 2 ** 23;
const free: Float64Array[] = [];
let kept = 0;

/** An array of this length, with anything in it; `giveBack` it when done. */
export function scratch(length: number): Float64Array {
  const found = free.findIndex((array) => array.length >= length && array.length <= 4 * length + 4096);
  if (found < 0)
    return new Float64Array(2 ** Math.ceil(Math.log2(Math.max(1024, length)))).subarray(0, length);
  const [array] = free.splice(found, 1);
  kept -= array!.length;
  return array!.subarray(0, length);
}

/** The array may be used by others from now on. */
export function giveBack(array: Float64Array): void {
  const whole = new Float64Array(array.buffer);
  if (kept + whole.length > mostKept) return;
  kept += whole.length;
  free.push(whole);
}
