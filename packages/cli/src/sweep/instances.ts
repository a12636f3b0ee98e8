// A competition's instances.csv: a network, a query and seconds a line, with or without names of columns above.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { csvRecords } from "@lemmata/core/data";
import type { Point } from "@lemmata/core/sweep";
import { readBytes } from "../files.ts";
import { UsageError } from "../usage-error.ts";

export interface Instance {
  readonly network: string;
  readonly query: string;
  readonly timeout: number | undefined;
  /** All that the line says, for the table. */
  readonly columns: Point;
}

const usualNames = ["onnx", "vnnlib", "timeout"];

const cellValue = (text: string): number | string =>
  text !== "" && Number.isFinite(Number(text)) ? Number(text) : text;

/** A competition's files are packed by gzip, and its lists do not say so. */
const packedOr = (path: string): string =>
  !existsSync(path) && existsSync(`${path}.gz`) ? `${path}.gz` : path;

/** The instances of a list; files are beside it, or where it says. */
export function readInstances(path: string): readonly Instance[] {
  const lines = [...csvRecords(new TextDecoder().decode(readBytes(path)), ",", path)]
    .map(({ cells, line }) => ({ cells: cells.map((cell) => cell.trim()), number: line }))
    .filter(({ cells }) => cells.some((cell) => cell !== ""));
  const hasNames =
    lines[0] !== undefined && !lines[0].cells.some((cell) => /\.(onnx|vnnlib)(\.gz)?$/i.test(cell));
  const names = hasNames ? lines[0]!.cells : usualNames;
  const at = (name: string): number => names.findIndex((n) => n.toLowerCase() === name);
  const [onnx, vnnlib, timeout] = usualNames.map(at) as [number, number, number];
  if (onnx < 0 || vnnlib < 0)
    throw new UsageError(`${path}: no columns onnx and vnnlib, which name the files`);
  const instances = lines.slice(hasNames ? 1 : 0).map(({ cells, number }): Instance => {
    const [network, query, seconds] = [cells[onnx], cells[vnnlib], cells[timeout]];
    if (!network || !query) throw new UsageError(`${path}, line ${number}: a network and a query are needed`);
    if (seconds && !(Number(seconds) > 0))
      throw new UsageError(`${path}, line ${number}: timeout ${seconds}: it is a number of seconds above 0`);
    return {
      network: packedOr(join(dirname(path), network)),
      query: packedOr(join(dirname(path), query)),
      timeout: seconds ? Number(seconds) : undefined,
      columns: Object.fromEntries(
        cells.flatMap((cell, k) => (names[k] && cell !== "" ? [[names[k]!, cellValue(cell)]] : [])),
      ),
    };
  });
  if (instances.length === 0) throw new UsageError(`${path}: no instance in it`);
  return instances;
}
